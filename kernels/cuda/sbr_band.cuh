// Many frequencies as a band. What tubes near each other radiate is a sum of exp(-2 pi j w x), with x no farther from the middle of their paths than some half; but for the phase of that middle a polynomial
// through few waves a metre has it at all others. kernels/src/sbr/band.rs makes the tables.
#pragma once

#include "sbr.cuh"

// Numbers of nodes that there may be tables for.
constexpr u32 BANDS = 5, LEAST_NODES = 12, MOST_NODES = 48;

struct Band {
    u32 nodes;            // 0: there are none for paths so far from each other
    const double* waves;  // of the nodes
    const double* shares; // of a node in all frequencies, then the next one's

    // The least that has paths of such a half, m. Behind the frequencies stands how far each number of nodes reaches, then nodes and shares of each.
    inline Band(const double* frequencies, double half, const Sbr& s) : nodes(0), waves(frequencies + s.frequencies + s.bands), shares(nullptr) {
        constexpr u32 NODES[BANDS] = {LEAST_NODES, 16, 24, 32, MOST_NODES};
#pragma unroll
        for (u32 i = 0; i < BANDS; i++) {
            if (nodes > 0 || i >= s.bands) continue;
            if (half <= frequencies[s.frequencies + i]) nodes = NODES[i];
            else waves += NODES[i] * (1 + s.frequencies);
        }
        shares = waves + nodes;
    }

    // Whether it takes less than so many tubes at all frequencies: one of them is as much as eight products of a node and a frequency, and a frequency itself takes as much as five nodes.
    inline bool pays(u32 tubes, const Sbr& s) const { return nodes > 0 && 8 * tubes * (s.frequencies - nodes) > s.frequencies * (nodes + 5); }
};

// Where paths begin and end, m.
struct Span {
    float low, high;

    inline double middle() const { return 0.5 * (static_cast<double>(low) + high); }
    inline double half() const { return 0.5 * (static_cast<double>(high) - low); }
};

// Floats as numbers in the same order, and back.
inline u32 ordered(float x) {
    const u32 bits = __float_as_uint(x);
    return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

inline float unordered(u32 number) { return __uint_as_float(number & 0x80000000 ? number & 0x7fffffff : ~number); }

// Of all tubes of a warp; a lane has one that `is`.
inline Span span(const Tube& tube, bool is) {
    const u32 low = __reduce_min_sync(0xffffffff, is ? ordered(__double2float_rd(tube.path - tube.half())) : 0xffffffff);
    const u32 high = __reduce_max_sync(0xffffffff, is ? ordered(__double2float_ru(tube.path + tube.half())) : 0);
    return {unordered(low), unordered(high)};
}

// Of all tubes of a block, whose warps have these spans; a warp of none has NaN. All threads wait for each other.
template <u32 WARPS>
inline Span span(Span own, Span (&spans)[WARPS]) {
    if (threadIdx.x % 32 == 0) spans[threadIdx.x / 32] = own;
    __syncthreads();
    Span all = spans[0];
#pragma unroll
    for (u32 i = 1; i < WARPS; i++) all = {fminf(all.low, spans[i].low), fmaxf(all.high, spans[i].high)};
    return all;
}

// A bin of paths. What tubes radiate whose paths are in one of a receiver's is added up at the least nodes, all entries of one after the other, behind the sums of all receivers; when all have been added, sbr_bins.cu brings it to all frequencies.
struct Bin {
    // Bins that paths may have from end to end, wherever they begin.
    static constexpr double MOST = 3.0;

    i64* nodes;    // none: there is no bin for these paths
    double middle; // m

    // Of paths from low to high: those of their middle, as far as the least nodes reach, which is twice the width.
    inline Bin(i64* sums, double low, double high, u32 observer, const Sbr& s) : nodes(nullptr), middle(0.0) {
        const double number = floor((0.5 * (low + high) - s.start) / s.width);
        if (!(number >= 0.0 && number < s.bins)) return;
        middle = s.start + (number + 0.5) * s.width;
        if (fmax(high - middle, middle - low) > 2.0 * s.width) return;
        nodes = sums + (static_cast<u64>(s.observers) * s.frequencies + (static_cast<u64>(observer) * s.bins + static_cast<u32>(number)) * LEAST_NODES) * ENTRIES;
    }
};
