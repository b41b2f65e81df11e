// Parts of tubes that sbr.cu and sbr_regions.cu have listed, and their integrals.
#pragma once

#include "sbr.cuh"

constexpr u32 FULL = 0xffffffff;
constexpr u32 WARPS = 4;

// Below this phase across a polygon its integral by edges loses digits, as in po.rs.
constexpr double SMALL_PHASE = 1e-3;

// Below this phase along an edge the difference of the waves at its ends loses digits, 2^-52/0.1.
constexpr double SHORT = 0.1;

// tan(h)/h, h up to half of that; the next term is 9e-19.
inline double tangent(double h) {
    const double y = h * h;
    double sum = 1382.0 / 155925.0;
    sum = fma(sum, y, 62.0 / 2835.0);
    sum = fma(sum, y, 17.0 / 315.0);
    sum = fma(sum, y, 2.0 / 15.0);
    sum = fma(sum, y, 1.0 / 3.0);
    return fma(sum, y, 1.0);
}

// Integrals of exp(j w g.r) over a polygon by its edges, at some waves a metre; g is twice (u, v).
template <u32 COUNT, class F>
inline void by_edges(u32 corners, F corner, double u, double v, const double (&waves)[COUNT], double2 (&values)[COUNT]) {
    const double gx = 2.0 * u, gy = 2.0 * v, inverse = 1.0 / (gx * gx + gy * gy);
    double2 here = corner(0), first[COUNT], wave[COUNT];
    const double2 begin = here;
    const auto wave_at = [&](double2 at, double waves) { return turned(-0.15915494309189533577 * waves * (gx * at.x + gy * at.y)); };
#pragma unroll
    for (u32 k = 0; k < COUNT; k++) first[k] = wave[k] = wave_at(here, waves[k]), values[k] = make_double2(0.0, 0.0);
#pragma unroll 1
    for (u32 i = 1; i <= corners; i++) {
        const bool last = i == corners;
        const double2 next = last ? begin : corner(i);
        const double x = next.x - here.x, y = next.y - here.y, across = gx * y - gy * x, along = gx * x + gy * y, ratio = across / along;
        double2 of_next[COUNT];
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) of_next[k] = first[k];
        if (!last) {
#pragma unroll
            for (u32 k = 0; k < COUNT; k++) of_next[k] = wave_at(next, waves[k]);
        }
        // sinc(h) times the wave in the middle of an edge with the phase 2 h along it, by those at its ends.
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) {
            const double2 change = of_next[k] - wave[k];
            if (fabs(waves[k] * along) > SHORT) values[k] = values[k] + ratio * make_double2(change.y, -change.x);
            else values[k] = values[k] + (0.5 * waves[k] * across * tangent(0.5 * waves[k] * along)) * (wave[k] + of_next[k]);
            wave[k] = of_next[k];
        }
        here = next;
    }
    // Over j times the square.
#pragma unroll
    for (u32 k = 0; k < COUNT; k++) values[k] = (inverse / (waves[k] * waves[k])) * make_double2(values[k].y, -values[k].x);
}

// A part as a receiver sees it.
struct Seen {
    Tube tube;
    double longest; // edge of its polygon, in tubes
    const SbrPart* part;

    // Its integral at so many waves a metre, over the area of a whole tube, with the phase of a path.
    inline double2 at(double waves, double path) const {
        if (part->count == 0) return footprint(tube, path, waves);
        return times(polygon(waves), turned(waves * path));
    }

private:
    inline double2 polygon(double waves) const {
        const double wx = 2.0 * waves * tube.u, wy = 2.0 * waves * tube.v;
        const auto corner = [&](u32 i) { return make_double2(part->corners[i][0], part->corners[i][1]); };
        if (sqrt(wx * wx + wy * wy) * longest >= SMALL_PHASE) {
            double2 value[1];
            by_edges(part->count, corner, tube.u, tube.v, {waves}, value);
            return value[0];
        }
        double2 sum = make_double2(0.0, 0.0);
        const double2 first = corner(0);
        const auto half = [&](double2 a, double2 b) { return turned(-0.07957747154594766788 * (wx * (a.x + b.x) + wy * (a.y + b.y))); };
#pragma unroll 1
        for (u32 i = 1; i + 1 < part->count; i++) {
            const double2 a = corner(i), b = corner(i + 1);
            const double twice = (a.x - first.x) * (b.y - first.y) - (a.y - first.y) * (b.x - first.x);
            sum = sum + (twice / 6.0) * (half(first, a) + half(a, b) + half(b, first));
        }
        return sum;
    }
};

// A part around a ray that leaves so.
inline Seen seen(const SbrPart& part, const Exit& exit, const SbrLaunch& launch, const SbrReceiver& receiver) {
    const double whole = part.count == 0 ? part.corners[0][0] : 1.0;
    Seen seen;
    seen.tube = tube(exit.place, exit.direction, exit.normal, exit.u(), exit.v(), field(exit, launch.fields[0]), field(exit, launch.fields[1]), exit.path, receiver, whole, whole);
    double square = 0.0;
#pragma unroll 1
    for (u32 i = 0; i < part.count; i++) {
        const u32 next = i + 1 < part.count ? i + 1 : 0;
        const double x = part.corners[next][0] - part.corners[i][0], y = part.corners[next][1] - part.corners[i][1];
        square = fmax(square, x * x + y * y);
    }
    seen.longest = sqrt(square);
    seen.part = &part;
    return seen;
}

// Whether a list was too short: the host then has all of this done again, for fewer cells.
inline bool overflown(const u64* counters, const Sbr& s) {
    bool is = counters[PARTS] > s.parts;
    for (u32 level = 1; level <= s.levels; level++) is |= counters[CELLS_0 + level] > s.capacity;
    return is;
}
