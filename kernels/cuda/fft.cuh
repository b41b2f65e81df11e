// Short discrete Fourier transforms in registers.
//
//     X[k] = sum_n x[n] exp(SIGN j 2 pi n k/N),   no scale
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

// 6 = 2 x 3 without twiddles (Good): n = 3 a + 2 b, k = 3 p + 4 q, all modulo 6.
template <int SIGN>
struct Dft<6, SIGN> {
    static void run(float2 (&x)[6]) {
        float2 even[3] = {x[0], x[2], x[4]}, odd[3] = {x[3], x[5], x[1]};
        Dft<3, SIGN>::run(even);
        Dft<3, SIGN>::run(odd);
#pragma unroll
        for (int q = 0; q < 3; q++) {
            x[4 * q % 6] = even[q] + odd[q];
            x[(3 + 4 * q) % 6] = even[q] - odd[q];
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
