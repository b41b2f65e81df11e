// Holography stage by stage, every array in global memory, any size: the readable rung of hologram.cu. Launched by
// kernels/src/stages.rs; twin of pipeline/holography/src/cpu.rs, whose stages name the kernels here.
//
//     pad        scale to [1, 2); rows, then columns, continued by Burg's lattice, or zeros; Tukey window
//     transform  DFT along y, then x: X[k] = sum over n of x[n] exp(-j 2 pi k n/N)
//     propagate  operator x spectrum; inverse DFT along x, then y, at the kept positions of a grid u times finer
//
// | constant | meaning |
// |---|---|
// | REAL_BYTES | 4: float; 8: double |
//
// | array | layout |
// |---|---|
// | holograms, scaled | [hologram][y][x of the aperture], Pa; scaled by a power of two |
// | field, other | [hologram][x][y of the grid] |
// | spectrum, product | [hologram][ky][kx] |
// | operators | [field][hologram][ky = 0 .. grid_rows/2][kx]; row ky also serves -ky |
// | windows | grid_rows weights along y, grid_cols along x |
// | twiddles | exp(-j 2 pi i/(N u)), i = 0 .. N u - 1, of the rows' N, then of the columns' |
// | scratch | of pad_extend: [what][line], 2 (measured - 1) + 3 order values for each line |
//
// Formulas and symbols of the lattice (f, b, k, left, right) are in pipeline/holography/src/lpbp.rs.
//
// Cost of one hologram of 32 x 32 on 96 x 96, order 8, float: sums of the definition, 8 flops each for
// 2 x 96^3 + 96 x 96 x 32 + 96 x 32 x 32 terms, are 17 MFLOP where an FFT needs 0.5: 0.3 us at 60 TFLOP/s. Nine
// arrays of up to 74 KB are written and read once, mostly in the L2 cache. pad_extend has one thread for each of 128
// lines with some 16 x 31 x 8 dependent steps in global memory: bound by latency, the same for 1 hologram and for 100.

#include "abi/stages.h"
#include "complex.cuh"

#define THREADS 256
#define NONE 0xffffffffu

#if REAL_BYTES == 8
typedef double real;
typedef double2 complex;
#define REAL_MAX 1.7976931348623157e308
#define REAL_EPSILON 2.220446049250313e-16
#define REAL_LARGEST_EXPONENT 1023
inline double2 make_complex(double re, double im) { return make_double2(re, im); }
inline int exponent_of(double x) { return ilogb(x); }
inline double two_to(int exponent) { return scalbn(1.0, exponent); }
#else
typedef float real;
typedef float2 complex;
#define REAL_MAX 3.40282347e38f
#define REAL_EPSILON 1.1920929e-7f
#define REAL_LARGEST_EXPONENT 127
inline float2 make_complex(float re, float im) { return make_float2(re, im); }
inline int exponent_of(float x) { return ilogbf(x); }
inline float two_to(int exponent) { return scalbnf(1.0f, exponent); }
#endif

inline u64 global_index() { return static_cast<u64>(blockIdx.x) * THREADS + threadIdx.x; }

inline u64 grid_points(Shape s) { return static_cast<u64>(s.grid_rows) * s.grid_cols; }

// Place of the first sample of a line.
inline u64 line_start(Strides at, u64 hologram, u64 line) { return at.first + hologram * at.hologram + line * at.line; }

// ---------------------------------------------------------------------------------------------------------------- pad

// The power of two that brings `largest` into [1, 2); 1 for zero.
inline real power_of_two(real largest) {
    if (largest == 0) return 1;
    int exponent = -exponent_of(largest);
    // Subnormal numbers would ask for more than the largest power of two.
    return two_to(min(exponent, REAL_LARGEST_EXPONENT));
}

// Scale of each hologram, the hologram times it, and the index of its first value that is NaN, infinite, or so large
// that |re| + |im| is; NONE for a hologram without one. Where there is one the scale is NaN. One block for each hologram.
extern "C" __global__ __launch_bounds__(THREADS) void pad_scale(const complex* holograms, real* scales,
                                                                u32* not_finite, complex* scaled, Shape s) {
    __shared__ real largest[THREADS];
    __shared__ u32 bad[THREADS];
    u32 points = s.rows * s.cols, t = threadIdx.x;
    u64 start = static_cast<u64>(blockIdx.x) * points;
    largest[t] = 0;
    bad[t] = NONE;
    for (u64 i = t; i < points; i += THREADS) {
        complex value = holograms[start + i];
        real re = fabs(value.x), im = fabs(value.y);
        // NaN fails every comparison.
        if (!(re + im <= REAL_MAX)) bad[t] = min(bad[t], static_cast<u32>(i));
        largest[t] = max(largest[t], max(re, im));
    }
    for (u32 half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            largest[t] = max(largest[t], largest[t + half]);
            bad[t] = min(bad[t], bad[t + half]);
        }
    }
    __syncthreads();
    real scale = bad[0] == NONE ? power_of_two(largest[0]) : static_cast<real>(nan(""));
    for (u64 i = t; i < points; i += THREADS) scaled[start + i] = scale * holograms[start + i];
    if (t == 0) {
        scales[blockIdx.x] = scale;
        not_finite[blockIdx.x] = bad[0];
    }
}

// The hologram between zeros. One thread for each point of the grid.
extern "C" __global__ __launch_bounds__(THREADS) void pad_zero(const complex* holograms, complex* field, Shape s) {
    u64 i = global_index();
    if (i >= s.count * grid_points(s)) return;
    u64 hologram = i / grid_points(s);
    u32 x = i / s.grid_rows % s.grid_cols, y = i % s.grid_rows;
    // Rows above and columns left of the aperture wrap around to large numbers.
    u32 row = y - (s.grid_rows - s.rows) / 2, col = x - (s.grid_cols - s.cols) / 2;
    bool measured = row < s.rows && col < s.cols;
    field[i] = measured ? holograms[(hologram * s.rows + row) * s.cols + col] : make_complex(0, 0);
}

// Values of one line that lie `step` apart, next to those of the other lines.
struct Column {
    complex* first;
    u64 step;
    complex& operator[](u32 n) const { return first[n * step]; }
    Column from(u32 n) const { return Column{first + n * step, step}; }
};

// What a lattice is made of: k_1 .. k_p, f_m[m] and b_m[N-1] for m = 0 .. p-1.
struct Lattice {
    Column reflection, left, right;
    u32 order;
};

// k = -2 sum f conj(b)/sum (|f|^2 + |b|^2) with |k| <= 1, or 0 where the errors are nothing but rounding. `rounding` is
// the energy that rounding may have put into them, `gain` what the order before did to it.
inline complex reflection_of(Column f, Column b, u32 pairs, real& rounding, real& gain) {
    complex product = make_complex(0, 0);
    real energy = 0;
    for (u32 n = 0; n < pairs; n++) {
        product = plus_conj(product, b[n], f[n]);
        energy += norm_squared(f[n]) + norm_squared(b[n]);
    }
    rounding = rounding * gain + REAL_EPSILON * REAL_EPSILON * energy;
    complex k = (energy > rounding ? -2 / energy : 0) * product;
    real squared = norm_squared(k);
    gain = 1 + min(squared, static_cast<real>(1));
    return squared > 1 ? (1 / sqrt(squared)) * k : k;
}

// Burg's recursion over the pairs f_m[n+1], b_m[n], which lie at f[n - m] and b[n].
inline void fit(Column x, u32 measured, Column f, Column b, Lattice lattice) {
    for (u32 n = 0; n + 1 < measured; n++) {
        f[n] = x[n + 1];
        b[n] = x[n];
    }
    lattice.left[0] = x[0];
    lattice.right[0] = x[measured - 1];
    real rounding = 0, gain = 1;
    u32 pairs = measured - 1;
    for (u32 m = 0;; m++, pairs--) {
        complex k = reflection_of(f, b, pairs, rounding, gain);
        lattice.reflection[m] = k;
        // The errors of order p itself are not needed: the response starts without them.
        if (m + 1 == lattice.order) return;
        for (u32 n = 0; n < pairs; n++) {
            complex forward = plus(f[n], k, b[n]), backward = plus_conj(b[n], k, f[n]);
            (n == 0 ? lattice.left[m + 1] : f[n - 1]) = forward;
            b[n] = backward;
        }
        lattice.right[m + 1] = b[pairs - 1];
    }
}

// The next sample of the zero-input response; `state` holds b_0 .. b_{p-1} and moves on by one sample.
inline complex respond(Column reflection, Column state, u32 order) {
    complex f = make_complex(0, 0);
    for (u32 m = order; m-- > 0;) {
        complex old = state[m];
        f = minus(f, reflection[m], old);
        if (m + 1 < order) state[m + 1] = plus_conj(old, reflection[m], f);
    }
    state[0] = f;
    return f;
}

// Lines continued at both ends. One thread for each line.
extern "C" __global__ __launch_bounds__(THREADS) void pad_extend(const complex* input, complex* scratch,
                                                                 complex* output, Lines l) {
    u64 i = global_index(), all = static_cast<u64>(l.count) * l.lines;
    if (i >= all) return;
    u64 hologram = i / l.lines, line = i % l.lines;
    const complex* x = input + line_start(l.input, hologram, line);
    Column y{output + line_start(l.output, hologram, line), l.output.sample};
    Column samples = y.from(l.before), f{scratch + i, all};
    Column b = f.from(l.measured - 1), reflection = b.from(l.measured - 1);
    Lattice lattice{reflection, reflection.from(l.order), reflection.from(2 * l.order), l.order};
    for (u32 n = 0; n < l.measured; n++) samples[n] = x[n * l.input.sample];
    fit(samples, l.measured, f, b, lattice);
    for (u32 n = l.before + l.measured; n < l.total; n++) y[n] = respond(reflection, lattice.right, l.order);
    // The left end is the same lattice with the conjugate coefficients.
    for (u32 m = 0; m < l.order; m++) reflection[m] = conjugate(reflection[m]);
    for (u32 n = l.before; n-- > 0;) y[n] = respond(reflection, lattice.left, l.order);
}

// The mean of two predictions. One thread for each point of the grid.
extern "C" __global__ __launch_bounds__(THREADS) void pad_average(const complex* other, complex* field, Shape s) {
    u64 i = global_index();
    if (i < s.count * grid_points(s)) field[i] = static_cast<real>(0.5) * (field[i] + other[i]);
}

// Window, and the hologram's scale undone. One thread for each point of the grid.
extern "C" __global__ __launch_bounds__(THREADS) void pad_window(const real* scales, const real* windows,
                                                                 complex* field, Shape s) {
    u64 i = global_index();
    if (i >= s.count * grid_points(s)) return;
    u32 x = i / s.grid_rows % s.grid_cols, y = i % s.grid_rows;
    real along_y = windows[y], along_x = windows[s.grid_rows + x];
    field[i] = (along_y * (along_x * (1 / scales[i / grid_points(s)]))) * field[i];
}

// ---------------------------------------------------------------------------------------------------------- transform

// exp(-j 2 pi i step/length) for i = from, from + 1, .., read from a table of `length` entries.
struct Wave {
    const complex* table;
    u32 length, step, at;
    Wave(const complex* table, u32 length, u32 step, u32 from)
        : table(table), length(length), step(step), at(static_cast<u64>(from) * step % length) {}
    complex next() {
        complex value = table[at];
        at += step;
        if (at >= length) at -= length;
        return value;
    }
};

// Where one thread of a DFT reads and writes.
struct Place {
    const complex* input;
    complex* output;
    u32 kept;
    bool exists;
    Place(const complex* inputs, complex* outputs, const Dft& d) {
        u64 i = global_index(), line = i / d.kept;
        kept = i % d.kept;
        exists = line < static_cast<u64>(d.count) * d.lines;
        input = inputs + line_start(d.input, line / d.lines, line % d.lines);
        output = outputs + line_start(d.output, line / d.lines, line % d.lines) + kept * d.output.sample;
    }
};

// One thread for each value of the spectrum, which sums the definition.
extern "C" __global__ __launch_bounds__(THREADS) void transform(const complex* input, const complex* twiddles,
                                                                complex* output, Dft d) {
    Place place(input, output, d);
    if (!place.exists) return;
    u32 k = d.first + place.kept;
    Wave wave(twiddles + d.table, d.length * d.refinement, k * d.refinement, d.from);
    complex sum = make_complex(0, 0);
    for (u32 n = d.from; n < d.from + d.terms; n++) sum = plus(sum, wave.next(), place.input[n * d.input.sample]);
    *place.output = sum;
}

// ---------------------------------------------------------------------------------------------------------- propagate

// operator x spectrum. One thread for each point of the grid.
extern "C" __global__ __launch_bounds__(THREADS) void propagate_multiply(const complex* spectrum,
                                                                         const complex* operators, complex* product,
                                                                         Shape s, u32 field) {
    u64 i = global_index();
    if (i >= s.count * grid_points(s)) return;
    u64 hologram = i / grid_points(s);
    u32 ky = i / s.grid_cols % s.grid_rows, kx = i % s.grid_cols;
    u32 row = min(ky, s.grid_rows - ky), half_rows = s.grid_rows / 2 + 1;
    u64 table = static_cast<u64>(field) * s.count + hologram;
    product[i] = times(spectrum[i], operators[(table * half_rows + row) * s.grid_cols + kx]);
}

// Inverse without its 1/N, which the operator has, on a grid u times finer: wavenumber k < N/2 runs one way, k > N/2 is
// k - N and runs the other, and the highest of an even N is halved between both. One thread for each kept value.
extern "C" __global__ __launch_bounds__(THREADS) void propagate_inverse(const complex* input, const complex* twiddles,
                                                                        complex* output, Dft d) {
    Place place(input, output, d);
    if (!place.exists) return;
    u32 length = d.length * d.refinement, position = d.first + place.kept, negative = d.length / 2, k = 0;
    Wave wave(twiddles + d.table, length, position, 0);
    complex sum = make_complex(0, 0);
    for (; k < d.length - negative; k++) sum = plus_conj(sum, wave.next(), place.input[k * d.input.sample]);
    Wave back(twiddles + d.table, length, position, length - negative);
    if (d.length % 2 == 0) {
        complex half = static_cast<real>(0.5) * place.input[k++ * d.input.sample];
        sum = plus_conj(plus_conj(sum, wave.next(), half), back.next(), half);
    }
    for (; k < d.length; k++) sum = plus_conj(sum, back.next(), place.input[k * d.input.sample]);
    *place.output = sum;
}
