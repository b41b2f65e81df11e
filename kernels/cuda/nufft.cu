// Between the points of a NUFFT, its fine grid and its modes. Launched by kernels/src/nufft.rs; twin of
// pipeline/nufft/src/cpu/spread.rs and transform.rs. Points lie in the order of their bins (nufft_points.cu).
//
// | kernel | what a block does |
// |---|---|
// | spread | sums the strengths whose windows reach a tile of the fine grid, and writes the tile |
// | interpolate | takes the tile and what windows reach beyond it, and writes the values of the points that start in it |
// | modes_from_grid, grid_from_modes | the wanted modes with their factors; all other fine points are zero |
//
// Every warp of `spread` has a copy of the tile in shared memory, to which it adds one point after the other: a lane has one column of
// the window and every ROWS-th row, so that no two lanes meet and no sum needs an atomic addition. The copies are summed at the end. A point
// that reaches several tiles is spread in each; nothing is added to the grid, which needs no zeros, and sums have one order. A tile with many
// points is shared by several blocks, the last of which sums what they found.
//
// | array | layout |
// |---|---|
// | points, starts, parts, owners | as in nufft_points.cu |
// | polynomials | [power, highest first][w] |
// | partial | [slot][fine points of a tile] |
// | arrived | [tile], blocks that are done; zeros before and after |
// | grid | [z][y][x], fine points |
// | modes | [kz][ky][kx], from -N/2 on |
// | factors | N of x, then of y, then of z |
//
// Per point in two dimensions: w^2 complex additions of 2 fused multiply-adds, and 2 w^2 pairs through shared memory, which is the roof:
// w = 7 in single precision 784 of 128 bytes a cycle, with the idle lanes of 8 x 8 cells 8 cycles.

#include "async.cuh"
#include "nufft_polynomial.cuh"

#define ALL_LANES 0xffffffffu

constexpr int COLUMNS = columns_for(WIDTH);
constexpr int ROWS = 32 / COLUMNS;  // of a window that a warp has at a time
constexpr int CHUNK = 16;           // points that a warp prepares together
constexpr int SPREADERS = SPREAD_WARPS * 32, GATHERERS = GATHER_WARPS * 32;

// Rows of a tile in shared memory: two of them, or one of pairs of doubles, begin half way round the banks.
constexpr int SPREAD_PITCH = AXES == 1 || WIDE ? SPREAD_X : SPREAD_X + 8;
constexpr int SPREAD_CELLS = SPREAD_PITCH * SPREAD_Y * SPREAD_Z;
constexpr int REACH_Y = AXES > 1 ? WIDTH - 1 : 0, REACH_Z = AXES > 2 ? WIDTH - 1 : 0;
constexpr int GATHER_PITCH = GATHER_X + WIDTH - 1;
constexpr int GATHER_ROWS = GATHER_Y + REACH_Y, GATHER_PLANES = GATHER_Z + REACH_Z;

constexpr int MOST_ROWS_Y = SPREAD_Y / BIN_Y + 2 * ((WIDTH - 2) / BIN_Y + 2), MOST_ROWS_Z = SPREAD_Z / BIN_Z + 2 * ((WIDTH - 2) / BIN_Z + 2);
constexpr int MOST_RANGES = 2 * (AXES > 1 ? MOST_ROWS_Y : 1) * (AXES > 2 ? MOST_ROWS_Z : 1);

// A point as a warp's lanes need it.
struct Spot {
    real re, im;  // strength
    int at[3];    // start in the tile
};

struct Prepared {
    Spot spots[CHUNK];
    real fractions[AXES][CHUNK];
    real windows[CHUNK][AXES][COLUMNS];
};

static_assert(SPREAD_WARPS * (SPREAD_CELLS * sizeof(pair) + sizeof(Prepared)) <= SPREAD_BYTES, "the launch has less");
static_assert(GATHER_PITCH * GATHER_ROWS * GATHER_PLANES * sizeof(pair) <= GATHER_BYTES, "the launch has less");

// Points `first` up to `end`, at most CHUNK, with their windows.
inline void prepare(Prepared& to, const Polynomial& polynomial, const Range& range, u32 first, u32 end, const Point* points,
                    const pair* strengths) {
    int lane = threadIdx.x % 32;
    u32 i = first + lane;
    if (lane < CHUNK && i < end) {
        Point own = points[i];
        pair c = strengths[own.index];
        Spot& spot = to.spots[lane];
        spot.re = c.x;
        spot.im = c.y;
#pragma unroll
        for (int a = 0; a < AXES; a++) {
            spot.at[a] = range.place(own.cell, a);
            to.fractions[a][lane] = own.fraction[a];
        }
    }
    __syncwarp();
    int group = lane / COLUMNS, column = lane % COLUMNS, tasks = (end - first) * AXES;
    for (int t = group; t < tasks; t += ROWS) {
        int point = t / AXES, axis = t % AXES;
        to.windows[point][axis][column] = polynomial(to.fractions[axis][point]);
    }
    __syncwarp();
}

// Adds a point to the warp's copy of the tile, plane by plane. Rows in batches: all loads of a batch are under way together.
inline void add_point(pair* copy, const Prepared& from, int point, const int (&side)[3]) {
    constexpr int LINES = AXES > 1 ? WIDTH : 1, STEPS = (LINES + ROWS - 1) / ROWS;
    constexpr int MOST = WIDE ? 4 : 8, BATCH = STEPS < MOST ? STEPS : MOST;
    int lane = threadIdx.x % 32, column = lane % COLUMNS, group = lane / COLUMNS;
    const Spot& spot = from.spots[point];
    int x = spot.at[0] + column;
    bool inside = static_cast<u32>(x) < static_cast<u32>(side[0]) && column < WIDTH;
    int cell[STEPS];  // in a plane; -1: not in the tile
    real along_y[STEPS];
#pragma unroll
    for (int i = 0; i < STEPS; i++) {
        int row = i * ROWS + group, y = AXES > 1 ? spot.at[1] + row : 0;
        bool here = inside && row < LINES && static_cast<u32>(y) < static_cast<u32>(side[1]);
        cell[i] = here ? y * SPREAD_PITCH + x : -1;
        along_y[i] = AXES > 1 && here ? from.windows[point][AXES > 1][row] : 1;
    }
    real along_x = from.windows[point][0][column];
#pragma unroll 1
    for (int plane = 0; plane < (AXES > 2 ? WIDTH : 1); plane++) {
        int z = AXES > 2 ? spot.at[2] + plane : 0;
        if (static_cast<u32>(z) >= static_cast<u32>(side[2])) continue;
        pair* layer = copy + z * SPREAD_Y * SPREAD_PITCH;
        real factor = AXES > 2 ? along_x * from.windows[point][AXES > 2 ? 2 : 0][plane] : along_x;
        real re = spot.re * factor, im = spot.im * factor;
#pragma unroll
        for (int batch = 0; batch < STEPS; batch += BATCH) {
            pair sum[BATCH];
#pragma unroll
            for (int i = 0; i < BATCH && batch + i < STEPS; i++) {
                if (cell[batch + i] >= 0) sum[i] = layer[cell[batch + i]];
            }
#pragma unroll
            for (int i = 0; i < BATCH && batch + i < STEPS; i++) {
                real y = along_y[batch + i];
                if (cell[batch + i] >= 0) layer[cell[batch + i]] = make_pair(fma(y, re, sum[i].x), fma(y, im, sum[i].y));
            }
        }
    }
}

// The ranges of a tile into shared memory.
inline int load_ranges(Range* ranges, const Tile& tile, bool reach, const u32* starts, const NufftGrid& g) {
    Ranges all(tile, reach, g);
    int count = all.count();
    for (int i = threadIdx.x; i < count; i += blockDim.x) ranges[i] = all.range(i, starts, g);
    __syncthreads();
    return count;
}

// Every cell of a tile: write(place in shared memory, number in a partial sum, place in the grid).
template <class Write>
inline void each_cell(const Tile& tile, const NufftGrid& g, Write write) {
    for (int i = threadIdx.x; i < SPREAD_X * SPREAD_Y * SPREAD_Z; i += SPREADERS) {
        int x = i % SPREAD_X, y = i / SPREAD_X % SPREAD_Y, z = i / SPREAD_X / SPREAD_Y;
        int gx = tile.begin[0] + x, gy = tile.begin[1] + y, gz = tile.begin[2] + z;
        if (gx < tile.end[0] && gy < tile.end[1] && gz < tile.end[2]) {
            write((z * SPREAD_Y + y) * SPREAD_PITCH + x, i, fine_place(gx, gy, gz, g));
        }
    }
}

// Shared memory: a copy of the tile for each warp, then what it prepares.
extern "C" __global__ void __launch_bounds__(SPREADERS)
    spread(const Point* points, const u32* starts, const u32* parts, const u32* owners, const pair* strengths,
           const real* polynomials, pair* partial, u32* arrived, pair* grid, NufftGrid g) {
    extern __shared__ double2 memory[];
    __shared__ Range ranges[MOST_RANGES];
    __shared__ bool last;
    u32 tiles = g.spread[0] * g.spread[1] * g.spread[2];
    Share share = share_of_block(parts, owners, g);
    u32 number = share.tile, part = share.part, of = share.of;
    strengths += value_place(g);
    int warp = threadIdx.x / 32;
    pair* copies = reinterpret_cast<pair*>(memory);
    pair* copy = copies + warp * SPREAD_CELLS;
    Prepared& prepared = reinterpret_cast<Prepared*>(copies + SPREAD_WARPS * SPREAD_CELLS)[warp];
    for (int i = threadIdx.x; i < SPREAD_WARPS * SPREAD_CELLS; i += SPREADERS) copies[i] = make_pair(0, 0);
    Polynomial polynomial(polynomials, threadIdx.x % COLUMNS);
    Tile tile = tile_of(number, g.spread, SPREAD, g);
    int side[3] = {tile.end[0] - tile.begin[0], tile.end[1] - tile.begin[1], tile.end[2] - tile.begin[2]};
    int count = load_ranges(ranges, tile, true, starts, g);
    // Chunks are dealt to the warps of all parts in turn.
    u32 takers = of * SPREAD_WARPS, next = part * SPREAD_WARPS + warp;
#pragma unroll 1
    for (int r = 0; r < count; r++) {
        Range range = ranges[r];
        u32 chunks = (range.end - range.begin + CHUNK - 1) / CHUNK;
#pragma unroll 1
        for (; next < chunks; next += takers) {
            u32 first = range.begin + next * CHUNK, end = min(first + CHUNK, range.end);
            prepare(prepared, polynomial, range, first, end, points, strengths);
#pragma unroll 1
            for (int point = 0; point < end - first; point++) {
                add_point(copy, prepared, point, side);
                __syncwarp();
            }
        }
        next -= chunks;
    }
    __syncthreads();
    auto total = [&](int place) {
        pair sum = copies[place];
#pragma unroll
        for (int w = 1; w < SPREAD_WARPS; w++) sum = sum + copies[w * SPREAD_CELLS + place];
        return sum;
    };
    if (of == 1) {
        each_cell(tile, g, [&](int place, int, size_t to) { grid[to] = total(place); });
        return;
    }
    constexpr size_t SIZE = SPREAD_X * SPREAD_Y * SPREAD_Z;
    pair* slots = partial + parts[tiles + 1 + number] * SIZE;
    each_cell(tile, g, [&](int place, int i, size_t) { slots[part * SIZE + i] = total(place); });
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&arrived[number], 1) == of - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    each_cell(tile, g, [&](int, int i, size_t to) {
        pair sum = make_pair(0, 0);
        for (u32 p = 0; p < of; p++) sum = sum + __ldcg(&slots[p * SIZE + i]);
        grid[to] = sum;
    });
    if (threadIdx.x == 0) arrived[number] = 0;
}

// The tile and what windows reach beyond it, round the period, are on their way.
inline void load_tile(pair* to, const Tile& tile, const pair* grid, const NufftGrid& g) {
    constexpr int SIZE = GATHER_PITCH * GATHER_ROWS * GATHER_PLANES;
    for (int i = threadIdx.x; i < SIZE; i += GATHERERS) {
        int x = i % GATHER_PITCH, y = i / GATHER_PITCH % GATHER_ROWS, z = i / GATHER_PITCH / GATHER_ROWS;
        int at[3] = {tile.begin[0] + x, tile.begin[1] + y, tile.begin[2] + z};
#pragma unroll
        for (int a = 0; a < AXES; a++) {
            // Rarely once, and more often only where the tile is longer than the period.
            while (at[a] >= static_cast<int>(g.n[a])) at[a] -= g.n[a];
        }
        copy_async(to + i, grid + fine_place(at[0], at[1], at[2], g));
    }
}

// COLUMNS lanes have a point: each a column of the window and all its rows.
extern "C" __global__ void __launch_bounds__(GATHERERS)
    interpolate(const Point* points, const u32* starts, const u32* parts, const u32* owners, const pair* grid,
                const real* polynomials, pair* values, NufftGrid g) {
    extern __shared__ double2 memory[];
    __shared__ Range ranges[(GATHER_Y / BIN_Y) * (GATHER_Z / BIN_Z)];
    Share share = share_of_block(parts, owners, g);
    values += value_place(g);
    pair* local = reinterpret_cast<pair*>(memory);
    Tile tile = tile_of(share.tile, g.gather, GATHER, g);
    load_tile(local, tile, grid, g);
    // Lanes behind the window have zeros for it.
    int column = threadIdx.x % COLUMNS, inside = min(column, WIDTH - 1);
    Polynomial polynomial(polynomials, column);
    copies_done();
    int count = load_ranges(ranges, tile, false, starts, g);
    constexpr u32 GROUPS = GATHERERS / COLUMNS;
    // Whole warps go on together.
    u32 takers = share.of * GROUPS, group = threadIdx.x / COLUMNS, next = share.part * GROUPS + group / ROWS * ROWS;
#pragma unroll 1
    for (int r = 0; r < count; r++) {
        Range range = ranges[r];
        u32 length = range.end - range.begin;
#pragma unroll 1
        for (; next < length; next += takers) {
            u32 mine = next + group % ROWS;
            Point own = points[range.begin + min(mine, length - 1)];
            real w[AXES];
            int at[3] = {0, 0, 0};
#pragma unroll
            for (int a = 0; a < AXES; a++) {
                at[a] = range.place(own.cell, a);
                w[a] = polynomial(own.fraction[a]);
            }
            pair sum = make_pair(0, 0);
#pragma unroll 1
            for (int plane = 0; plane < (AXES > 2 ? WIDTH : 1); plane++) {
                pair inner = make_pair(0, 0);
#pragma unroll
                for (int row = 0; row < (AXES > 1 ? WIDTH : 1); row++) {
                    real factor = AXES > 1 ? __shfl_sync(ALL_LANES, w[AXES > 1], row, COLUMNS) : 1;
                    pair v = local[((at[2] + plane) * GATHER_ROWS + at[1] + row) * GATHER_PITCH + at[0] + inside];
                    inner = make_pair(fma(factor, v.x, inner.x), fma(factor, v.y, inner.y));
                }
                real factor = AXES > 2 ? __shfl_sync(ALL_LANES, w[AXES > 2 ? 2 : 0], plane, COLUMNS) : 1;
                sum = make_pair(fma(factor, inner.x, sum.x), fma(factor, inner.y, sum.y));
            }
            sum = w[0] * sum;
#pragma unroll
            for (int step = COLUMNS / 2; step > 0; step /= 2) {
                sum.x += __shfl_xor_sync(ALL_LANES, sum.x, step);
                sum.y += __shfl_xor_sync(ALL_LANES, sum.y, step);
            }
            if (column == 0 && mine < length) values[own.index] = sum;
        }
        next -= (length + ROWS - 1) / ROWS * ROWS;
    }
}

// Where mode number i of N lies among n.
inline u32 fine_of(u32 i, u32 modes, u32 n) { return i >= modes / 2 ? i - modes / 2 : n - modes / 2 + i; }

// What a mode is multiplied by.
inline pair factor_of(const real* factors, u32 x, u32 y, u32 z, const NufftGrid& g) {
    real factor = factors[x];
    if (AXES > 1) factor *= factors[g.modes[0] + y];
    if (AXES > 2) factor *= factors[g.modes[0] + g.modes[1] + z];
    if (g.derivative == 3) return make_pair(factor, 0);
    u32 i = g.derivative == 0 ? x : g.derivative == 1 ? y : z;
    int k = static_cast<int>(i) - static_cast<int>(g.modes[g.derivative] / 2);
    return make_pair(0, factor * static_cast<real>(g.sign * k));
}

extern "C" __global__ /* hot */ void __launch_bounds__(256) modes_from_grid(const pair* grid, const real* factors, pair* modes, NufftGrid g) {
    modes += mode_place(g);
    u32 rows = g.modes[1] * g.modes[2];
    for (u32 row = blockIdx.y; row < rows; row += gridDim.y) {
        u32 y = row % g.modes[1], z = row / g.modes[1];
        const pair* from = grid + fine_place(0, fine_of(y, g.modes[1], g.n[1]), fine_of(z, g.modes[2], g.n[2]), g);
        for (u32 x = blockIdx.x * 256 + threadIdx.x; x < g.modes[0]; x += gridDim.x * 256) {
            modes[static_cast<size_t>(row) * g.modes[0] + x] =
                times(factor_of(factors, x, y, z, g), from[fine_of(x, g.modes[0], g.n[0])]);
        }
    }
}

// Mode number of fine point i, or N and more if there is none.
inline u32 mode_of(u32 i, u32 modes, u32 n) {
    u32 negative = modes / 2, positive = modes - negative;
    if (i < positive) return i + negative;
    return i >= n - negative ? i - (n - negative) : modes;
}

extern "C" __global__ /* hot */ void __launch_bounds__(256) grid_from_modes(const pair* modes, const real* factors, pair* grid, NufftGrid g) {
    modes += mode_place(g);
    u32 rows = g.n[1] * g.n[2];
    for (u32 row = blockIdx.y; row < rows; row += gridDim.y) {
        u32 y = mode_of(row % g.n[1], g.modes[1], g.n[1]), z = mode_of(row / g.n[1], g.modes[2], g.n[2]);
        bool wanted = y < g.modes[1] && z < g.modes[2];
        const pair* from = modes + (static_cast<size_t>(z) * g.modes[1] + y) * g.modes[0];
        for (u32 i = blockIdx.x * 256 + threadIdx.x; i < g.n[0]; i += gridDim.x * 256) {
            u32 x = mode_of(i, g.modes[0], g.n[0]);
            bool here = wanted && x < g.modes[0];
            grid[static_cast<size_t>(row) * g.n[0] + i] = here ? times(factor_of(factors, x, y, z, g), from[x]) : make_pair(0, 0);
        }
    }
}
