// Spreading in two dimensions: strengths at points to the fine grid. Launched by kernels/src/nufft.rs; twin of
// pipeline/src/solvers/nufft/cpu/spread.rs; arrays as in nufft.cu. n is a multiple of 8.
//
// The windows that start in one bin of 8 x 8 fine points reach REGION x REGION of them. A warp sums a bin's points there in registers, an outer
// product of two windows for each, and goes down a column of bins: when it has passed one, nothing more will be added to its upper 8 rows,
// which go to shared memory, and the others move up. A block has 8 neighbouring columns; where their regions overlap, it adds them, and
// writes the fine points that all its columns reach. So no sum is shared, none needs an atomic addition, the order is always the same, and
// the grid needs no zeros. Columns and rows at the edge of a block's part are done by its neighbours too.
//
// Double precision uses the matrix unit, four points at a time: rows of the product are those of the grid, columns its numbers, real and
// imaginary parts in turn.
//
// Per point: REGION^2 complex multiply-adds, of which w^2 count: 256 for w = 7, 576 for w = 13; windows by 2 w Horner sums. Of the columns of a
// block one (w up to 9) or two (up to 17) are repeated by the next.

#include "async.cuh"
#include "nufft.cuh"

static_assert(AXES == 2 && BIN_X == 8 && BIN_Y == 8, "bins of 8 x 8 fine points");

constexpr int STRIPS = 8, THREADS = 32 * STRIPS;  // columns of bins, a warp each
constexpr int REGION = (7 + WIDTH + 7) / 8 * 8, EIGHTS = REGION / 8;
constexpr int OUTPUTS = STRIPS - (EIGHTS - 1);  // columns that are complete
constexpr int COLUMNS = WIDTH <= 8 ? 8 : WIDTH <= 16 ? 16 : 32;
constexpr int PIECE = 32;             // points that a warp loads together, at most
constexpr int CHUNK = WIDE ? 8 : 16;  // points whose windows it makes together
constexpr int STEPS = WIDE ? 2 : 4;   // rows of bins between two barriers
constexpr int CELLS = REGION / 4;     // of 8 rows, a lane's share
// Of a multiprocessor, by registers; before 9.0 the compiler needs more of them. ROOMY: there are no more blocks than multiprocessors.
constexpr int BLOCKS = ROOMY || WIDE && __CUDA_ARCH__ < 900 ? 1 : WIDE || REGION > 16 ? 2 : 3;
// Four points' numbers lie in different banks.
constexpr int PITCH_X = 2 * REGION + (WIDE ? 4 : 0), PITCH_Y = REGION + (WIDE ? 4 : 0);

// Points as they lie in memory, this piece and the next.
struct Loaded {
    pair strength[PIECE];
    real fraction[2][PIECE];
    u32 cell[2][PIECE];
};

struct Prepared {
    alignas(16) Loaded loaded[2];
    alignas(16) real along_x[CHUNK][PITCH_X];  // times the strength: real and imaginary parts in turn
    alignas(16) real along_y[CHUNK][PITCH_Y];
};

struct Staged {
    pair rows[STEPS][STRIPS][8][REGION];
};

static_assert(sizeof(Staged) + STRIPS * sizeof(Prepared) <= PLANE_BYTES, "the launch has less");

// The polynomial of one column of the window. Where two blocks share registers, these have no room for those in double precision, which lie
// in shared memory.
#define TABLED (WIDE && !ROOMY)
constexpr int PLACES = TABLED ? 2 : 4;
#if TABLED
constexpr int TABLE = COLUMNS * ((DEGREE + 1) | 1);
#else
constexpr int TABLE = 1;
#endif

struct Polynomial {
#if TABLED
    const real* a;
#else
    real a[DEGREE + 1];
#endif

    // By all threads of the block, with a barrier.
    inline Polynomial(const real* polynomials, real* table) {
        int column = threadIdx.x % COLUMNS;
#if TABLED
        real* own = table + column * ((DEGREE + 1) | 1);
        a = own;
#else
        real* own = a;
#endif
#pragma unroll
        for (int i = 0; i <= DEGREE; i++) own[i] = column < WIDTH ? polynomials[i * WIDTH + column] : 0;
        __syncthreads();
    }

    // At several places.
    inline void operator()(const real (&s)[PLACES], real (&sums)[PLACES]) const {
        for (int k = 0; k < PLACES; k++) sums[k] = a[0];
#pragma unroll
        for (int i = 1; i <= DEGREE; i++) {
            real next = a[i];
            for (int k = 0; k < PLACES; k++) sums[k] = sums[k] * s[k] + next;
        }
    }
};

struct Points {
    const u32 *cells, *indices;
    const real* fractions;
    const pair* strengths;
    u32 count;

    // The point of this lane of the piece from `first` up to `end` comes to shared memory by itself.
    inline void load(Loaded& to, u32 first, u32 end) const {
        int lane = threadIdx.x % 32;
        u32 i = first + lane;
        if (i >= end) return;
        copy_async(&to.strength[lane], strengths + indices[i]);
#pragma unroll
        for (int a = 0; a < 2; a++) {
            size_t at = static_cast<size_t>(a) * count + i;
            copy_async(&to.fraction[a][lane], fractions + at);
            copy_async(&to.cell[a][lane], cells + at);
        }
    }
};

// Where a window's column lies in its line, round the end.
inline int place_in(int start, int column) {
    int place = start + column;
    return place >= REGION ? place - REGION : place;
}

// Windows of points `first` and on of a piece, by one warp, two points for each group of lanes at a time: from the bin's first fine point on,
// zeros before and behind.
inline void prepare(Prepared& to, const Loaded& from, const Polynomial& polynomial, int first, int points) {
    constexpr int GROUPS = 32 / COLUMNS;
    int lane = threadIdx.x % 32, column = lane % COLUMNS;
#pragma unroll 1
    for (int begin = lane / COLUMNS; begin < points; begin += PLACES / 2 * GROUPS) {
        real s[PLACES], w[PLACES];
#pragma unroll
        for (int k = 0; k < PLACES; k++) s[k] = from.fraction[k % 2][first + min(begin + k / 2 * GROUPS, points - 1)];
        polynomial(s, w);
#pragma unroll
        for (int k = 0; k < PLACES / 2; k++) {
            int i = begin + k * GROUPS;
            if (i >= points) continue;
            int x = from.cell[0][first + i] % 8, y = from.cell[1][first + i] % 8;
            pair *line_x = reinterpret_cast<pair*>(to.along_x[i]), c = from.strength[first + i];
            if (column < REGION) {
                line_x[place_in(x, column)] = w[2 * k] * c;
                to.along_y[i][place_in(y, column)] = w[2 * k + 1];
            }
            if (column < REGION - COLUMNS) {
                line_x[place_in(x, column + COLUMNS)] = make_pair(0, 0);
                to.along_y[i][place_in(y, column + COLUMNS)] = 0;
            }
        }
    }
    __syncwarp();
}

// Row and first column of this lane's cells within 8 rows; its columns are STRIDE apart.
inline int own_row() { return threadIdx.x % 32 / 4; }
#if WIDE
constexpr int STRIDE = 4;
inline int own_column() { return threadIdx.x % 4; }

// C += A B with A of 8 x 4 and B of 4 x 8 numbers.
inline void multiply_add(pair& c, double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c.x), "+d"(c.y) : "d"(a), "d"(b));
}

inline void add_points(pair (&sums)[EIGHTS][CELLS], const Prepared& from, int points) {
    int place = own_row(), lane = threadIdx.x % 4;
#pragma unroll 1
    for (int first = 0; first < points; first += 4) {
        bool here = first + lane < points;
        int i = first + lane;
        real y[EIGHTS];
#pragma unroll
        for (int b = 0; b < EIGHTS; b++) y[b] = here ? from.along_y[i][8 * b + place] : 0;
#pragma unroll
        for (int f = 0; f < CELLS; f++) {
            real x = here ? from.along_x[i][8 * f + place] : 0;
#pragma unroll
            for (int b = 0; b < EIGHTS; b++) multiply_add(sums[b][f], y[b], x);
        }
    }
}
#else
constexpr int STRIDE = 1;
inline int own_column() { return threadIdx.x % 4 * CELLS; }

inline void add_points(pair (&sums)[EIGHTS][CELLS], const Prepared& from, int points) {
    int row = own_row(), column = own_column();
#pragma unroll 2
    for (int i = 0; i < points; i++) {
        float4 x[CELLS / 2];
#pragma unroll
        for (int v = 0; v < CELLS / 2; v++) x[v] = reinterpret_cast<const float4*>(&from.along_x[i][2 * column])[v];
#pragma unroll
        for (int b = 0; b < EIGHTS; b++) {
            float y = from.along_y[i][8 * b + row];
#pragma unroll
            for (int v = 0; v < CELLS / 2; v++) {
                pair &even = sums[b][2 * v], &odd = sums[b][2 * v + 1];
                even = make_pair(fmaf(y, x[v].x, even.x), fmaf(y, x[v].y, even.y));
                odd = make_pair(fmaf(y, x[v].z, odd.x), fmaf(y, x[v].w, odd.y));
            }
        }
    }
}
#endif

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
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    spread_plane(const u32* cells, const real* fractions, const u32* indices, const u32* starts, const pair* strengths,
                 const real* polynomials, pair* grid, NufftGrid g) {
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
    Points from = {cells, indices, fractions, strengths + value_place(g), g.points};
    Cursor near = {-1, 0, 0};
    near.to_points(steps, begins, ends);
    Polynomial polynomial(polynomials, table);
    from.load(prepared.loaded[0], near.first, near.end);
    pair sums[EIGHTS][CELLS] = {};
    int done = 0, side = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
#pragma unroll 1
        while (near.step == step) {
            int points = min(near.end - near.first, static_cast<u32>(PIECE));
            copies_done();
            __syncwarp();
            const Loaded& loaded = prepared.loaded[side];
            side = 1 - side;
            near.next(steps, begins, ends);
            from.load(prepared.loaded[side], near.first, near.end);
#pragma unroll 1
            for (int first = 0; first < points; first += CHUNK) {
                int some = min(points - first, CHUNK);
                prepare(prepared, loaded, polynomial, first, some);
                add_points(sums, prepared, some);
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
