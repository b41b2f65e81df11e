// Facets that rays of a tile may meet first, nearest first, with the lines of their edges on the launch grid. Lines only tell which facets a ray cannot meet; the test of the ray itself decides among the
// others, so that hits are those of the tree to the last bit.
#pragma once

#include "sbr_trace.cuh"

// Tubes along a side of a tile.
constexpr u32 SIDE = 16;
// A tile without a list: its rays take the tree.
constexpr u32 NO_LIST = 0xffffffff;
// Tubes that a list reaches beyond its tile: rays that look beyond an edge of a cell may begin a thousandth of one outside.
constexpr double PAD = 1.0 / 64.0;
// Tubes by which a line may be wrong: coordinates of 1e6 tubes lose 1e-9 and an edge has 0.01 at least, so that lines turn by 1e-7; single precision loses 4e-6 across a tile.
constexpr float MARGIN = 1e-3f;

// An entry of a list is three of these: a, b and c of a line, with a x + b y + c >= 0 inside, in tubes from the tile's middle. Behind them stand the least depth of the facet, its number, and
// whether rays that it reflects meet nothing.
constexpr u32 LINES = 3;

// The list of a tile.
struct List {
    const float4* entries;
    u32 count;   // or NO_LIST
    double x, y; // the tile's middle, in tubes

    // None.
    inline List() : entries(nullptr), count(NO_LIST), x(0.0), y(0.0) {}

    // Of a tile in such a column and row of the launch's own.
    inline List(const uint2* tiles, const float4* all, const SbrLaunch& launch, u32 column, u32 row) {
        const uint2 at = __ldg(tiles + launch.first_tile + static_cast<u64>(row) * launch.tiles + column);
        entries = all + static_cast<u64>(LINES) * at.x;
        count = at.x == NO_LIST ? NO_LIST : at.y;
        x = (column + 0.5) * SIDE, y = (launch.first_tile_row + row + 0.5) * SIDE;
    }

    inline bool exists() const { return count != NO_LIST; }

    // The nearest facet along a ray from the grid at so many tubes; `is_free`: reflected there, it meets nothing.
    inline Hit first(const Target& target, const Frame& frame, double from_x, double from_y, bool& is_free) const {
        const float dx = static_cast<float>(from_x - x), dy = static_cast<float>(from_y - y);
        Hit hit = {__longlong_as_double(0x7ff0000000000000ll), NO_FACET};
        float most = __int_as_float(0x7f800000);
        for (u32 i = 0; i < count; i++) {
            const float4* entry = entries + LINES * i;
            const float4 a = __ldg(entry);
            if (a.w > most) break;
            const float4 b = __ldg(entry + 1), c = __ldg(entry + 2);
            const auto inside = [&](float4 line) { return fmaf(line.x, dx, fmaf(line.y, dy, line.z)); };
            if (fminf(fminf(inside(a), inside(b)), inside(c)) < -MARGIN) continue;
            if (!nearer(target, frame, __float_as_uint(b.w), 0.0, hit)) continue;
            most = __double2float_ru(hit.distance), is_free = __float_as_uint(c.w) != 0;
        }
        return hit;
    }
};

// Rays of a warp that are `alive`, each at so many tubes from the grid's corner; `segments` counts straight pieces, and `facets` are the first of those that were met, so far from each other.
template <u32 MOST = REMEMBERED>
inline Exit trace(const Target& target, const SbrLaunch& launch, const List& list, const Sbr& s, double x, double y, bool alive, Waiting& waiting, u32& segments,
                  u32* facets = nullptr, u32 apart = 1) {
    constexpr u32 ALL = 0xffffffff;
    Exit exit = begin(launch, x, y);
    bool is_free = false;
    while (__any_sync(ALL, alive)) {
        segments += alive;
        Hit hit = {0.0, NO_FACET};
        const bool by_list = exit.bounces == 0 && list.exists(), walks = alive && !by_list && !is_free;
        if (alive && by_list) hit = list.first(target, Frame(exit.place, exit.direction), x, y, is_free);
        if (__any_sync(ALL, walks)) {
            const Hit met = nearest(target, exit.place, exit.direction, exit.facet, exit.bounces == 0 ? 0.0 : s.least, walks, waiting);
            if (walks) hit = met;
        }
        // What is free meets nothing behind its first facet.
        alive &= hit.facet != NO_FACET;
        exit.cut |= alive && exit.bounces == s.bounces;
        alive &= !exit.cut;
        if (alive && facets && exit.bounces < MOST) facets[apart * exit.bounces] = hit.facet;
        if (alive) bounce(target, exit, hit);
    }
    exit.met = exit.bounces;
    end(exit);
    return exit;
}

// The same for one ray by itself: rays that have little in common do not wait for each other's boxes, nor for each other's bounces.
inline Exit trace_alone(const Target& target, const SbrLaunch& launch, const List& list, const Sbr& s, double x, double y, u32& segments, u32* facets) {
    Exit exit = begin(launch, x, y);
    const auto finished = [&] {
        exit.met = exit.bounces;
        end(exit);
        return exit;
    };
    // Whether a ray is reflected.
    const auto goes_on = [&](Hit hit) {
        if (hit.facet == NO_FACET) return false;
        exit.cut = exit.bounces == s.bounces;
        if (exit.cut) return false;
        if (exit.bounces < REMEMBERED) facets[exit.bounces] = hit.facet;
        bounce(target, exit, hit);
        segments++;
        return true;
    };
    segments++;
    if (list.exists()) {
        bool is_free = false;
        if (!goes_on(list.first(target, Frame(exit.place, exit.direction), x, y, is_free)) || is_free) return finished();
    }
    Slabs slabs(exit.place, exit.direction);
    Frame frame(exit.place, exit.direction);
    const Hit nothing = {__longlong_as_double(0x7ff0000000000000ll), NO_FACET};
    const float infinity = __int_as_float(0x7f800000);
    Hit hit = nothing;
    float most = infinity;
    uint2 waiting[DEPTH]; // nodes, and where the ray enters them
    u32 height = 0, node = 0;
    for (;;) {
        if (!(node & LEAF)) {
            const float4* at = target.nodes + 4ull * node;
            const float4 first = __ldg(at), second = __ldg(at + 1), deep = __ldg(at + 2);
            const uint2 children = __ldg(reinterpret_cast<const uint2*>(at + 3));
            bool left, right;
            const float a = slabs.enters(first.x, first.y, first.z, first.w, deep.x, deep.y, most, left);
            const float b = slabs.enters(second.x, second.y, second.z, second.w, deep.z, deep.w, most, right);
            if (left && right) {
                const bool nearer = a <= b;
                waiting[height++] = nearer ? make_uint2(children.y, __float_as_uint(b)) : make_uint2(children.x, __float_as_uint(a));
                node = nearer ? children.x : children.y;
                continue;
            }
            if (left || right) {
                node = left ? children.x : children.y;
                continue;
            }
        } else {
            const u32 start = node & ((1u << FIRST_BITS) - 1), end = start + ((node & ~LEAF) >> FIRST_BITS) + 1;
            for (u32 facet = start; facet < end; facet++) {
                if (facet != exit.facet && nearer(target, frame, facet, exit.bounces == 0 ? 0.0 : s.least, hit)) most = __double2float_ru(hit.distance);
            }
        }
        bool more = false;
        while (height > 0 && !more) more = __uint_as_float(waiting[--height].y) <= most;
        node = more ? waiting[height].x : 0;
        if (more) continue;
        if (!goes_on(hit)) return finished();
        slabs = Slabs(exit.place, exit.direction), frame = Frame(exit.place, exit.direction);
        hit = nothing, most = infinity;
    }
}
