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

// A part as a receiver sees it.
struct Seen {
    Tube tube;
    double longest; // edge of its polygon, in tubes
    const SbrPart* part;

    // Its integral at so many waves a metre, over the area of a whole tube, with the phase of a path.
    inline double2 at(double waves, double path) const {
        if (part->count == 0) return footprint(tube, path, waves);
        return times(polygon(2.0 * waves * tube.u, 2.0 * waves * tube.v), turned(waves * path));
    }

private:
    inline double2 corner(u32 i) const { return make_double2(part->corners[i][0], part->corners[i][1]); }

    // Integral of exp(j (wx a + wy b)) over the polygon.
    inline double2 polygon(double wx, double wy) const {
        double2 sum = make_double2(0.0, 0.0);
        const double squared = wx * wx + wy * wy;
        const u32 count = part->count;
        const double2 first = corner(0);
        const auto wave_at = [&](double2 at) { return turned(-0.15915494309189533577 * (wx * at.x + wy * at.y)); };
        if (sqrt(squared) * longest < SMALL_PHASE) {
            const auto half = [&](double2 a, double2 b) { return wave_at(0.5 * (a + b)); };
#pragma unroll 1
            for (u32 i = 1; i + 1 < count; i++) {
                const double2 a = corner(i), b = corner(i + 1);
                const double twice = (a.x - first.x) * (b.y - first.y) - (a.y - first.y) * (b.x - first.x);
                sum = sum + (twice / 6.0) * (half(first, a) + half(a, b) + half(b, first));
            }
            return sum;
        }
        double2 here = first, wave_here = wave_at(first);
        const double2 wave_first = wave_here;
#pragma unroll 1
        for (u32 i = 0; i < count; i++) {
            const bool last = i + 1 == count;
            const double2 next = last ? first : corner(i + 1), wave_next = last ? wave_first : wave_at(next);
            const double x = next.x - here.x, y = next.y - here.y, across = wx * y - wy * x, along = wx * x + wy * y;
            // sinc(h) times the wave in the middle of an edge with the phase 2 h along it, by those at its ends.
            if (fabs(along) > SHORT) {
                const double2 change = wave_next - wave_here;
                sum = sum + (across / along) * make_double2(change.y, -change.x);
            } else {
                sum = sum + (0.5 * across * tangent(0.5 * along)) * (wave_here + wave_next);
            }
            here = next, wave_here = wave_next;
        }
        // Over j times the square.
        return make_double2(sum.y / squared, -sum.x / squared);
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
