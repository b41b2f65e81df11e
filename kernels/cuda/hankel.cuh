// Hankel functions of the second kind, orders 0 and 1: pipeline/mom/src/hankel.rs has the formulas, and its numbers come with every launch, so that
// they lie in the constant bank that arithmetic reads without loads.
//
// 64 bits: as on the processor, for x up to 1e5, where the reduction of the phase is exact. 32 bits: x and its reduction in 64 bits, since the phase of a
// large x has no digits left in 32; below the last interval the result in 64 bits, rounded.
#pragma once

#include "abi/mom.h"

struct Hankels {
    double2 h0, h1;
};

struct ShortHankels {
    float2 h0, h1;
};

template <u32 N, typename T> inline T horner(const T (&powers)[N], T x) {
    T sum = powers[N - 1];
#pragma unroll
    for (u32 i = N - 1; i-- > 0;) sum = fma(sum, x, powers[i]);
    return sum;
}

// a + b, rounded, and the rest (Knuth).
inline double2 exact_sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    return make_double2(sum, (a - (sum - part)) + (b - part));
}

// x less a multiple of pi/2, which is counted. The first product is exact for x up to 2^17, and so is its difference to x.
inline double reduced(double x, i32& quarters) {
    const double ROUND = 6755399441055744.0;  // 1.5 2^52
    const double shifted = fma(x, 0.63661977236758134, ROUND), count = shifted - ROUND;
    quarters = __double2loint(shifted);
    return fma(-count, 6.123233995736766e-17, fma(-count, 1.5707963267948966, x));
}

// cos and sin; the polynomials are those of fdlibm.
inline double2 turned(double x) {
    i32 quarters;
    const double r = reduced(x, quarters), z = r * r;
    double s = 1.58969099521155010221e-10, c = -1.13596475577881948265e-11;
    s = fma(s, z, -2.50507602534068634195e-08), c = fma(c, z, 2.08757232129817482790e-09);
    s = fma(s, z, 2.75573137070700676789e-06), c = fma(c, z, -2.75573143513906633035e-07);
    s = fma(s, z, -1.98412698298579493134e-04), c = fma(c, z, 2.48015872894767294178e-05);
    s = fma(s, z, 8.33333333332248946124e-03), c = fma(c, z, -1.38888888888741095749e-03);
    s = fma(s, z, -1.66666666666666324348e-01), c = fma(c, z, 4.16666666666666019037e-02);
    const double half = 0.5 * z, most = 1.0 - half;
    const double sine = fma(r * z, s, r), cosine = most + fma(z * z, c, (1.0 - most) - half);
    const double a = quarters & 1 ? sine : cosine, b = quarters & 1 ? cosine : sine;
    return make_double2((quarters + 1) & 2 ? -a : a, quarters & 2 ? -b : b);
}

template <u32 ORDERS> inline Hankels modulated(const MomInterval& interval, double x) {
    const double root = rsqrt(x), inverse = root * root, w = fma(inverse * inverse, interval.scale, -interval.shift);
    const double2 turn = turned(x), sum = exact_sum(turn.x, turn.y), difference = exact_sum(turn.x, -turn.y);
    const double amplitude = root * 0.56418958354775629;  // 1/sqrt(pi)
    const auto along = [&](double p, double q) { return amplitude * (sum.x + (sum.y + fma(sum.x, p, difference.x * q))); };
    const auto across = [&](double p, double q) { return amplitude * (difference.x + (difference.y + fma(difference.x, p, -sum.x * q))); };
    Hankels h = {};
    if (ORDERS & 1) {
        const double p = horner(interval.powers[0], w), q = horner(interval.powers[1], w) * inverse;
        h.h0 = make_double2(along(p, q), across(p, q));
    }
    if (ORDERS & 2) {
        const double p = horner(interval.powers[2], w), q = horner(interval.powers[3], w) * inverse;
        h.h1 = make_double2(-across(p, q), along(p, q));
    }
    return h;
}

inline Hankels near_zero(const MomHankel& tables, double x) {
    const double half = 0.5 * x, t = half * half;
    const double2 log_rest = exact_sum(log(x), -0.11593151565841245);
    const double log = log_rest.x, less_1 = horner(tables.series[0], t), j1 = half * horner(tables.series[1], t);
    const double y0 = 0.63661977236758134 * (log + (log_rest.y + fma(log, less_1, -horner(tables.series[2], t))));
    const double y1 = 0.63661977236758134 * log * j1 - 0.31830988618379067 * half * horner(tables.series[3], t) - 0.63661977236758134 / x;
    return {make_double2(1.0 + less_1, -y0), make_double2(j1, -y1)};
}

// Orders whose bits are set. The arguments of a warp are neighbours, so that most warps take one way.
template <u32 ORDERS> inline Hankels hankel(const MomHankel& tables, double x) {
    if (x >= tables.intervals[INTERVALS - 1].from) return modulated<ORDERS>(tables.intervals[INTERVALS - 1], x);
    if (!(x >= tables.intervals[0].from)) return near_zero(tables, x);
    u32 which = 0;
    while (x >= tables.intervals[which + 1].from) which++;
    return modulated<ORDERS>(tables.intervals[which], x);
}

inline float2 rounded(double2 value) { return make_float2(static_cast<float>(value.x), static_cast<float>(value.y)); }

template <u32 ORDERS> inline ShortHankels short_hankel(const MomHankel& tables, double x) {
    const MomInterval& last = tables.intervals[INTERVALS - 1];
    if (!(x >= last.from)) {
        const Hankels h = hankel<ORDERS>(tables, x);
        return {rounded(h.h0), rounded(h.h1)};
    }
    i32 quarters;
    const float r = static_cast<float>(reduced(x, quarters)), z = r * r, root = rsqrtf(static_cast<float>(x)), inverse = root * root;
    const float w = fmaf(inverse * inverse, static_cast<float>(last.scale), -static_cast<float>(last.shift));
    const float s = fmaf(fmaf(fmaf(2.7181216e-6f, z, -1.9839334e-4f), z, 8.3333293e-3f), z, -0.16666666f), sine = fmaf(r * z, s, r);
    const float c = fmaf(fmaf(fmaf(2.4390449e-5f, z, -1.3886763e-3f), z, 4.1666646e-2f), z, -0.5f), cosine = fmaf(z, c, 1.0f);
    const float a = quarters & 1 ? sine : cosine, b = quarters & 1 ? cosine : sine;
    const float x_part = (quarters + 1) & 2 ? -a : a, y_part = quarters & 2 ? -b : b;
    const float sum = x_part + y_part, difference = x_part - y_part, amplitude = root * 0.56418958f;
    ShortHankels h = {};
    if (ORDERS & 1) {
        const float p = horner(tables.short_powers[0], w), q = horner(tables.short_powers[1], w) * inverse;
        h.h0 = make_float2(amplitude * (sum + fmaf(sum, p, difference * q)), amplitude * (difference + fmaf(difference, p, -sum * q)));
    }
    if (ORDERS & 2) {
        const float p = horner(tables.short_powers[2], w), q = horner(tables.short_powers[3], w) * inverse;
        h.h1 = make_float2(-amplitude * (difference + fmaf(difference, p, -sum * q)), amplitude * (sum + fmaf(sum, p, difference * q)));
    }
    return h;
}
