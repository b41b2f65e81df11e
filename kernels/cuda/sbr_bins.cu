// What bins of paths have at their nodes, at all frequencies: a warp takes a bin.

#include "sbr_band.cuh"

constexpr u32 WARPS = 4, NODES = LEAST_NODES;

extern "C" __global__ void __launch_bounds__(32 * WARPS) sbr_bins(const double* waves, i64* sums, const Sbr s) {
    __shared__ double shared[WARPS][NODES * ENTRIES];
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const double* shares = waves + s.frequencies + s.bands + NODES;
    double* nodes = shared[warp];
    const u64 results = static_cast<u64>(s.observers) * s.frequencies, all = static_cast<u64>(s.observers) * s.bins;
    for (u64 number = static_cast<u64>(blockIdx.x) * WARPS + warp; number < all; number += static_cast<u64>(gridDim.x) * WARPS) {
        const i64* own = sums + (results + number * NODES) * ENTRIES;
        bool any = false;
        for (u32 i = lane; i < NODES * ENTRIES; i += 32) any |= own[i] != 0, nodes[i] = static_cast<double>(own[i]);
        // Most have nothing.
        if (!__any_sync(0xffffffff, any)) continue;
        const double middle = s.start + (static_cast<double>(number % s.bins) + 0.5) * s.width;
        for (u32 f = lane; f < s.frequencies; f += 32) {
            double2 total[ENTRIES / 2] = {};
            for (u32 n = 0; n < NODES; n++) {
                const double share = __ldg(shares + n * s.frequencies + f);
#pragma unroll
                for (u32 k = 0; k < ENTRIES / 2; k++) {
                    const double* entry = nodes + ENTRIES * n + 2 * k;
                    total[k] = make_double2(fma(share, entry[0], total[k].x), fma(share, entry[1], total[k].y));
                }
            }
            const double2 wave = turned(waves[f] * middle);
            i64* to = sums + number / s.bins * ENTRIES * s.frequencies + f;
#pragma unroll
            for (u32 k = 0; k < ENTRIES / 2; k++) {
                const double2 value = times(total[k], wave);
                add(to + 2 * k * s.frequencies, quanta(value.x, 1.0)), add(to + (2 * k + 1) * s.frequencies, quanta(value.y, 1.0));
            }
        }
        __syncwarp();
    }
}
