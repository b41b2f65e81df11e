// Lines continued at both ends by linear prediction (lpbp): Burg's fit, then what the model predicts. A group of lanes has
// a line, and then one of its ends.
//
//     fit      f_0 = b_0 = x;  k_m = -2 sum_n f_m[n] conj(b_m[n-1]) / sum_n (|f_m[n]|^2 + |b_m[n-1]|^2)
//              f_{m+1}[n] = f_m[n] + k_m b_m[n-1],   b_{m+1}[n] = b_m[n-1] + conj(k_m) f_m[n]
//     step up  x[n] = -sum_{i=1..ORDER} a_i x[n-i]; the a_i, and the coefficients c_i of b, are the response of the same
//              lattice to a unit
//     ahead    x[n+r] = sum_i P_r[i] x[n-1-i]:  P_0[i] = -a_{i+1},  P_r[i] = P_{r-1}[i+1] + P_{r-1}[0] P_0[i]
//
// The lanes of a group make GROUP samples at a time, lane r the one that lies r ahead, and these are the state for the next
// ones. The end before the line is that of the reversed line with conjugate coefficients.
//
// The fit is in single precision; all after it in double: for smooth lines the a_i grow as binomial coefficients, and
// predictions are small differences of large terms.
#pragma once

#include "complex.cuh"
#include "reciprocal.cuh"

#define ALL_LANES 0xffffffffu

// Lanes of a group, one for each coefficient; each has EACH neighbouring samples of a line of at most 32.
#define GROUP (ORDER > 8 ? 16 : 8)
#define EACH (32 / GROUP)
static_assert(ORDER <= GROUP, "more orders than lanes");

constexpr int DEPTH = ORDER > 0 ? ORDER : 1;

// What is known of a line: rows P_r, one place further apart than they are long so that they begin in different banks, and the
// last samples before and behind it, newest first.
struct Model {
    double2 ahead[GROUP][DEPTH + 1];
    double2 state[2][GROUP];
};

// The value of the lane below, or above, in the group.
inline float2 from_below(float2 v) {
    return make_float2(__shfl_up_sync(ALL_LANES, v.x, 1, GROUP), __shfl_up_sync(ALL_LANES, v.y, 1, GROUP));
}

inline double2 from_below(double2 v) {
    return make_double2(__shfl_up_sync(ALL_LANES, v.x, 1, GROUP), __shfl_up_sync(ALL_LANES, v.y, 1, GROUP));
}

inline double2 from_above(double2 v) {
    return make_double2(__shfl_down_sync(ALL_LANES, v.x, 1, GROUP), __shfl_down_sync(ALL_LANES, v.y, 1, GROUP));
}

inline double2 from_first(double2 v) {
    return make_double2(__shfl_sync(ALL_LANES, v.x, 0, GROUP), __shfl_sync(ALL_LANES, v.y, 0, GROUP));
}

// The power of two that brings the largest value of a group into [1, 2), or 1 for zeros.
inline float power_of_two(const float2 (&x)[EACH]) {
    float largest = 0.0f;
#pragma unroll
    for (int i = 0; i < EACH; i++) largest = fmaxf(largest, fmaxf(fabsf(x[i].x), fabsf(x[i].y)));
#pragma unroll
    for (int step = 1; step < GROUP; step *= 2) largest = fmaxf(largest, __shfl_xor_sync(ALL_LANES, largest, step));
    u32 exponent = __float_as_uint(largest) >> 23;
    return exponent == 0 || exponent >= 254 ? 1.0f : __uint_as_float((254 - exponent) << 23);
}

// Burg's fit of a line of LENGTH samples by one group; lane l has samples EACH l and following, and gets P_0[l].
template <int LENGTH>
inline double2 fit(const float2 (&x)[EACH]) {
    const float unit = 1.1920929e-7f * 1.1920929e-7f;
    int l = threadIdx.x % GROUP;
    float scale = power_of_two(x), rounding = 0.0f, gain = 1.0f;
    float2 f[EACH], b[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) f[i] = b[i] = scale * x[i];
    double2 a = make_double2(0, 0), c = make_double2(l == 0, 0);  // a_{l+1} and c_l
#pragma unroll
    for (int m = 0; m < ORDER; m++) {
        // b moves by one; what has no partner counts nothing, now and in all later orders.
        float2 below = from_below(b[EACH - 1]);
#pragma unroll
        for (int i = EACH - 1; i > 0; i--) b[i] = b[i - 1];
        b[0] = l == 0 ? make_float2(0, 0) : below;
        if (l == m / EACH) f[m % EACH] = make_float2(0, 0);
        if (l == LENGTH / EACH) b[LENGTH % EACH] = make_float2(0, 0);
        float2 product = make_float2(0, 0);
        float ahead = 0.0f, behind = 0.0f;
#pragma unroll
        for (int i = EACH - 1; i >= 0; i--) {
            product = plus_conj(product, b[i], f[i]);
            ahead = fmaf(f[i].x, f[i].x, fmaf(f[i].y, f[i].y, ahead));
            behind = fmaf(b[i].x, b[i].x, fmaf(b[i].y, b[i].y, behind));
        }
        float energy = ahead + behind;
#pragma unroll
        for (int step = 1; step < GROUP; step *= 2) {
            energy += __shfl_xor_sync(ALL_LANES, energy, step);
            product.x += __shfl_xor_sync(ALL_LANES, product.x, step);
            product.y += __shfl_xor_sync(ALL_LANES, product.y, step);
        }
        // Energy that rounding may have put there: once there is no more than that, the order has been reached.
        rounding = fmaf(rounding, gain, unit * energy);
        float inverse = energy > rounding ? reciprocal(energy) : 0.0f;
        float2 k = inverse * (-2.0f * product);
        float squared = norm_squared(k);
        gain = 1.0f + squared;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            float2 old = f[i];
            f[i] = plus(f[i], k, b[i]);
            b[i] = plus_conj(b[i], k, old);
        }
        // |k| <= 1 by 2 |f b| <= |f|^2 + |b|^2, but for rounding; a prediction with larger ones could grow. Near 1, 1/|k| is
        // (3 - |k|^2)/2.
        float2 bounded = (squared > 1.0f ? fmaf(-0.5f, squared, 1.4999998f) : 1.0f) * k;
        double2 wide = make_double2(bounded.x, bounded.y), moved = from_below(plus_conj(c, wide, a));
        a = plus(a, wide, c);
        c = l == 0 ? conjugate(wide) : moved;
    }
    return make_double2(-a.x, -a.y);
}

// The model of a line of LENGTH samples by one group; lane l has samples EACH l and following, and place l of every P_r.
template <int LENGTH>
inline void make_model(Model& model, const float2 (&x)[EACH]) {
    int l = threadIdx.x % GROUP;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int n = EACH * l + i, back = LENGTH - 1 - n;
        double2 wide = make_double2(x[i].x, x[i].y);
        if (n < ORDER) model.state[0][n] = wide;
        if (back >= 0 && back < ORDER) model.state[1][back] = wide;
    }
    double2 first = fit<LENGTH>(x), row = first;
#pragma unroll
    for (int r = 0; r < GROUP; r++) {
        if (r > 0) {
            double2 next = from_above(row);
            row = plus(l == GROUP - 1 ? make_double2(0, 0) : next, from_first(row), first);
        }
        if (l < ORDER) model.ahead[r][l] = row;
    }
}

// Continues a line by up to COUNT samples before or behind it, by one group: put(i, value) takes the i-th. Whole warps call it.
template <int COUNT, class Put>
inline void predict(Model& model, int behind, Put put) {
    const int steps = (COUNT + GROUP - 1) / GROUP;
    int l = threadIdx.x % GROUP;
    double2 row[DEPTH];
    double2* state = model.state[behind];
#pragma unroll
    for (int i = 0; i < ORDER; i++) row[i] = behind ? model.ahead[l][i] : conjugate(model.ahead[l][i]);
    float2 values[steps];
#pragma unroll
    for (int step = 0; step < steps; step++) {
        double2 now[DEPTH], even = make_double2(0, 0), odd = even;
#pragma unroll
        for (int i = 0; i < ORDER; i++) now[i] = state[i];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < ORDER; i += 2) {
            even = plus(even, row[i], now[i]);
            if (i + 1 < ORDER) odd = plus(odd, row[i + 1], now[i + 1]);
        }
        double2 value = even + odd;
        if (GROUP - 1 - l < ORDER) state[GROUP - 1 - l] = value;
        __syncwarp();
        values[step] = make_float2(value.x, value.y);
    }
#pragma unroll
    for (int step = 0; step < steps; step++) put(GROUP * step + l, values[step]);
}
