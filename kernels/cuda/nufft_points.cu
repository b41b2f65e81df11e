// Points of a NUFFT into the order of their bins. Launched by kernels/src/nufft.rs; twin of
// pipeline/nufft/src/cpu/points.rs.
//
// 1. bin_points: cell and fractions of every point; its bin is its key. Counts the keys' first digits.
// 2. Radix sort, the lowest digit first: count_digits, scan_digits, move_by_digit. It keeps the order of equal keys, so that the
//    order of points, and with it every sum, is the same each time.
// 3. find_starts: where the points of a bin begin.
// 4. count_tiles, list_parts: tiles with many points are several blocks' work.
//
// | array | layout |
// |---|---|
// | x, y, z | radians, as given |
// | points | [point], as given, and by and by in order |
// | counts | [block of POINTS points][digit] |
// | totals | [digit] |
// | starts | [bin] and the end |
// | lengths | [tile], points that reach it |
// | found | zeros before; ~i of the first point i that is no position, or 0; most points that reach a tile of spreading, that start in one of interpolation, in a bin |
// | parts | [tile] and the end: where its parts begin; [tile] and the end: where its partial sums begin, if it has several parts |
// | owners | [part], its tile |
//
// 1e7 points of 20 bits in single precision: 160 MB of coordinates, and as much of points that are written once for themselves, and read and
// written for each of two digits; read once to count the second digit, and once to find the starts. About 1.3 GB.

#include "async.cuh"
#include "nufft.cuh"
#include "turn.cuh"

#define THREADS 256
#define WARPS (THREADS / 32)
#define DIGITS 1024
#define ALL_LANES 0xffffffffu

// So many that two or three blocks of them share a multiprocessor.
constexpr int ITEMS = sizeof(Point) > 24 ? 8 : 12;
constexpr int POINTS = THREADS * ITEMS;
constexpr int OWN = DIGITS / THREADS;  // digits of a thread

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

inline u32 bin_of(const Point& point) { return point.cell / BIN_CELLS; }
inline u32 digit_of(const Point& point, u32 shift, u32 mask) { return bin_of(point) >> shift & mask; }

inline void no_counts(u32* count) {
    for (int i = threadIdx.x; i < DIGITS; i += THREADS) count[i] = 0;
    __syncthreads();
}

inline void write_counts(const u32* count, u32* counts) {
    __syncthreads();
    for (int i = threadIdx.x; i < DIGITS; i += THREADS) counts[static_cast<size_t>(blockIdx.x) * DIGITS + i] = count[i];
}

extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    bin_points(const double* x, const double* y, const double* z, Point* points, u32* counts, u32* found, u32 mask, NufftGrid g) {
    __shared__ u32 count[DIGITS];
    no_counts(count);
    const double* axes[3] = {x, y, z};
    u32 first = blockIdx.x * POINTS, end = min(first + POINTS, g.points);
#pragma unroll 2
    for (u32 i = first + threadIdx.x; i < end; i += THREADS) {
        u32 bin = 0, within = 0;
        Point point = {};
#pragma unroll
        for (int a = AXES - 1; a >= 0; a--) {
            double at = axes[a][i];
            if (!(fabs(at) <= FARTHEST)) {
                atomicMax(found, ~i);
                at = 0;
            }
            Place place = place_of(at, g.n[a]);
            point.fraction[a] = static_cast<real>(place.fraction);
            bin = bin * g.bins[a] + place.start / BIN[a];
            within = within * BIN[a] + place.start % BIN[a];
        }
        point.cell = bin * BIN_CELLS + within;
        point.index = i;
        points[i] = point;
        atomicAdd(&count[bin & mask], 1);
    }
    write_counts(count, counts);
}

extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    count_digits(const Point* points, u32* counts, u32 shift, u32 mask, u32 all) {
    __shared__ u32 count[DIGITS];
    no_counts(count);
    u32 first = blockIdx.x * POINTS + threadIdx.x, digits[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) digits[i] = first + THREADS * i < all ? digit_of(points[first + THREADS * i], shift, mask) : DIGITS;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (digits[i] < DIGITS) atomicAdd(&count[digits[i]], 1);
    }
    write_counts(count, counts);
}

// Sum of the values of the threads before this one; `total` of all.
template <int COUNT>
inline u32 sum_before(u32 value, u32& total) {
    __shared__ u32 sums[COUNT];
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
    for (int w = 0; w < COUNT; w++) {
        if (w < warp) before += sums[w];
        total += sums[w];
    }
    __syncthreads();
    return before + sum - value;
}

#define SCANNERS 1024
#define SCANNED 8  // digits of a block, a sector of every line of counts

// A thread has one of the digits and a share of the blocks that counted: where each block's points of a digit go among those of the digit, and how many
// there are.
extern "C" __global__ /* hot */ void __launch_bounds__(SCANNERS) scan_digits(u32* counts, u32* totals, u32 blocks) {
    constexpr u32 SHARES = SCANNERS / SCANNED;
    __shared__ u32 sums[SHARES][SCANNED];
    u32 column = threadIdx.x % SCANNED, share = threadIdx.x / SCANNED, each = (blocks + SHARES - 1) / SHARES;
    u32 digit = SCANNED * blockIdx.x + column, begin = min(share * each, blocks), end = min(begin + each, blocks);
    u32 sum = 0;
#pragma unroll 8
    for (u32 i = begin; i < end; i++) sum += counts[static_cast<size_t>(i) * DIGITS + digit];
    sums[share][column] = sum;
    __syncthreads();
    u32 before = 0, total = 0;
#pragma unroll 8
    for (u32 w = 0; w < SHARES; w++) {
        if (w == share) before = total;
        total += sums[w][column];
    }
#pragma unroll 8
    for (u32 i = begin; i < end; i++) {
        u32& count = counts[static_cast<size_t>(i) * DIGITS + digit];
        u32 own = count;
        count = before;
        before += own;
    }
    if (share == 0) totals[digit] = total;
}

// Shared memory of a block that moves points.
struct Moving {
    Point points[POINTS];
    unsigned short seen[WARPS][DIGITS];  // points of a digit; then where those of a warp begin
    u32 offset[DIGITS];                  // from their place in the block's order to that in memory
    unsigned short order[POINTS];        // which point, of the block's
};

static_assert(sizeof(Moving) <= MOVING_BYTES, "the launch has less");

// What is copied at a time: neighbouring threads copy neighbouring units, also where a point is several.
template <int ALIGNMENT>
struct UnitOf {
    typedef double type;
};
template <>
struct UnitOf<16> {
    typedef double2 type;
};
typedef UnitOf<alignof(Point)>::type Unit;
constexpr u32 UNITS = sizeof(Point) / sizeof(Unit);

constexpr u32 RANK = 16;  // lowest bit of a rank beside a digit

// To each digit of a warp's points, 32 at a time, how many of them the warp has before this one.
inline void rank_points(unsigned short* seen, u32 (&digits)[ITEMS]) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        // Lanes with this digit, by a vote on each of its bits.
        u32 same = ALL_LANES;
#pragma unroll
        for (int bit = 1; bit <= DIGITS; bit *= 2) {
            u32 with = __ballot_sync(ALL_LANES, digits[i] & bit);
            same &= with ^ ((digits[i] / bit & 1) - 1);
        }
        u32 leader = 31 - __clz(same), older = 0;
        if (lane == leader && digits[i] < DIGITS) {
            older = seen[digits[i]];
            seen[digits[i]] = older + __popc(same);
        }
        digits[i] |= (__shfl_sync(ALL_LANES, older, leader) + __popc(same & ((1u << lane) - 1))) << RANK;
        __syncwarp();
    }
}

// Where the points of each warp and digit go, here and in memory.
inline void scan_seen(Moving& s, const u32* counts, const u32* totals) {
    u32 first = OWN * threadIdx.x, all[OWN], own[OWN], sum_all = 0, sum_own = 0, total;
#pragma unroll
    for (int k = 0; k < OWN; k++) {
        all[k] = totals[first + k];
        own[k] = 0;
#pragma unroll 2
        for (int w = 0; w < WARPS; w++) own[k] += s.seen[w][first + k];
        sum_all += all[k];
        sum_own += own[k];
    }
    u32 before = sum_before<WARPS>(sum_all, total), local = sum_before<WARPS>(sum_own, total);
#pragma unroll
    for (int k = 0; k < OWN; k++) {
        s.offset[first + k] = before + counts[static_cast<size_t>(blockIdx.x) * DIGITS + first + k] - local;
        before += all[k];
        u32 at = local;
        local += own[k];
#pragma unroll 2
        for (int w = 0; w < WARPS; w++) {
            u32 of_warp = s.seen[w][first + k];
            s.seen[w][first + k] = at;
            at += of_warp;
        }
    }
}

// A warp takes 32 x ITEMS neighbouring points. Then the block moves them in their order, so that neighbours go to neighbours in memory.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS, __CUDA_ARCH__ < 900 ? 2 : 3)
    move_by_digit(const Point* points, const u32* counts, const u32* totals, Point* moved, u32 shift, u32 mask, u32 all) {
    extern __shared__ double2 memory[];
    Moving& s = *reinterpret_cast<Moving*>(memory);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 block = blockIdx.x * POINTS, count = min(all - block, static_cast<u32>(POINTS)), first = warp * 32 * ITEMS + lane;
    const Unit* from = reinterpret_cast<const Unit*>(points + block);
    Unit* to = reinterpret_cast<Unit*>(s.points);
    for (u32 i = threadIdx.x; i < UNITS * count; i += THREADS) copy_async(to + i, from + i);
    for (int i = threadIdx.x; i < WARPS * DIGITS; i += THREADS) s.seen[0][i] = 0;
    copies_done();
    __syncthreads();
    u32 digits[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        digits[i] = first + 32 * i < count ? digit_of(s.points[first + 32 * i], shift, mask) : DIGITS;
    }
    rank_points(s.seen[warp], digits);
    __syncthreads();
    scan_seen(s, counts, totals);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        u32 digit = digits[i] % (1u << RANK);
        if (digit < DIGITS) s.order[s.seen[warp][digit] + (digits[i] >> RANK)] = first + 32 * i;
    }
    __syncthreads();
#pragma unroll 4
    for (u32 i = threadIdx.x; i < UNITS * count; i += THREADS) {
        const Point& point = s.points[s.order[i / UNITS]];
        Point* place = moved + s.offset[digit_of(point, shift, mask)] + i / UNITS;
        reinterpret_cast<Unit*>(place)[i % UNITS] = reinterpret_cast<const Unit*>(&point)[i % UNITS];
    }
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

extern "C" __global__ /* hot */ void __launch_bounds__(THREADS) find_starts(const Point* points, u32* starts, NufftGrid g) {
    u32 bins = volume(g.bins);
    // Whole warps go on together, to one more than there are points: it knows where the last bins end.
    for (u32 first = blockIdx.x * THREADS; first <= g.points; first += gridDim.x * THREADS) {
        u32 i = first + threadIdx.x;
        // Bins behind that of the point before up to this one begin here.
        u32 from = i == 0 ? 0 : i <= g.points ? bin_of(points[i - 1]) + 1 : bins + 1;
        fill_starts(starts, from, i < g.points ? bin_of(points[i]) + 1 : bins + 1, i);
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

// Few warps have more than what was found: most need not wait for their turn.
inline void raise(u32& most, u32 value) {
    value = __reduce_max_sync(ALL_LANES, value);
    if (threadIdx.x % 32 == 0 && value > *static_cast<volatile u32*>(&most)) atomicMax(&most, value);
}

// Tiles of spreading, unless nobody asks for them, then those of interpolation.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    count_tiles(const u32* starts, u32* lengths, u32* found, u32 spreads, NufftGrid g) {
    u32 spread = volume(g.spread), tiles = spread + volume(g.gather), bins = volume(g.bins), begin = spreads ? 0 : spread;
    u32 largest[3] = {0, 0, 0};
    for (u32 k = blockIdx.x * THREADS + threadIdx.x; k < max(tiles - begin, bins); k += gridDim.x * THREADS) {
        u32 i = begin + k;
        if (i < tiles) {
            u32 length = i < spread ? count_one(starts, i, true, g) : count_one(starts, i - spread, false, g);
            lengths[i] = length;
            if (i < spread) largest[0] = max(largest[0], length);
            else largest[1] = max(largest[1], length);
        }
        if (k < bins) largest[2] = max(largest[2], starts[k + 1] - starts[k]);
    }
    for (int k = 0; k < 3; k++) raise(found[1 + k], largest[k]);
}

#define LISTERS 1024

// Block 0 lists the parts of spreading, block 1 those of interpolation.
extern "C" __global__ /* hot */ void __launch_bounds__(LISTERS)
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
