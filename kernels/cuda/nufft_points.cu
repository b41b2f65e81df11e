// Points of a NUFFT into the order of their bins. Launched by kernels/src/nufft.rs; twin of
// pipeline/src/solvers/nufft/cpu/points.rs.
//
// 1. bin_points: start and fraction of every point; its bin is its key.
// 2. Radix sort, the lowest digit first: count_digits, scan_digits, move_by_digit. It keeps the order of equal keys, so that the
//    order of points, and with it every sum, is the same each time.
// 3. place_points: what bin_points found, in that order, and where the points of a bin begin.
// 4. count_tiles, list_parts: tiles with many points are several blocks' work.
//
// | array | layout |
// |---|---|
// | x, y, z | radians, as given |
// | records | [point], as given |
// | items | [point]: key, and index as given |
// | counts | [digit][block of POINTS points] |
// | starts | [bin] and the end |
// | cells, fractions | [axis][point] |
// | lengths | [tile], points that reach it |
// | found | zeros before; ~i of the first point i that is no position, or 0; most points that reach a tile of spreading, that start in one of interpolation, in a bin |
// | parts | [tile] and the end: where its parts begin; [tile] and the end: where its partial sums begin, if it has several parts |
// | owners | [part], its tile |
//
// 1e7 points of 20 bits in single precision: 160 MB of coordinates and 240 MB of records and items; three digits, 200 MB each; records at
// random, 320 MB in sectors of 32 bytes, and 200 MB behind them. About 1.5 GB.

#include "nufft.cuh"

#define THREADS 256  // as many as digits
#define ITEMS 16
#define POINTS (THREADS * ITEMS)
#define DIGITS 256
#define ALL_LANES 0xffffffffu

// 1/(2 pi) to twice the digits.
constexpr double TURN = 0.15915494309189535, TURN_REST = -9.8393383375919e-18;
// Coordinates beyond have no digits left within a period.
constexpr double FARTHEST = 1e9;

// First fine point of the window, 0 to n - 1, and 2 t - 1, t the way from the window's start to that point.
struct Place {
    u32 start;
    double fraction;
};

inline Place place_of(double x, u32 points) {
    double n = points;
    double turns = x * TURN, rest = fma(x, TURN, -turns) + x * TURN_REST;
    turns -= floor(turns);
    double on_grid = turns * n, more = fma(turns, n, -on_grid);
    rest = rest * n + more;
    if (on_grid >= n) on_grid = 0;
    double begin = on_grid - 0.5 * WIDTH, first = ceil(begin);
    double fraction = fmin(fmax(2.0 * ((first - begin) - rest) - 1.0, -1.0), 1.0);
    int start = static_cast<int>(first);
    return {static_cast<u32>(start < 0 ? start + static_cast<int>(points) : start), fraction};
}

// Read at random: within one sector, and written whole.
struct alignas(16) Record {
    real fraction[AXES];
    u32 start[AXES];
#if WIDE || AXES != 2
    u32 unused[WIDE ? AXES : 2];
#endif
};

extern "C" __global__ void __launch_bounds__(THREADS)
    bin_points(const double* x, const double* y, const double* z, Record* records, uint2* items, u32* found, NufftGrid g) {
    const double* axes[3] = {x, y, z};
    for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < g.points; i += gridDim.x * THREADS) {
        u32 key = 0;
        Record record = {};
#pragma unroll
        for (int a = AXES - 1; a >= 0; a--) {
            double at = axes[a][i];
            if (!(fabs(at) <= FARTHEST)) {
                atomicMax(found, ~i);
                at = 0;
            }
            Place place = place_of(at, g.n[a]);
            record.start[a] = place.start;
            record.fraction[a] = static_cast<real>(place.fraction);
            key = key * g.bins[a] + place.start / BIN[a];
        }
        records[i] = record;
        items[i] = make_uint2(key, i);
    }
}

inline u32 digit_of(uint2 item, u32 shift) { return item.x >> shift & (DIGITS - 1); }

extern "C" __global__ void __launch_bounds__(THREADS)
    count_digits(const uint2* items, u32* counts, u32 shift, u32 points) {
    __shared__ u32 count[DIGITS];
    count[threadIdx.x] = 0;
    __syncthreads();
    u32 first = blockIdx.x * POINTS;
    for (u32 i = first + threadIdx.x; i < min(first + POINTS, points); i += THREADS) {
        atomicAdd(&count[digit_of(items[i], shift)], 1);
    }
    __syncthreads();
    counts[static_cast<size_t>(threadIdx.x) * gridDim.x + blockIdx.x] = count[threadIdx.x];
}

// Sum of the values of the threads before this one; `total` of all.
template <int WARPS>
inline u32 sum_before(u32 value, u32& total) {
    __shared__ u32 sums[WARPS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 sum = value;
    for (int step = 1; step < 32; step *= 2) {
        u32 other = __shfl_up_sync(ALL_LANES, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    u32 before = 0;
    total = 0;
    for (int w = 0; w < WARPS; w++) {
        if (w < warp) before += sums[w];
        total += sums[w];
    }
    __syncthreads();
    return before + sum - value;
}

// One block for each digit: where each block's points of this digit go among those of the digit, and how many there are.
extern "C" __global__ void __launch_bounds__(THREADS) scan_digits(u32* counts, u32* totals, u32 blocks) {
    u32* line = counts + static_cast<size_t>(blockIdx.x) * blocks;
    u32 sum = 0;
    for (u32 first = 0; first < blocks; first += THREADS) {
        u32 i = first + threadIdx.x, total;
        u32 before = sum_before<THREADS / 32>(i < blocks ? line[i] : 0, total);
        if (i < blocks) line[i] = sum + before;
        sum += total;
    }
    if (threadIdx.x == 0) totals[blockIdx.x] = sum;
}

// A warp takes 32 x ITEMS neighbouring points, 32 at a time. They are put in order in shared memory first, so that neighbours there go to
// neighbours in memory.
extern "C" __global__ void __launch_bounds__(THREADS, __CUDA_ARCH__ < 900 ? 2 : 3)
    move_by_digit(const uint2* items, const u32* counts, const u32* totals, uint2* moved, u32 shift, u32 points) {
    constexpr int WARPS = THREADS / 32;
    __shared__ u32 seen[WARPS][DIGITS], offset[DIGITS];
    __shared__ uint2 sorted[POINTS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int w = 0; w < WARPS; w++) seen[w][threadIdx.x] = 0;
    u32 block = blockIdx.x * POINTS, count = min(points - block, POINTS), first = warp * 32 * ITEMS + lane;
    u32 digits[ITEMS], rank[ITEMS];
    items += block;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) digits[i] = first + 32 * i < count ? digit_of(items[first + 32 * i], shift) : DIGITS;
    u32 total, before = sum_before<WARPS>(totals[threadIdx.x], total);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        bool here = digits[i] < DIGITS;
        u32 digit = digits[i];
        u32 same = __match_any_sync(ALL_LANES, digit), leader = 31 - __clz(same);
        u32 older = 0;
        if (lane == leader && here) {
            older = seen[warp][digit];
            seen[warp][digit] = older + __popc(same);
        }
        rank[i] = __shfl_sync(ALL_LANES, older, leader) + __popc(same & ((1u << lane) - 1));
        __syncwarp();
    }
    __syncthreads();
    u32 own = 0;
    for (int w = 0; w < WARPS; w++) own += seen[w][threadIdx.x];
    u32 local = sum_before<WARPS>(own, total);
    offset[threadIdx.x] = before + counts[static_cast<size_t>(threadIdx.x) * gridDim.x + blockIdx.x] - local;
    for (int w = 0; w < WARPS; w++) {
        u32 of_warp = seen[w][threadIdx.x];
        seen[w][threadIdx.x] = local;
        local += of_warp;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        // Read again: registers have no room for so many.
        if (digits[i] < DIGITS) sorted[seen[warp][digits[i]] + rank[i]] = items[first + 32 * i];
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += THREADS) moved[offset[digit_of(sorted[i], shift)] + i] = sorted[i];
}

// The starts of bins `from` up to `to` are `start`; all lanes of the warp give theirs. Long runs, over bins without points, are written by all.
inline void fill_starts(u32* starts, u32 from, u32 to, u32 start) {
    constexpr u32 LONG = 32;
    if (to - from <= LONG) {
        for (u32 bin = from; bin < to; bin++) starts[bin] = start;
    }
    u32 others = __ballot_sync(ALL_LANES, to - from > LONG);
    for (; others; others &= others - 1) {
        int lane = __ffs(others) - 1;
        u32 first = __shfl_sync(ALL_LANES, from, lane), end = __shfl_sync(ALL_LANES, to, lane), value = __shfl_sync(ALL_LANES, start, lane);
        for (u32 bin = first + threadIdx.x % 32; bin < end; bin += 32) starts[bin] = value;
    }
}

inline u32 volume(const u32 (&sides)[3]) { return sides[0] * sides[1] * sides[2]; }

extern "C" __global__ void __launch_bounds__(THREADS)
    place_points(const Record* records, const uint2* items, u32* cells, real* fractions, u32* indices, u32* starts, NufftGrid g) {
    u32 bins = volume(g.bins);
    // Whole warps go on together, to one more than there are points: it knows where the last bins end.
    for (u32 first = blockIdx.x * THREADS; first <= g.points; first += gridDim.x * THREADS) {
        u32 i = first + threadIdx.x;
        // Bins behind that of the point before up to this one begin here.
        u32 from = i == 0 ? 0 : i <= g.points ? items[i - 1].x + 1 : bins + 1, to = bins + 1;
        if (i < g.points) {
            uint2 item = items[i];
            Record record = records[item.y];
            indices[i] = item.y;
            to = item.x + 1;
#pragma unroll
            for (int a = 0; a < AXES; a++) {
                cells[static_cast<size_t>(a) * g.points + i] = record.start[a];
                fractions[static_cast<size_t>(a) * g.points + i] = record.fraction[a];
            }
        }
        fill_starts(starts, from, to, i);
    }
}

inline u32 count_one(const u32* starts, u32 number, bool spread, const NufftGrid& g) {
    Tile tile = spread ? tile_of(number, g.spread, SPREAD, g) : tile_of(number, g.gather, GATHER, g);
    Ranges ranges(tile, spread, g);
    u32 sum = 0;
    for (int i = 0; i < ranges.count(); i++) {
        Range range = ranges.range(i, starts, g);
        sum += range.end - range.begin;
    }
    return sum;
}

inline void raise(u32& most, u32 value) {
    value = __reduce_max_sync(ALL_LANES, value);
    if (threadIdx.x % 32 == 0) atomicMax(&most, value);
}

// Tiles of spreading, then those of interpolation.
extern "C" __global__ void __launch_bounds__(THREADS) count_tiles(const u32* starts, u32* lengths, u32* found, NufftGrid g) {
    u32 spread = volume(g.spread), gather = volume(g.gather), bins = volume(g.bins), largest[3] = {0, 0, 0};
    for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < max(spread + gather, bins); i += gridDim.x * THREADS) {
        if (i < spread + gather) {
            u32 length = i < spread ? count_one(starts, i, true, g) : count_one(starts, i - spread, false, g);
            lengths[i] = length;
            if (i < spread) largest[0] = max(largest[0], length);
            else largest[1] = max(largest[1], length);
        }
        if (i < bins) largest[2] = max(largest[2], starts[i + 1] - starts[i]);
    }
    for (int k = 0; k < 3; k++) raise(found[1 + k], largest[k]);
}

#define LISTERS 1024

// Block 0 lists the parts of spreading, block 1 those of interpolation.
extern "C" __global__ void __launch_bounds__(LISTERS)
    list_parts(const u32* lengths, u32* spread_parts, u32* spread_owners, u32* gather_parts, u32* gather_owners, NufftGrid g) {
    bool spread = blockIdx.x == 0;
    u32 tiles = spread ? volume(g.spread) : volume(g.gather);
    if (!spread) lengths += volume(g.spread);
    u32 *parts = spread ? spread_parts : gather_parts, *owners = spread ? spread_owners : gather_owners;
    u32 *slots = parts + tiles + 1, sum = 0, slot = 0;
    for (u32 first = 0; first < tiles; first += LISTERS) {
        u32 i = first + threadIdx.x, length = i < tiles ? lengths[i] : 0, total, several;
        // Spreading writes tiles without points too.
        u32 own = (length + g.part - 1) / g.part;
        if (spread && i < tiles) own = max(own, 1u);
        u32 at = sum + sum_before<LISTERS / 32>(own, total);
        u32 place = slot + sum_before<LISTERS / 32>(own > 1 ? own : 0, several);
        if (i < tiles) {
            parts[i] = at;
            slots[i] = place;
            for (u32 part = 0; part < own; part++) owners[at + part] = i;
        }
        sum += total;
        slot += several;
    }
    if (threadIdx.x == 0) {
        parts[tiles] = sum;
        slots[tiles] = slot;
    }
}
