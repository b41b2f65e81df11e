// The nominal front end of one block: window and FFT of channel pairs, z = x + j y, of which the last pass only makes the
// chosen bins.
#pragma once

#include "fft.cuh"
#include "ingest.cuh"

// Place of value i of a signal: a gap after every eighth keeps the threads of a pass in different banks.
inline int spaced(int i) { return i + i / 8; }
#define SPACED (SAMPLES + SAMPLES / 8)

// One pass of Stockham's transform with radix R behind passes that span SPAN values: thread j takes values j + r N/R, turns
// them by (j mod SPAN) r/(R SPAN) and writes to R SPAN floor(j/SPAN) + j mod SPAN + r SPAN. `turns` holds this
// pass's exp(-j 2 pi i r/(R SPAN)) at (r - 1) SPAN + i. Values come from load(pair, t).
template <int R, int SPAN, class Load>
inline void fft_pass(float2* signal, const float2* turns, Load load) {
    const int count = SAMPLES / R, tasks = CHANNELS / 2 * count, most = (tasks + THREADS - 1) / THREADS;
    float2 x[most][R];
#pragma unroll
    for (int i = 0; i < most; i++) {
        int task = threadIdx.x + i * THREADS, j = task % count;
        if (task < tasks) {
#pragma unroll
            for (int r = 0; r < R; r++) {
                float2 value = load(task / count, j + r * count);
                x[i][r] = r > 0 && SPAN > 1 ? times(value, turns[(r - 1) * SPAN + j % SPAN]) : value;
            }
            Dft<R, -1>::run(x[i]);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < most; i++) {
        int task = threadIdx.x + i * THREADS, j = task % count;
        if (task < tasks) {
            float2* z = signal + task / count * SPACED;
#pragma unroll
            for (int r = 0; r < R; r++) z[spaced(j / SPAN * R * SPAN + j % SPAN + r * SPAN)] = x[i][r];
        }
    }
    __syncthreads();
}

// Radices of the passes; their product is N. kernels/src/front_end.rs orders the twiddles by the same.
constexpr int RADIX_1 = SAMPLES >= 2048 ? 16 : 8, RADIX_2 = SAMPLES >= 4096 ? 16 : SAMPLES >= 512 ? 8 : 4;
constexpr int RADIX_3 = SAMPLES / (RADIX_1 * RADIX_2);
constexpr int PAIRS = CHANNELS / 2;

struct Nominal {
    Ingest in;
    float2 signal[PAIRS * SPACED];
    float2 turns[RADIX_1 * (RADIX_2 - 1)];  // of the second pass
    float window[SAMPLES];
};

inline void load_nominal(Nominal& s, const float* window, const float2* twiddles) {
    for (int i = threadIdx.x; i < RADIX_1 * (RADIX_2 - 1); i += THREADS) s.turns[i] = twiddles[i];
    for (int i = threadIdx.x; i < SAMPLES; i += THREADS) s.window[i] = window[i];
}

// The window from the ring, with whatever is in the place of samples that are still to come.
inline void load_window(Nominal& s, const FrontEnd& f, int column, const float* samples, u32 start) {
    const float* own = samples + static_cast<size_t>(CHANNELS * column) * f.capacity;
#pragma unroll
    for (int i = threadIdx.x; i < PAIRS * SAMPLES; i += THREADS) {
        int pair = i / SAMPLES, t = i % SAMPLES;
        const float* even = own + static_cast<size_t>(2 * pair) * f.capacity + ring_place(start, t, f.capacity);
        s.signal[pair * SPACED + spaced(t)] = make_float2(even[0], even[f.capacity]);
    }
}

// All passes but the last, with the newest samples, from `known` on, in their places.
inline void transform_window(Nominal& s, int known) {
    fft_pass<RADIX_1, 1>(s.signal, s.turns, [&](int pair, int t) {
        float2 z = s.signal[pair * SPACED + spaced(t)];
        if (t >= known) z = make_float2(s.in.fresh[2 * pair][t - known], s.in.fresh[2 * pair + 1][t - known]);
        return s.window[t] * z;
    });
    clock_stage(s.in.clocks, FRONT_LOADED);
    fft_pass<RADIX_2, RADIX_1>(s.signal, s.turns,
                               [&](int pair, int t) { return s.signal[pair * SPACED + spaced(t)]; });
}

// The last pass for the chosen bins: neighbouring threads make Z[k] and Z[N - k], and from both one channel of the pair each.
// `last` holds exp(-j 2 pi r k/N), [bin][r].
inline void pick_bins(Nominal& s, const FrontEnd& f, int column, const u32* bins, const float2* last, const u32* places,
                      const float2* gains, float2* bins_out) {
    const int span = SAMPLES / RADIX_3;
    u32 channels = 8 * f.row_bytes, tasks = 2 * PAIRS * f.bins;
    for (u32 task = threadIdx.x; task < (tasks + 31) / 32 * 32; task += THREADS) {
        bool real = task < tasks;
        u32 odd = task % 2, pair = task / 2 % PAIRS, bin = real ? task / (2 * PAIRS) : 0;
        u32 k = bins[bin], j = (odd ? SAMPLES - k : k) % span;
        float2 z = make_float2(0, 0);
#pragma unroll
        for (int r = 0; r < RADIX_3; r++) {
            float2 w = last[bin * RADIX_3 + r];
            z = plus(z, odd ? conjugate(w) : w, s.signal[pair * SPACED + spaced(j + r * span)]);
        }
        float2 other = make_float2(__shfl_xor_sync(ALL_LANES, z.x, 1), __shfl_xor_sync(ALL_LANES, z.y, 1));
        // Even: Z[k] + conj Z[N - k]. Odd: (Z[k] - conj Z[N - k])/j.
        float2 x = odd ? make_float2(other.y + z.y, z.x - other.x) : z + conjugate(other);
        u32 channel = CHANNELS * column + 2 * pair + odd;
        size_t place = (static_cast<size_t>(blockIdx.y) * f.bins + bin) * channels + places[channel];
        if (real) bins_out[place] = times(gains[static_cast<size_t>(bin) * channels + channel], x);
    }
}
