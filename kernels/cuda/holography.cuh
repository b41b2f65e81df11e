// Holography by a cluster of blocks: one hologram from the bins of its microphones to the field on the other plane. Twin of
// pipeline/holography/src/cpu.rs, whose stages are fused here; the readable rung is stages.cu.
//
//     pad        rows, then columns, continued by linear prediction (padding.cuh), or by zeros; Tukey window
//     transform  DFT along y, then x
//     propagate  operator x spectrum, inverse DFT along x (kept columns), then y (kept rows)
//
// | constant | meaning |
// |---|---|
// | ROWS, COLS | microphones down and across, at most 32 each |
// | GRID_ROWS, GRID_COLS | padded grid, = ROWS_A ROWS_B ROWS_C and COLS_A COLS_B COLS_C, lengths of fft.cuh |
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
// at the end; the first block collects the result. Between these, each value is sent straight into the memory of the block that
// needs it, which waits until all have arrived (cluster.cuh).
//
// Cost of one hologram of 32 x 32 on 96 x 96 with ORDER 8: 8 KB in, 37 KB of operator (from the L2 cache),
// 8 KB out; Burg 128 lines x 16 x 31 x 8, transforms 5/3 x 9216 x 33 flops: 1.0 MFLOP in single precision, and predictions
// 128 x (64 + 8) x 64 in double: 0.6 MFLOP. At 4.3 TB/s, 60 and 30 TFLOP/s that is 12 ns and 37 ns: one hologram is all
// latency, and a batch is bound by instructions in shared memory.

#pragma once

#include "abi/hologram.h"
#include "clocks.cuh"
#include "cluster.cuh"
#include "lines.cuh"
#include "overlap.cuh"
#include "padding.cuh"

constexpr int divided_up(int a, int b) { return (a + b - 1) / b; }
constexpr int larger(int a, int b) { return a > b ? a : b; }

// Rows of the aperture, columns of the grid, rows of the spectrum and columns of the result of one block.
constexpr int MEASURED = divided_up(ROWS, CLUSTER), COLUMNS = divided_up(GRID_COLS, CLUSTER);
constexpr int LINES = divided_up(GRID_ROWS, CLUSTER), KEPT = divided_up(COLS, CLUSTER);
constexpr int TOP = (GRID_ROWS - ROWS) / 2, LEFT = (GRID_COLS - COLS) / 2;
constexpr int HALF_ROWS = GRID_ROWS / 2 + 1;
static_assert(larger(ROWS, COLS) <= GROUP * EACH, "a line is longer than a group of lanes");

constexpr int SCRATCH = larger(scratch_length(larger(COLUMNS, KEPT), GRID_ROWS), scratch_length(LINES, GRID_COLS));
// Groups of lanes of a block; of a warp; and lines that are continued at once, by two groups each, in whole warps.
constexpr int GROUPS = THREADS / GROUP, OF_WARP = 32 / GROUP;
constexpr int whole_warps(int groups) { return divided_up(groups, OF_WARP) * OF_WARP; }
constexpr int CONTINUED = whole_warps(larger(COLUMNS, MEASURED));

// Distance of lines in shared memory: even, and neighbouring lines begin in different banks.
constexpr int spread(int length) { return length + (24 - length % 16) % 16; }
constexpr int ROW = spread(GRID_COLS), COLUMN = spread(GRID_ROWS);

struct Shared {
    union {
        Model models[CONTINUED];
        float2 scratch[SCRATCH];
    };
    float2 columns[COLUMNS * COLUMN];
    float2 spectrum[LINES * ROW];
    float2 kept[FIELDS][KEPT * COLUMN];
    // The operator of each field; behind its use, in the first block, the field.
    float2 operators[FIELDS][larger(LINES * ROW, ROWS* COLS)];
    float2 twiddles_y[GRID_ROWS], twiddles_x[GRID_COLS];
    float window_y[GRID_ROWS], window_x[GRID_COLS];
    u32 iteration, rows;
    Arrivals columns_here, spectrum_here, kept_here[FIELDS], field_here[FIELDS];
    Clocks clocks;
};

static_assert(sizeof(Shared) <= SHARED_BYTES, "kernels/src/hologram.rs counts less shared memory");

// Whether all blocks have an even number of `total` things, dealt out `each` at a time: neighbouring ones then travel in pairs.
constexpr bool even(int each, int total) { return each % 2 == 0 && total % 2 == 0; }

// How many of `total` things the block has, which are dealt out `each` at a time.
inline int share(int rank, int each, int total) { return max(0, min(each, total - rank * each)); }

// What will be sent to this block; by one thread, before the barrier of the cluster that all senders wait for.
inline void expect_all(Shared& s, int rank) {
    expect(s.columns_here, 8 * ROWS * share(rank, COLUMNS, GRID_COLS));
    expect(s.spectrum_here, 8 * GRID_COLS * share(rank, LINES, GRID_ROWS));
    for (int field = 0; field < FIELDS; field++) {
        expect(s.kept_here[field], 8 * GRID_ROWS * share(rank, KEPT, COLS));
        expect(s.field_here[field], rank == 0 ? 8 * ROWS * COLS : 0);
    }
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

// Continues `count` lines of LENGTH samples load(line, n) to TOTAL, BEFORE of them before the first; put(line, place, value) takes
// the new ones, with places from 0 to TOTAL - 1. Whole warps: groups without a line do as the last one, for themselves.
template <int LENGTH, int BEFORE, int TOTAL, class Load, class Put>
inline void extend_lines(Shared& s, int count, Load load, Put put) {
    const int after = TOTAL - LENGTH - BEFORE;
    int own = threadIdx.x / GROUP, l = threadIdx.x % GROUP;
    for (int line = own; line < whole_warps(count); line += GROUPS) {
        float2 x[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            x[i] = EACH * l + i < LENGTH ? load(min(line, count - 1), EACH * l + i) : make_float2(0, 0);
        }
        make_model<LENGTH>(s.models[line], x);
    }
    __syncthreads();
    for (int end = own; end < whole_warps(2 * count); end += GROUPS) {
        int line = end / 2, behind = end % 2;
        int added = line >= count ? 0 : behind ? after : BEFORE;
        predict<larger(BEFORE, after)>(s.models[line], behind, [&](int i, float2 value) {
            if (i < added) put(line, behind ? BEFORE + LENGTH + i : BEFORE - 1 - i, value);
        });
    }
}

// Rows of the hologram, continued, to the blocks of their columns.
inline void pad_rows(Shared& s, int rank, const float2* hologram) {
    int first = rank * MEASURED, count = share(rank, MEASURED, ROWS);
    auto put = [&](int line, int x, float2 value) {
        send(&s.columns[x % COLUMNS * COLUMN + TOP + first + line], x / COLUMNS, s.columns_here, value);
    };
    if (count > 0) {
        extend_lines<COLS, LEFT, GRID_COLS>(
            s, count, [&](int line, int n) { return hologram[(first + line) * COLS + n]; }, put);
    }
    for (int i = THREADS - 1 - threadIdx.x; i < count * COLS; i += THREADS) {
        put(i / COLS, LEFT + i % COLS, hologram[first * COLS + i]);
    }
}

// Columns of this block, continued.
inline void pad_columns(Shared& s, int rank) {
    __syncthreads();
    wait_for(s.columns_here);
    clock_stage(s.clocks, HOLOGRAM_ROWS);
    int count = share(rank, COLUMNS, GRID_COLS);
    if (count > 0) {
        extend_lines<ROWS, TOP, GRID_ROWS>(
            s, count, [&](int line, int n) { return s.columns[line * COLUMN + TOP + n]; },
            [&](int line, int y, float2 value) { s.columns[line * COLUMN + y] = value; });
    }
    __syncthreads();
    clock_stage(s.clocks, HOLOGRAM_COLUMNS);
}

// The window; along y here, along x in the blocks of the rows.
inline void transform(Shared& s, int rank) {
    int first = rank * COLUMNS;
    transform_and_send<ROWS_A, ROWS_B, ROWS_C, -1, even(COLUMNS, GRID_COLS)>(
        share(rank, COLUMNS, GRID_COLS), s.twiddles_y, s.scratch,
        [&](int line, int y) { return s.window_x[first + line] * s.window_y[y] * s.columns[line * COLUMN + y]; },
        [&](int line, int ky, auto values) {
            send(&s.spectrum[ky % LINES * ROW + first + line], ky / LINES, s.spectrum_here, values);
        });
    wait_for(s.spectrum_here);
    clock_stage(s.clocks, HOLOGRAM_Y);
    transform_lines<COLS_A, COLS_B, COLS_C, -1>(
        share(rank, LINES, GRID_ROWS), s.twiddles_x, s.scratch,
        [&](int line, int x) { return s.spectrum[line * ROW + x]; },
        [&](int line, int kx, float2 value) { s.spectrum[line * ROW + kx] = value; });
    clock_stage(s.clocks, HOLOGRAM_X);
}

// One field from the spectrum, back along x and, in the blocks of the kept columns, along y; the first block gets it all.
inline void propagate(Shared& s, int rank, int field) {
    int first = rank * LINES;
    transform_and_send<COLS_A, COLS_B, COLS_C, 1, even(LINES, GRID_ROWS)>(
        share(rank, LINES, GRID_ROWS), s.twiddles_x, s.scratch,
        [&](int line, int kx) { return times(s.spectrum[line * ROW + kx], s.operators[field][line * ROW + kx]); },
        [&](int line, int x, auto values) {
            int column = x - LEFT;
            if (column < 0 || column >= COLS) return;
            send(&s.kept[field][column % KEPT * COLUMN + first + line], column / KEPT, s.kept_here[field], values);
        });
    wait_for(s.kept_here[field]);
    clock_stage(s.clocks, HOLOGRAM_BACK_X);
    first = rank * KEPT;
    transform_and_send<ROWS_A, ROWS_B, ROWS_C, 1, even(KEPT, COLS)>(
        share(rank, KEPT, COLS), s.twiddles_y, s.scratch,
        [&](int line, int ky) { return s.kept[field][line * COLUMN + ky]; },
        [&](int line, int row, auto values) {
            int y = row - TOP;
            if (y < 0 || y >= ROWS) return;
            send(&s.operators[field][y * COLS + first + line], 0, s.field_here[field], values);
        });
    clock_stage(s.clocks, HOLOGRAM_BACK_Y);
}

// By the first block: a field to device or host memory, in whole lines.
inline void write(Shared& s, int field, float2* result) {
    wait_for(s.field_here[field]);
    for (int i = threadIdx.x; i < ROWS * COLS; i += THREADS) result[i] = s.operators[field][i];
}

// One hologram by this cluster; its tables are here, and all blocks of the cluster have begun. `true` in the first block, which
// has written the fields.
inline bool make_hologram(Shared& s, int rank, int index, const float2* bins, float2* fields, u32 count) {
    pad_rows(s, rank, bins + static_cast<size_t>(index) * ROWS * COLS);
    pad_columns(s, rank);
    let_next_begin();
    transform(s, rank);
#pragma unroll 1
    for (int field = 0; field < FIELDS; field++) propagate(s, rank, field);
    if (rank > 0) return false;
    for (int field = 0; field < FIELDS; field++) {
        write(s, field, fields + (field * static_cast<size_t>(count) + index) * ROWS * COLS);
    }
    return true;
}
