// The kernels of pipeline/mom/src/equation.rs, at one pair of points.
//
// Given: BYTES of a number of the matrix, NORMALS where K' or K take part, STRONG where T does.
#pragma once

#include "complex.cuh"
#include "hankel.cuh"
#include "number.cuh"

constexpr u32 ORDERS = NORMALS || STRONG ? 3 : 1;

inline double2 pair(const double (&part)[2]) { return make_double2(part[0], part[1]); }
inline double dot(double2 a, double2 b) { return fma(a.x, b.x, a.y * b.y); }

#if BYTES == 4
inline float2 short_pair(const double (&part)[2]) { return make_float2(static_cast<float>(part[0]), static_cast<float>(part[1])); }
#endif

// What a kernel is made of: d = r - r', cosines of d to the normals n and n', n.n', 1/(kR), and the Hankel functions of kR.
template <typename T, typename P> struct Seen {
    T to, from, facing, inverse;
    P h0, h1;
};

// j (k' to + k from): what stands before k/4 H_1.
template <typename P, typename T> inline P normal_part(P prime, P plain, T to, T from) {
    const P sum = to * prime + from * plain;
    P turned;
    turned.x = -sum.y, turned.y = sum.x;
    return turned;
}

// The kernel off the node's own cell over k/4, or, on one smooth curve, its part that has at most a logarithm.
template <bool WEAK, typename T, typename P> inline P kernel(const Seen<T, P>& seen, P s, P prime, P plain, P t) {
    P value = times(s, seen.h0);
    if (NORMALS) value = plus(value, normal_part(prime, plain, seen.to, seen.from), seen.h1);
    if (STRONG && WEAK) value = plus(value, seen.facing * t, seen.h0);
    if (STRONG && !WEAK) {
        const T product = seen.to * seen.from;
        value = plus(value, t, product * seen.h0 + ((seen.facing - 2 * product) * seen.inverse) * seen.h1);
    }
    return value;
}

inline Seen<double, double2> look(const Mom& s, double2 d, double2 normal, double2 source) {
    Seen<double, double2> seen = {};
    const double x = s.k * sqrt(dot(d, d));
    const Hankels h = hankel<ORDERS>(s.hankel, x);
    seen.h0 = h.h0, seen.h1 = h.h1;
    if (NORMALS || STRONG) {
        seen.inverse = 1.0 / x;
        const double scale = s.k * seen.inverse;
        seen.to = dot(normal, d) * scale, seen.from = dot(source, d) * scale, seen.facing = dot(normal, source);
    }
    return seen;
}

// The kernel or its weak part, times k/4.
template <bool WEAK> inline double2 kernel(const Mom& s, double2 d, double2 normal, double2 source) {
    return 0.25 * s.k * kernel<WEAK>(look(s, d, normal, source), pair(s.parts[0]), pair(s.parts[1]), pair(s.parts[2]), pair(s.parts[3]));
}

// C: what meets the derivative of the current on the node's own cell, and the current at the cell's ends.
inline double2 cauchy_kernel(const Mom& s, double2 d, double2 normal) {
    const double r = sqrt(dot(d, d)), along = normal.x * d.y - normal.y * d.x;  // t = (-n_y, n_x)
    return -0.25 * along / r * times(pair(s.parts[3]), hankel<2>(s.hankel, s.k * r).h1);
}
