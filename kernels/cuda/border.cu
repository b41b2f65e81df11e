// D, the error of padding, measured on each hologram itself: leave the outermost MARGIN microphones out, continue the rest
// beyond the new border, and see how the source plane inside changes. Formulas and symbols are those of the CPU's twin,
// pipeline/holography/src/border.rs, the padding's those of lpbp.rs and plpbp.rs. Launched by kernels/src/border.rs.
//
//   D(F) = (N/M) sum over the inner aperture of |IDFT(F B (P - P_inner))|^2
//
// | kernel | blocks | from | to |
// |---|---|---|---|
// | border_pad | aperture, hologram | holograms | padded fields |
// | border_spectrum_x | row, hologram | padded fields | windowed difference, DFT along x |
// | border_spectrum_y | \|ky\|, hologram | those lines | spectrum exp(j Re(k_z) z)/(n_x n_y), split by parity |
// | border_power | filter, tile, hologram | spectrum | part of D |
//
// Parity: F and |B| depend on |kx| and |ky| only, and the inner aperture lies evenly about its centre. With xi counted from
// there, a field is the sum of its even and odd parts,
//
//   V(xi) = sum_k E_k cos(2 pi k xi/n) + j O_k sin(2 pi k xi/n),   E_k = S_k + S_-k, O_k = S_k - S_-k, k = 0..n/2,
//   |V(xi)|^2 + |V(-xi)|^2 = 2 |even part|^2 + 2 |odd part|^2,
//
// along x and y alike. Four small transforms with real factors take a quarter of the multiplications of the plain one.
//
// n holograms (the last dimension of the launch); tables from the host:
//   holograms [frame][n][ROWS][COLS], of which the first frame is used
//   windows   whole aperture [GRID_ROWS], [GRID_COLS], inner aperture [GRID_ROWS], [GRID_COLS]
//   twiddles  exp(-j 2 pi i/m), m = GRID_ROWS, then m = GRID_COLS
//   centre    exp(+j 2 pi k c/m), c the centre of the inner aperture: [HALF_ROWS], then [HALF_COLS]
//   along_y   [even, odd][HALF_ROWS][OUT_ROWS] cosines and sines     along_x   [even, odd][HALF_COLS][TILES * TILE], 0 beyond
//   radii, index, waves, filters as in cutoff.cu
// and between the kernels:
//   padded    [n][variant][GRID_ROWS][GRID_COLS]      lines   [n][GRID_ROWS][GRID_COLS]
//   spectrum  [n][HALF_COLS][parity][HALF_ROWS]       border  [n][FILTERS][TILES]
// variant: 0 whole, 1 inner aperture, rows first; 2, 3 the same with columns first (PLANAR only).
//
// Work for 32 x 32 microphones on 96 x 96, each filter: 2.9e5 multiply-adds in double precision and 2401 exponentials; 343
// filters and 10 holograms make 2.5e9 flop with the rest, 0.1 ms at the 30 Tflop/s of an H200.
#include "abi/cutoff.h"
#include "complex.cuh"
#include "kfilter.cuh"
#include "sums.cuh"

const int INNER_ROWS = ROWS - 2 * MARGIN, INNER_COLS = COLS - 2 * MARGIN;
const int LONGEST = ROWS > COLS ? ROWS : COLS;
const int GRID = GRID_ROWS * GRID_COLS;
// Stages of the lattice; one that is not used without prediction.
const int STAGES = ORDER > 0 ? ORDER : 1;
const int VARIANTS = PLANAR ? 4 : 2;
// Half of the grid with its middle, and of the inner aperture.
const int HALF_ROWS = GRID_ROWS / 2 + 1, HALF_COLS = GRID_COLS / 2 + 1;
const int OUT_ROWS = (INNER_ROWS + 1) / 2, OUT_COLS = (INNER_COLS + 1) / 2;
const int PARITIES = 4;
const int TILES = (OUT_COLS + TILE - 1) / TILE;
// Errors lie along the border: N/M.
const double LENGTHS = double(ROWS < COLS ? ROWS : COLS) / (INNER_ROWS < INNER_COLS ? INNER_ROWS : INNER_COLS);

const int PAD_THREADS = 128, SPECTRUM_THREADS = 128, POWER_THREADS = 256;

// A line: samples added before, measured, and in all.
struct Extent {
    int before, measured, total;
};

// Products and sums are rounded one by one, in the order of the CPU: the padding is the same bit for bit. On fields without
// noise the fit is ill-conditioned, and another rounding would be another padding.
inline double product_sum(double a, double b, double c, double d) { return __dadd_rn(__dmul_rn(a, b), __dmul_rn(c, d)); }
inline double product_difference(double a, double b, double c, double d) {
    return __dsub_rn(__dmul_rn(a, b), __dmul_rn(c, d));
}
inline double2 plus_rn(double2 a, double2 k, double2 x) {
    return make_double2(a.x + product_difference(k.x, x.x, k.y, x.y), a.y + product_sum(k.x, x.y, k.y, x.x));
}
inline double2 plus_conj_rn(double2 a, double2 k, double2 x) {
    return make_double2(a.x + product_sum(k.x, x.x, k.y, x.y), a.y + product_difference(k.x, x.y, k.y, x.x));
}
inline double2 minus_rn(double2 a, double2 k, double2 x) {
    return make_double2(a.x - product_difference(k.x, x.x, k.y, x.y), a.y - product_sum(k.x, x.y, k.y, x.x));
}

// The sums of a reflection coefficient, and the energy that rounding may have put into the errors so far.
struct Burg {
    double2 product = {0.0, 0.0};
    double energy = 0.0, rounding = 0.0, gain = 1.0;

    void add(double2 f, double2 b) {
        product = plus_conj_rn(product, b, f);
        energy += product_sum(f.x, f.x, f.y, f.y) + product_sum(b.x, b.x, b.y, b.y);
    }

    // k = -2 product/energy with |k| <= 1, or 0 where the errors are nothing but rounding; starts new sums.
    double2 reflection() {
        const double epsilon = 2.220446049250313e-16;
        rounding = product_sum(rounding, gain, epsilon * epsilon, energy);
        const double scale = energy > rounding ? -2.0 / energy : 0.0;
        const double2 k = make_double2(product.x * scale, product.y * scale);
        const double squared = product_sum(k.x, k.x, k.y, k.y);
        const double clip = squared > 1.0 ? 1.0 / sqrt(squared) : 1.0;
        gain = 1.0 + fmin(squared, 1.0);
        product = make_double2(0.0, 0.0), energy = 0.0;
        return make_double2(k.x * clip, k.y * clip);
    }
};

// The model of a line: reflection coefficients and the lattice's states at both ends.
struct Model {
    double2 reflection[STAGES], left[STAGES], right[STAGES];
};

// Burg's recursion over the measured samples of `line`.
inline void fit(const double2* line, int stride, int measured, Model& model) {
    double2 forward[LONGEST], backward[LONGEST];
    Burg burg;
#pragma unroll 1
    for (int j = 0; j < measured - 1; j++) {
        backward[j] = line[j * stride], forward[j] = line[(j + 1) * stride];
        burg.add(forward[j], backward[j]);
    }
    model.left[0] = line[0], model.right[0] = line[(measured - 1) * stride];
#pragma unroll 1
    for (int m = 0, pairs = measured - 1; m < ORDER; m++, pairs--) {
        const double2 k = model.reflection[m] = burg.reflection();
        // The errors of order p itself are not needed: the response starts without them.
        if (m + 1 == ORDER) return;
        model.left[m + 1] = plus_rn(forward[0], k, backward[0]);
        double2 previous = backward[0] = plus_conj_rn(backward[0], k, forward[0]);
#pragma unroll 1
        for (int j = 1; j < pairs; j++) {
            const double2 f = forward[j], b = backward[j];
            forward[j - 1] = plus_rn(f, k, b);
            backward[j] = plus_conj_rn(b, k, f);
            burg.add(forward[j - 1], previous);
            previous = backward[j];
        }
        model.right[m + 1] = previous;
    }
}

// The next sample of the zero-input response; `state` moves on by one sample.
inline double2 respond(const double2* reflection, double2* state) {
    double2 f = make_double2(0.0, 0.0);
    for (int m = ORDER - 1; m >= 0; m--) {
        const double2 old = state[m];
        f = minus_rn(f, reflection[m], old);
        if (m + 1 < ORDER) state[m + 1] = plus_conj_rn(old, reflection[m], f);
    }
    return state[0] = f;
}

// Continues a line whose measured samples are in their place. Not unrolled anywhere: the errors lie in local memory, and
// short code that stays in the cache is faster.
__noinline__ void extend(double2* line, int stride, Extent extent) {
    double2* measured = line + extent.before * stride;
    if (ORDER == 0) {
        for (int n = 0; n < extent.total; n++)
            if (n < extent.before || n >= extent.before + extent.measured) line[n * stride] = make_double2(0.0, 0.0);
        return;
    }
    Model model;
    fit(measured, stride, extent.measured, model);
#pragma unroll 1
    for (int n = extent.before + extent.measured; n < extent.total; n++)
        line[n * stride] = respond(model.reflection, model.right);
    for (int m = 0; m < ORDER; m++) model.reflection[m] = conjugate(model.reflection[m]);
#pragma unroll 1
    for (int n = extent.before - 1; n >= 0; n--) line[n * stride] = respond(model.reflection, model.left);
}

// Both apertures padded one way (x first) or both ways. One thread continues a line; 2 x 192 lines in two steps.
extern "C" __global__ __launch_bounds__(PAD_THREADS) void border_pad(const float2* holograms, double2* padded) {
    const int margin = blockIdx.x % 2 * MARGIN;
    const bool columns_first = blockIdx.x >= 2;
    const Extent along_x = {(GRID_COLS - COLS) / 2 + margin, COLS - 2 * margin, GRID_COLS};
    const Extent along_y = {(GRID_ROWS - ROWS) / 2 + margin, ROWS - 2 * margin, GRID_ROWS};
    const float2* values = holograms + size_t(blockIdx.y) * ROWS * COLS + margin * COLS + margin;
    double2* field = padded + (size_t(blockIdx.y) * VARIANTS + blockIdx.x) * GRID;
    for (int i = threadIdx.x; i < along_y.measured * along_x.measured; i += PAD_THREADS) {
        const int y = i / along_x.measured, x = i % along_x.measured;
        const float2 value = values[y * COLS + x];
        field[(along_y.before + y) * GRID_COLS + along_x.before + x] = make_double2(value.x, value.y);
    }
    __syncthreads();
    // The measured lines one way, then all lines the other way.
    const Extent first = columns_first ? along_y : along_x, second = columns_first ? along_x : along_y;
    const int sample = columns_first ? GRID_COLS : 1, line = columns_first ? 1 : GRID_COLS;
    for (int i = threadIdx.x; i < second.measured; i += PAD_THREADS)
        extend(field + (second.before + i) * line, sample, first);
    __syncthreads();
    for (int i = threadIdx.x; i < first.total; i += PAD_THREADS) extend(field + i * sample, line, second);
}

// A padded value of one aperture; planar prediction is the mean of both orders.
inline double2 padded_value(const double2* padded, int inner, int place) {
    const double2 value = padded[inner * GRID + place];
    if (!PLANAR) return value;
    const double2 other = padded[(2 + inner) * GRID + place];
    return 0.5 * (value + other);
}

// DFT along x of the windowed difference of both apertures.
extern "C" __global__ __launch_bounds__(SPECTRUM_THREADS) void border_spectrum_x(
    const double2* padded, const double* windows, const double2* twiddles, double2* lines) {
    __shared__ double2 row[GRID_COLS];
    const int y = blockIdx.x;
    const double* inner_windows = windows + GRID_ROWS + GRID_COLS;
    padded += size_t(blockIdx.y) * VARIANTS * GRID;
    for (int x = threadIdx.x; x < GRID_COLS; x += SPECTRUM_THREADS) {
        const double whole = windows[y] * windows[GRID_ROWS + x];
        const double inner = inner_windows[y] * inner_windows[GRID_ROWS + x];
        const double2 a = padded_value(padded, 0, y * GRID_COLS + x), b = padded_value(padded, 1, y * GRID_COLS + x);
        row[x] = whole * a - inner * b;
    }
    __syncthreads();
    for (int kx = threadIdx.x; kx < GRID_COLS; kx += SPECTRUM_THREADS) {
        double2 sum = make_double2(0.0, 0.0);
        for (int x = 0, turn = 0; x < GRID_COLS; x++) {
            sum = sum + times(row[x], twiddles[GRID_ROWS + turn]);
            turn += kx;
            if (turn >= GRID_COLS) turn -= GRID_COLS;
        }
        lines[(size_t(blockIdx.y) * GRID_ROWS + y) * GRID_COLS + kx] = sum;
    }
}

// DFT along y at ky and -ky of the lines at kx and -kx: [sign of ky][sign of kx].
struct Corner {
    double2 at[2][2];
};

inline Corner transform_y(const double2* lines, const double2* twiddles, int ky, int kx) {
    const double2 zero = make_double2(0.0, 0.0);
    Corner sums = {{{zero, zero}, {zero, zero}}};
    for (int y = 0, turn = 0; y < GRID_ROWS; y++) {
        const double2 up = twiddles[turn], down = conjugate(up);
        const double2 right = lines[y * GRID_COLS + kx], left = lines[y * GRID_COLS + (GRID_COLS - kx) % GRID_COLS];
        sums.at[0][0] = sums.at[0][0] + times(right, up);
        sums.at[0][1] = sums.at[0][1] + times(left, up);
        sums.at[1][0] = sums.at[1][0] + times(right, down);
        sums.at[1][1] = sums.at[1][1] + times(left, down);
        turn += ky;
        if (turn >= GRID_ROWS) turn -= GRID_ROWS;
    }
    return sums;
}

// Whether k of n points is a wavenumber of its own with this sign: 0 is positive, the highest of an even n negative.
inline bool exists(int k, int n, int negative) { return negative ? k > 0 : 2 * k < n; }

// The spectrum's even and odd parts about the inner aperture's centre, with the propagator's phase.
extern "C" __global__ __launch_bounds__(SPECTRUM_THREADS) void border_spectrum_y(
    const double2* lines, const double2* twiddles, const double2* centre, const u32* index, const CutoffWave* waves,
    double2* spectrum) {
    const int ky = blockIdx.x;
    const size_t hologram = blockIdx.y;
    lines += hologram * GRID;
    spectrum += hologram * HALF_COLS * PARITIES * HALF_ROWS;
    for (int kx = threadIdx.x; kx < HALF_COLS; kx += SPECTRUM_THREADS) {
        const Corner sums = transform_y(lines, twiddles, ky, kx);
        const CutoffWave wave = waves[hologram * RADII + index[ky * HALF_COLS + kx]];
        const double2 phase = make_double2(wave.phase_re / GRID, wave.phase_im / GRID);
        double2 parts[PARITIES] = {};
        for (int corner = 0; corner < 4; corner++) {
            const int down = corner / 2, left = corner % 2;
            if (!exists(ky, GRID_ROWS, down) || !exists(kx, GRID_COLS, left)) continue;
            const double2 cy = down ? conjugate(centre[ky]) : centre[ky];
            const double2 cx = left ? conjugate(centre[HALF_ROWS + kx]) : centre[HALF_ROWS + kx];
            const double2 value = times(times(sums.at[down][left], phase), times(cy, cx));
            // Odd parts take the sign of their wavenumber.
            for (int parity = 0; parity < PARITIES; parity++) {
                const bool negative = (parity / 2 & down) ^ (parity % 2 & left);
                parts[parity] = negative ? parts[parity] - value : parts[parity] + value;
            }
        }
        for (int parity = 0; parity < PARITIES; parity++)
            spectrum[(kx * PARITIES + parity) * HALF_ROWS + ky] = parts[parity];
    }
}

// Filter x growth at all |kx|, |ky|: [HALF_COLS][HALF_ROWS].
inline void filter_factors(double2 filter, const double* radii, const u32* index, const CutoffWave* waves, double* factors) {
    for (int i = threadIdx.x; i < HALF_COLS * HALF_ROWS; i += POWER_THREADS) {
        const u32 radius = index[i % HALF_ROWS * HALF_COLS + i / HALF_ROWS];
        factors[i] = filter_times_exp(filter, radii[radius], waves[radius].growth);
    }
}

// Inverse along x of one line (parity, ky), for the tile's places.
inline void invert_x(const double2* spectrum, const double* factors, const double* along_x, int line, double2* out) {
    const int parity = line / HALF_ROWS, ky = line % HALF_ROWS;
    along_x += parity % 2 * HALF_COLS * TILES * TILE + blockIdx.y * TILE;
    double2 sums[TILE] = {};
    for (int kx = 0; kx < HALF_COLS; kx++) {
        const double factor = factors[kx * HALF_ROWS + ky];
        const double2 value = factor * spectrum[kx * PARITIES * HALF_ROWS + line];
#pragma unroll
        for (int x = 0; x < TILE; x++) {
            const double weight = along_x[kx * TILES * TILE + x];
            sums[x] = make_double2(fma(value.x, weight, sums[x].x), fma(value.y, weight, sums[x].y));
        }
    }
#pragma unroll
    for (int x = 0; x < TILE; x++) out[x] = sums[x];
}

// Inverse along y at one place of one parity, and its power at all places that mirror it.
inline double invert_y(const double2* lines, const double* along_y, int parity, int y, int x) {
    along_y += parity / 2 * HALF_ROWS * OUT_ROWS + y;
    double2 sum = make_double2(0.0, 0.0);
    for (int ky = 0; ky < HALF_ROWS; ky++) {
        const double2 value = lines[(parity * HALF_ROWS + ky) * TILE + x];
        const double weight = along_y[ky * OUT_ROWS];
        sum = make_double2(fma(value.x, weight, sum.x), fma(value.y, weight, sum.y));
    }
    // A centre is its own mirror image.
    const double rows = INNER_ROWS % 2 == 1 && y == 0 ? 1.0 : 2.0;
    const double cols = INNER_COLS % 2 == 1 && blockIdx.y * TILE + x == 0 ? 1.0 : 2.0;
    return rows * cols * norm_squared(sum);
}

// A tile's part of D of one filter.
extern "C" __global__ /* hot */ __launch_bounds__(POWER_THREADS) void border_power(
    const double2* spectrum, const double2* filters, const double* radii, const u32* index, const CutoffWave* waves,
    const double* along_y, const double* along_x, double* border) {
    extern __shared__ double2 memory[];
    // [parity][HALF_ROWS][TILE], then [HALF_COLS][HALF_ROWS].
    double2* lines = memory;
    double* factors = reinterpret_cast<double*>(memory + PARITIES * HALF_ROWS * TILE);
    const size_t hologram = blockIdx.z;
    filter_factors(filters[blockIdx.x], radii, index, waves + hologram * RADII, factors);
    __syncthreads();
    spectrum += hologram * HALF_COLS * PARITIES * HALF_ROWS;
    for (int line = threadIdx.x; line < PARITIES * HALF_ROWS; line += POWER_THREADS)
        invert_x(spectrum, factors, along_x, line, lines + line * TILE);
    __syncthreads();
    double power = 0.0;
    for (int i = threadIdx.x; i < PARITIES * OUT_ROWS * TILE; i += POWER_THREADS)
        power += invert_y(lines, along_y, i / (OUT_ROWS * TILE), i / TILE % OUT_ROWS, i % TILE);
    power = block_sum<POWER_THREADS>(power) * LENGTHS;
    if (threadIdx.x == 0) border[(hologram * gridDim.x + blockIdx.x) * TILES + blockIdx.y] = power;
}
