// Cells of the launch grid whose corners part: pipeline/src/solvers/sbr/tile.rs on the card. Eight lanes for a cell: it radiates as a whole or in pieces, or is
// quartered into the list of the next level. What radiates is listed, too, and added up by sbr_parts.

#include "sbr.cuh"
#include "sbr_pieces.cuh"

// As in tile.rs.
constexpr double CLOSED = 1e-6, BEYOND = 1e-3, LEAST_EDGE = 1e-6, LITTLE = 1.0 / 256.0;
constexpr u32 ROUNDS = 2, MOST_PIECES = 8, MOST_AT_FIRST = 4;
constexpr u32 FULL = 0xffffffff;
// A warp takes four cells, with eight lanes each: four corners, the centre, and up to three rays in the corners of borders.
constexpr u32 WARPS = 4, GROUPS = 4, CENTRE = 4;
constexpr u32 WAYS = LANES * (ROUNDS + 1);

// A way that a ray found first: all that its facets cover.
struct Piece {
    double2 corners[LANES];
    u32 count;
    u32 ray;
    double area;
    bool over; // something stands before it
};

// What the lanes of a cell look at.
struct Shared {
    Waiting waiting;
    Way ways[GROUPS][WAYS];
    Piece pieces[GROUPS][MOST_PIECES];
    double2 beyond[GROUPS][LANES];
};

// What a thread counts.
struct Tally {
    u32 rays, segments, tubes, cut, split;
};

// A cell at work.
struct Cell {
    double2 middle;
    double size;

    inline double whole() const { return __dmul_rn(size, size); }
    inline double least() const { return __dmul_rn(__dmul_rn(LEAST, size), size); }
    inline bool holds(double2 at) const { return fabs(__dsub_rn(at.x, middle.x)) <= 0.5 * size && fabs(__dsub_rn(at.y, middle.y)) <= 0.5 * size; }
};

// Where what radiates is listed.
struct Out {
    const Sbr& s;
    SbrPart* parts;
    u64* counters;

    // A ray, whose lane calls; its number, which may be beyond the list's end.
    inline u64 add(const SbrLaunch& launch, u32 number, const Exit& exit, u32 corners, double size) {
        const u64 slot = atomicAdd(counters + PARTS, 1ull);
        if (slot >= s.parts) return slot;
        SbrPart& part = parts[slot];
        store(part.place, exit.place), store(part.direction, exit.direction), store(part.normal, exit.normal);
        store(part.u, exit.u()), store(part.v, exit.v());
        store(part.fields[0], field(exit, launch.fields[0])), store(part.fields[1], field(exit, launch.fields[1]));
        part.path = exit.path, part.launch = number, part.count = corners;
        if (corners == 0) part.corners[0][0] = size;
        return slot;
    }

    // A polygon around the ray of a lane; the other way round where it counts less than nothing.
    inline void add(const Group& group, const SbrLaunch& launch, u32 number, u32 lane, const Exit& exit, const Polygon& polygon, bool reversed) {
        u64 slot = 0;
        if (group.own == lane) slot = add(launch, number, exit, polygon.count, 1.0);
        slot = group.get(slot, lane);
        if (slot >= s.parts || group.own >= polygon.count) return;
        double* to = parts[slot].corners[reversed ? polygon.count - 1 - group.own : group.own];
        to[0] = polygon.corner.x, to[1] = polygon.corner.y;
    }
};

// Whether the rays of a cell's lanes go the way of its centre.
inline bool all_agree(const Group& group, const Sbr& s, const Exit& exit, double2 at, bool is) {
    const auto of_centre = [&](Vec mine) { return Vec{group.get(mine.x, CENTRE), group.get(mine.y, CENTRE), group.get(mine.z, CENTRE)}; };
    const double a = __dsub_rn(at.x, group.get(at.x, CENTRE)), b = __dsub_rn(at.y, group.get(at.y, CENTRE));
    const Vec place = of_centre(exit.place), u = of_centre(exit.u()), v = of_centre(exit.v()), direction = of_centre(exit.direction);
    const bool agrees = agree(s, place + u * a + v * b, direction, group.get(exit.bounces, CENTRE), exit.place, exit.direction, exit.bounces);
    return group.ballot(!is || agrees) == 0xff;
}

// Where the k-th seed of a cell is; false: it has not as many.
inline bool seed(const SbrSeed* seeds, u32 first, const Cell& cell, u32 k, double2& at, const Sbr& s) {
    if (first == 0) return false;
    for (u32 i = first - 1; i < s.seeds && seeds[i].cell == seeds[first - 1].cell; i++) {
        at = make_double2(seeds[i].x, seeds[i].y);
        if (cell.holds(at) && k-- == 0) return true;
    }
    return false;
}

// A place just beyond the middle of an edge of a polygon around a ray; false: it is short, or a side of the cell.
inline bool beyond(const Cell& cell, const Way& way, double2 a, double2 b, double2& at) {
    const double x = __dsub_rn(b.x, a.x), y = __dsub_rn(b.y, a.y), side = __dmul_rn(0.5 * cell.size, 1.0 - CLOSED);
    const double dx = __dsub_rn(way.x, cell.middle.x), dy = __dsub_rn(way.y, cell.middle.y);
    const auto on_side = [&](double a, double b) { return (a >= side && b >= side) || (a <= -side && b <= -side); };
    if (fmax(fabs(x), fabs(y)) < LEAST_EDGE * cell.size) return false;
    if (on_side(__dadd_rn(a.x, dx), __dadd_rn(b.x, dx)) || on_side(__dadd_rn(a.y, dy), __dadd_rn(b.y, dy))) return false;
    at.x = __dadd_rn(__dadd_rn(way.x, __dmul_rn(0.5, __dadd_rn(a.x, b.x))), __dmul_rn(BEYOND, y));
    at.y = __dsub_rn(__dadd_rn(way.y, __dmul_rn(0.5, __dadd_rn(a.y, b.y))), __dmul_rn(BEYOND, x));
    return true;
}

// The pieces of a cell so far.
struct Pieces {
    u32 count, edges; // edges to look beyond
    double sum;       // of areas
    double found;     // of those that were found last
    bool gap;         // a ray met nothing
};

// Adds the regions of the ways that a round of rays has found, and places beyond their edges; false: there are too many.
inline bool add_regions(const Group& group, const Target& target, const SbrLaunch& launch, Shared& shared, const Cell& cell, u32 round, Pieces& pieces) {
    const Way* ways = shared.ways[group.first / LANES];
    const Way& newest = ways[LANES * round + group.own];
    bool is_new = newest.length != 0 && newest.length != NO_RAY;
    for (u32 i = 0; i < LANES * round + group.own && is_new; i++) is_new = !same(ways[i], newest);
    pieces.gap |= group.ballot(newest.length == 0) != 0;
    pieces.edges = 0, pieces.found = 0.0;
    u32 found = group.ballot(is_new);
    if (pieces.count + __popc(found) > (round == 0 ? MOST_AT_FIRST : MOST_PIECES)) return false;
    for (; found != 0; found &= found - 1) {
        const u32 ray = LANES * round + __ffs(found) - 1;
        const Polygon polygon = region(group, target, launch, ways[ray], cell.middle, cell.size);
        const double area = polygon.area(group);
        Piece& piece = shared.pieces[group.first / LANES][pieces.count++];
        piece.corners[group.own] = polygon.corner, piece.count = polygon.count, piece.ray = ray, piece.area = area, piece.over = false;
        pieces.sum = __dadd_rn(pieces.sum, area), pieces.found = __dadd_rn(pieces.found, area);
        const u32 after = polygon.next(group.own);
        const double2 end = make_double2(group.get(polygon.corner.x, after % LANES), group.get(polygon.corner.y, after % LANES));
        double2 at;
        const bool looks = group.own < polygon.count && beyond(cell, ways[ray], polygon.corner, end, at);
        const u32 edges = group.ballot(looks), place = pieces.edges + __popc(edges & ((1u << group.own) - 1));
        if (looks && place < LANES) shared.beyond[group.first / LANES][place] = at;
        pieces.edges += __popc(edges);
    }
    __syncwarp(group.mask);
    return true;
}

// Takes from all regions what stands before them: the sum of what is left.
inline double take(const Group& group, const Target& target, const SbrLaunch& launch, Shared& shared, const Cell& cell, u32 rays, const Pieces& pieces) {
    const Way* ways = shared.ways[group.first / LANES];
    double sum = 0.0;
    for (u32 i = 0; i < pieces.count; i++) {
        Piece& piece = shared.pieces[group.first / LANES][i];
        const Partings partings(group, ways[piece.ray], ways, rays);
        double area = piece.area;
        bool over = false;
        auto less = [&](const Polygon&, double part, bool is_taken) { area = is_taken ? __dsub_rn(area, part) : __dadd_rn(area, part), over = true; };
        const Polygon region = {piece.corners[group.own], piece.count};
        share(group, target, launch, ways[piece.ray], partings, partings.count, region, cell.least(), less);
        __syncwarp(group.mask);
        piece.area = area, piece.over = over;
        sum = __dadd_rn(sum, area);
    }
    __syncwarp(group.mask);
    return sum;
}

// The pieces of the cells that are `alive`, as rays find them, and lists those of cells that are all of it; whether this one is.
inline bool list_pieces(const Group& group, const Target& target, const SbrLaunch& launch, u32 number, const Sbr& s, Shared& shared, const Cell& cell, const Exit& first,
                        bool alive, Out& out, Tally& tally) {
    const double little = __dmul_rn(CLOSED, cell.whole());
    Way* ways = shared.ways[group.first / LANES];
    Exit exits[ROUNDS + 1];
    exits[0] = first;
    Pieces pieces = {0, 0, 0.0, 0.0, false};
    bool done = false, taking = false;
    u32 rays = 0;
    for (u32 round = 0; round <= ROUNDS && __any_sync(FULL, alive); round++) {
        if (alive) {
            rays = LANES * (round + 1);
            alive = add_regions(group, target, launch, shared, cell, round, pieces);
            if (alive && fabs(__dsub_rn(cell.whole(), pieces.sum)) <= little) done = true, alive = false;
            const bool seen = pieces.edges == 0 || (round == ROUNDS && pieces.found <= __dmul_rn(LITTLE, cell.whole()));
            if (alive && seen) taking = true, alive = false;
            if (pieces.edges > LANES || round == ROUNDS) alive = false;
        }
        __syncwarp();
        if (round == ROUNDS) break;
        const bool looks = alive && group.own < pieces.edges;
        const double2 at = shared.beyond[group.first / LANES][group.own];
        Way& next = ways[LANES * (round + 1) + group.own];
        exits[round + 1] = trace(target, launch, s, at.x, at.y, looks, shared.waiting, tally.segments, next.facets);
        next.x = at.x, next.y = at.y, next.length = looks ? exits[round + 1].met : NO_RAY;
        tally.rays += looks;
        __syncwarp();
    }
    if (taking) {
        const double left = __dsub_rn(cell.whole(), take(group, target, launch, shared, cell, rays, pieces));
        done = fabs(left) <= little || (pieces.gap && left > 0.0);
    }
    for (u32 i = 0; done && i < pieces.count; i++) {
        const Piece& piece = shared.pieces[group.first / LANES][i];
        const u32 lane = piece.ray % LANES;
        const Exit& exit = exits[piece.ray / LANES];
        if (piece.area <= cell.least() || group.get(exit.bounces, lane) == 0) continue;
        if (group.own == lane) tally.tubes++, tally.cut += exit.cut;
        const Polygon region = {piece.corners[group.own], piece.count};
        out.add(group, launch, number, lane, exit, region, false);
        if (!piece.over) continue;
        const Partings partings(group, ways[piece.ray], ways, rays);
        auto list = [&](const Polygon& polygon, double, bool is_taken) { out.add(group, launch, number, lane, exit, polygon, is_taken); };
        share(group, target, launch, ways[piece.ray], partings, partings.count, region, cell.least(), list);
    }
    __syncwarp();
    return done;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    sbr_cells(const SbrLaunch* launches, const float4* nodes, const double* corners, const double* normals, const u32* numbers, const u32* firsts, const SbrSeed* seeds,
              const u64* cells, u64* children, SbrPart* parts, u64* counters, const u32 level, const u32 begin, const Sbr s) {
    __shared__ Shared shared_of[WARPS];
    Shared& shared = shared_of[threadIdx.x / 32];
    const Target target = {nodes, corners, normals, numbers};
    const Group group;
    const u32 own = group.own, place = group.first / LANES;
    const u64 count = level == 0 ? counters[CELLS_0] : min(counters[CELLS_0 + level], static_cast<u64>(s.capacity));
    const bool last = level == s.levels;
    Tally tally = {};
    Out out = {s, parts, counters};
    const u64 step = static_cast<u64>(gridDim.x) * WARPS * GROUPS;
    for (u64 first = begin + (static_cast<u64>(blockIdx.x) * WARPS + threadIdx.x / 32) * GROUPS; first < count; first += step) {
        const bool is = first + place < count;
        const u64 packed = cells[is ? first + place : first];
        const u32 number = packed >> 50, y = packed >> 25 & 0x1ffffff, x = packed & 0x1ffffff;
        const SbrLaunch& launch = launches[number];
        Cell cell;
        cell.size = 1.0 / (1u << level);
        cell.middle = make_double2((x + 0.5) * cell.size, (y + 0.5) * cell.size);
        // Corners, counterclockwise, and the centre.
        const double left = own == CENTRE ? 0.5 : own == 1 || own == 2 ? 1.0 : 0.0, low = own == CENTRE ? 0.5 : own == 2 || own == 3 ? 1.0 : 0.0;
        double2 at = make_double2((x + left) * cell.size, (y + low) * cell.size);
        bool ray = is;
        if (own > CENTRE) {
            const u32 column = x >> level, row = (y >> level) - 16 * launch.first_tile_row;
            ray = is && seed(seeds, firsts[launch.first_cell + static_cast<u64>(row) * launch.columns + column], cell, own - CENTRE - 1, at, s);
        }
        Way& way = shared.ways[place][own];
        const Exit exit = trace(target, launch, s, at.x, at.y, ray, shared.waiting, tally.segments, way.facets);
        way.x = at.x, way.y = at.y, way.length = ray ? exit.met : NO_RAY;
        tally.rays += ray;
        __syncwarp();
        bool whole = is & all_agree(group, s, exit, at, ray);
        const bool in_pieces = is && !whole;
        const bool done = list_pieces(group, target, launch, number, s, shared, cell, exit, in_pieces, out, tally);
        const bool failed = in_pieces && !done;
        whole |= failed && last;
        if (whole && own == CENTRE && exit.bounces > 0) {
            tally.tubes++, tally.cut += exit.cut;
            out.add(launch, number, exit, 0, cell.size);
        }
        if (failed && !last) {
            tally.split += own == 0;
            u64 slot = own == 0 ? atomicAdd(counters + CELLS_0 + level + 1, 4ull) : 0;
            slot = group.get(slot, 0) + own;
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
