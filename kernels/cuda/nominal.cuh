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
// pass's exp(-j 2 pi i r/(R SPAN)) at (r - 1) SPAN + i. Values come from load(pair, t), those of the first pass not from
// `signal`. Ends with a barrier, the first pass with all copies done.
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
    if (SPAN > 1) {
        __syncthreads();
    } else {
        copies_done();
    }
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

// Radices of the passes; their product is N. kernels/src/front_end/tables.rs orders the twiddles by the same.
constexpr int RADIX_1 = SAMPLES >= 2048 ? 16 : 8, RADIX_2 = SAMPLES >= 4096 ? 16 : SAMPLES >= 512 ? 8 : 4;
constexpr int RADIX_3 = SAMPLES / (RADIX_1 * RADIX_2);
constexpr int PAIRS = CHANNELS / 2, TURNS = RADIX_1 * (RADIX_2 - 1);
constexpr int STAGED = THREADS / CHANNELS;  // bins of all threads

struct Nominal {
    Ingest in;
    float2 signal[PAIRS * SPACED];
    alignas(16) float2 turns[TURNS + STAGED * RADIX_3];  // of the second pass, then of the last for the first bins
    u32 bins[STAGED];                                    // k of the first bins
};

// Twiddles and bins; they are here behind copies_done() and a barrier.
inline void load_tables(Nominal& s, const FrontEnd& f, const float2* twiddles, const u32* bins) {
    u32 staged = min(f.bins, STAGED), pairs = (TURNS + staged * RADIX_3) / 2;
    float4* to = reinterpret_cast<float4*>(s.turns);
    for (u32 i = threadIdx.x; i < pairs; i += THREADS) copy_async(to + i, reinterpret_cast<const float4*>(twiddles) + i);
    if (threadIdx.x < staged) copy_async(s.bins + threadIdx.x, bins + threadIdx.x);
}

// First pass: the window that begins at `start` of the ring, with zeros from sample `known` on. Copies are done behind it.
inline void transform_ring(Nominal& s, const FrontEnd& f, int column, const float* samples, const float* window, u32 start,
                           int known) {
    const float* own = samples + static_cast<size_t>(CHANNELS * column) * f.capacity;
    fft_pass<RADIX_1, 1>(s.signal, s.turns, [&](int pair, int t) {
        const float* even = own + static_cast<size_t>(2 * pair) * f.capacity + ring_place(start, t, f.capacity);
        // All is loaded, whatever it is: a condition around each load would let one wait for the other.
        float weight = window[t];
        return (t < known ? weight : 0) * make_float2(even[0], even[f.capacity]);
    });
}

// Second pass.
inline void transform_further(Nominal& s) {
    fft_pass<RADIX_2, RADIX_1>(s.signal, s.turns,
                               [&](int pair, int t) { return s.signal[pair * SPACED + spaced(t)]; });
}

// The last pass for a chosen bin k of channel c: neighbouring threads make Z[k] and Z[N - k], and from both one channel of the
// pair each. `last` holds this bin's exp(-j 2 pi r k/N). Whole warps take part.
inline float2 transformed_bin(const Nominal& s, u32 k, u32 c, const float2* last) {
    const int span = SAMPLES / RADIX_3;
    u32 odd = c % 2, j = (odd ? SAMPLES - k : k) % span;
    float2 z = make_float2(0, 0);
#pragma unroll
    for (int r = 0; r < RADIX_3; r++) {
        float2 w = last[r];
        z = plus(z, odd ? conjugate(w) : w, s.signal[c / 2 * SPACED + spaced(j + r * span)]);
    }
    float2 other = make_float2(__shfl_xor_sync(ALL_LANES, z.x, 1), __shfl_xor_sync(ALL_LANES, z.y, 1));
    // Even: Z[k] + conj Z[N - k]. Odd: (Z[k] - conj Z[N - k])/j.
    return odd ? make_float2(other.y + z.y, z.x - other.x) : z + conjugate(other);
}
