// Convex polygons of the launch grid, and what a way along known facets covers of one: pipeline/src/solvers/sbr/{polygon,pieces}.rs on the card, to the last bit.
// Eight lanes have a polygon together, a corner each.
#pragma once

#include "sbr_trace.cuh"

// Lanes that have a polygon: most corners.
constexpr u32 LANES = 8;

// The lanes of a group of a warp; they go together.
struct Group {
    u32 own, first, mask;

    inline Group() : own(threadIdx.x % LANES), first(threadIdx.x % 32 / LANES * LANES), mask(0xffu << first) {}

    inline double get(double x, u32 lane) const { return __shfl_sync(mask, x, lane, LANES); }
    inline u32 get(u32 x, u32 lane) const { return __shfl_sync(mask, x, lane, LANES); }
    inline u64 get(u64 x, u32 lane) const { return __shfl_sync(mask, x, lane, LANES); }
    inline u32 ballot(bool is) const { return __ballot_sync(mask, is) >> first; }
};

// A number that is linear in the place on the grid.
struct Linear {
    double constant, x, y;

    inline double at(double2 place) const { return __dadd_rn(__dadd_rn(constant, __dmul_rn(x, place.x)), __dmul_rn(y, place.y)); }
    inline Linear less(Linear other) const { return {__dsub_rn(constant, other.constant), __dsub_rn(x, other.x), __dsub_rn(y, other.y)}; }
};

// Bits 0 to 7 as even bits of 16.
inline u32 spread(u32 bits) {
    bits = (bits | bits << 4) & 0x0f0f;
    bits = (bits | bits << 2) & 0x3333;
    return (bits | bits << 1) & 0x5555;
}

// Counterclockwise; a lane has the corner of its number.
struct Polygon {
    double2 corner;
    u32 count;

    inline u32 next(u32 i) const { return i + 1 < count ? i + 1 : 0; }

    inline void square(const Group& group, double2 middle, double size) {
        const double half = 0.5 * size;
        corner.x = group.own == 1 || group.own == 2 ? __dadd_rn(middle.x, half) : __dsub_rn(middle.x, half);
        corner.y = group.own == 2 || group.own == 3 ? __dadd_rn(middle.y, half) : __dsub_rn(middle.y, half);
        count = 4;
    }

    // Leaves what is not above 0 of `kept`. A polygon that would get too many corners stays as it is.
    inline void cut(const Group& group, Linear kept) {
        const double here = kept.at(corner);
        const u32 inside = group.ballot(group.own < count && here <= 0.0);
        if (inside == (1u << count) - 1) return;
        const u32 crossings = inside ^ (inside >> 1 | (inside & 1) << (count - 1));
        const u32 left = __popc(inside) + __popc(crossings);
        if (left > LANES) return;
        count = left == 0 ? 0 : count;
        if (left == 0) return;
        // Where the edge from here crosses.
        const u32 after = next(group.own);
        const double there = group.get(here, after), bx = group.get(corner.x, after), by = group.get(corner.y, after);
        const double part = here / __dsub_rn(here, there);
        const double cx = __dadd_rn(corner.x, __dmul_rn(__dsub_rn(bx, corner.x), part)), cy = __dadd_rn(corner.y, __dmul_rn(__dsub_rn(by, corner.y), part));
        // Corners that stay have even bits, crossings odd ones; the bit of this lane's number is its new corner.
        u32 bits = spread(inside) | spread(crossings) << 1;
#pragma unroll
        for (u32 i = 0; i + 1 < LANES; i++) bits &= i < group.own ? bits - 1 : bits;
        const u32 from = (__ffs(bits) - 1) / 2 % LANES;
        const bool crosses = (__ffs(bits) - 1) % 2 != 0;
        const double x = group.get(corner.x, from), y = group.get(corner.y, from), crossing_x = group.get(cx, from), crossing_y = group.get(cy, from);
        corner = crosses ? make_double2(crossing_x, crossing_y) : make_double2(x, y);
        count = left;
    }

    inline double area(const Group& group) const {
        const double x = group.get(corner.x, 0), y = group.get(corner.y, 0), before_x = group.get(corner.x, group.own - 1), before_y = group.get(corner.y, group.own - 1);
        const double ax = __dsub_rn(before_x, x), ay = __dsub_rn(before_y, y), bx = __dsub_rn(corner.x, x), by = __dsub_rn(corner.y, y);
        const double part = __dmul_rn(0.5, __dsub_rn(__dmul_rn(ax, by), __dmul_rn(ay, bx)));
        double area = 0.0;
        for (u32 i = 2; i < count; i++) area = __dadd_rn(area, group.get(part, i));
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
    inline void on(const Group& group, const Target& target, u32 facet, Linear depth, Polygon& polygon) const {
        const Vec normal = vec(target.normals + 3ull * facet);
        const Vec there = place + direction * depth.constant, along_u = u + direction * depth.x, along_v = v + direction * depth.y;
        const double* at = target.corners + 9ull * facet;
        polygon.cut(group, leaves.less(depth));
#pragma unroll 1
        for (u32 i = 0; i < 3 && polygon.count > 0; i++) {
            const Vec corner = vec(at + 3 * i);
            const Vec out = cross(vec(at + 3 * (i == 2 ? 0 : i + 1)) - corner, normal);
            polygon.cut(group, {dot(out, there - corner), dot(out, along_u), dot(out, along_v)});
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

// The facets that a ray met, and where it began, in tubes.
struct Way {
    double x, y;
    u32 length; // NO_RAY: there is none
    u32 facets[REMEMBERED];

    inline u32 remembered() const { return min(length, REMEMBERED); }
};

constexpr u32 NO_RAY = 0xffffffff;

// Bounces that two ways have in common.
inline u32 common(const Way& one, const Way& other) {
    const u32 most = min(one.remembered(), other.remembered());
    u32 count = 0;
    while (count < most && one.facets[count] == other.facets[count]) count++;
    return count;
}

inline bool same(const Way& one, const Way& other) { return one.length == other.length && common(one, other) == one.remembered(); }

// What a way covers of a square cell, from its ray.
inline Polygon region(const Group& group, const Target& target, const SbrLaunch& launch, const Way& way, double2 middle, double size) {
    Polygon polygon;
    Beam beam(launch, way.x, way.y);
    polygon.square(group, make_double2(__dsub_rn(middle.x, way.x), __dsub_rn(middle.y, way.y)), size);
    for (u32 i = 0; i < way.remembered() && polygon.count > 0; i++) {
        const Linear depth = beam.depth(target, way.facets[i]);
        beam.on(group, target, way.facets[i], depth, polygon);
        beam.bounce(target, way.facets[i], depth);
    }
    return polygon;
}

// Facets by which other ways part from one, after so many bounces each; a lane has one, and there are fewer than ways.
struct Partings {
    u32 facet, bounces, count;

    inline Partings(const Group& group, const Way& way, const Way* ways, u32 rays) : facet(NO_FACET), bounces(0), count(0) {
        for (u32 start = 0; start < rays; start += LANES) {
            const Way& other = ways[start + group.own];
            u32 after = 0, by = NO_FACET;
            if (other.length != NO_RAY) {
                after = common(way, other);
                if (after < other.remembered()) by = other.facets[after];
            }
            for (u32 found = group.ballot(by != NO_FACET); found != 0 && count < LANES; found &= found - 1) {
                const u32 lane = __ffs(found) - 1, new_facet = group.get(by, lane), new_bounces = group.get(after, lane);
                if (group.ballot(group.own < count && facet == new_facet && bounces == new_bounces) != 0) continue;
                if (group.own == count) facet = new_facet, bounces = new_bounces;
                count++;
            }
        }
    }
};

// Leaves what a facet takes from a region where rays part from its way after so many bounces.
inline void taken(const Group& group, const Target& target, const SbrLaunch& launch, const Way& way, u32 bounces, u32 facet, Polygon& polygon) {
    Beam beam(launch, way.x, way.y);
    for (u32 i = 0; i < bounces; i++) beam.bounce(target, way.facets[i], beam.depth(target, way.facets[i]));
    const Linear depth = beam.depth(target, facet);
    beam.on(group, target, facet, depth, polygon);
    if (bounces < way.remembered() && polygon.count > 0) polygon.cut(group, depth.less(beam.depth(target, way.facets[bounces])));
}

// Facets that may take the same, and parts of a cell that are rounding.
constexpr u32 MOST_TAKERS = 3;
constexpr double LEAST = 1e-9;

// Calls `with` what each of the first partings takes from a region, and of that, those before it, which was taken twice, and so on.
template <u32 TAKERS = 0, class F>
inline void share(const Group& group, const Target& target, const SbrLaunch& launch, const Way& way, const Partings& partings, u32 count, const Polygon& region, double least,
                  F& with) {
    if constexpr (TAKERS < MOST_TAKERS) {
        for (u32 i = 0; i < count; i++) {
            Polygon part = region;
            taken(group, target, launch, way, group.get(partings.bounces, i), group.get(partings.facet, i), part);
            const double area = part.area(group);
            if (!(area > least)) continue;
            with(part, area, TAKERS % 2 == 0);
            share<TAKERS + 1>(group, target, launch, way, partings, i, part, least, with);
        }
    }
}
