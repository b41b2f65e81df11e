// Rays through the tree of boxes: pipeline/sbr/src/{cast/ray,cast/bvh,tube}.rs on the card, to the last bit.
#pragma once

#include "abi/sbr.h"
#include "vectors.cuh"

// A facet that is none.
constexpr u32 NO_FACET = 0xffffffff;
// Nodes that wait: the depth of the tree, which the host has compared.
constexpr u32 DEPTH = 64;
// A reference of a node: a leaf of 1 to 16 facets has this bit, their number less one, and the first facet.
constexpr u32 LEAF = 0x80000000, FIRST_BITS = 27;
constexpr float LEAST_SLOPE = 1e-18f;
constexpr double LEAST_COSINE = 1e-9;

// The target. Facets are in the order of leaves.
struct Target {
    const float4* __restrict__ nodes;   // x and y of both boxes, z of both, references: 64 bytes
    const double* __restrict__ corners; // nine of a facet
    const double* __restrict__ normals;
    const u32* __restrict__ numbers;    // of facets in the host's order
};

struct Hit {
    double distance;
    u32 facet;
};

// The ray's frame, and the watertight test of Woop, Benthin and Wald.
struct Frame {
    Vec origin;
    double shear[3];
    u32 x, y, z;

    inline Frame(Vec from, Vec direction) : origin(from) {
        const double ax = fabs(direction.x), ay = fabs(direction.y), az = fabs(direction.z);
        z = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
        const double along = z == 0 ? direction.x : z == 1 ? direction.y : direction.z;
        x = z == 2 ? 0 : z + 1;
        y = z == 0 ? 2 : z - 1;
        if (along < 0.0) {
            const u32 swap = x;
            x = y, y = swap;
        }
        const double scale = 1.0 / along;
        shear[0] = __dmul_rn(pick(direction, x), scale), shear[1] = __dmul_rn(pick(direction, y), scale), shear[2] = scale;
    }

    static inline double pick(Vec a, u32 axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

    // Distance to a facet; not positive or NaN: it is not hit.
    inline double distance(const double* __restrict__ corners) const {
        const double ox = pick(origin, x), oy = pick(origin, y), oz = pick(origin, z);
        double a[3], b[3], c[3];
        bring(a, corners, ox, oy, oz), bring(b, corners + 3, ox, oy, oz), bring(c, corners + 6, ox, oy, oz);
        const double u = __dsub_rn(__dmul_rn(c[0], b[1]), __dmul_rn(c[1], b[0]));
        const double v = __dsub_rn(__dmul_rn(a[0], c[1]), __dmul_rn(a[1], c[0]));
        const double w = __dsub_rn(__dmul_rn(b[0], a[1]), __dmul_rn(b[1], a[0]));
        if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) return -1.0;
        const double determinant = __dadd_rn(__dadd_rn(u, v), w);
        if (determinant == 0.0) return -1.0;
        return __dadd_rn(__dadd_rn(__dmul_rn(u, a[2]), __dmul_rn(v, b[2])), __dmul_rn(w, c[2])) / determinant;
    }

private:
    inline void bring(double* to, const double* __restrict__ corner, double ox, double oy, double oz) const {
        const double deep = __dsub_rn(__ldg(corner + z), oz);
        to[0] = __dsub_rn(__dsub_rn(__ldg(corner + x), ox), __dmul_rn(shear[0], deep));
        to[1] = __dsub_rn(__dsub_rn(__ldg(corner + y), oy), __dmul_rn(shear[1], deep));
        to[2] = __dmul_rn(shear[2], deep);
    }
};

// A ray in single precision, for boxes.
struct Slabs {
    float ix, iy, iz, ox, oy, oz;

    inline Slabs(Vec origin, Vec direction) : ix(inverse(direction.x)), iy(inverse(direction.y)), iz(inverse(direction.z)) {
        ox = static_cast<float>(origin.x) * ix, oy = static_cast<float>(origin.y) * iy, oz = static_cast<float>(origin.z) * iz;
    }

    static inline float inverse(double slope) {
        const float x = static_cast<float>(slope);
        return 1.0f / (fabsf(x) < LEAST_SLOPE ? copysignf(LEAST_SLOPE, x) : x);
    }

    // Where the ray enters and leaves a box.
    inline float enters(float x0, float x1, float y0, float y1, float z0, float z1, float most, bool& meets) const {
        const float ax = fmaf(x0, ix, -ox), bx = fmaf(x1, ix, -ox), ay = fmaf(y0, iy, -oy), by = fmaf(y1, iy, -oy);
        const float az = fmaf(z0, iz, -oz), bz = fmaf(z1, iz, -oz);
        const float near = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0.0f));
        const float far = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fminf(fmaxf(az, bz), most));
        meets = near <= far;
        return near;
    }
};

// The warp's own nodes that wait, with where the first of its rays enters them.
struct Waiting {
    u32 nodes[DEPTH];
    u32 enters[DEPTH];
};

// Takes a facet for the hit if it is nearer, but not than `least`; of two facets at one distance the lower number counts.
inline bool nearer(const Target& target, const Frame& frame, u32 facet, double least, Hit& hit) {
    const double distance = frame.distance(target.corners + 9ull * facet);
    if (!(distance > least) || distance > hit.distance) return false;
    if (distance == hit.distance && target.numbers[facet] >= target.numbers[hit.facet]) return false;
    hit = {distance, facet};
    return true;
}

// The nearest facets along the rays of a warp that are `alive`, which walk together, since rays of a tube's neighbours meet the same boxes. A ray does not hit facet `leaves`, nor
// anything nearer than `least`.
inline Hit nearest(const Target& target, Vec origin, Vec direction, u32 leaves, double least, bool alive, Waiting& waiting) {
    constexpr u32 ALL = 0xffffffff;
    const Slabs slabs(origin, direction);
    const Frame frame(origin, direction);
    Hit hit = {__longlong_as_double(0x7ff0000000000000ll), NO_FACET};
    float most = alive ? __int_as_float(0x7f800000) : -1.0f;
    u32 farthest = 0x7f800000;
    u32 height = 0, node = 0;
    for (;;) {
        if (!(node & LEAF)) {
            const float4* at = target.nodes + 4ull * node;
            const float4 first = __ldg(at), second = __ldg(at + 1), deep = __ldg(at + 2);
            const uint2 children = __ldg(reinterpret_cast<const uint2*>(at + 3));
            bool left, right;
            const float a = slabs.enters(first.x, first.y, first.z, first.w, deep.x, deep.y, most, left);
            const float b = slabs.enters(second.x, second.y, second.z, second.w, deep.z, deep.w, most, right);
            const u32 lefts = __ballot_sync(ALL, left), rights = __ballot_sync(ALL, right);
            if (lefts != 0 && rights != 0) {
                const u32 prefer = __ballot_sync(ALL, left && (!right || a <= b));
                const bool nearer = 2 * __popc(prefer) >= __popc(lefts | rights);
                const bool later = nearer ? right : left;
                const u32 enters = __reduce_min_sync(ALL, later ? __float_as_uint(nearer ? b : a) : 0x7f800000);
                if (threadIdx.x % 32 == 0) waiting.nodes[height] = nearer ? children.y : children.x, waiting.enters[height] = enters;
                height++;
                node = nearer ? children.x : children.y;
                continue;
            }
            if (lefts != 0 || rights != 0) {
                node = lefts != 0 ? children.x : children.y;
                continue;
            }
        } else {
            const u32 start = node & ((1u << FIRST_BITS) - 1), end = start + ((node & ~LEAF) >> FIRST_BITS) + 1;
            for (u32 facet = start; facet < end; facet++) {
                if (!alive || facet == leaves) continue;
                if (nearer(target, frame, facet, least, hit)) most = __double2float_ru(hit.distance);
            }
            farthest = __reduce_max_sync(ALL, alive ? __float_as_uint(most) : 0);
        }
        __syncwarp();
        do {
            if (height == 0) {
                // The next walk writes where others may still read.
                __syncwarp();
                return hit;
            }
            node = waiting.nodes[--height];
        } while (waiting.enters[height] > farthest);
        __syncwarp();
    }
}

// Where and how a ray leaves the target.
struct Exit {
    Vec place, direction, normal;
    Vec mirrored_u, mirrored_v; // sides of a tube around it
    double path;                // from the plane through the centre of the facets
    u32 bounces;                // 0: it met nothing, or left along a facet
    u32 met;                    // facets, also of a ray that left along one
    u32 facet;                  // the last one
    bool cut;                   // it would have been reflected again

    // A side of the tube, slid along the ray onto the last facet.
    inline Vec slid(Vec side) const { return side - direction * (dot(normal, side) / dot(normal, direction)); }
    inline Vec u() const { return slid(mirrored_u); }
    inline Vec v() const { return slid(mirrored_v); }
};

// The ray before its first bounce, at so many tubes from the grid's corner.
inline Exit begin(const SbrLaunch& launch, double x, double y) {
    Exit exit;
    const Vec sight = vec(launch.sight);
    exit.place = vec(launch.corner) + vec(launch.u) * x + vec(launch.v) * y;
    exit.direction = -sight, exit.mirrored_u = vec(launch.u), exit.mirrored_v = vec(launch.v);
    exit.normal = sight;
    exit.path = -dot(sight, exit.place);
    exit.bounces = 0, exit.facet = NO_FACET, exit.cut = false;
    return exit;
}

// Goes on behind a hit.
inline void bounce(const Target& target, Exit& exit, Hit hit) {
    exit.bounces++, exit.facet = hit.facet;
    exit.place = exit.place + exit.direction * hit.distance;
    exit.path = __dadd_rn(exit.path, hit.distance);
    const double* at = target.normals + 3ull * hit.facet;
    Vec normal = {__ldg(at), __ldg(at + 1), __ldg(at + 2)};
    if (dot(normal, exit.direction) > 0.0) normal = -normal;
    exit.normal = normal;
    exit.mirrored_u = mirrored(exit.mirrored_u, normal), exit.mirrored_v = mirrored(exit.mirrored_v, normal);
    exit.direction = mirrored(exit.direction, normal);
}

// A ray that leaves along its facet has no footprint.
inline void end(Exit& exit) {
    if (exit.bounces > 0 && dot(exit.normal, exit.direction) < LEAST_COSINE) exit.bounces = 0;
}

// Facets of a way that are remembered, as in pieces.rs.
constexpr u32 REMEMBERED = 8;
constexpr u32 NO_RAY = 0xffffffff;
// Rays of a cell that tiles have traced: in its corners and its centre.
constexpr u32 RAYS_KEPT = 5;

// The ray that is known to have met no more facets than those which are remembered.
inline Exit retrace(const Target& target, const SbrLaunch& launch, const SbrRay& ray) {
    Exit exit = begin(launch, ray.x, ray.y);
    for (u32 i = 0; i < ray.met; i++) {
        const Frame frame(exit.place, exit.direction);
        bounce(target, exit, {frame.distance(target.corners + 9ull * ray.facets[i]), ray.facets[i]});
    }
    end(exit);
    return exit;
}

// Whether two rays go one way: `predicted` is where the first one's footprint has the other.
inline bool agree(const Sbr& s, Vec predicted, Vec direction, u32 bounces, Vec place, Vec other_direction, u32 other_bounces) {
    if (bounces != other_bounces) return false;
    if (bounces == 0) return true;
    const Vec miss = place - predicted, turn = other_direction - direction;
    return dot(miss, miss) <= s.place && dot(turn, turn) <= s.direction;
}
