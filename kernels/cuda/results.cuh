// How a front end's bins are finished: what the old words give before the new rows are here, what the new ones add behind.
#pragma once

#include "complex.cuh"
#include "ingest.cuh"

#define NEAR 3  // new words of 75 rows

// Weights of the newest values of a bin: those of short hops are in registers when the rows come, the others in memory.
struct NewestWeights {
    const float2* last;  // of the newest value; older ones lie before it
    float2 near[NEAR];
};

inline NewestWeights newest_weights(const float2* last, int complete) {
    NewestWeights w;
    w.last = last;
#pragma unroll
    for (int i = 0; i < NEAR; i++) w.near[i] = i < complete ? last[-i] : make_float2(0, 0);
    return w;
}

// x + the sum over new words of weight times value(word).
template <class Value>
inline float2 plus_newest(float2 x, const NewestWeights& w, int complete, Value value) {
#pragma unroll
    for (int i = 0; i < NEAR; i++) {
        if (i < complete) x = x + value(complete - 1 - i) * w.near[i];
    }
#pragma unroll 1
    for (int i = NEAR; i < complete; i++) x = x + value(complete - 1 - i) * w.last[-i];
    return x;
}

// A thread makes one bin of one channel: old(bin, c) before the rows, whole warps together, add(x, bin, c) behind. take_rows()
// is called once, when the bins of all threads have their old part; those that a thread makes besides come later.
template <class Old, class Take, class Add>
inline void write_bins(const FrontEnd& f, int column, const u32* places, const float2* gains, float2* bins_out, Old old,
                       Take take_rows, Add add) {
    u32 channels = CHANNELS * f.row_bytes, tasks = CHANNELS * f.bins;
    for (u32 first = 0; first < tasks; first += THREADS) {
        u32 task = first + threadIdx.x, c = task % CHANNELS, bin = min(task / CHANNELS, f.bins - 1);
        float2 x = make_float2(0, 0), gain = x;
        size_t to = 0;
        if (first + threadIdx.x / 32 * 32 < tasks) {
            u32 channel = CHANNELS * column + c;
            gain = gains[static_cast<size_t>(bin) * channels + channel];
            to = (static_cast<size_t>(blockIdx.y) * f.bins + bin) * channels + places[channel];
            x = old(bin, c);
        }
        if (first == 0) take_rows();
        if (task < tasks) bins_out[to] = times(gain, add(x, bin, c));
    }
}
