// Convex polygons of the launch grid, and what a way along known facets covers of one: pipeline/sbr/src/{polygon,pieces}.rs on the card, to the last bit.
#pragma once

#include "sbr_trace.cuh"

// Most corners of a polygon.
constexpr u32 CORNERS = 8;

// A number that is linear in the place on the grid.
struct Linear {
    double constant, x, y;

    inline double at(double2 place) const { return __dadd_rn(__dadd_rn(constant, __dmul_rn(x, place.x)), __dmul_rn(y, place.y)); }
    inline Linear less(Linear other) const { return {__dsub_rn(constant, other.constant), __dsub_rn(x, other.x), __dsub_rn(y, other.y)}; }
};

// Counterclockwise.
struct Polygon {
    double2 corners[CORNERS];
    u32 count;

    inline u32 next(u32 i) const { return i + 1 < count ? i + 1 : 0; }

    inline void square(double2 middle, double size) {
        const double half = 0.5 * size;
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            corners[i].x = i == 1 || i == 2 ? __dadd_rn(middle.x, half) : __dsub_rn(middle.x, half);
            corners[i].y = i >= 2 ? __dadd_rn(middle.y, half) : __dsub_rn(middle.y, half);
        }
        count = 4;
    }

    // Leaves what is not above 0 of `kept`. A polygon that would get too many corners stays as it is.
    inline void cut(Linear kept) {
        u32 inside = 0;
#pragma unroll
        for (u32 i = 0; i < CORNERS; i++) {
            if (i < count && kept.at(corners[i]) <= 0.0) inside |= 1u << i;
        }
        if (inside == (1u << count) - 1) return;
        const u32 crossings = inside ^ (inside >> 1 | (inside & 1) << (count - 1));
        const u32 left = __popc(inside) + __popc(crossings);
        if (left > CORNERS) return;
        // Corners that stay, and where edges cross behind them, in their order.
        double2 fresh[CORNERS];
        const auto before = [&](u32 i) { return __popc(inside & ((1u << i) - 1)) + __popc(crossings & ((1u << i) - 1)); };
#pragma unroll 1
        for (u32 bits = crossings; bits != 0; bits &= bits - 1) {
            const u32 i = __ffs(bits) - 1;
            const double2 a = corners[i], b = corners[next(i)];
            const double here = kept.at(a), part = here / __dsub_rn(here, kept.at(b));
            const double2 at = make_double2(__dadd_rn(a.x, __dmul_rn(__dsub_rn(b.x, a.x), part)), __dadd_rn(a.y, __dmul_rn(__dsub_rn(b.y, a.y), part)));
            fresh[before(i) + (inside >> i & 1)] = at;
        }
#pragma unroll 1
        for (u32 bits = inside; bits != 0; bits &= bits - 1) {
            const u32 i = __ffs(bits) - 1;
            fresh[before(i)] = corners[i];
        }
#pragma unroll
        for (u32 i = 0; i < CORNERS; i++) {
            if (i < left) corners[i] = fresh[i];
        }
        count = left;
    }

    inline double area() const {
        double area = 0.0;
        const double2 first = corners[0];
        for (u32 i = 2; i < count; i++) {
            const double ax = __dsub_rn(corners[i - 1].x, first.x), ay = __dsub_rn(corners[i - 1].y, first.y);
            const double bx = __dsub_rn(corners[i].x, first.x), by = __dsub_rn(corners[i].y, first.y);
            area = __dadd_rn(area, __dmul_rn(0.5, __dsub_rn(__dmul_rn(ax, by), __dmul_rn(ay, bx))));
        }
        return area;
    }
};

// A tube on its way along known facets: its ray, the sides of its cross-section, and from where rays beside it leave the last facet, m from its wave front.
struct Beam {
    Vec place, direction, u, v;
    Linear leaves;

    inline Beam(const SbrLaunch& launch, double x, double y)
        : place(vec(launch.corner) + vec(launch.u) * x + vec(launch.v) * y), direction(-vec(launch.sight)), u(vec(launch.u)), v(vec(launch.v)),
          leaves({__longlong_as_double(0xfff0000000000000ll), 0.0, 0.0}) {}

    // How far the plane of a facet is, m, for rays beside this one.
    inline Linear depth(const Target& target, u32 facet) const {
        const Vec normal = vec(target.normals + 3ull * facet), corner = vec(target.corners + 9ull * facet);
        const double over = 1.0 / dot(normal, direction);
        return {__dmul_rn(dot(normal, corner - place), over), -__dmul_rn(dot(normal, u), over), -__dmul_rn(dot(normal, v), over)};
    }

    // Leaves the part of a polygon whose rays meet a facet at such a depth.
    inline void on(const Target& target, u32 facet, Linear depth, Polygon& polygon) const {
        const Vec normal = vec(target.normals + 3ull * facet);
        const Vec there = place + direction * depth.constant, along_u = u + direction * depth.x, along_v = v + direction * depth.y;
        const double* at = target.corners + 9ull * facet;
#pragma unroll 1
        for (u32 i = 0; i < 4 && polygon.count > 0; i++) {
            Linear kept = leaves.less(depth);
            if (i > 0) {
                const Vec corner = vec(at + 3 * (i - 1));
                const Vec out = cross(vec(at + 3 * (i == 3 ? 0 : i)) - corner, normal);
                kept = {dot(out, there - corner), dot(out, along_u), dot(out, along_v)};
            }
            polygon.cut(kept);
        }
    }

    // Goes on behind a facet at such a depth.
    inline void bounce(const Target& target, u32 facet, Linear depth) {
        const Vec normal = vec(target.normals + 3ull * facet);
        place = place + direction * depth.constant;
        direction = mirrored(direction, normal), u = mirrored(u, normal), v = mirrored(v, normal);
        leaves = {0.0, depth.x, depth.y};
    }
};

// Facets of a ray's way that are remembered.
inline u32 remembered(const SbrRay& ray) { return min(ray.met, REMEMBERED); }

// Bounces that the ways of two rays have in common.
inline u32 common(const SbrRay& one, const SbrRay& other) {
    const u32 most = min(remembered(one), remembered(other));
    u32 count = 0;
    while (count < most && one.facets[count] == other.facets[count]) count++;
    return count;
}

inline bool same(const SbrRay& one, const SbrRay& other) { return one.met == other.met && common(one, other) == remembered(one); }

// What the way of a ray covers of a square cell, from the ray.
inline void region(const Target& target, const SbrLaunch& launch, const SbrRay& ray, double2 middle, double size, Polygon& polygon) {
    Beam beam(launch, ray.x, ray.y);
    polygon.square(make_double2(__dsub_rn(middle.x, ray.x), __dsub_rn(middle.y, ray.y)), size);
#pragma unroll 1
    for (u32 i = 0; i < remembered(ray) && polygon.count > 0; i++) {
        const Linear depth = beam.depth(target, ray.facets[i]);
        beam.on(target, ray.facets[i], depth, polygon);
        beam.bounce(target, ray.facets[i], depth);
    }
}

// Most ways of a cell, as in tile.rs.
constexpr u32 MOST_PIECES = 8;

// Facets by which other ways part from one, after so many bounces each.
struct Partings {
    u32 facets[MOST_PIECES], bounces[MOST_PIECES], count;

    // Of rays of a cell, of which some have found its pieces.
    inline Partings(const SbrRay& ray, const SbrRay* rays, u64 which, u32 pieces) : count(0) {
        for (u32 i = 0; i < pieces; i++, which >>= 8) {
            const SbrRay& other = rays[which & 0xff];
            const u32 after = common(ray, other);
            if (after >= remembered(other)) continue;
            bool known = false;
            for (u32 k = 0; k < count; k++) known |= facets[k] == other.facets[after] && bounces[k] == after;
            if (!known) facets[count] = other.facets[after], bounces[count] = after, count++;
        }
    }
};

// Leaves what a facet takes from a region where rays part from its way after so many bounces.
inline void taken(const Target& target, const SbrLaunch& launch, const SbrRay& ray, u32 bounces, u32 facet, Polygon& polygon) {
    Beam beam(launch, ray.x, ray.y);
#pragma unroll 1
    for (u32 i = 0; i < bounces; i++) beam.bounce(target, ray.facets[i], beam.depth(target, ray.facets[i]));
    const Linear depth = beam.depth(target, facet);
    beam.on(target, facet, depth, polygon);
    if (bounces < remembered(ray) && polygon.count > 0) polygon.cut(depth.less(beam.depth(target, ray.facets[bounces])));
}

// Facets that may take the same, and parts of a cell that are rounding.
constexpr u32 MOST_TAKERS = 3;
constexpr double LEAST = 1e-9;

// Calls `with` what each of the partings takes from a region, and of that, those before it, which was taken twice, and so on. Lanes of a warp go through this at their own depth.
template <class F>
inline void share(const Target& target, const SbrLaunch& launch, const SbrRay& ray, const Partings& partings, const Polygon& region, double least, F with) {
    Polygon parts[MOST_TAKERS + 1];
    u32 at[MOST_TAKERS] = {}, depth = 0;
    parts[0] = region;
#pragma unroll 1
    for (;;) {
        if (at[depth] < (depth == 0 ? partings.count : at[depth - 1])) {
            Polygon& part = parts[depth + 1];
            part = parts[depth];
            taken(target, launch, ray, partings.bounces[at[depth]], partings.facets[at[depth]], part);
            const double area = part.area();
            if (area > least) {
                with(part, area, depth % 2 == 0);
                if (depth + 1 < MOST_TAKERS) {
                    at[++depth] = 0;
                    continue;
                }
            }
        } else if (depth-- == 0) {
            return;
        }
        at[depth]++;
    }
}
