// What the parts of tubes radiate that sbr_regions.cu has listed, of perfect conductors.

#include "sbr_band.cuh"
#include "sbr_lists.cuh"
#include "sbr_parts.cuh"

// The whole number of a product below `MOST_ROUNDED`.
inline i64 rounded(double a, double b) { return __double_as_longlong(fma(a, b, ROUND)) - __double_as_longlong(ROUND); }

// Whole numbers of quanta of a scattering matrix.
struct Quanta {
    i64 entries[ENTRIES];

    // Of patterns in quanta that are small enough for `ROUND`.
    inline void plus_rounded(const double (&pattern)[4], double2 value) {
#pragma unroll
        for (u32 k = 0; k < ENTRIES; k++) entries[k] += rounded(pattern[k / 2], k % 2 == 0 ? value.x : value.y);
    }

    inline void plus(const double (&pattern)[4], double2 value, double inverse) {
#pragma unroll
        for (u32 k = 0; k < ENTRIES; k++) entries[k] += quanta(pattern[k / 2] * (k % 2 == 0 ? value.x : value.y), inverse);
    }
};

// Adds what a warp's parts radiate at one frequency; a lane has one that `is`.
inline void radiate_one(const Seen& seen, bool is, const SbrLaunch& launch, u32 number, double waves, i64* sums) {
    const bool together = __reduce_max_sync(FULL, number) == __reduce_min_sync(FULL, number);
    Quanta own = {};
    if (is) own.plus(seen.tube.pattern, seen.at(waves, seen.tube.path), 1.0 / launch.quantum);
    for (u32 k = 0; k < ENTRIES; k++) {
        const i64 all = together ? sum(own.entries[k]) : own.entries[k];
        if (together ? threadIdx.x % 32 == 0 : is) add(sums + k, all);
    }
}

// The integral of a part as a series in frequency: with the phases t of its corners from the middle one, at one wave a metre, a triangle of area A has 2 A h_n (j w)^n / (n + 2)!,
// where h_n is the sum of all products of n of the three phases. So many terms are as good as rounding up to a phase: 0.8^14/14!, 2.5^22/22! and 5.2^32/32! are 5e-13 at most.
constexpr u32 TERMS = 32;
inline u32 terms_for(double phase) { return phase <= 0.8 ? 14 : phase <= 2.5 ? 22 : phase <= 5.2 ? TERMS : 0; }
// Where phases are larger, values at so many nodes of the band have it at all frequencies.
constexpr u32 NODES = LEAST_NODES, PAIRS = NODES / 2;
static_assert(2 * NODES <= TERMS, "values of nodes stand in the place of terms");
// 1/(n + 3).
__constant__ double INVERSES[TERMS] = {1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8,  1.0 / 9,  1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13,
                                       1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17, 1.0 / 18, 1.0 / 19, 1.0 / 20, 1.0 / 21, 1.0 / 22, 1.0 / 23, 1.0 / 24,
                                       1.0 / 25, 1.0 / 26, 1.0 / 27, 1.0 / 28, 1.0 / 29, 1.0 / 30, 1.0 / 31, 1.0 / 32, 1.0 / 33, 1.0 / 34};

struct Series {
    const SbrPart* part;
    double u, v;       // of the tube
    double path;       // of the middle, m
    double own;        // the tube's from there, m
    double half;       // of its footprint, m
    u32 count;         // of terms that have it at all frequencies; 0: none do
    bool nodes;        // have their values in the place of terms
    bool rounds;       // its patterns are small enough for `ROUND`
    double pattern[4]; // in quanta
    double terms[TERMS];

    inline void set(const Seen& of, double most_waves, double quantum, const double* waves, const Sbr& s) {
        part = of.part, u = of.tube.u, v = of.tube.v;
        double middle = 0.0, most = 0.0;
#pragma unroll 1
        for (u32 i = 0; i < corners(); i++) middle += phase(corner(i));
        middle /= corners();
#pragma unroll 1
        for (u32 i = 0; i < corners(); i++) most = fmax(most, fabs(phase(corner(i)) - middle));
        own = middle * 0.15915494309189533577, path = of.tube.path - own, half = most * 0.15915494309189533577;
        count = terms_for(most * most_waves), nodes = count == 0 && Band(waves, half, s).nodes == NODES;
        // The integral is at most the area, in tubes.
        double area = 0.0, largest = 0.0;
        const double inverse = 1.0 / quantum;
        for (u32 k = 0; k < 4; k++) pattern[k] = of.tube.pattern[k] * inverse, largest = fmax(largest, fabs(pattern[k]));
        for (u32 n = 0; n < TERMS; n++) terms[n] = 0.0;
        const double2 first = corner(0);
#pragma unroll 1
        for (u32 i = 1; i + 1 < corners(); i++) {
            const double2 a = corner(i), b = corner(i + 1);
            const double t0 = phase(first) - middle, t1 = phase(a) - middle, t2 = phase(b) - middle;
            const double twice = (a.x - first.x) * (b.y - first.y) - (a.y - first.y) * (b.x - first.x);
            area += 0.5 * fabs(twice);
            double one = 1.0, two = 1.0, three = 1.0, over = 0.5 * twice; // products of one, two and three phases
            // Pairs, since powers of j are 1, j, -1, -j; short code takes less than what unrolling would save.
#pragma unroll 1
            for (u32 n = 0; n < count; n += 2) {
                terms[n] = fma(over, three, terms[n]);
                one *= t0, two = fma(t1, two, one), three = fma(t2, three, two), over *= INVERSES[n];
                terms[n + 1] = fma(over, three, terms[n + 1]);
                one *= t0, two = fma(t1, two, one), three = fma(t2, three, two), over *= -INVERSES[n + 1];
            }
        }
        rounds = 2.0 * largest * area < MOST_ROUNDED;
    }

    // Values at a node and at that on the other side of the band.
    inline void find(u32 node, const double* waves) {
        const double both[2] = {waves[node], waves[NODES - 1 - node]};
        double2 values[2];
        integral(both, own, values);
        store(node, values[0]), store(NODES - 1 - node, values[1]);
    }

    // Values at the nodes of a bin with such a middle, in the place of terms.
    inline void bring(double middle, const double* waves) {
        if (!nodes) {
            // Half of the nodes at once, a pair of terms after the other: code that is short, and no more numbers than registers.
            double2 values[NODES];
#pragma unroll
            for (u32 first = 0; first < NODES; first += PAIRS) {
                double even[PAIRS] = {}, odd[PAIRS] = {}, squares[PAIRS];
#pragma unroll
                for (u32 n = 0; n < PAIRS; n++) squares[n] = waves[first + n] * waves[first + n];
#pragma unroll 1
                for (u32 k = count; k > 0; k -= 2) {
                    const double a = terms[k - 2], b = terms[k - 1];
#pragma unroll
                    for (u32 n = 0; n < PAIRS; n++) even[n] = fma(even[n], squares[n], a), odd[n] = fma(odd[n], squares[n], b);
                }
#pragma unroll
                for (u32 n = 0; n < PAIRS; n++) values[first + n] = make_double2(even[n], odd[n] * waves[first + n]);
            }
#pragma unroll
            for (u32 n = 0; n < NODES; n++) store(n, values[n]);
        }
        // Nodes are as far from the middle of the band on one side as on the other.
        const double centre = 0.5 * (waves[0] + waves[NODES - 1]);
        const double2 of_centre = turned(centre * (path - middle));
        const auto turn = [&](u32 n, double2 wave) { store(n, times(make_double2(terms[2 * n], terms[2 * n + 1]), times(of_centre, wave))); };
#pragma unroll 1
        for (u32 n = 0; n < PAIRS; n++) {
            const double2 wave = turned((waves[n] - centre) * (path - middle));
            turn(n, wave), turn(NODES - 1 - n, conjugate(wave));
        }
    }

    // At a frequency, with the shares that nodes have in it.
    inline double2 at(double waves, const double* shares, u32 apart) const {
        double2 value[1];
        if (count == 0 && !nodes) integral({waves}, own, value);
        else value[0] = nodes ? between(shares, apart) : sum(waves);
        return times(value[0], turned(waves * path));
    }

private:
    // A whole tube has its size in its sides already.
    inline u32 corners() const { return part->count == 0 ? 4 : part->count; }
    inline double2 corner(u32 i) const {
        return part->count > 0 ? make_double2(part->corners[i][0], part->corners[i][1]) : make_double2(i == 1 || i == 2 ? 0.5 : -0.5, i >= 2 ? 0.5 : -0.5);
    }
    inline double phase(double2 at) const { return 2.0 * (u * at.x + v * at.y); }
    inline void store(u32 node, double2 value) { terms[2 * node] = value.x, terms[2 * node + 1] = value.y; }

    template <u32 COUNT>
    inline void integral(const double (&waves)[COUNT], double from, double2 (&values)[COUNT]) const {
        by_edges(corners(), [&](u32 i) { return corner(i); }, u, v, waves, values);
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) values[k] = times(values[k], turned(waves[k] * from));
    }

    inline double2 between(const double* shares, u32 apart) const {
        double2 sum = make_double2(0.0, 0.0);
#pragma unroll 4
        for (u32 n = 0; n < NODES; n++) {
            const double share = __ldg(shares + n * apart);
            sum = make_double2(fma(share, terms[2 * n], sum.x), fma(share, terms[2 * n + 1], sum.y));
        }
        return sum;
    }

    inline double2 sum(double waves) const {
        const double square = waves * waves;
        double even = 0.0, odd = 0.0;
#pragma unroll 1
        for (u32 n = count; n > 0; n -= 2) even = fma(even, square, terms[n - 2]), odd = fma(odd, square, terms[n - 1]);
        return make_double2(even, odd * waves);
    }
};
static_assert(sizeof(Series) % 16 == 8, "the same number of neighbours lies in other banks");

// Without the lowest bits that are set, so many.
inline u32 skip(u32 bits, u32 count) {
    for (u32 i = 0; i < count; i++) bits &= bits - 1;
    return bits;
}

// What parts of a warp have at nodes, for those that need it; every lane takes another pair of nodes of another part.
inline void find_nodes(Series* all, u32 which, const double* waves) {
    for (u32 i = threadIdx.x % 32; i < PAIRS * __popc(which); i += 32) all[__ffs(skip(which, i / PAIRS)) - 1].find(i % PAIRS, waves);
    __syncwarp();
}

// The same at many frequencies, of which each lane has its own. Where fewer are left than lanes, these share the parts: whole numbers add up to the same.
inline void radiate_many(const Series* all, u32 which, const double* waves, i64* sums, const Sbr& s) {
    const double* shares = waves + s.frequencies + s.bands + NODES;
    for (u32 first = 0; first < s.frequencies; first += 32) {
        const u32 some = min(s.frequencies - first, 32u), lane = threadIdx.x % 32, f = first + lane % some, shared = 32 / some;
        Quanta total = {};
        for (u32 bits = lane / some < shared ? skip(which, lane / some) : 0; bits != 0; bits = skip(bits, shared)) {
            const Series& series = all[__ffs(bits) - 1];
            const double2 value = series.at(waves[f], shares + f, s.frequencies);
            if (series.rounds) total.plus_rounded(series.pattern, value);
            else total.plus(series.pattern, value, 1.0);
        }
        if (lane / some < shared) {
            for (u32 k = 0; k < ENTRIES; k++) add(sums + k * s.frequencies + f, total.entries[k]);
        }
    }
}

// Adds parts of a warp to their bins, each lane some entries of nodes; `own` is where its part's has them, which is small enough for `ROUND` or not.
inline void add_to_bins(const Series* all, u32 todo, u64 own, bool rounds, i64* sums) {
    const u32 lane = threadIdx.x % 32, small = __ballot_sync(FULL, rounds);
    while (todo != 0) {
        const u64 bin = __shfl_sync(FULL, own, __ffs(todo) - 1);
        const u32 which = __ballot_sync(FULL, todo >> lane & 1 && own == bin);
        // Entries of a lane are alike, of nodes four apart.
        const u32 k = lane % ENTRIES / 2, place = 2 * (lane / ENTRIES) + lane % 2;
        constexpr u32 EACH = ENTRIES * NODES / 32, APART = 2 * 32 / ENTRIES;
        i64 total[EACH] = {};
        for (u32 bits = which & small; bits != 0; bits &= bits - 1) {
            const Series& series = all[__ffs(bits) - 1];
#pragma unroll
            for (u32 i = 0; i < EACH; i++) total[i] += rounded(series.pattern[k], series.terms[place + APART * i]);
        }
        for (u32 bits = which & ~small; bits != 0; bits &= bits - 1) {
            const Series& series = all[__ffs(bits) - 1];
#pragma unroll
            for (u32 i = 0; i < EACH; i++) total[i] += quanta(series.pattern[k], series.terms[place + APART * i]);
        }
#pragma unroll
        for (u32 i = 0; i < EACH; i++) add(sums + bin + 32 * i + lane, total[i]);
        todo &= ~which;
    }
}

// Most waves a metre of all frequencies.
inline double most(const double* waves, u32 frequencies) {
    double most = 0.0;
    for (u32 f = threadIdx.x % 32; f < frequencies; f += 32) most = fmax(most, waves[f]);
    for (u32 step = 16; step > 0; step /= 2) most = fmax(most, __shfl_xor_sync(FULL, most, step));
    return most;
}

// What all parts radiate; a warp takes 32 of them. With more bounces than are remembered rays are `DEEP`: they are traced again. `MANY`: frequencies.
template <bool DEEP, bool MANY>
inline void radiate(const SbrLaunch* launches, const Target& target, const SbrPart* parts, const u32* order, const SbrReceiver* receivers, const double* waves, i64* sums, u64* counters,
                    const Sbr& s) {
    __shared__ Waiting waiting[DEEP ? WARPS : 1];
    __shared__ Series shared[MANY ? 32 * WARPS : 1];
    if (overflown(counters, s)) return;
    const u64 count = counters[PARTS];
    const u64 threads = static_cast<u64>(gridDim.x) * blockDim.x;
    const u32 warp = threadIdx.x / 32;
    const double most_waves = MANY ? most(waves, s.frequencies) : 0.0;
    u32 tubes = 0, cut = 0, segments = 0;
    for (u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + 32 * warp; first < count; first += threads) {
        const u64 i = first + threadIdx.x % 32;
        const SbrPart& part = parts[order[i < count ? i : first]];
        const SbrLaunch& launch = launches[part.launch];
        Exit exit;
        if constexpr (DEEP) exit = trace(target, launch, List(), s, part.ray.x, part.ray.y, true, waiting[warp], segments);
        else exit = retrace(target, launch, part.ray);
        const bool is = i < count && part.ray.met > 0 && exit.bounces > 0;
        tubes += is && part.counts, cut += is && part.counts && part.ray.cut;
        for (u32 r = 0; r < s.receivers; r++) {
            i64* to = sums + static_cast<u64>(launch.direction + r) * s.frequencies * ENTRIES;
            const Seen own = seen(part, exit, launch, receivers[launch.direction + r]);
            if constexpr (!MANY) {
                radiate_one(own, is, launch, part.launch, waves[0], to);
                continue;
            }
            Series& series = shared[threadIdx.x];
            const double* nodes = waves + s.frequencies + s.bands;
            series.set(own, most_waves, launch.quantum, waves, s);
            __syncwarp();
            find_nodes(shared + 32 * warp, __ballot_sync(FULL, is && series.nodes), nodes);
            const Bin bin(sums, series.path - series.half, series.path + series.half, launch.direction + r, s);
            const bool binned = is && bin.nodes;
            if (binned) series.bring(bin.middle, nodes);
            __syncwarp();
            add_to_bins(shared + 32 * warp, __ballot_sync(FULL, binned), bin.nodes - sums, series.rounds, sums);
            for (u32 todo = __ballot_sync(FULL, is && !binned); todo != 0;) {
                const u32 leader = __ffs(todo) - 1;
                const u32 number = __shfl_sync(FULL, part.launch, leader);
                const u32 which = __ballot_sync(FULL, is && !binned && part.launch == number);
                const u64 offset = __shfl_sync(FULL, static_cast<u64>(to - sums), leader);
                radiate_many(shared + 32 * warp, which, waves, sums + offset, s);
                todo &= ~which;
            }
            __syncwarp();
        }
    }
    tally(counters, TUBES_DONE, tubes), tally(counters, CUT_TUBES, cut);
}

// All have the same parameters; those that are not deep do not look at the tree.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    sbr_parts(const SbrLaunch* launches, const float4* nodes, const double* corners, const double* normals, const u32* numbers, const SbrPart* parts, const u32* order,
              const SbrReceiver* receivers, const double* waves, i64* sums, u64* counters, const Sbr s) {
    radiate<false, false>(launches, {nodes, corners, normals, numbers}, parts, order, receivers, waves, sums, counters, s);
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    sbr_many_parts(const SbrLaunch* launches, const float4* nodes, const double* corners, const double* normals, const u32* numbers, const SbrPart* parts, const u32* order,
                   const SbrReceiver* receivers, const double* waves, i64* sums, u64* counters, const Sbr s) {
    radiate<false, true>(launches, {nodes, corners, normals, numbers}, parts, order, receivers, waves, sums, counters, s);
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    sbr_deep_parts(const SbrLaunch* launches, const float4* nodes, const double* corners, const double* normals, const u32* numbers, const SbrPart* parts, const u32* order,
                   const SbrReceiver* receivers, const double* waves, i64* sums, u64* counters, const Sbr s) {
    radiate<true, false>(launches, {nodes, corners, normals, numbers}, parts, order, receivers, waves, sums, counters, s);
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    sbr_many_deep_parts(const SbrLaunch* launches, const float4* nodes, const double* corners, const double* normals, const u32* numbers, const SbrPart* parts, const u32* order,
                        const SbrReceiver* receivers, const double* waves, i64* sums, u64* counters, const Sbr s) {
    radiate<true, true>(launches, {nodes, corners, normals, numbers}, parts, order, receivers, waves, sums, counters, s);
}
