// Cutoff and slope of the k-filter, chosen for each hologram from its own data, without the host. The rule, its formulas and
// symbols are those of the CPU's twins, pipeline/holography/src/cutoff.rs and noise.rs (docs/math/pnah.md, section 5);
// border.cu measures the error D of the padding. Launched by kernels/src/cutoff.rs.
//
// | kernel | blocks | from | to |
// |---|---|---|---|
// | cutoff_noise | hologram | holograms | a, g, n of the estimate, flags |
// | cutoff_rings | hologram | holograms | power of the rings of the tapered spectrum |
// | cutoff_errors | hologram | rings | range of the estimate, errors without D |
// | cutoff_choose | hologram | errors, D | cutoff, slope, flags |
// | cutoff_table | half row, hologram | cutoff, slope | filter x propagator/(n_x n_y) |
//
// n = gridDim.x holograms (gridDim.y for the table) of ROWS x COLS microphones; all tables come from the host:
//   holograms   [frame][n][ROWS][COLS]            hann      [ROWS], then [COLS]
//   twiddles    exp(-j 2 pi i/m), m = 3 ROWS, then m = 3 COLS
//   starts      [RINGS + 1] into points           points    [9 ROWS COLS] of the spectrum, ring by ring
//   first       [n] first ring of the tail        kappa     [n][RINGS], rad/m
//   circles     [n][CIRCLES]                      ranges    [DEPTHS], z_h + h, m
//   gains       [FILTERS][CIRCLES], F             filters   [FILTERS] cutoff, slope
//   radii       [RADII] k_r, rad/m                waves     [n][RADII]
//   index       [GRID_ROWS/2 + 1][GRID_COLS/2 + 1] into radii
//   table       [field][n][GRID_ROWS/2 + 1][GRID_COLS]
//
// Double precision throughout, as on the CPU: results differ by the order of sums, fused products and the last bit of
// exponentials. Work for 32 x 32 microphones and one frame: 4e5 complex multiplications for the spectrum, at most
// 33 x 60 x 60 terms of the fit, 1.5e5 of the errors, 1e7 flop in all; 10 blocks leave most of the card idle, and latency
// decides.
#include "abi/cutoff.h"
#include "complex.cuh"
#include "kfilter.cuh"
#include "sums.cuh"

const int THREADS = 512;
const int WARPS = THREADS / 32;
const int TABLE_THREADS = 128;
const int MICROPHONES = ROWS * COLS;
const int SPECTRUM_ROWS = 3 * ROWS, SPECTRUM_COLS = 3 * COLS;
// Rings of a lane at most.
const int LANE_RINGS = (RINGS + 31) / 32;
// Fourth differences, before their norm sqrt(70).
const int DIFFERENCE = 5;
const int RESIDUAL_ROWS = ROWS - DIFFERENCE + 1, RESIDUAL_COLS = COLS - DIFFERENCE + 1;
const double SMALLEST = 2.2250738585072014e-308;

inline double infinity() { return __longlong_as_double(0x7ff0000000000000LL); }
inline double not_a_number() { return __longlong_as_double(0x7ff8000000000000LL); }

inline double2 wide(float2 value) { return make_double2(value.x, value.y); }

// Frame `frame` of this block's hologram.
inline const float2* frame_of(const float2* holograms, u32 frame) {
    return holograms + (size_t(frame) * gridDim.x + blockIdx.x) * MICROPHONES;
}

// |r|^2 of the 5 x 5 microphones from (y, x), and their |p|^2 averaged with the weights c_i^2 c_j^2.
inline double2 residual(const float2* frame, int y, int x) {
    const double c[DIFFERENCE] = {1.0, -4.0, 6.0, -4.0, 1.0};
    double2 difference = make_double2(0.0, 0.0);
    double power = 0.0;
    for (int i = 0; i < DIFFERENCE; i++) {
        for (int j = 0; j < DIFFERENCE; j++) {
            const double2 value = wide(frame[(y + i) * COLS + x + j]);
            const double weight = c[i] * c[j];
            difference = difference + weight * value;
            power += norm_squared(value) * weight * weight;
        }
    }
    return make_double2(norm_squared(difference) / 4900.0, power / 4900.0);
}

// One regression of q = a + g p with weights 1/(a + g p)^2 and neither part negative; x = a, y = g. A sample is (q, p).
inline double2 regress(const double2* samples, int count, double2 noise, double floor) {
    double s = 0.0, sp = 0.0, spp = 0.0, sq = 0.0, spq = 0.0;
    for (int i = threadIdx.x; i < count; i += THREADS) {
        const double q = samples[i].x, p = samples[i].y, mean = noise.x + noise.y * p + floor;
        const double weight = 1.0 / (mean * mean);
        s += weight;
        sp += weight * p;
        spp += weight * p * p;
        sq += weight * q;
        spq += weight * p * q;
    }
    s = block_sum<THREADS>(s);
    sp = block_sum<THREADS>(sp);
    spp = block_sum<THREADS>(spp);
    sq = block_sum<THREADS>(sq);
    spq = block_sum<THREADS>(spq);
    const double determinant = s * spp - sp * sp;
    const double a = (sq * spp - spq * sp) / determinant, g = (spq * s - sq * sp) / determinant;
    if (a >= 0.0 && g >= 0.0) return make_double2(a, g);
    // Negative g, or a constant |p| that cannot tell the two apart.
    return a < 0.0 && spp > 0.0 ? make_double2(0.0, spq / spp) : make_double2(sq / s, 0.0);
}

// a and g by maximum likelihood.
inline double2 fit_noise(const double2* samples, int count) {
    double q = 0.0, p = 0.0;
    for (int i = threadIdx.x; i < count; i += THREADS) q += samples[i].x, p += samples[i].y;
    q = block_sum<THREADS>(q) / count;
    p = block_sum<THREADS>(p) / count;
    if (q <= 0.0 || p <= 0.0) return make_double2(0.0, 0.0);
    double2 noise = make_double2(0.0, q / p);
    // A floor far below any noise keeps the weights finite where the field is zero.
    for (int repetition = 0; repetition < 20; repetition++) noise = regress(samples, count, noise, 1e-12 * q);
    return noise;
}

// Sums of the variances of all microphones, plain (x) and under the square of the Hann window (y), mean over the frames.
inline double2 sum_variances(const float2* holograms, const double* hann, double2 noise, u32 frames) {
    double total = 0.0, tapered = 0.0;
    for (u32 frame = 0; frame < frames; frame++) {
        const float2* values = frame_of(holograms, frame);
        for (int i = threadIdx.x; i < MICROPHONES; i += THREADS) {
            const double variance = noise.x + noise.y * norm_squared(wide(values[i]));
            const double taper = hann[i / COLS] * hann[ROWS + i % COLS];
            total += variance;
            tapered += taper * taper * variance;
        }
    }
    return make_double2(block_sum<THREADS>(total) / frames, block_sum<THREADS>(tapered) / frames);
}

// The noise of each hologram, and whether it is silent or not finite. samples: [n][frame][RESIDUAL_ROWS][RESIDUAL_COLS].
extern "C" __global__ __launch_bounds__(THREADS) void cutoff_noise(
    const float2* holograms, const double* hann, double2* samples, CutoffEstimate* estimates, CutoffSettings settings) {
    __shared__ u32 place, loud;
    if (threadIdx.x == 0) place = 0xffffffff, loud = 0;
    __syncthreads();
    const int residuals = RESIDUAL_ROWS * RESIDUAL_COLS, count = residuals * settings.frames;
    samples += size_t(blockIdx.x) * count;
    for (u32 frame = 0; frame < settings.frames; frame++) {
        const float2* values = frame_of(holograms, frame);
        for (int i = threadIdx.x; i < residuals; i += THREADS)
            samples[frame * residuals + i] = residual(values, i / RESIDUAL_COLS, i % RESIDUAL_COLS);
        for (int i = threadIdx.x; i < MICROPHONES; i += THREADS) {
            if (!isfinite(values[i].x) || !isfinite(values[i].y)) atomicMin(&place, frame * MICROPHONES + i);
            if (values[i].x != 0.0f || values[i].y != 0.0f) atomicOr(&loud, 1);
        }
    }
    __syncthreads();
    const double2 noise = fit_noise(samples, count);
    const double2 sums = sum_variances(holograms, hann, noise, settings.frames);
    if (threadIdx.x > 0) return;
    const u32 flags = place != 0xffffffff ? CUTOFF_NOT_FINITE : loud == 0 ? CUTOFF_SILENT : 0;
    estimates[blockIdx.x] = {0.0, 0.0, noise.x, noise.y, sums.x, sums.y, 0.0, flags, place};
}

// DFT along x of the tapered frame: lines [ROWS][SPECTRUM_COLS].
inline void transform_x(const float2* frame, const double* hann, const double2* twiddles, double2* lines) {
    for (int i = threadIdx.x; i < ROWS * SPECTRUM_COLS; i += THREADS) {
        const int y = i / SPECTRUM_COLS, kx = i % SPECTRUM_COLS;
        double2 sum = make_double2(0.0, 0.0);
        for (int x = 0, turn = 0; x < COLS; x++) {
            const double taper = hann[y] * hann[ROWS + x];
            sum = sum + times(taper * wide(frame[y * COLS + x]), twiddles[turn]);
            turn += kx;
            if (turn >= SPECTRUM_COLS) turn -= SPECTRUM_COLS;
        }
        lines[i] = sum;
    }
}

// DFT along y; adds its power to powers [SPECTRUM_ROWS][SPECTRUM_COLS], or starts with it.
inline void add_powers(const double2* lines, const double2* twiddles, double* powers, bool start) {
    for (int i = threadIdx.x; i < SPECTRUM_ROWS * SPECTRUM_COLS; i += THREADS) {
        const int ky = i / SPECTRUM_COLS, kx = i % SPECTRUM_COLS;
        double2 sum = make_double2(0.0, 0.0);
        for (int y = 0, turn = 0; y < ROWS; y++) {
            sum = sum + times(lines[y * SPECTRUM_COLS + kx], twiddles[turn]);
            turn += ky;
            if (turn >= SPECTRUM_ROWS) turn -= SPECTRUM_ROWS;
        }
        powers[i] = norm_squared(sum) + (start ? 0.0 : powers[i]);
    }
}

// Mean power of the rings [n][RINGS] of the tapered spectrum, over all frames.
extern "C" __global__ __launch_bounds__(THREADS) void cutoff_rings(
    const float2* holograms, const double* hann, const double2* twiddles, const u32* starts, const u32* points,
    double2* lines, double* powers, double* rings, CutoffSettings settings) {
    lines += size_t(blockIdx.x) * ROWS * SPECTRUM_COLS;
    powers += size_t(blockIdx.x) * SPECTRUM_ROWS * SPECTRUM_COLS;
    for (u32 frame = 0; frame < settings.frames; frame++) {
        transform_x(frame_of(holograms, frame), hann, twiddles + SPECTRUM_ROWS, lines);
        __syncthreads();
        add_powers(lines, twiddles, powers, frame == 0);
        __syncthreads();
    }
    for (int ring = threadIdx.x / 32; ring < RINGS; ring += WARPS) {
        const u32 start = starts[ring], end = starts[ring + 1];
        double sum = 0.0;
        for (u32 i = start + threadIdx.x % 32; i < end; i += 32) sum += powers[points[i]];
        // A ring without points has no power.
        sum = warp_sum(sum) / (double(settings.frames) * max(end - start, 1u));
        if (threadIdx.x % 32 == 0) rings[blockIdx.x * RINGS + ring] = sum;
    }
}

// s = scale exp(-2 (kappa - origin) range) (origin/kappa)^2
struct Tail {
    double scale, range, origin;
    double at(double kappa) const {
        const double ratio = origin / kappa;
        return scale * exp(-2.0 * (kappa - origin) * range) * (ratio * ratio);
    }
};

// The rings of a lane that hold evanescent waves: ring first + lane + 32 i.
struct LaneRings {
    double power[LANE_RINGS], points[LANE_RINGS], shape[LANE_RINGS];
};

// Fisher's scoring on ln A, from the first ring: the scale A that makes the powers likeliest under A shape + noise.
inline double likeliest_scale(const LaneRings& rings, double start, double noise) {
    double ln_scale = log(fmax(start, SMALLEST));
    for (int repetition = 0; repetition < 60; repetition++) {
        const double scale = exp(ln_scale);
        double slope = 0.0, curvature = 0.0;
        for (int i = 0; i < LANE_RINGS; i++) {
            const double mean = scale * rings.shape[i] + noise;
            if (mean > 0.0) {
                const double part = scale * rings.shape[i] / mean;
                slope += rings.points[i] * part * (rings.power[i] / mean - 1.0);
                curvature += rings.points[i] * part * part;
            }
        }
        const double newton = warp_sum(slope) / (warp_sum(curvature) + SMALLEST);
        // NaN stays NaN.
        const double step = newton < -1.0 ? -1.0 : newton > 1.0 ? 1.0 : newton;
        ln_scale += step;
        if (fabs(step) < 1e-9) break;
    }
    return exp(ln_scale);
}

inline double log_likelihood(const LaneRings& rings, double scale, double noise) {
    double sum = 0.0;
    for (int i = 0; i < LANE_RINGS; i++) {
        const double mean = fmax(scale * rings.shape[i] + noise, SMALLEST);
        sum -= rings.points[i] * (log(mean) + rings.power[i] / mean);
    }
    return warp_sum(sum);
}

// One warp's fit for one depth: scale (x) and log-likelihood (y).
inline double2 fit_depth(
    const double* rings, const u32* starts, const double* kappa, u32 first, double range, double noise) {
    LaneRings mine;
    const Tail unit = {1.0, range, kappa[first]};
    for (int i = 0; i < LANE_RINGS; i++) {
        const u32 ring = first + threadIdx.x % 32 + 32 * i;
        const bool there = ring < RINGS;
        mine.power[i] = there ? rings[ring] : 0.0;
        mine.points[i] = there ? double(starts[ring + 1] - starts[ring]) : 0.0;
        mine.shape[i] = there ? unit.at(kappa[ring]) : 1.0;
    }
    const double power = rings[first], start = fmax(power - noise, 1e-3 * power) / unit.at(kappa[first]);
    const double scale = likeliest_scale(mine, start, noise);
    return make_double2(scale, log_likelihood(mine, scale, noise));
}

// Power of the field in the rings at `radius`, between their centres, above the noise.
inline double measured(const double* rings, u32 first, double radius, double width, double noise) {
    const double place = fmax(radius / width - 0.5, 0.0);
    const u32 ring = u32(place);
    const double here = fmax(rings[min(ring, first)] - noise, 0.0);
    const double next = fmax(rings[min(ring + 1, first)] - noise, 0.0);
    return here + (place - ring) * (next - here);
}

// The likeliest tail of this block's rings; without a likelihood there is none.
inline Tail fit_tail(
    const double* rings, const u32* starts, const double* kappa, u32 first, const double* ranges, double noise) {
    __shared__ double2 fits[DEPTHS];
    for (int depth = threadIdx.x / 32; depth < DEPTHS; depth += WARPS)
        fits[depth] = fit_depth(rings, starts, kappa, first, ranges[depth], noise);
    __syncthreads();
    Tail tail = {0.0, ranges[0], kappa[first]};
    double best = -infinity();
    for (int depth = 0; depth < DEPTHS; depth++)
        if (fits[depth].y > best) best = fits[depth].y, tail.scale = fits[depth].x, tail.range = ranges[depth];
    return tail;
}

// Fits the tail, and gives the expected error of every filter without D: errors [n][FILTERS].
extern "C" __global__ __launch_bounds__(THREADS) void cutoff_errors(
    const double* rings, const u32* starts, const u32* first, const double* kappa, const double* ranges,
    const CutoffCircle* circles, const double* gains, double* errors, CutoffEstimate* estimates, CutoffSettings settings) {
    // On the source plane on each circle: x of the field, y of the noise.
    __shared__ double2 powers[CIRCLES];
    const u32 hologram = blockIdx.x, evanescent = first[hologram];
    const CutoffEstimate estimate = estimates[hologram];
    rings += hologram * RINGS, kappa += hologram * RINGS, circles += hologram * CIRCLES;
    const Tail tail = fit_tail(rings, starts, kappa, evanescent, ranges, estimate.tapered);
    for (int i = threadIdx.x; i < CIRCLES; i += THREADS) {
        const CutoffCircle circle = circles[i];
        const double width = settings.ring_width;
        const double field = circle.radius < (evanescent + 0.5) * width
            ? measured(rings, evanescent, circle.radius, width, estimate.tapered)
            : tail.at(circle.kappa);
        powers[i] = make_double2(circle.weight * field, circle.weight * estimate.total);
    }
    __syncthreads();
    for (int filter = threadIdx.x / 32; filter < FILTERS; filter += WARPS) {
        double sum = 0.0;
        for (int i = threadIdx.x % 32; i < CIRCLES; i += 32) {
            const double gain = gains[filter * CIRCLES + i], loss = 1.0 - gain;
            sum += loss * loss * powers[i].x + gain * gain * powers[i].y;
        }
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0) errors[hologram * FILTERS + filter] = sum;
    }
    if (threadIdx.x == 0) estimates[hologram].range = estimate.flags & CUTOFF_SILENT ? 0.0 : tail.range;
}

// A filter in the search: the sum of its errors, the error without D, and its place in the list.
struct Candidate {
    double sum, error;
    int filter;
    // The least sum; of equals the least error; of equals the first. NaN is behind everything, and FILTERS is no filter.
    bool before(const Candidate& other) const {
        if (filter == FILTERS || other.filter == FILTERS) return filter < other.filter;
        if (sum != other.sum) return sum < other.sum;
        if (error == other.error || (isnan(error) && isnan(other.error))) return filter < other.filter;
        return error < other.error || isnan(other.error);
    }
};

// The least of the block's candidates.
inline Candidate least(Candidate mine) {
    __shared__ Candidate best[THREADS];
    best[threadIdx.x] = mine;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half && best[threadIdx.x + half].before(best[threadIdx.x]))
            best[threadIdx.x] = best[threadIdx.x + half];
    }
    __syncthreads();
    return best[0];
}

// The filter with the least error [n][FILTERS] + D [n][FILTERS][BORDER_TILES].
extern "C" __global__ __launch_bounds__(THREADS) void cutoff_choose(
    const double* errors, const double* border, const double2* filters, const double* radii, const CutoffWave* waves,
    CutoffEstimate* estimates, CutoffSettings settings) {
    const u32 hologram = blockIdx.x, flags = estimates[hologram].flags;
    Candidate mine = {infinity(), infinity(), FILTERS};
    for (int filter = threadIdx.x; filter < FILTERS; filter += THREADS) {
        const size_t place = size_t(hologram) * FILTERS + filter;
        double sum = errors[place];
        for (int tile = 0; tile < BORDER_TILES; tile++) sum += border[place * BORDER_TILES + tile];
        const Candidate other = {sum < infinity() ? sum : infinity(), errors[place], filter};
        if (mine.filter == FILTERS || other.before(mine)) mine = other;
    }
    double2 filter = filters[least(mine).filter];
    if (flags & CUTOFF_SILENT) filter = make_double2(settings.silent_cutoff, settings.silent_slope);
    if (flags & CUTOFF_NOT_FINITE) filter = make_double2(not_a_number(), not_a_number());
    u32 beyond = 0;
    for (int i = threadIdx.x; i < RADII; i += THREADS) {
        const double growth = waves[size_t(hologram) * RADII + i].growth;
        if (filter_times_exp(filter, radii[i], growth) > settings.limit) beyond = 1;
    }
    beyond = __syncthreads_or(beyond);
    if (threadIdx.x > 0) return;
    estimates[hologram].cutoff = filter.x;
    estimates[hologram].slope = filter.y;
    estimates[hologram].flags = flags | (beyond ? CUTOFF_OVERFLOW : 0);
}

// Filter x propagator/(n_x n_y) of every hologram that has a filter, and with k_z/(rho c k) for the normal velocity. The same
// as Operator::evaluate and Radii::spread on the CPU; other holograms keep their tables.
extern "C" __global__ __launch_bounds__(TABLE_THREADS) void cutoff_table(
    const CutoffEstimate* estimates, const double* radii, const u32* index, const CutoffWave* waves, float2* table,
    CutoffSettings settings) {
    const u32 row = blockIdx.x, hologram = blockIdx.y;
    const CutoffEstimate estimate = estimates[hologram];
    if (estimate.flags & (CUTOFF_NOT_FINITE | CUTOFF_OVERFLOW)) return;
    const double2 filter = make_double2(estimate.cutoff, estimate.slope);
    const size_t field = size_t(gridDim.y) * gridDim.x * GRID_COLS;
    float2* line = table + (size_t(hologram) * gridDim.x + row) * GRID_COLS;
    for (int col = threadIdx.x; col < GRID_COLS; col += TABLE_THREADS) {
        const u32 radius = index[row * (GRID_COLS / 2 + 1) + min(col, GRID_COLS - col)];
        const CutoffWave wave = waves[size_t(hologram) * RADII + radius];
        const double size = filter_times_exp(filter, radii[radius], wave.growth) * (1.0 / (double(GRID_ROWS) * GRID_COLS));
        const double2 pressure = size * make_double2(wave.phase_re, wave.phase_im);
        line[col] = make_float2(pressure.x, pressure.y);
        if (settings.fields < 2) continue;
        const double2 velocity = times(pressure, make_double2(wave.admittance_re, wave.admittance_im));
        line[field + col] = make_float2(velocity.x, velocity.y);
    }
}
