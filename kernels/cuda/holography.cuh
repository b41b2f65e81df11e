// Holography by a cluster of blocks: one hologram from the bins of its microphones to the field on the other plane. Twin of
// pipeline/src/solvers/pnah/cpu.rs, whose stages are fused here; the readable rung is stages.cu.
//
//     pad        rows, then columns, continued by Burg's lattice (lpbp), or by zeros; Tukey window
//     transform  DFT along y, then x
//     propagate  operator x spectrum, inverse DFT along x (kept columns), then y (kept rows)
//
// | constant | meaning |
// |---|---|
// | ROWS, COLS | microphones down and across, at most 32 each |
// | GRID_ROWS, GRID_COLS | padded grid, = ROWS_A ROWS_B and COLS_A COLS_B, factors of fft.cuh |
// | ORDER | of the linear prediction; 0 pads with zeros |
// | FIELDS | 1: pressure; 2: pressure and normal velocity |
// | CLUSTER | blocks that share a hologram |
// | SHARED_BYTES | dynamic shared memory of the launch |
//
// | array | layout |
// |---|---|
// | bins | [hologram][y][x], Pa |
// | operators | [field][hologram][ky = 0 .. GRID_ROWS/2][kx] |
// | windows | GRID_ROWS weights along y, GRID_COLS along x |
// | twiddles | exp(-j 2 pi i/GRID_ROWS), then exp(-j 2 pi i/GRID_COLS) |
// | fields | [field][hologram][y][x], device or mapped host memory |
//
// A block holds whole lines in its shared memory: COLUMNS columns while y is transformed, LINES rows while x is, KEPT columns
// at the end. Between these it writes each result straight into the memory of the block that needs it.
//
// Cost of one hologram of 32 x 32 on 96 x 96 with ORDER 8: 8 KB in, 37 KB of operator (from the L2 cache),
// 8 KB out; Burg 128 lines x 16 x 31 x 8 and its continuation 128 x 64 x 64, transforms 5/3 x 9216 x 33 flops:
// 1.6 MFLOP. At 4.3 TB/s and 60 TFLOP/s that is 12 ns and 27 ns: one hologram is all latency, and a batch is bound by
// instructions in shared memory.

#pragma once

#include "abi/hologram.h"
#include "clocks.cuh"
#include "cluster.cuh"
#include "fft.cuh"

#define ALL_LANES 0xffffffffu

constexpr int divided_up(int a, int b) { return (a + b - 1) / b; }

// Rows of the aperture, columns of the grid, rows of the spectrum and columns of the result of one block.
constexpr int MEASURED = divided_up(ROWS, CLUSTER), COLUMNS = divided_up(GRID_COLS, CLUSTER);
constexpr int LINES = divided_up(GRID_ROWS, CLUSTER), KEPT = divided_up(COLS, CLUSTER);
constexpr int TOP = (GRID_ROWS - ROWS) / 2, LEFT = (GRID_COLS - COLS) / 2;
constexpr int HALF_ROWS = GRID_ROWS / 2 + 1;
constexpr int DEPTH = ORDER > 0 ? ORDER : 1;

constexpr int larger(int a, int b) { return a > b ? a : b; }
constexpr int SCRATCH = larger(larger(COLUMNS, KEPT) * ROWS_A * (ROWS_B + 1), LINES* COLS_A*(COLS_B + 1));

// Lines in shared memory are one place further apart than they are long: their ends then lie in different banks.
constexpr int ROW = GRID_COLS + 1, COLUMN = GRID_ROWS + 1;

struct Shared {
    float2 rows[MEASURED * ROW];
    float2 columns[larger(COLUMNS * COLUMN, LINES* ROW)];
    float2 spectrum[LINES * ROW];
    float2 kept[KEPT * COLUMN];
    float2 scratch[SCRATCH];
    float2 operators[FIELDS][LINES * ROW];
    float2 twiddles_y[GRID_ROWS], twiddles_x[GRID_COLS];
    float window_y[GRID_ROWS], window_x[GRID_COLS];
    // Reflection coefficients and the lattice's states at both ends.
    float2 reflection[COLUMNS][DEPTH], left[COLUMNS][DEPTH], right[COLUMNS][DEPTH];
    float scale[COLUMNS];
    Clocks clocks;
};

static_assert(sizeof(Shared) <= SHARED_BYTES, "kernels/src/hologram.rs counts less shared memory");

// Lanes that share a line, each with four neighbouring samples.
#define GROUP 8
#define EACH 4
static_assert(larger(ROWS, COLS) <= GROUP * EACH, "a line is longer than a group of lanes");

// The power of two that brings the largest value of a group into [1, 2), or 1 for zeros.
inline float power_of_two(const float2 (&x)[EACH]) {
    float largest = 0.0f;
#pragma unroll
    for (int i = 0; i < EACH; i++) largest = fmaxf(largest, fmaxf(fabsf(x[i].x), fabsf(x[i].y)));
#pragma unroll
    for (int step = 1; step < GROUP; step *= 2) largest = fmaxf(largest, __shfl_xor_sync(ALL_LANES, largest, step));
    u32 exponent = __float_as_uint(largest) >> 23;
    return exponent == 0 || exponent >= 254 ? 1.0f : __uint_as_float((254 - exponent) << 23);
}

// 1/x to 1 unit in the last place, for x in the normal range.
inline float reciprocal(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__noinline__ float2 clipped(float2 k, float squared) { return rsqrtf(squared) * k; }

// Burg's fit of a line of LENGTH samples by one group of lanes; lane l has samples 4 l .. 4 l + 3.
template <int LENGTH>
inline void fit(const float2 (&x)[EACH], float scale, float2* reflection, float2* left, float2* right) {
    const float unit = 1.1920929e-7f * 1.1920929e-7f;
    int l = threadIdx.x % GROUP;
    float2 forward[EACH], backward[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) forward[i] = backward[i] = scale * x[i];
    float rounding = 0.0f, gain = 1.0f;
#pragma unroll
    for (int m = 0; m < ORDER; m++) {
        // f_m[m] and b_m[LENGTH - 1].
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if (EACH * l + i == m) left[m] = forward[i];
        }
        if (l == (LENGTH - 1) / EACH) right[m] = backward[(LENGTH - 1) % EACH];
        float2 last = backward[EACH - 1];
        float2 below = make_float2(__shfl_up_sync(ALL_LANES, last.x, 1), __shfl_up_sync(ALL_LANES, last.y, 1));
        float2 product = make_float2(0, 0);
        float energy = 0.0f;
#pragma unroll
        for (int i = EACH - 1; i >= 0; i--) {
            float2 b = i > 0 ? backward[i - 1] : below;
            // Pairs that do not exist count nothing, now and in all later orders.
            bool pair = EACH * l + i > m && EACH * l + i < LENGTH;
            forward[i] = pair ? forward[i] : make_float2(0, 0);
            backward[i] = pair ? b : make_float2(0, 0);
            product = plus_conj(product, backward[i], forward[i]);
            energy += norm_squared(forward[i]) + norm_squared(backward[i]);
        }
#pragma unroll
        for (int step = 1; step < GROUP; step *= 2) {
            product.x += __shfl_xor_sync(ALL_LANES, product.x, step);
            product.y += __shfl_xor_sync(ALL_LANES, product.y, step);
            energy += __shfl_xor_sync(ALL_LANES, energy, step);
        }
        // Energy that rounding may have put there: once there is no more than that, the order has been reached.
        rounding = fmaf(rounding, gain, unit * energy);
        float factor = energy > rounding ? -2.0f * reciprocal(energy) : 0.0f;
        float2 k = factor * product;
        float squared = norm_squared(k);
        // Rare, and not to be waited for otherwise: hence a branch.
        if (squared > 1.0f) k = clipped(k, squared);
        gain = 1.0f + fminf(squared, 1.0f);
        if (l == 0) reflection[m] = k;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            float2 f = forward[i], b = backward[i];
            forward[i] = plus(f, k, b);
            backward[i] = plus_conj(b, k, f);
        }
    }
}

// The zero-input response of the lattice: `count` samples from `place` on, up or down.
inline void continue_line(const float2* reflection, const float2* start, float sign, float back, int count, int step,
                          float2* place) {
    float2 k[DEPTH], state[DEPTH];
#pragma unroll
    for (int m = 0; m < ORDER; m++) {
        k[m] = make_float2(reflection[m].x, sign * reflection[m].y);
        state[m] = start[m];
    }
#pragma unroll 2
    for (int i = 0; i < count; i++, place += step) {
        float2 f = make_float2(0, 0);
#pragma unroll
        for (int m = ORDER - 1; m >= 0; m--) {
            f = minus(f, k[m], state[m]);
            if (m + 1 < ORDER) state[m + 1] = plus_conj(state[m], k[m], f);
        }
        state[0] = f;
        *place = back * f;
    }
}

// Continues `count` lines in shared memory, TOTAL + 1 places apart, whose LENGTH samples from BEFORE on are there. Begins
// and ends with a barrier. Not inlined: rows and columns share its code.
template <int LENGTH, int BEFORE, int TOTAL>
__noinline__ void extend_lines(Shared& s, float2* lines, int count) {
    const int after = TOTAL - LENGTH - BEFORE, stride = TOTAL + 1;
    __syncthreads();
    if (ORDER == 0) {
        for (int i = threadIdx.x; i < count * TOTAL; i += THREADS) {
            int place = i % TOTAL;
            if (place < BEFORE || place >= BEFORE + LENGTH) lines[i / TOTAL * stride + place] = make_float2(0, 0);
        }
        __syncthreads();
        return;
    }
    // Whole warps: groups without a line shadow the last one.
    int groups = (count + 32 / GROUP - 1) / (32 / GROUP) * (32 / GROUP);
    for (int group = threadIdx.x / GROUP; group < groups; group += THREADS / GROUP) {
        int line = min(group, count - 1), l = threadIdx.x % GROUP;
        float2 x[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            x[i] = EACH * l + i < LENGTH ? lines[line * stride + BEFORE + EACH * l + i] : make_float2(0, 0);
        }
        float scale = power_of_two(x);
        if (l == 0) s.scale[line] = 1.0f / scale;
        fit<LENGTH>(x, scale, s.reflection[line], s.left[line], s.right[line]);
    }
    __syncthreads();
    // Both ends at once: the left one with conjugate coefficients, going down.
    for (int task = threadIdx.x; task < 2 * count; task += THREADS) {
        int line = task / 2;
        bool to_left = task % 2 == 0;
        continue_line(s.reflection[line], to_left ? s.left[line] : s.right[line], to_left ? -1.0f : 1.0f, s.scale[line],
                      to_left ? BEFORE : after, to_left ? -1 : 1,
                      lines + line * stride + (to_left ? BEFORE - 1 : BEFORE + LENGTH));
    }
    __syncthreads();
}

// What does not depend on this iteration's data.
inline void load_tables(Shared& s, int rank, int hologram, u32 count, const float2* operators, const float* windows,
                        const float2* twiddles) {
    for (int i = threadIdx.x; i < GRID_ROWS; i += THREADS) {
        s.window_y[i] = windows[i];
        s.twiddles_y[i] = twiddles[i];
    }
    for (int i = threadIdx.x; i < GRID_COLS; i += THREADS) {
        s.window_x[i] = windows[GRID_ROWS + i];
        s.twiddles_x[i] = twiddles[GRID_ROWS + i];
    }
    for (int i = threadIdx.x; i < FIELDS * LINES * GRID_COLS; i += THREADS) {
        int field = i / (LINES * GRID_COLS), line = i / GRID_COLS % LINES, kx = i % GRID_COLS;
        int ky = rank * LINES + line;
        if (ky < GRID_ROWS) {
            int row = min(ky, GRID_ROWS - ky);
            size_t table = field * static_cast<size_t>(count) + hologram;
            s.operators[field][line * ROW + kx] = operators[(table * HALF_ROWS + row) * GRID_COLS + kx];
        }
    }
}

// Rows of the hologram, continued, to the blocks of their columns.
inline void pad_rows(Shared& s, int rank, const float2* hologram) {
    for (int i = threadIdx.x; i < MEASURED * COLS; i += THREADS) {
        int y = rank * MEASURED + i / COLS, x = i % COLS;
        s.rows[i / COLS * ROW + LEFT + x] = y < ROWS ? hologram[y * COLS + x] : make_float2(0, 0);
    }
    extend_lines<COLS, LEFT, GRID_COLS>(s, s.rows, MEASURED);
    for (int i = threadIdx.x; i < MEASURED * GRID_COLS; i += THREADS) {
        int y = rank * MEASURED + i % MEASURED, x = i / MEASURED;
        if (y < ROWS) store_remote(&s.columns[x % COLUMNS * COLUMN + TOP + y], x / COLUMNS, s.rows[i % MEASURED * ROW + x]);
    }
    cluster_sync();
    clock_stage(s.clocks, HOLOGRAM_ROWS);
}

// Columns of this block, continued and windowed.
inline void pad_columns(Shared& s, int rank) {
    extend_lines<ROWS, TOP, GRID_ROWS>(s, s.columns, COLUMNS);
    for (int i = threadIdx.x; i < COLUMNS * GRID_ROWS; i += THREADS) {
        int line = i / GRID_ROWS, y = i % GRID_ROWS, x = rank * COLUMNS + line;
        float2& value = s.columns[line * COLUMN + y];
        value = (x < GRID_COLS ? s.window_y[y] * s.window_x[x] : 0.0f) * value;
    }
    clock_stage(s.clocks, HOLOGRAM_COLUMNS);
}

// Along y here, along x in the blocks of the rows.
inline void transform(Shared& s, int rank) {
    transform_lines<ROWS_A, ROWS_B, -1>(s.columns, COLUMNS, COLUMN, s.twiddles_y, s.scratch);
    for (int i = threadIdx.x; i < COLUMNS * GRID_ROWS; i += THREADS) {
        int line = i % COLUMNS, ky = i / COLUMNS, x = rank * COLUMNS + line;
        if (x < GRID_COLS) store_remote(&s.spectrum[ky % LINES * ROW + x], ky / LINES, s.columns[line * COLUMN + ky]);
    }
    cluster_sync();
    clock_stage(s.clocks, HOLOGRAM_Y);
    transform_lines<COLS_A, COLS_B, -1>(s.spectrum, LINES, ROW, s.twiddles_x, s.scratch);
    clock_stage(s.clocks, HOLOGRAM_X);
}

// One field of the spectrum to `result`; the columns' memory is free by now.
inline void propagate(Shared& s, int rank, int field, float2* result) {
    for (int i = threadIdx.x; i < LINES * ROW; i += THREADS) {
        s.columns[i] = times(s.spectrum[i], s.operators[field][i]);
    }
    transform_lines<COLS_A, COLS_B, 1>(s.columns, LINES, ROW, s.twiddles_x, s.scratch);
    for (int i = threadIdx.x; i < LINES * COLS; i += THREADS) {
        int line = i % LINES, column = i / LINES, ky = rank * LINES + line;
        if (ky < GRID_ROWS) {
            store_remote(&s.kept[column % KEPT * COLUMN + ky], column / KEPT, s.columns[line * ROW + LEFT + column]);
        }
    }
    cluster_sync();
    clock_stage(s.clocks, HOLOGRAM_BACK_X);
    transform_lines<ROWS_A, ROWS_B, 1>(s.kept, KEPT, COLUMN, s.twiddles_y, s.scratch);
    clock_stage(s.clocks, HOLOGRAM_BACK_Y);
    for (int i = threadIdx.x; i < ROWS * KEPT; i += THREADS) {
        int y = i / KEPT, x = rank * KEPT + i % KEPT;
        if (x < COLS) result[y * COLS + x] = s.kept[i % KEPT * COLUMN + TOP + y];
    }
}

// One hologram by this cluster; its tables are here, and all blocks of the cluster have begun.
inline void make_hologram(Shared& s, int rank, int index, const float2* bins, float2* fields, u32 count) {
    pad_rows(s, rank, bins + static_cast<size_t>(index) * ROWS * COLS);
    pad_columns(s, rank);
    transform(s, rank);
#pragma unroll 1
    for (int field = 0; field < FIELDS; field++) {
        if (field > 0) cluster_sync();
        propagate(s, rank, field, fields + (field * static_cast<size_t>(count) + index) * ROWS * COLS);
    }
}
