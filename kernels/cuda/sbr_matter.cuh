// What surfaces are made of, and fields along a ray: pipeline/sbr/src/{material,po,reference}.rs on the card.
#pragma once

#include "complex.cuh"
#include "sbr_trace.cuh"

// Least kz/k0, as in material.rs.
constexpr double LEAST_SLOWNESS = 1e-9;

// Materials. The numbers of one: its layers, whether a half-space lies below them, permittivity and permeability of that or a surface impedance and nothing; then permittivity, permeability and
// thickness, m, of each layer, the innermost first.
struct Matter {
    const u32* __restrict__ firsts;     // where that of each facet begins
    const double* __restrict__ numbers;
};
constexpr u32 BELOW = 2, LAYERS = 6, LAYER = 5;

inline double2 complex(const double* from) { return make_double2(__ldg(from), __ldg(from + 1)); }

// The square root whose imaginary part is not positive.
inline double2 root(double2 a) {
    const double size = hypot(a.x, a.y);
    if (size == 0.0) return make_double2(0.0, 0.0);
    const double larger = sqrt(0.5 * (size + fabs(a.x))), smaller = 0.5 * fabs(a.y) / larger;
    const double2 root = a.x >= 0.0 ? make_double2(larger, -smaller) : make_double2(smaller, -larger);
    return a.y > 0.0 ? make_double2(-root.x, root.y) : root;
}

// Reflection coefficients: E across the plane of incidence and in it.
struct Coefficients {
    double2 across, along;
};

// kz/k0 of a wave in matter, at such a cosine outside, and its impedances over eta0.
struct Inside {
    double2 slowness, across, along;

    inline Inside(double2 permittivity, double2 permeability, double cosine) {
        const double2 square = times(permittivity, permeability);
        slowness = root(make_double2(square.x - (1.0 - cosine * cosine), square.y));
        if (norm_squared(slowness) < LEAST_SLOWNESS * LEAST_SLOWNESS) slowness = make_double2(LEAST_SLOWNESS, 0.0);
        across = over(permeability, slowness), along = over(slowness, permittivity);
    }
};

// An impedance as a fraction, since it may be infinite.
struct Impedance {
    double2 e, h;

    // Under a layer of impedance z, with what comes back through it of a wave that all is reflected of.
    inline void under(double2 z, double2 delay) {
        const double2 other = times(z, h), echo = times(over(e - other, e + other), delay);
        e = times(z, make_double2(1.0 + echo.x, echo.y)), h = make_double2(1.0 - echo.x, -echo.y);
    }
};

// Of a material whose numbers these are, at a wavenumber, rad/m, and an angle of such a cosine.
inline Coefficients reflection(const double* material, double k, double cosine) {
    cosine = fmin(fmax(cosine, 0.0), 1.0);
    const double2 one = make_double2(1.0, 0.0), first = complex(material + BELOW);
    Impedance across = {first, one}, along = across;
    if (__ldg(material + 1) != 0.0) {
        const Inside below(first, complex(material + BELOW + 2), cosine);
        across.e = below.across, along.e = below.along;
    }
    const u32 layers = static_cast<u32>(__ldg(material));
    const double* layer = material + LAYERS;
    for (u32 i = 0; i < layers; i++, layer += LAYER) {
        const Inside inside(complex(layer), complex(layer + 2), cosine);
        // exp(-2 j k kz d) decays where a tangent would overflow.
        const double twice = 2.0 * k * __ldg(layer + 4), decay = exp(twice * inside.slowness.y);
        double sine, cosine_of;
        sincos(twice * inside.slowness.x, &sine, &cosine_of);
        const double2 delay = make_double2(decay * cosine_of, -decay * sine);
        across.under(inside.across, delay), along.under(inside.along, delay);
    }
    return {over(cosine * across.e - across.h, cosine * across.e + across.h), over(cosine * along.h - along.e, cosine * along.h + along.e)};
}

// A complex field.
struct Field {
    double2 x, y, z;
};

inline Field field(Vec a) { return {make_double2(a.x, 0.0), make_double2(a.y, 0.0), make_double2(a.z, 0.0)}; }
inline double2 dot(Vec a, const Field& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Both incident fields through the reflections of a ray that met these facets.
inline void transport(const Target& target, const Matter& matter, const SbrLaunch& launch, const u32* facets, u32 count, double k, Field (&fields)[2]) {
    Vec direction = -vec(launch.sight);
    const Vec u = vec(launch.u), v = vec(launch.v);
    for (u32 i = 0; i < 2; i++) fields[i] = field(u * launch.fields[i][0] + v * launch.fields[i][1]);
    for (u32 n = 0; n < count; n++) {
        Vec normal = vec(target.normals + 3ull * facets[n]);
        if (dot(normal, direction) > 0.0) normal = -normal;
        const Coefficients r = reflection(matter.numbers + __ldg(matter.firsts + facets[n]), k, -dot(direction, normal));
        const Vec next = mirrored(direction, normal);
        Vec across = cross(direction, normal);
        // At normal incidence any direction across will do.
        if (dot(across, across) <= 1e-24) across = cross(normal, fabs(normal.x) < 0.5 ? Vec{1.0, 0.0, 0.0} : Vec{0.0, 1.0, 0.0});
        across = across * (1.0 / sqrt(dot(across, across)));
        const Vec in = cross(direction, across), out = cross(next, across);
#pragma unroll
        for (u32 i = 0; i < 2; i++) {
            const double2 a = times(r.across, dot(across, fields[i])), b = times(r.along, dot(in, fields[i]));
            fields[i] = {across.x * a + out.x * b, across.y * a + out.y * b, across.z * a + out.z * b};
        }
        direction = next;
    }
}
