// Cells of the launch grid whose corners part: pipeline/src/solvers/sbr/tile.rs on the card. Eight lanes for a cell: it is cut along the border, radiates as a
// whole, or is quartered into the list of the next level. What radiates is listed, too, and added up by sbr_parts.

#include "sbr.cuh"

// As in tile.rs.
constexpr double BESIDE = 1.0 / 16.0, LEAST_PART = 1e-6;
// A side is divided into five at once, as often; from the second time on an edge of a facet in what is left is the border.
constexpr u32 DIVIDED = 5, ROUNDS = 5, SNAPPED = 2;
constexpr u32 MOST_CORNERS = 5;
// Levels of masks: eight sub-cells a side.
constexpr u32 MASKED = 3;
constexpr u32 FULL = 0xffffffff;
// A warp takes four cells, with eight lanes each.
constexpr u32 WARPS = 4, GROUPS = 4, LANES = 8;

// A ray of the grid: where it began, in tubes, and where it left.
struct Sample {
    Vec place, direction, u, v;
    double x, y;
    u32 bounces, facet;
};

// What the lanes of a cell look at.
struct Shared {
    Waiting waiting;
    Sample corners[GROUPS][LANES]; // four corners, and the centre
    Sample probes[GROUPS][LANES];
    Sample brackets[GROUPS][2][2]; // of both sides that the border crosses: before it and behind it
};

inline void put(Sample& sample, const Exit& exit, double x, double y) {
    sample.place = exit.place, sample.direction = exit.direction, sample.u = exit.u(), sample.v = exit.v();
    sample.x = x, sample.y = y, sample.bounces = exit.bounces, sample.facet = exit.facet;
}

inline bool agrees(const Sbr& s, const Sample& one, const Sample& other) {
    const Vec predicted = one.place + one.u * (other.x - one.x) + one.v * (other.y - one.y);
    return agree(s, predicted, one.direction, one.bounces, other.place, other.direction, other.bounces);
}

// As on the host, to the last bit.
inline double2 between(double2 a, double2 b, double part) {
    return make_double2(__dadd_rn(a.x, __dmul_rn(__dsub_rn(b.x, a.x), part)), __dadd_rn(a.y, __dmul_rn(__dsub_rn(b.y, a.y), part)));
}

// How far on the way to another sample a ray leaves the facet of the first by a border; infinite: it does not.
inline double leaves(const Target& target, const u8* __restrict__ borders, const Sample& from, const Sample& to) {
    double first = __longlong_as_double(0x7ff0000000000000ll);
    if (from.bounces == 0) return first;
    const u32 edges = borders[from.facet];
    const double* at = target.corners + 9ull * from.facet;
    const Vec corners[3] = {vec(at), vec(at + 3), vec(at + 6)};
    const Vec normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
    const Vec way = from.u * (to.x - from.x) + from.v * (to.y - from.y);
#pragma unroll
    for (u32 i = 0; i < 3; i++) {
        // Out of the facet, across this edge.
        const Vec out = cross(corners[(i + 1) % 3] - corners[i], normal);
        const double speed = dot(out, way);
        if (speed > 0.0 && edges >> i & 1) first = fmin(first, dot(out, corners[i] - from.place) / speed);
    }
    return first;
}

// Where a border of either facet lies between two samples, as a part of the way; false: nowhere.
inline bool snapped(const Target& target, const u8* borders, const Sample& from, const Sample& to, double& part) {
    part = leaves(target, borders, from, to);
    if (part >= 0.0 && part <= 1.0) return true;
    part = 1.0 - leaves(target, borders, to, from);
    return part >= 0.0 && part <= 1.0;
}

struct Polygon {
    double2 corners[MOST_CORNERS];
    u32 count;
};

// Corners of one of the two ways, and the two places where the border crosses: counterclockwise.
inline Polygon polygon(const Sample* corners, u32 likes, bool like, const double2 (&crossings)[2]) {
    Polygon polygon;
    polygon.count = 0;
    u32 crossing = 0;
    for (u32 i = 0; i < 4; i++) {
        const bool own = likes >> i & 1, next = likes >> (i + 1) % 4 & 1;
        if (own == like) polygon.corners[polygon.count++] = make_double2(corners[i].x, corners[i].y);
        if (own != next) polygon.corners[polygon.count++] = crossings[crossing++];
    }
    return polygon;
}

// Centroid and area, from the first corner.
inline double2 centroid(const Polygon& polygon, double& area) {
    const double2 first = polygon.corners[0];
    double x = 0.0, y = 0.0;
    area = 0.0;
    for (u32 i = 1; i + 1 < polygon.count; i++) {
        const double ax = polygon.corners[i].x - first.x, ay = polygon.corners[i].y - first.y;
        const double bx = polygon.corners[i + 1].x - first.x, by = polygon.corners[i + 1].y - first.y;
        const double part = 0.5 * (ax * by - ay * bx);
        x += part * (ax + bx) / 3.0, y += part * (ay + by) / 3.0, area += part;
    }
    if (!(area > 0.0)) {
        area = 0.0;
        return first;
    }
    return make_double2(first.x + x / area, first.y + y / area);
}

// What a thread counts.
struct Tally {
    u32 rays, segments, tubes, cut, split;
};

// Lists what radiates: a polygon around a ray, or without one a square of so many tubes.
inline void list(const SbrLaunch& launch, u32 number, const Sbr& s, const Exit& exit, double2 at, const Polygon* polygon, double size, SbrPart* parts, u64* counters,
                 Tally& tally) {
    if (exit.bounces == 0) return;
    tally.tubes++, tally.cut += exit.cut;
    const u64 slot = atomicAdd(counters + PARTS, 1ull);
    if (slot >= s.parts) return;
    SbrPart& part = parts[slot];
    store(part.place, exit.place), store(part.direction, exit.direction), store(part.normal, exit.normal);
    store(part.u, exit.u()), store(part.v, exit.v());
    store(part.fields[0], field(exit, launch.fields[0])), store(part.fields[1], field(exit, launch.fields[1]));
    part.path = exit.path;
    part.launch = number;
    part.count = polygon ? polygon->count : 0;
    part.corners[0][0] = size;
    for (u32 i = 0; polygon && i < polygon->count; i++) {
        part.corners[i][0] = polygon->corners[i].x - at.x, part.corners[i][1] = polygon->corners[i].y - at.y;
    }
}

// The part of a cell's mask that lies in a sub-cell of a level, at so many of its sizes from the cell's corner.
inline u64 masked(u64 mask, u32 level, u32 x, u32 y) {
    const u32 side = 8 >> level;
    u64 part = 0;
    for (u32 row = 0; row < side; row++) part |= ((1ull << side) - 1) << (8 * (y * side + row) + x * side);
    return mask & part;
}

// What becomes of a cell; its lanes agree on it.
enum State { NOTHING, WHOLE, CUT, QUARTERED };

// Bits of a group's lanes for which `is` holds.
inline u32 of_group(bool is, u32 group) { return __ballot_sync(FULL, is) >> group * LANES & 0xff; }

// Looks for where the border crosses two sides of the cells that are cut, four lanes for a side; false: somewhere more than one thing happens.
inline bool cross_sides(const Target& target, const u8* borders, const SbrLaunch& launch, const Sbr& s, Shared& shared, bool cut, u32 likes, bool last, double2 (&crossings)[2], Tally& tally) {
    const u32 lane = threadIdx.x % 32, group = lane / LANES, side = lane % LANES / 4, place = lane % 4;
    const Sample* corners = shared.corners[group];
    Sample* bracket = shared.brackets[group][side];
    if (cut && place < 2) {
        u32 changes = (likes ^ (likes >> 1 | likes << 3)) & 15;
        if (side == 1) changes &= changes - 1;
        const u32 corner = __ffs(changes) - 1;
        bracket[place] = corners[place == 0 ? corner : (corner + 1) % 4];
    }
    __syncwarp();
    bool found = false, failed = false;
    double part = 0.5;
    for (u32 round = 0; round < ROUNDS && __any_sync(FULL, cut && !found && !failed); round++) {
        const bool alive = cut && !found && !failed;
        const Sample &from = bracket[0], &to = bracket[1];
        const double2 at = between(make_double2(from.x, from.y), make_double2(to.x, to.y), (place + 1.0) / DIVIDED);
        const Exit exit = trace(target, launch, s, at.x, at.y, alive, shared.waiting, tally.segments);
        tally.rays += alive;
        Sample* probes = shared.probes[group] + 4 * side;
        if (alive) put(probes[place], exit, at.x, at.y);
        __syncwarp();
        const u32 firsts = of_group(alive && agrees(s, from, probes[place]), group) >> 4 * side & 15;
        const u32 seconds = of_group(alive && agrees(s, to, probes[place]), group) >> 4 * side & 15;
        const u32 before = __ffs(~firsts) - 1;
        failed |= alive && !last && before < 4 && !(seconds >> before & 1);
        __syncwarp();
        if (alive && place == 0 && before > 0) bracket[0] = probes[before - 1];
        if (alive && place == 1 && before < 4) bracket[1] = probes[before];
        __syncwarp();
        if (alive && !failed && round + 1 >= SNAPPED) found = snapped(target, borders, bracket[0], bracket[1], part);
    }
    if (!found) part = 0.5;
    const double2 own = between(make_double2(bracket[0].x, bracket[0].y), make_double2(bracket[1].x, bracket[1].y), part);
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        crossings[i] = make_double2(__shfl_sync(FULL, own.x, group * LANES + 4 * i), __shfl_sync(FULL, own.y, group * LANES + 4 * i));
    }
    return of_group(failed, group) == 0;
}

// Cuts cells whose corners go two ways into two polygons with a ray each, and lists them; false for those that are not as simple, which is only asked for where the cell is not
// the last.
inline bool cut_cells(const Target& target, const u8* borders, const SbrLaunch& launch, u32 number, const Sbr& s, Shared& shared, bool cut, u32 likes, double size, bool last, SbrPart* parts,
                      u64* counters, Tally& tally) {
    const u32 lane = threadIdx.x % 32, group = lane / LANES, own = lane % LANES;
    double2 crossings[2];
    cut &= cross_sides(target, borders, launch, s, shared, cut, likes, last, crossings, tally);
    // Lanes 0 and 1 look on both sides of the middle of the cut, 2 and 3 take the parts.
    const Sample* corners = shared.corners[group];
    const u32 other = likes == 15 ? 0 : __ffs(~likes) - 1;
    const Sample& way = corners[own % 2 == 0 ? 0 : other];
    Polygon part = {};
    if (cut) part = polygon(corners, likes, own % 2 == 0, crossings);
    const double x = crossings[1].x - crossings[0].x, y = crossings[1].y - crossings[0].y, length = hypot(x, y);
    double area;
    double2 at = centroid(part, area);
    bool alive = way.bounces > 0 && area >= LEAST_PART;
    if (own < 2) {
        alive = !last && length >= BESIDE * size;
        // Which side is whose follows from where the corner lies.
        const bool left = x * (way.y - crossings[0].y) - y * (way.x - crossings[0].x) > 0.0;
        const double step = (left ? BESIDE : -BESIDE) * size / length;
        const double2 middle = between(crossings[0], crossings[1], 0.5);
        at = make_double2(middle.x - step * y, middle.y + step * x);
    }
    alive &= cut && own < 4;
    const Exit exit = trace(target, launch, s, at.x, at.y, alive, shared.waiting, tally.segments);
    tally.rays += alive;
    Sample& probe = shared.probes[group][own];
    if (alive) put(probe, exit, at.x, at.y);
    const bool right = !alive || agrees(s, way, probe);
    cut &= of_group(right, group) == 0xff;
    if (cut && alive && own >= 2) list(launch, number, s, exit, at, &part, 1.0, parts, counters, tally);
    return cut;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    sbr_cells(const SbrLaunch* launches, const float4* nodes, const double* corners, const double* normals, const u32* numbers, const u8* borders, const u64* masks,
              const u64* cells, u64* children, SbrPart* parts, u64* counters, const u32 level, const u32 begin, const Sbr s) {
    __shared__ Shared shared_of[WARPS];
    Shared& shared = shared_of[threadIdx.x / 32];
    const Target target = {nodes, corners, normals, numbers};
    const u32 lane = threadIdx.x % 32, group = lane / LANES, own = lane % LANES;
    const u64 count = level == 0 ? counters[CELLS_0] : min(counters[CELLS_0 + level], static_cast<u64>(s.capacity));
    const double size = 1.0 / (1u << level);
    const bool last = level == s.levels;
    Tally tally = {};
    const u64 step = static_cast<u64>(gridDim.x) * WARPS * GROUPS;
    for (u64 first = begin + (static_cast<u64>(blockIdx.x) * WARPS + threadIdx.x / 32) * GROUPS; first < count; first += step) {
        const bool is = first + group < count;
        const u64 cell = cells[is ? first + group : first];
        const u32 number = cell >> 50, y = cell >> 25 & 0x1ffffff, x = cell & 0x1ffffff;
        const SbrLaunch& launch = launches[number];
        State state = is ? CUT : NOTHING;
        if (is && level < MASKED && !last) {
            const u32 column = x >> level, row = (y >> level) - 16 * launch.first_tile_row;
            const u64 mask = masks[launch.first_cell + static_cast<u64>(row) * launch.columns + column];
            if (masked(mask, level, x & ((1u << level) - 1), y & ((1u << level) - 1)) != 0) state = QUARTERED;
        }
        // Corners, counterclockwise, and the centre.
        const double left = own == 4 ? 0.5 : own == 1 || own == 2 ? 1.0 : 0.0, low = own == 4 ? 0.5 : own == 2 || own == 3 ? 1.0 : 0.0;
        const double2 at = make_double2((x + left) * size, (y + low) * size);
        bool alive = state == CUT && own <= 4;
        const Exit exit = trace(target, launch, s, at.x, at.y, alive, shared.waiting, tally.segments);
        tally.rays += alive;
        Sample* around = shared.corners[group];
        put(around[own], exit, at.x, at.y);
        __syncwarp();
        const u32 corner = own < 4 ? own : 0;
        const u32 likes = of_group(agrees(s, around[0], around[corner]), group) & 15, nears = of_group(agrees(s, around[4], around[corner]), group) & 15;
        const u32 other = likes == 15 ? 0 : __ffs(~likes) - 1;
        const u32 same = (of_group(agrees(s, around[other], around[corner]), group) | likes) & 15;
        const u32 changes = __popc((likes ^ (likes >> 1 | likes << 3)) & 15);
        if (state == CUT && likes == 15) state = last || nears == 15 ? WHOLE : QUARTERED;
        const State failed = last ? WHOLE : QUARTERED;
        if (state == WHOLE && own == 4) list(launch, number, s, exit, at, nullptr, size, parts, counters, tally);
        if (state == WHOLE) state = NOTHING;
        if (state == CUT && (changes != 2 || same != 15)) state = failed;
        if (__any_sync(FULL, state == CUT)) {
            const bool done = cut_cells(target, borders, launch, number, s, shared, state == CUT, likes, size, last, parts, counters, tally);
            if (state == CUT) state = done ? NOTHING : failed;
        }
        // The centre counts for the whole; its ray is not kept so long.
        alive = state == WHOLE && own == 4;
        if (__any_sync(FULL, alive)) {
            const Exit again = trace(target, launch, s, at.x, at.y, alive, shared.waiting, tally.segments);
            tally.rays += alive;
            if (alive) list(launch, number, s, again, at, nullptr, size, parts, counters, tally);
        }
        if (state == QUARTERED) {
            tally.split += own == 0;
            u64 slot = own == 0 ? atomicAdd(counters + CELLS_0 + level + 1, 4ull) : 0;
            slot = __shfl_sync(0xffu << group * LANES, slot, group * LANES) + own;
            if (own < 4 && slot < s.capacity) {
                children[slot] = static_cast<u64>(number) << 50 | static_cast<u64>(2 * y + own / 2) << 25 | (2 * x + own % 2);
            }
        }
        __syncwarp();
    }
    ::tally(counters, RAYS, tally.rays), ::tally(counters, SEGMENTS, tally.segments), ::tally(counters, TUBES_DONE, tally.tubes);
    ::tally(counters, CUT_TUBES, tally.cut), ::tally(counters, SPLIT, tally.split);
}

// Below this phase across a polygon its integral by edges loses digits, as in po.rs.
constexpr double SMALL_PHASE = 1e-3;

inline double2 wave(double phase) {
    double sine, cosine;
    sincos(phase, &sine, &cosine);
    return make_double2(cosine, sine);
}

// Integral of exp(j (w_x a + w_y b)) over a polygon.
inline double2 integral(const SbrPart& part, double wx, double wy) {
    double2 sum = make_double2(0.0, 0.0);
    double longest = 0.0;
    for (u32 i = 0; i < part.count; i++) {
        const u32 next = i + 1 < part.count ? i + 1 : 0;
        longest = fmax(longest, hypot(part.corners[next][0] - part.corners[i][0], part.corners[next][1] - part.corners[i][1]));
    }
    const double squared = wx * wx + wy * wy;
    const auto phase = [&](u32 i, u32 j) { return 0.5 * (wx * (part.corners[i][0] + part.corners[j][0]) + wy * (part.corners[i][1] + part.corners[j][1])); };
    if (sqrt(squared) * longest < SMALL_PHASE) {
        for (u32 i = 1; i + 1 < part.count; i++) {
            const double ax = part.corners[i][0] - part.corners[0][0], ay = part.corners[i][1] - part.corners[0][1];
            const double bx = part.corners[i + 1][0] - part.corners[0][0], by = part.corners[i + 1][1] - part.corners[0][1];
            sum = sum + ((ax * by - ay * bx) / 6.0) * (wave(phase(0, i)) + wave(phase(i, i + 1)) + wave(phase(i + 1, 0)));
        }
        return sum;
    }
    for (u32 i = 0; i < part.count; i++) {
        const u32 next = i + 1 < part.count ? i + 1 : 0;
        const double x = part.corners[next][0] - part.corners[i][0], y = part.corners[next][1] - part.corners[i][1];
        sum = sum + (wx * y - wy * x) * sinc(0.5 * (wx * x + wy * y)) * wave(phase(i, next));
    }
    // Over j times the square.
    return make_double2(sum.y / squared, -sum.x / squared);
}

// What all parts radiate; a thread for a part.
extern "C" __global__ void __launch_bounds__(128)
    sbr_parts(const SbrLaunch* launches, const SbrPart* parts, const SbrReceiver* receivers, const double* waves, i64* sums, const u64* counters, const Sbr s) {
    const u64 count = min(counters[PARTS], static_cast<u64>(s.parts));
    const u64 threads = static_cast<u64>(gridDim.x) * blockDim.x;
    // All lanes of a warp stay together, so that they can add.
    for (u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x / 32 * 32; first < count; first += threads) {
        const u64 i = first + threadIdx.x % 32;
        const bool is = i < count;
        const SbrPart& part = parts[is ? i : first];
        const SbrLaunch& launch = launches[part.launch];
        const bool together = __reduce_max_sync(FULL, part.launch) == __reduce_min_sync(FULL, part.launch);
        for (u32 r = 0; r < s.receivers; r++) {
            const double whole = part.count == 0 ? part.corners[0][0] : 1.0;
            const Tube seen = tube(vec(part.place), vec(part.direction), vec(part.normal), vec(part.u), vec(part.v), vec(part.fields[0]), vec(part.fields[1]),
                                   part.path, receivers[launch.direction + r], whole, whole);
            for (u32 f = 0; f < s.frequencies; f++) {
                double2 value = footprint(seen, waves[f]);
                if (part.count > 0) {
                    value = times(integral(part, 2.0 * waves[f] * seen.u, 2.0 * waves[f] * seen.v), turned(waves[f] * seen.path));
                }
                i64* to = sums + (static_cast<u64>(launch.direction + r) * s.frequencies + f) * ENTRIES;
                for (u32 k = 0; k < ENTRIES; k++) {
                    const double entry = seen.pattern[k / 2] * (k % 2 == 0 ? value.x : value.y);
                    i64 own = is ? quanta(entry, 1.0 / launch.quantum) : 0;
                    if (together) own = sum(own);
                    if (together ? threadIdx.x % 32 == 0 : is) add(to + k, own);
                }
            }
        }
    }
}
