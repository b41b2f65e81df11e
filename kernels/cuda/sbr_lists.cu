// Lists of the facets that rays of each tile may meet first; see sbr_lists.cuh.
//
// free   which facets reflect rays of each direction into the open; once for all launches
// count  facets of each tile
// room   where its list begins
// list   these facets, in any order
// enter  in order, with their lines

#include "sbr.cuh"
#include "sbr_lists.cuh"

// Most facets of a list: with more a walk through the tree is faster.
constexpr u32 MOST_LISTED = 128;
// Facets whose shadow on the grid is thinner than this, in tubes, have no edges there, but a line.
constexpr double THIN = 1e-2;
// Of an edge that has a direction.
constexpr double LEAST_SQUARE = 1e-30;
// Rays that leave a facet at less than this sine of the angle with it are not looked at beforehand.
constexpr double GRAZING = 1e-2;
// Of a facet beside an edge, how far it may rise for what it is away from there: its corners there are within 1e-13 of the target's size of rays along the edge, and so its hits on them are nearer than the least
// distance, which is 1e-10 of that size.
constexpr double STEEP = 1e-2;

// A line on the grid, in tubes: what is on the side of its normal is inside.
struct Line {
    double2 normal, point;
    double more;

    inline double at(double x, double y) const { return normal.x * (x - point.x) + normal.y * (y - point.y) + more; }
};

// The shadow of a facet on the grid.
struct Shadow {
    double2 corners[3], low, high;
    double nearest; // depth of its nearest corner, m

    inline Shadow(const SbrLaunch& launch, const double* facet) {
        low = make_double2(1e300, 1e300), high = make_double2(-1e300, -1e300), nearest = 1e300;
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            const Vec from = vec(facet + 3 * k) - vec(launch.corner);
            const double x = dot(from, vec(launch.u)) * launch.inverse, y = dot(from, vec(launch.v)) * launch.inverse;
            corners[k] = make_double2(x, y);
            low = make_double2(fmin(low.x, x), fmin(low.y, y)), high = make_double2(fmax(high.x, x), fmax(high.y, y));
            nearest = fmin(nearest, -dot(from, vec(launch.sight)));
        }
    }

    // Normals are units but for single precision, which lines of any length may lose.
    inline void lines(Line (&lines)[LINES]) const {
        const auto side = [&](u32 k) { return make_double2(corners[(k + 1) % 3].x - corners[k].x, corners[(k + 1) % 3].y - corners[k].y); };
        const double2 s0 = side(0), s1 = side(1);
        const double twice = s0.x * s1.y - s0.y * s1.x;
        double longest = -1.0;
        Line edge;
        double2 third;
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            const double2 s = side(k);
            const double square = s.x * s.x + s.y * s.y, over = square > LEAST_SQUARE ? copysign(static_cast<double>(rsqrtf(static_cast<float>(square))), twice) : 0.0;
            lines[k] = {make_double2(-s.y * over, s.x * over), corners[k], 0.0};
            if (square > longest) longest = square, edge = lines[k], third = corners[(k + 2) % 3];
        }
        if (twice * twice >= THIN * THIN * longest) return;
        // Both sides of the longest edge.
        const double thick = fabs(edge.at(third.x, third.y));
        lines[0] = {edge.normal, edge.point, thick};
        lines[1] = {make_double2(-edge.normal.x, -edge.normal.y), edge.point, thick};
        lines[2] = {make_double2(0.0, 0.0), edge.point, 1.0};
    }
};

// Calls `with` the number of each tile whose rays may meet a facet; lanes of a warp take one each.
template <class F>
inline void touched(const SbrLaunch& launch, const Shadow& shadow, F with) {
    const auto tile = [](double x) { return static_cast<i32>(fmin(fmax(floor(x / SIDE), -1e9), 1e9)); };
    const i32 start = launch.first_tile_row;
    const i32 left = max(tile(shadow.low.x - PAD), 0), right = min(tile(shadow.high.x + PAD), static_cast<i32>(launch.tiles) - 1);
    const i32 top = max(tile(shadow.low.y - PAD) - start, 0), bottom = min(tile(shadow.high.y + PAD) - start, static_cast<i32>(launch.tile_rows) - 1);
    if (left > right || top > bottom) return;
    Line lines[LINES];
    shadow.lines(lines);
    const u32 wide = right - left + 1, count = wide * (bottom - top + 1);
    for (u32 i = threadIdx.x % 32; i < count; i += 32) {
        const u32 column = left + i % wide, row = top + i / wide;
        const double x = (column + 0.5) * SIDE, y = (start + row + 0.5) * SIDE;
        bool touches = true;
#pragma unroll
        for (u32 k = 0; k < LINES; k++) {
            touches &= lines[k].at(x, y) + (0.5 * SIDE + PAD) * (fabs(lines[k].normal.x) + fabs(lines[k].normal.y)) >= -MARGIN;
        }
        if (touches) with(launch.first_tile + row * launch.tiles + column);
    }
}

// All facets of all launches, a warp each.
template <class F>
inline void all_touched(const SbrLaunch* launches, const double* corners, const Sbr& s, F with) {
    const u64 all = static_cast<u64>(s.launches) * s.facets, step = static_cast<u64>(gridDim.x) * blockDim.x / 32;
    for (u64 i = (static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x) / 32; i < all; i += step) {
        const SbrLaunch& launch = launches[i / s.facets];
        const u32 facet = i % s.facets;
        const Shadow shadow(launch, corners + 9ull * facet);
        touched(launch, shadow, [&](u32 tile) { with(tile, facet, shadow); });
    }
}

inline u32 all_tiles(const SbrLaunch* launches, const Sbr& s) {
    const SbrLaunch& last = launches[s.launches - 1];
    return last.first_tile + last.tile_rows * last.tiles;
}

extern "C" __global__ void __launch_bounds__(256) sbr_count(const SbrLaunch* launches, const double* corners, u32* counts, const Sbr s) {
    all_touched(launches, corners, s, [&](u32 tile, u32, const Shadow&) { atomicAdd(counts + tile, 1u); });
}

extern "C" __global__ void __launch_bounds__(256) sbr_room(const SbrLaunch* launches, const u32* counts, uint2* tiles, u64* counters, const Sbr s) {
    const u32 lane = threadIdx.x % 32, all = all_tiles(launches, s);
    for (u32 first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < all; first += gridDim.x * blockDim.x) {
        const u32 tile = first + lane, count = tile < all ? counts[tile] : 0, own = count <= MOST_LISTED ? count : 0;
        u32 sum = own;
#pragma unroll
        for (u32 step = 1; step < 32; step *= 2) {
            const u32 other = __shfl_up_sync(0xffffffff, sum, step);
            if (lane >= step) sum += other;
        }
        const u32 of_warp = __shfl_sync(0xffffffff, sum, 31);
        u64 start = 0;
        if (lane == 0) start = atomicAdd(counters + LISTED, static_cast<u64>(of_warp));
        start = __shfl_sync(0xffffffff, start, 0) + sum - own;
        const bool has = count == 0 || (own > 0 && start + own <= s.listed);
        if (tile < all) tiles[tile] = has ? make_uint2(start, own) : make_uint2(NO_LIST, count);
    }
}

// A depth that the facet's hits are not nearer than.
inline float depth(double nearest, const Sbr& s) { return __double2float_rd(nearest - s.least); }

extern "C" __global__ void __launch_bounds__(256) sbr_list(const SbrLaunch* launches, const double* corners, const uint2* tiles, u32* counts, uint2* found, const Sbr s) {
    all_touched(launches, corners, s, [&](u32 tile, u32 facet, const Shadow& shadow) {
        const uint2 at = tiles[tile];
        // Places are given away from the last one on.
        if (at.x != NO_LIST) found[at.x + atomicSub(counts + tile, 1u) - 1] = make_uint2(__float_as_uint(depth(shadow.nearest, s)), facet);
    });
}

// The launch that has a tile.
inline u32 launch_of(const SbrLaunch* launches, u32 count, u32 tile) {
    u32 low = 0, high = count - 1;
    while (low < high) {
        const u32 middle = (low + high + 1) / 2;
        if (launches[middle].first_tile <= tile) low = middle;
        else high = middle - 1;
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(256)
    sbr_enter(const SbrLaunch* launches, const double* corners, const uint2* tiles, const uint2* found, const u32* frees, float4* entries, const Sbr s) {
    const u32 lane = threadIdx.x % 32, all = all_tiles(launches, s);
    for (u32 tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32; tile < all; tile += gridDim.x * blockDim.x / 32) {
        const uint2 at = tiles[tile];
        if (at.x == NO_LIST || at.y == 0) continue;
        const SbrLaunch& launch = launches[launch_of(launches, s.launches, tile)];
        const u32 place = tile - launch.first_tile;
        const double x = (place % launch.tiles + 0.5) * SIDE, y = (launch.first_tile_row + place / launch.tiles + 0.5) * SIDE;
        for (u32 i = lane; i < at.y; i += 32) {
            const uint2 own = found[at.x + i];
            u32 rank = 0;
            for (u32 k = 0; k < at.y; k++) {
                const uint2 other = found[at.x + k];
                const float mine = __uint_as_float(own.x), its = __uint_as_float(other.x);
                rank += its < mine || (its == mine && other.y < own.y);
            }
            Line lines[LINES];
            Shadow(launch, corners + 9ull * own.y).lines(lines);
            const u32 behind[LINES] = {own.x, own.y, frees[static_cast<u64>(launch.direction / s.receivers) * s.facets + own.y]};
            float4* to = entries + static_cast<u64>(LINES) * (at.x + rank);
#pragma unroll
            for (u32 k = 0; k < LINES; k++) {
                to[k] = make_float4(static_cast<float>(lines[k].normal.x), static_cast<float>(lines[k].normal.y), static_cast<float>(lines[k].at(x, y)), __uint_as_float(behind[k]));
            }
        }
    }
}

// Rays of a launch that a facet reflects: all of them start on the facet and go one way.
struct Beam {
    Vec corners[3], normal, direction;
    bool behind; // rays meet the side that its normal does not show
    Vec sides[3]; // unit normals of the planes along its edges, outwards
    double cosine, least;
    float4 planes[4]; // these and the facet's own: normals, outwards, and distances from the origin, with what boxes may be wrong by

    inline Beam(const Target& target, Vec sight, u32 facet, const Sbr& s) : least(s.least) {
        normal = vec(target.normals + 3ull * facet), direction = -sight;
        behind = dot(normal, direction) > 0.0;
        if (behind) normal = -normal;
        direction = mirrored(direction, normal), cosine = dot(normal, direction);
#pragma unroll
        for (u32 k = 0; k < 3; k++) corners[k] = vec(target.corners + 9ull * facet + 3 * k);
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            const Vec out = cross(corners[(k + 1) % 3] - corners[k], direction);
            const double length = sqrt(dot(out, out)), inside = dot(out, corners[(k + 2) % 3] - corners[k]);
            sides[k] = out * (length > 0.0 ? copysign(1.0 / length, -inside) : 0.0);
        }
        // Boxes are in single precision; the least distance is 1e-10 of the target's size.
        const double pad = 1e5 * least;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            const Vec out = k == 3 ? -normal : sides[k];
            planes[k] = make_float4(out.x, out.y, out.z, dot(out, corners[k % 3]) + pad);
        }
    }

    // Whether a box is not beyond one of the planes.
    inline bool may_meet(float x0, float x1, float y0, float y1, float z0, float z1) const {
        bool may = true;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            const float4 p = planes[k];
            may &= fminf(p.x * x0, p.x * x1) + fminf(p.y * y0, p.y * y1) + fminf(p.z * z0, p.z * z1) < p.w;
        }
        return may;
    }

    static inline bool is(Vec a, Vec b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

    // Whether no ray can meet a facet farther away than the least distance: it is not before the plane, or beyond an edge.
    inline bool passes(const double* facet) const {
        Vec points[3];
        double heights[3];
        bool before = false;
#pragma unroll
        for (u32 i = 0; i < 3; i++) {
            points[i] = vec(facet + 3 * i), heights[i] = dot(normal, points[i] - corners[0]) / cosine;
            before |= heights[i] > 0.5 * least;
        }
        if (!before) return true;
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            const Vec from = corners[k], to = corners[(k + 1) % 3];
            bool outside = true;
#pragma unroll
            for (u32 i = 0; i < 3; i++) {
                const bool shared = is(points[i], from) || is(points[i], to);
                outside &= shared || dot(sides[k], points[i] - from) >= fmax(least, STEEP * fabs(heights[i]));
            }
            if (outside) return true;
        }
        return false;
    }
};

// Whether nothing of the target is in a beam's way.
inline bool is_free(const Target& target, const Beam& beam, u32 own) {
    // As NaN: the facet has no normal. From behind rays come to an open surface only, for which to walk is soon enough.
    if (beam.behind || !(beam.cosine > GRAZING)) return false;
    u32 waiting[DEPTH];
    u32 height = 0, node = 0;
    for (;;) {
        if (!(node & LEAF)) {
            const float4* at = target.nodes + 4ull * node;
            const float4 first = __ldg(at), second = __ldg(at + 1), deep = __ldg(at + 2);
            const uint2 children = __ldg(reinterpret_cast<const uint2*>(at + 3));
            const bool left = beam.may_meet(first.x, first.y, first.z, first.w, deep.x, deep.y);
            const bool right = beam.may_meet(second.x, second.y, second.z, second.w, deep.z, deep.w);
            if (left && right) waiting[height++] = children.y;
            if (left || right) {
                node = left ? children.x : children.y;
                continue;
            }
        } else {
            const u32 start = node & ((1u << FIRST_BITS) - 1), end = start + ((node & ~LEAF) >> FIRST_BITS) + 1;
            for (u32 facet = start; facet < end; facet++) {
                if (facet != own && !beam.passes(target.corners + 9ull * facet)) return false;
            }
        }
        if (height == 0) return true;
        node = waiting[--height];
    }
}

extern "C" __global__ void __launch_bounds__(128)
    sbr_free(const double* sights, const float4* nodes, const double* corners, const double* normals, u32* frees, const Sbr s) {
    const Target target = {nodes, corners, normals, nullptr};
    const u64 all = static_cast<u64>(s.launches) * s.facets;
    for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += static_cast<u64>(gridDim.x) * blockDim.x) {
        const u32 facet = i % s.facets;
        frees[i] = is_free(target, Beam(target, vec(sights + 3 * (i / s.facets)), facet, s), facet);
    }
}
