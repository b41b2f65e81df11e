// Currents near an edge less those of physical optics, over a strip of a face: pipeline/sbr/src/wedge/{fringe,fresnel}.rs on the card.
#pragma once

#include "complex.cuh"

constexpr double PI = 3.14159265358979323846;
// As in fringe.rs.
constexpr double BESIDE_POLE = 1e-5, BESIDE_OTHER = 1e-9, BESIDE_GRAZING = 1e-6, UNLIT = 1e-9;
constexpr double LEAST_DELTA = 1e-10, LEAST_BENT_DELTA = 0.5 * 0.05 * 0.05;
constexpr u32 TERMS = 32;

// r exp(j pi x)
inline double2 polar(double r, double x) {
    double sine, cosine;
    sincospi(x, &sine, &cosine);
    return make_double2(r * cosine, r * sine);
}

inline double2 cosine(double2 z) {
    double sine, cosine;
    sincos(z.x, &sine, &cosine);
    return make_double2(cosine * cosh(z.y), -sine * sinh(z.y));
}

inline double2 sine(double2 z) {
    double sine, cosine;
    sincos(z.x, &sine, &cosine);
    return make_double2(sine * cosh(z.y), cosine * sinh(z.y));
}

// exp(j y^2) erfc(exp(j pi/4) y), y >= 0; `series`: the length and the coefficients of fresnel.rs.
inline double2 fresnel(const double* series, double y) {
    const double2 length = make_double2(series[0], 0.0), jz = polar(y, -0.75);
    const double2 below = length - jz, ratio = over(jz + length, below);
    double2 p = make_double2(0.0, 0.0);
    for (u32 i = TERMS; i > 0; i--) p = plus(make_double2(__ldg(series + i), 0.0), p, ratio);
    return over(2.0 * p, times(below, below)) + over(make_double2(0.56418958354775628695, 0.0), below);
}

// What a strip radiates.
struct Strip {
    double2 a, b, tip;
};

inline Strip operator+(const Strip& one, const Strip& other) { return {one.a + other.a, one.b + other.b, one.tip + other.tip}; }
inline Strip operator*(double s, const Strip& one) { return {s * one.a, s * one.b, s * one.tip}; }

// 1 + cos
inline double half_squared(double angle) {
    const double half = cos(0.5 * angle);
    return 2.0 * half * half;
}

// sin(x)/sin(n x)
inline double2 sine_ratio(double2 x, double n) {
    if (norm_squared(x) < 1e-8) return (1.0 / n) * (make_double2(1.0, 0.0) + ((n * n - 1.0) / 6.0) * times(x, x));
    return over(sine(x), sine(n * x));
}

// The strip without end.
inline Strip endless(double n, double azimuth, double delta) {
    const double lit = azimuth < PI ? 1.0 : 0.0, root = sqrt(0.5 * fabs(delta));
    double2 alpha = make_double2(PI, 0.0);
    if (delta < 0.0) alpha = make_double2(0.0, -2.0 * asinh(root));
    else if (delta <= 2.0) alpha.x = 2.0 * asin(fmin(root, 1.0));
    else alpha.y = -2.0 * acosh(root);
    const double2 inner = (1.0 / n) * (make_double2(PI, 0.0) - alpha);
    double sine, cosine_of;
    sincos(azimuth / n, &sine, &cosine_of);
    const double2 exact = over(make_double2(1.0, 0.0), cosine(inner) - make_double2(cosine_of, 0.0));
    const double optical = lit / (half_squared(azimuth) - delta);
    const double2 b = (1.0 / n) * times(exact, sine_ratio(inner, n)) + make_double2(optical, 0.0);
    return {2.0 * ((sine / n) * exact + make_double2(optical * sin(azimuth), 0.0)), make_double2(2.0 * b.y, -2.0 * b.x), make_double2(2.0 / n - 2.0 * lit, 0.0)};
}

// Integral over t > 0 of exp(-t reach)/(sqrt(t) (t + j delta)).
inline double2 decaying(const double* series, double delta, double reach) {
    const double size = fabs(delta);
    const double2 found = times(fresnel(series, sqrt(reach * size)), polar(PI / sqrt(size), -0.25));
    return delta < 0.0 ? conjugate(found) : found;
}

// What it has beyond `reach`.
inline Strip tail(const double* series, double n, double azimuth, double delta, double reach) {
    const double turns = round((PI + azimuth) / (2.0 * PI * n));
    const double2 own = decaying(series, delta, reach);
    Strip sum = {};
    for (u32 i = 0; i < 2; i++) {
        const double sign = i == 0 ? 1.0 : -1.0, half = (PI - sign * azimuth) / (2.0 * n);
        // At a pole that is not that of the optical current, beside it.
        double at = fmax(half_squared(i == 0 ? azimuth : 2.0 * PI * n * turns - azimuth), 1e-30);
        if (fabs(at - delta) < BESIDE_OTHER) at = delta + BESIDE_OTHER;
        const double2 other = decaying(series, at, reach);
        double sine, cosine;
        sincos(half, &sine, &cosine);
        const double cot = cosine / sine, ratio = at / (at - delta);
        sum.a = sum.a + times(make_double2(0.0, sign * ratio / (sine * sine)), at * other - delta * own);
        sum.b = sum.b + (cot * ratio) * (own - other);
        sum.tip = sum.tip + times(make_double2(0.0, cot * at), other);
    }
    double sine, cosine;
    sincos(-reach * delta, &sine, &cosine);
    const double2 wave = make_double2(cosine, sine);
    const double scale = -0.70710678118654752440 / (PI * n);
    const double2 factor = times(wave, polar(scale, -0.25));
    return {times(sum.a, times(wave, polar(scale / n, 0.75))), times(sum.b, factor), times(sum.tip, factor)};
}

inline Strip beside_pole(const double* series, double n, double azimuth, double delta, double reach) {
    const Strip whole = endless(n, azimuth, delta);
    return reach < 0.0 ? whole : whole + -1.0 * tail(series, n, azimuth, delta, reach);
}

// The strip of a wedge of exterior angle n pi, lit from `azimuth` from the face; `reach` < 0: the face bends away.
inline Strip strip(const double* series, double n, double azimuth, double mu, double reach) {
    const double grazing = azimuth - PI;
    if (fabs(grazing) < BESIDE_GRAZING) azimuth = PI + copysign(BESIDE_GRAZING, grazing + UNLIT);
    const double least = reach < 0.0 ? LEAST_BENT_DELTA : LEAST_DELTA, beside = reach < 0.0 ? BESIDE_POLE : BESIDE_POLE / (1.0 + 0.01 * reach);
    double delta = 1.0 - mu;
    if (fabs(delta) < least) delta = least;
    const double pole = half_squared(azimuth);
    if (fabs(pole - delta) >= beside) return beside_pole(series, n, azimuth, delta, reach);
    const double low = pole > 2.0 * beside ? pole - beside : pole + beside, part = (delta - low) / (2.0 * beside);
    return (1.0 - part) * beside_pole(series, n, azimuth, low, reach) + part * beside_pole(series, n, azimuth, low + 2.0 * beside, reach);
}
