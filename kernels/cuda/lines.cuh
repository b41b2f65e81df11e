// Transforms of lines by all THREADS threads of a block: Stockham's passes with three short radices, N = R1 R2 R3.
//
// A pass of radix R behind passes that span SPAN values: task j takes values j + r N/R, turns them by (j mod SPAN) r/(R SPAN),
// transforms them, and they become values R SPAN floor(j/SPAN) + j mod SPAN + r SPAN. nominal.cuh does the same in place;
// here values come from anywhere and go anywhere, even to other blocks. Short radices need few registers.
#pragma once

#include "fft.cuh"

// Place of value i of a line between two passes: a gap after every fourth keeps neighbouring threads in different banks.
inline int gapped(int i) { return i + i / 4; }
constexpr int gapped_length(int n) { return n + n / 4; }

// One task of a pass: value n comes from load(n).
template <int N, int R, int SPAN, int SIGN, class Load>
inline void pass_task(float2 (&x)[R], int j, const float2* twiddles, Load load) {
#pragma unroll
    for (int r = 0; r < R; r++) {
        x[r] = load(j + r * (N / R));
        if (r > 0 && SPAN > 1) {
            float2 w = twiddles[j % SPAN * r * (N / (R * SPAN))];
            x[r] = times(x[r], SIGN < 0 ? w : conjugate(w));
        }
    }
    Dft<R, SIGN>::run(x);
}

// A pass over `count` lines: load(line, n), store(line, k, value).
template <int N, int R, int SPAN, int SIGN, class Load, class Store>
inline void pass(int count, const float2* twiddles, Load load, Store store) {
    const int each = N / R;
    for (int task = threadIdx.x; task < count * each; task += THREADS) {
        int line = task / each, j = task % each;
        float2 x[R];
        pass_task<N, R, SPAN, SIGN>(x, j, twiddles, [&](int n) { return load(line, n); });
#pragma unroll
        for (int r = 0; r < R; r++) store(line, j / SPAN * R * SPAN + j % SPAN + r * SPAN, x[r]);
    }
    __syncthreads();
}

// Values between passes: two places for each of `count` lines.
template <int N>
struct Between {
    float2* first;
    float2* second;

    Between(float2* scratch, int count) : first(scratch), second(scratch + count * gapped_length(N)) {}
    static int place(int line, int n) { return line * gapped_length(N) + gapped(n); }
};

constexpr int scratch_length(int count, int n) { return 2 * count * gapped_length(n); }

// The first two passes, from load(line, n) to the second place of `between`. `twiddles` holds exp(-j 2 pi i/N).
template <int N, int R1, int R2, int SIGN, class Load>
inline void first_passes(const Between<N>& between, int count, const float2* twiddles, Load load) {
    pass<N, R1, 1, SIGN>(count, twiddles, load,
                         [&](int line, int k, float2 value) { between.first[Between<N>::place(line, k)] = value; });
    pass<N, R2, R1, SIGN>(
        count, twiddles, [&](int line, int n) { return between.first[Between<N>::place(line, n)]; },
        [&](int line, int k, float2 value) { between.second[Between<N>::place(line, k)] = value; });
}

// X[k] of `count` lines goes to store(line, k, X[k]). `scratch` has scratch_length(count, N) places. Ends with a barrier.
template <int R1, int R2, int R3, int SIGN, class Load, class Store>
inline void transform_lines(int count, const float2* twiddles, float2* scratch, Load load, Store store) {
    const int n = R1 * R2 * R3;
    Between<n> between(scratch, count);
    first_passes<n, R1, R2, SIGN>(between, count, twiddles, load);
    pass<n, R3, R1 * R2, SIGN>(
        count, twiddles, [&](int line, int i) { return between.second[Between<n>::place(line, i)]; }, store);
}

// The same for results that leave the block: neighbouring threads have neighbouring lines, and store(line, k, values) takes X[k] of
// a line or, PAIRED, of an even line and the next as one float4.
template <int R1, int R2, int R3, int SIGN, bool PAIRED, class Load, class Store>
inline void transform_and_send(int count, const float2* twiddles, float2* scratch, Load load, Store store) {
    const int n = R1 * R2 * R3, span = R1 * R2, together = PAIRED ? 2 : 1;
    Between<n> between(scratch, count);
    first_passes<n, R1, R2, SIGN>(between, count, twiddles, load);
    int tasks = count / together;
    for (int task = threadIdx.x; task < tasks * span; task += THREADS) {
        int line = task % tasks * together, j = task / tasks;
        float2 x[together][R3];
#pragma unroll
        for (int i = 0; i < together; i++) {
            pass_task<n, R3, span, SIGN>(
                x[i], j, twiddles, [&](int m) { return between.second[Between<n>::place(line + i, m)]; });
        }
#pragma unroll
        for (int r = 0; r < R3; r++) {
            if constexpr (PAIRED) {
                store(line, j + r * span, make_float4(x[0][r].x, x[0][r].y, x[1][r].x, x[1][r].y));
            } else {
                store(line, j + r * span, x[0][r]);
            }
        }
    }
    __syncthreads();
}
