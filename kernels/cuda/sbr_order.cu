// Parts of tubes in the order of their launches, so that a warp of sbr_parts.cu adds to the sums of one direction: cells of many launches are at work at once, and list their parts as they come.
//
// measure  parts of each launch
// starts   where those of each launch begin
// order    their numbers, launch by launch

#include "sbr.cuh"

constexpr u32 FULL = 0xffffffff;
// No launch.
constexpr u32 NONE = 0xffffffff;
constexpr u32 THREADS = 256, WARPS = THREADS / 32;
// Parts of a launch are counted so many times, each time by other blocks, which would wait for each other.
constexpr u32 COPIES = 16;

// Takes places of `next` for all parts, as many at once as a warp has of a launch; calls `with` a part's number and its place.
template <class F>
inline void each(const SbrPart* parts, u32* next, const u64* counters, const Sbr& s, F with) {
    const u32 lane = threadIdx.x % 32;
    const u64 count = min(counters[PARTS], static_cast<u64>(s.parts)), step = static_cast<u64>(gridDim.x) * THREADS;
    for (u64 first = static_cast<u64>(blockIdx.x) * THREADS + threadIdx.x - lane; first < count; first += step) {
        const u64 i = first + lane;
        const u32 launch = i < count ? parts[i].launch : NONE, same = __match_any_sync(FULL, launch), leader = __ffs(same) - 1;
        u32 place = 0;
        if (launch != NONE && lane == leader) place = atomicAdd(next + COPIES * launch + blockIdx.x % COPIES, __popc(same));
        place = __shfl_sync(FULL, place, leader) + __popc(same & ((1u << lane) - 1));
        if (launch != NONE) with(i, place);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) sbr_measure(const SbrPart* parts, u32* starts, const u64* counters, const Sbr s) {
    each(parts, starts, counters, s, [](u64, u32) {});
}

// One block.
extern "C" __global__ void __launch_bounds__(THREADS) sbr_starts(u32* starts, const Sbr s) {
    __shared__ u32 sums[WARPS];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 before = 0;
    const u32 count = COPIES * s.launches;
    for (u32 first = 0; first < count; first += THREADS) {
        const u32 i = first + threadIdx.x, own = i < count ? starts[i] : 0;
        u32 sum = own;
#pragma unroll
        for (u32 step = 1; step < 32; step *= 2) {
            const u32 other = __shfl_up_sync(FULL, sum, step);
            if (lane >= step) sum += other;
        }
        __syncthreads();
        if (lane == 31) sums[warp] = sum;
        __syncthreads();
        u32 all = 0;
        for (u32 k = 0; k < WARPS; k++) {
            if (k == warp) sum += all;
            all += sums[k];
        }
        if (i < count) starts[i] = before + sum - own;
        before += all;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) sbr_order(const SbrPart* parts, u32* starts, u32* order, const u64* counters, const Sbr s) {
    each(parts, starts, counters, s, [&](u64 i, u32 place) { order[place] = i; });
}
