// Spreading in two dimensions: strengths at points to the fine grid. Launched by kernels/src/nufft.rs; twin of
// pipeline/nufft/src/cpu/spread.rs; arrays as in nufft.cu. n is a multiple of 8.
//
// The windows that start in one bin of 8 x 8 fine points reach REGION x REGION of them. A warp sums a bin's points there in registers, an outer
// product of two windows for each, and goes down a column of bins: when it has passed one, nothing more will be added to its upper 8 rows,
// which go to shared memory, and the others move up. A block has 8 neighbouring columns; where their regions overlap, it adds them, and
// writes the fine points that all its columns reach. So no sum is shared, none needs an atomic addition, the order is always the same, and
// the grid needs no zeros. Columns and rows at the edge of a block's part are done by its neighbours too.
//
// Where a grid has so few bins that a block would have one or two rows of them, spread_rows takes its place: a block writes one row of bins, and a
// warp has one of the bins that reach it, of whose product it makes the 8 rows that do. What a warp does with points is in
// nufft_plane_single.cuh and nufft_plane_double.cuh.
//
// Per point: REGION^2 complex multiply-adds, of which w^2 count: 256 for w = 7, 576 for w = 13; windows by 2 w Horner sums. Of the columns of a
// block one (w up to 9) or two (up to 17) are repeated by the next.

#include "async.cuh"
#include "nufft.cuh"

static_assert(AXES == 2 && BIN_X == 8 && BIN_Y == 8, "bins of 8 x 8 fine points");

constexpr int STRIPS = 8, THREADS = 32 * STRIPS;  // columns of bins, a warp each
constexpr int REGION = (7 + WIDTH + 7) / 8 * 8, EIGHTS = REGION / 8;
constexpr int OUTPUTS = STRIPS - (EIGHTS - 1);  // columns that are complete
constexpr int PIECE = 32;            // points that a warp loads together, at most
constexpr int STEPS = WIDE ? 2 : 4;  // rows of bins between two barriers
constexpr int CELLS = REGION / 4;    // of 8 rows, a lane's share
// Of a multiprocessor, by registers; before 9.0 the compiler needs more of them.
constexpr int BLOCKS = WIDE && __CUDA_ARCH__ < 900 ? 1 : WIDE || REGION > 16 ? 2 : 3;

// A piece of points, as they lie in memory.
struct Loaded {
    pair strength[PIECE];
    Point point[PIECE];
};

#if WIDE
#include "nufft_plane_double.cuh"
#else
#include "nufft_plane_single.cuh"
#endif

struct Prepared {
    alignas(16) Loaded loaded[2];
    Windows windows;
};

struct Staged {
    pair rows[STEPS][STRIPS][8][REGION];
};

static_assert(sizeof(Staged) + STRIPS * sizeof(Prepared) <= PLANE_BYTES, "the launch has less");

struct Points {
    const Point* points;
    const pair* strengths;

    // The point of this lane of the piece from `first` up to `end` comes to shared memory by itself.
    inline void load(Loaded& to, u32 first, u32 end) const {
        int lane = threadIdx.x % 32;
        u32 i = first + lane;
        if (i >= end) return;
        const double* from = reinterpret_cast<const double*>(points + i);
        double* own = reinterpret_cast<double*>(&to.point[lane]);
#pragma unroll
        for (int k = 0; k < sizeof(Point) / sizeof(double); k++) copy_async(own + k, from + k);
        copy_async(&to.strength[lane], strengths + points[i].index);
    }
};

// What the columns have for `steps` rows of bins from `row` on, to the grid. Between barriers.
inline void write_rows(const Staged& staged, int row, int steps, int column, pair* grid, const NufftGrid& g) {
    __syncthreads();
    constexpr int WIDE_ROW = 8 * OUTPUTS;
#pragma unroll 1
    for (int i = threadIdx.x; i < steps * 8 * WIDE_ROW; i += THREADS) {
        int x = i % WIDE_ROW, y = i / WIDE_ROW, output = x / 8, at = 8 * column + x;
        if (at >= static_cast<int>(g.n[0])) continue;
        pair sum = make_pair(0, 0);
#pragma unroll
        for (int e = 0; e < EIGHTS; e++) sum = sum + staged.rows[y / 8][output + EIGHTS - 1 - e][y % 8][8 * e + x % 8];
        grid[(static_cast<size_t>(8) * row + y) * g.n[0] + at] = sum;
    }
    __syncthreads();
}

// The pieces of a column of bins, one after the other. A lane knows where the points of one row's bin are.
struct Cursor {
    int step;  // row of bins
    u32 first, end;

    inline void to_points(int steps, u32 begins, u32 ends) {
        while (first >= end && ++step < steps) {
            first = __shfl_sync(0xffffffff, begins, step);
            end = __shfl_sync(0xffffffff, ends, step);
        }
    }

    inline void next(int steps, u32 begins, u32 ends) {
        first += PIECE;
        to_points(steps, begins, ends);
    }
};

// Blocks along x: OUTPUTS columns of bins each; along y: g.segment rows of bins each, at most 32 - (EIGHTS - 1).
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS, BLOCKS)
    spread_plane(const Point* points, const u32* starts, const pair* strengths, const real* polynomials, pair* grid, NufftGrid g) {
    extern __shared__ double2 memory[];
    __shared__ real table[TABLE];
    Staged& staged = *reinterpret_cast<Staged*>(memory);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, across = g.bins[0], down = g.bins[1];
    Prepared& prepared = reinterpret_cast<Prepared*>(&staged + 1)[warp];
    int first_column = blockIdx.x * OUTPUTS, first_row = blockIdx.y * g.segment;
    // Round the period; a short one more than once.
    int own = (first_column + warp - (EIGHTS - 1) + EIGHTS * across) % across;
    int rows = min(static_cast<int>(g.segment), down - first_row), steps = rows + EIGHTS - 1;
    int bin = (first_row + lane - (EIGHTS - 1) + EIGHTS * down) % down * across + own;
    u32 begins = starts[bin], ends = starts[bin + 1];
    Points from = {points, strengths + value_place(g)};
    Cursor near = {-1, 0, 0};
    near.to_points(steps, begins, ends);
    Polynomial polynomial(polynomials, table);
    from.load(prepared.loaded[0], near.first, near.end);
    __syncthreads();
    pair sums[EIGHTS][CELLS] = {};
    int done = 0, side = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
#pragma unroll 1
        while (near.step == step) {
            int some = min(near.end - near.first, static_cast<u32>(PIECE));
            copies_done();
            __syncwarp();
            const Loaded& loaded = prepared.loaded[side];
            side = 1 - side;
            near.next(steps, begins, ends);
            from.load(prepared.loaded[side], near.first, near.end);
#pragma unroll 1
            for (int first = 0; first < some; first += CHUNK) {
                int chunk = min(some - first, CHUNK);
                prepare(prepared.windows, loaded, polynomial, first, chunk);
                add_points(sums, prepared.windows, loaded, first, chunk, 0);
                __syncwarp();
            }
        }
        int row = step - (EIGHTS - 1);
#pragma unroll
        for (int i = 0; i < CELLS; i++) {
            if (row >= 0) staged.rows[row % STEPS][warp][own_row()][own_column() + STRIDE * i] = sums[0][i];
#pragma unroll
            for (int b = 1; b < EIGHTS; b++) sums[b - 1][i] = sums[b][i];
            sums[EIGHTS - 1][i] = make_pair(0, 0);
        }
        if (row >= 0 && (row % STEPS == STEPS - 1 || row == rows - 1)) {
            write_rows(staged, first_row + done, row + 1 - done, first_column, grid, g);
            done = row + 1;
        }
    }
}

struct RowPrepared {
    alignas(16) Loaded loaded;
    Windows windows;
};

// In the place of what the warps prepared.
struct RowStaged {
    pair rows[EIGHTS][STRIPS][8][REGION];
};

constexpr int ROW_THREADS = 32 * STRIPS * EIGHTS;
static_assert(STRIPS * EIGHTS * sizeof(RowPrepared) <= ROWS_BYTES && sizeof(RowStaged) <= ROWS_BYTES, "the launch has less");

// The 8 rows of fine points of one row of bins, from the sums of every eighth and column that reach them.
inline void write_row(const RowStaged& staged, pair* grid, const NufftGrid& g) {
    constexpr int WIDE_ROW = 8 * OUTPUTS;
    for (int i = threadIdx.x; i < 8 * WIDE_ROW; i += ROW_THREADS) {
        int x = i % WIDE_ROW, y = i / WIDE_ROW, at = WIDE_ROW * blockIdx.x + x;
        if (at >= static_cast<int>(g.n[0])) continue;
        pair sum = make_pair(0, 0);
#pragma unroll
        for (int k = 0; k < EIGHTS * EIGHTS; k++) {
            int down = k / EIGHTS, e = k % EIGHTS;
            sum = sum + staged.rows[down][x / 8 + EIGHTS - 1 - e][y][8 * e + x % 8];
        }
        grid[(static_cast<size_t>(8) * blockIdx.y + y) * g.n[0] + at] = sum;
    }
}

// Blocks along x: OUTPUTS columns of bins each; along y: a row of bins each.
extern "C" __global__ /* hot */ void __launch_bounds__(ROW_THREADS, WIDE || EIGHTS > 2 ? 1 : 2)
    spread_rows(const Point* points, const u32* starts, const pair* strengths, const real* polynomials, pair* grid, NufftGrid g) {
    extern __shared__ double2 memory[];
    __shared__ real table[TABLE];
    int warp = threadIdx.x / 32, strip = warp % STRIPS, eighth = warp / STRIPS, across = g.bins[0], down = g.bins[1];
    RowPrepared& prepared = reinterpret_cast<RowPrepared*>(memory)[warp];
    // Round the period; a short one more than once.
    int column = (static_cast<int>(blockIdx.x) * OUTPUTS + strip - (EIGHTS - 1) + EIGHTS * across) % across;
    int row = (static_cast<int>(blockIdx.y) - eighth + EIGHTS * down) % down;
    u32 first = starts[row * across + column], end = starts[row * across + column + 1];
    Points from = {points, strengths + value_place(g)};
    from.load(prepared.loaded, first, end);
    Polynomial polynomial(polynomials, table);
    __syncthreads();
    pair sums[1][CELLS] = {};
#pragma unroll 1
    while (first < end) {
        copies_done();
        __syncwarp();
        int some = min(end - first, static_cast<u32>(PIECE));
#pragma unroll 1
        for (int done = 0; done < some; done += CHUNK) {
            int chunk = min(some - done, CHUNK);
            prepare(prepared.windows, prepared.loaded, polynomial, done, chunk);
            add_points(sums, prepared.windows, prepared.loaded, done, chunk, eighth);
            __syncwarp();
        }
        first += PIECE;
        from.load(prepared.loaded, first, end);
    }
    __syncthreads();
    RowStaged& staged = *reinterpret_cast<RowStaged*>(memory);
#pragma unroll
    for (int i = 0; i < CELLS; i++) staged.rows[eighth][strip][own_row()][own_column() + STRIDE * i] = sums[0][i];
    __syncthreads();
    write_row(staged, grid, g);
}
