// What listed tubes and parts of tubes radiate where not all of the target is a perfect conductor: fields are complex then, and others at every frequency.

#include "sbr_lists.cuh"
#include "sbr_matter.cuh"
#include "sbr_parts.cuh"

// Most bounces of a ray, which the host has compared.
constexpr u32 MOST_BOUNCES = 64;
// Frequencies at which a warp takes its parts at once.
constexpr u32 AT_ONCE = 8;

// Adds what a warp's parts with these fields radiate towards a receiver; a lane has one that `is`.
inline void radiate_one(const SbrPart& part, const Exit& exit, const Field (&fields)[2], bool is, bool together, const SbrLaunch& launch, const SbrReceiver& receiver, double waves,
                        u32 frequencies, i64* sums) {
    i64 entries[ENTRIES] = {};
    if (is) {
        const Seen own = seen(part, exit, launch, receiver);
        const double whole = part.count == 0 ? part.corners[0][0] : 1.0;
        const Vec side = cross(exit.u(), exit.v());
        // In quanta.
        const double2 value = (sqrt(dot(side, side)) * whole * whole / launch.quantum) * own.at(waves, own.tube.path);
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            const Vec g = pattern(exit.direction, exit.normal, vec(receiver.sight), vec(receiver.polarisations[k / 2]));
            const double2 entry = times(dot(g, fields[k % 2]), value);
            entries[2 * k] = quanta(entry.x, 1.0), entries[2 * k + 1] = quanta(entry.y, 1.0);
        }
    }
#pragma unroll
    for (u32 k = 0; k < ENTRIES; k++) {
        const i64 all = together ? sum(entries[k]) : entries[k];
        if (together ? threadIdx.x % 32 == 0 : is) add(sums + static_cast<u64>(k) * frequencies, all);
    }
}

// What all parts radiate; a warp takes 32 of them at some frequencies. With more bounces than are remembered rays are `DEEP`: they are traced again.
template <bool DEEP>
inline void radiate(const SbrLaunch* launches, const Target& target, const Matter& matter, const SbrPart* parts, const u32* order, const SbrReceiver* receivers, const double* waves, i64* sums,
                    u64* counters, const Sbr& s) {
    __shared__ Waiting waiting[DEEP ? WARPS : 1];
    if (overflown(counters, s)) return;
    const u64 count = counters[PARTS];
    const u32 warp = threadIdx.x / 32, chunks = (s.frequencies + AT_ONCE - 1) / AT_ONCE;
    const u64 items = (count + 31) / 32 * chunks, step = static_cast<u64>(gridDim.x) * WARPS;
    u32 tubes = 0, cut = 0, segments = 0;
    for (u64 item = static_cast<u64>(blockIdx.x) * WARPS + warp; item < items; item += step) {
        const u64 first = item / chunks * 32, i = first + threadIdx.x % 32;
        const u32 begin = item % chunks * AT_ONCE, end = min(begin + AT_ONCE, s.frequencies);
        const SbrPart& part = parts[order[i < count ? i : first]];
        const SbrLaunch& launch = launches[part.launch];
        u32 traced[DEEP ? MOST_BOUNCES : 1];
        const u32* facets = DEEP ? traced : part.ray.facets;
        Exit exit;
        if constexpr (DEEP) exit = trace<MOST_BOUNCES>(target, launch, List(), s, part.ray.x, part.ray.y, true, waiting[warp], segments, traced);
        else exit = retrace(target, launch, part.ray);
        const bool is = i < count && part.ray.met > 0 && exit.bounces > 0;
        if (begin == 0) tubes += is && part.counts, cut += is && part.counts && part.ray.cut;
        const bool together = __reduce_max_sync(FULL, part.launch) == __reduce_min_sync(FULL, part.launch);
        for (u32 f = begin; f < end; f++) {
            Field fields[2];
            if (is) transport(target, matter, launch, facets, exit.bounces, 6.28318530717958647693 * waves[f], fields);
            for (u32 r = 0; r < s.receivers; r++) {
                const u64 number = launch.direction + r;
                radiate_one(part, exit, fields, is, together, launch, receivers[number], waves[f], s.frequencies, sums + number * ENTRIES * s.frequencies + f);
            }
        }
    }
    tally(counters, TUBES_DONE, tubes), tally(counters, CUT_TUBES, cut);
}

// Both have the same parameters; that which is not deep does not look at the tree.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    sbr_matter(const SbrLaunch* launches, const float4* nodes, const double* corners, const double* normals, const u32* numbers, const u32* materials, const double* matter,
               const SbrPart* parts, const u32* order, const SbrReceiver* receivers, const double* waves, i64* sums, u64* counters, const Sbr s) {
    radiate<false>(launches, {nodes, corners, normals, numbers}, {materials, matter}, parts, order, receivers, waves, sums, counters, s);
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    sbr_deep_matter(const SbrLaunch* launches, const float4* nodes, const double* corners, const double* normals, const u32* numbers, const u32* materials, const double* matter,
                    const SbrPart* parts, const u32* order, const SbrReceiver* receivers, const double* waves, i64* sums, u64* counters, const Sbr s) {
    radiate<true>(launches, {nodes, corners, normals, numbers}, {materials, matter}, parts, order, receivers, waves, sums, counters, s);
}
