// Short discrete Fourier transforms in registers, and transforms of lines in shared memory as two steps of them.
//
//     X[k] = sum_n x[n] exp(SIGN j 2 pi n k/N),   no scale
//
// A line of N = A B samples, n = B a + b, k = p + A q:
//
//     y[p][b] = exp(SIGN j 2 pi b p/N) DFT_A over a of x[B a + b]
//     X[p + A q] = DFT_B over b of y[p][b]
//
// A thread does one short transform at a time, so a line takes B threads in the first step and A in the second.
#pragma once

#include "complex.cuh"

// SIGN j a
template <int SIGN>
inline float2 turned(float2 a) {
    return SIGN < 0 ? make_float2(a.y, -a.x) : make_float2(-a.y, a.x);
}

template <int N, int SIGN>
struct Dft;

template <int SIGN>
struct Dft<1, SIGN> {
    static void run(float2 (&)[1]) {}
};

template <int SIGN>
struct Dft<2, SIGN> {
    static void run(float2 (&x)[2]) {
        float2 a = x[0];
        x[0] = a + x[1];
        x[1] = a - x[1];
    }
};

template <int SIGN>
struct Dft<3, SIGN> {
    static void run(float2 (&x)[3]) {
        const float sine = 0.866025403784438647f;  // sin(2 pi/3)
        float2 sum = x[1] + x[2], difference = turned<SIGN>(sine * (x[1] - x[2]));
        float2 middle = make_float2(fmaf(-0.5f, sum.x, x[0].x), fmaf(-0.5f, sum.y, x[0].y));
        x[0] = x[0] + sum;
        x[1] = middle + difference;
        x[2] = middle - difference;
    }
};

template <int SIGN>
struct Dft<4, SIGN> {
    static void run(float2 (&x)[4]) {
        float2 a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = turned<SIGN>(x[1] - x[3]);
        x[0] = a + c;
        x[1] = b + d;
        x[2] = a - c;
        x[3] = b - d;
    }
};

// Two of length 4, even and odd samples.
template <int SIGN>
struct Dft<8, SIGN> {
    static void run(float2 (&x)[8]) {
        const float half = 0.707106781186547524f;  // cos(pi/4)
        float2 even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
        Dft<4, SIGN>::run(even);
        Dft<4, SIGN>::run(odd);
        float2 t1 = turned<SIGN>(odd[1]), t3 = turned<SIGN>(odd[3]);
        odd[1] = half * (odd[1] + t1);
        odd[2] = turned<SIGN>(odd[2]);
        odd[3] = half * (t3 - odd[3]);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            x[k] = even[k] + odd[k];
            x[k + 4] = even[k] - odd[k];
        }
    }
};

// 12 = 3 x 4 without twiddles (Good): n = 4 a + 3 b, k = 4 p + 9 q, all modulo 12.
template <int SIGN>
struct Dft<12, SIGN> {
    static void run(float2 (&x)[12]) {
        float2 y[3][4];
#pragma unroll
        for (int a = 0; a < 3; a++) {
#pragma unroll
            for (int b = 0; b < 4; b++) y[a][b] = x[(4 * a + 3 * b) % 12];
            Dft<4, SIGN>::run(y[a]);
        }
#pragma unroll
        for (int q = 0; q < 4; q++) {
            float2 z[3] = {y[0][q], y[1][q], y[2][q]};
            Dft<3, SIGN>::run(z);
#pragma unroll
            for (int p = 0; p < 3; p++) x[(4 * p + 9 * q) % 12] = z[p];
        }
    }
};

// 16 = 4 x 4.
template <int SIGN>
struct Dft<16, SIGN> {
    static void run(float2 (&x)[16]) {
        const float c1 = 0.923879532511286756f, s1 = 0.382683432365089772f, h = 0.707106781186547524f;
        // exp(SIGN j 2 pi b p/16) for b p = 0 .. 9
        const float2 w[10] = {{1, 0},  {c1, SIGN * s1},  {h, SIGN * h},  {s1, SIGN * c1},  {0, SIGN * 1.0f},
                              {0, 0}, {-h, SIGN * h}, {0, 0}, {0, 0}, {-c1, -SIGN * s1}};
        float2 y[4][4];
#pragma unroll
        for (int b = 0; b < 4; b++) {
            float2 z[4] = {x[b], x[4 + b], x[8 + b], x[12 + b]};
            Dft<4, SIGN>::run(z);
#pragma unroll
            for (int p = 0; p < 4; p++) y[p][b] = b * p == 0 ? z[p] : times(z[p], w[b * p]);
        }
#pragma unroll
        for (int p = 0; p < 4; p++) {
            Dft<4, SIGN>::run(y[p]);
#pragma unroll
            for (int q = 0; q < 4; q++) x[p + 4 * q] = y[p][q];
        }
    }
};

// `count` lines of A B samples in shared memory, `stride` places apart, in place, by all THREADS threads of a block. `twiddles`
// holds exp(-j 2 pi i/(A B)); `scratch` has count A (B + 1) places, one more in a row than needed so that neighbouring
// threads use different banks. Begins and ends with a barrier. Not inlined: transforms along x and y share its code, which is
// then in the instruction cache the second time.
template <int A, int B, int SIGN>
__noinline__ void transform_lines(float2* lines, int count, int stride, const float2* twiddles, float2* scratch) {
    __syncthreads();
    for (int task = threadIdx.x; task < count * B; task += THREADS) {
        int line = task / B, b = task % B;
        float2 x[A];
#pragma unroll
        for (int a = 0; a < A; a++) x[a] = lines[line * stride + B * a + b];
        Dft<A, SIGN>::run(x);
        float2* row = scratch + line * A * (B + 1) + b;
        row[0] = x[0];
#pragma unroll
        for (int p = 1; p < A; p++) {
            float2 w = twiddles[b * p];
            row[p * (B + 1)] = times(x[p], SIGN < 0 ? w : conjugate(w));
        }
    }
    __syncthreads();
    for (int task = threadIdx.x; task < count * A; task += THREADS) {
        int line = task / A, p = task % A;
        const float2* row = scratch + (line * A + p) * (B + 1);
        float2 x[B];
#pragma unroll
        for (int b = 0; b < B; b++) x[b] = row[b];
        Dft<B, SIGN>::run(x);
#pragma unroll
        for (int q = 0; q < B; q++) lines[line * stride + p + A * q] = x[q];
    }
    __syncthreads();
}
