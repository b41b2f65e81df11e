// Pieces of cells that part; see sbr_cells.cuh.

#include "sbr_cells.cuh"

// As in tile.rs.
constexpr double CLOSED = 1e-6, BEYOND = 1e-3, LEAST_EDGE = 1e-6, LITTLE = 1.0 / 256.0;
constexpr u32 MOST_AT_FIRST = 4;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    sbr_ways(const SbrRay* rays, SbrCell* states, const u32* open, u32* pieces, u64* children, SbrPart* parts, u64* counters, const u32 level, const u32 round, const Sbr s) {
    const Group group;
    Out out = {s, parts, children, counters, level};
    const u64 count = *out.counter(OPEN + round), step = static_cast<u64>(gridDim.x) * WARPS * GROUPS;
    for (u64 i = (static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x) / LANES; i < count; i += step) {
        const u32 number = open[i];
        SbrCell& state = states[number];
        const SbrRay* of_cell = rays + static_cast<u64>(number) * RAYS_OF_CELL;
        const SbrRay ray = of_cell[LANES * round + group.own];
        bool is_new = ray.met != 0 && ray.met != NO_RAY;
        // Ways of earlier rounds are those of pieces.
        for (u32 k = 0; k < state.pieces && is_new; k++) is_new = !same(of_cell[state.rays >> 8 * k & 0xff], ray);
        for (u32 k = 0; k < group.own && is_new; k++) is_new = !same(of_cell[LANES * round + k], ray);
        const u32 found = group.ballot(is_new), gap = group.ballot(ray.met == 0);
        if (group.own != 0) continue;
        const u32 known = state.pieces, all = known + __popc(found);
        state.state |= gap != 0 ? GAP : 0;
        if (all > (round == 0 ? MOST_AT_FIRST : MOST_PIECES)) {
            state.state |= MANY;
            out.unknown(of_cell, Cell(state.cell, level));
            continue;
        }
        u64 which = state.rays;
        u32 place = known;
        for (u32 bits = found; bits != 0; bits &= bits - 1, place++) which |= static_cast<u64>(LANES * round + __ffs(bits) - 1) << 8 * place;
        state.rays = which, state.pieces = all;
        out.enlist(pieces, PIECES + round, number * MOST_PIECES + known, all - known);
    }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 5)
    sbr_regions(const SbrLaunch* launches, const double* corners, const double* normals, const SbrRay* rays, SbrCell* states, const u32* pieces, SbrPolygon* regions,
                const u64* counters, const u32 level, const u32 round) {
    const Target target = {nullptr, corners, normals, nullptr};
    const u64 count = counters[AT_WORK + STAGES * level + PIECES + round], step = static_cast<u64>(gridDim.x) * blockDim.x;
    for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
        const u32 number = pieces[i] / MOST_PIECES, piece = pieces[i] % MOST_PIECES;
        SbrCell& state = states[number];
        const Cell cell(state.cell, level);
        const SbrRay ray = rays[static_cast<u64>(number) * RAYS_OF_CELL + (state.rays >> 8 * piece & 0xff)];
        Polygon polygon;
        region(target, launches[cell.launch], ray, cell.middle, cell.size, polygon);
        state.areas[piece] = polygon.area();
        SbrPolygon& to = regions[pieces[i]];
        to.count = polygon.count;
        for (u32 k = 0; k < polygon.count; k++) to.corners[k] = polygon.corners[k];
    }
}

// A place just beyond the middle of an edge of a polygon around a ray; false: it is short, or a side of the cell.
inline bool beyond(const Cell& cell, const SbrRay& ray, double2 a, double2 b, double2& at) {
    const double x = __dsub_rn(b.x, a.x), y = __dsub_rn(b.y, a.y), side = __dmul_rn(0.5 * cell.size, 1.0 - CLOSED);
    const double dx = __dsub_rn(ray.x, cell.middle.x), dy = __dsub_rn(ray.y, cell.middle.y);
    const auto on_side = [&](double a, double b) { return (a >= side && b >= side) || (a <= -side && b <= -side); };
    if (fmax(fabs(x), fabs(y)) < LEAST_EDGE * cell.size) return false;
    if (on_side(__dadd_rn(a.x, dx), __dadd_rn(b.x, dx)) || on_side(__dadd_rn(a.y, dy), __dadd_rn(b.y, dy))) return false;
    at.x = __dadd_rn(__dadd_rn(ray.x, __dmul_rn(0.5, __dadd_rn(a.x, b.x))), __dmul_rn(BEYOND, y));
    at.y = __dsub_rn(__dadd_rn(ray.y, __dmul_rn(0.5, __dadd_rn(a.y, b.y))), __dmul_rn(BEYOND, x));
    return true;
}

// Numbers of the lanes before this one, and of all.
inline uint2 before(const Group& group, u32 own) {
    u32 sum = own;
#pragma unroll
    for (u32 step = 1; step < LANES; step *= 2) {
        const u32 other = __shfl_up_sync(group.mask, sum, step, LANES);
        if (group.own >= step) sum += other;
    }
    return make_uint2(sum - own, group.get(sum, LANES - 1));
}

// Lists rays that look beyond the edges of a piece: how many of the cell's there are.
inline u32 look(const Group& group, const Cell& cell, const SbrRay& ray, const SbrPolygon& region, bool is_new, SbrRay* next) {
    const auto edge = [&](u32 i, double2& at) { return beyond(cell, ray, region.corners[i], region.corners[i + 1 < region.count ? i + 1 : 0], at); };
    // As bits.
    u32 looks = 0;
    double2 at;
    for (u32 i = 0; is_new && i < region.count; i++) looks |= edge(i, at) << i;
    const uint2 edges = before(group, __popc(looks));
    if (next == nullptr || edges.y > LANES) return edges.y;
    if (group.own >= edges.y) next[group.own].met = NO_RAY;
    for (u32 slot = edges.x; looks != 0; looks &= looks - 1, slot++) {
        edge(__ffs(looks) - 1, at);
        next[slot].x = at.x, next[slot].y = at.y;
    }
    return edges.y;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 8)
    sbr_edges(SbrRay* rays, const SbrCell* states, const SbrPolygon* regions, const u32* open, u32* next, u32* looking, u32* taking, u32* known, u64* children, SbrPart* parts,
              u64* counters, const u32 level, const u32 round, const Sbr s) {
    const Group group;
    Out out = {s, parts, children, counters, level};
    const u64 count = *out.counter(OPEN + round), step = static_cast<u64>(gridDim.x) * WARPS * GROUPS;
    for (u64 i = (static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x) / LANES; i < count; i += step) {
        const u32 number = open[i];
        const SbrCell& state = states[number];
        if (state.state & MANY) continue;
        const Cell cell(state.cell, level);
        SbrRay* of_cell = rays + static_cast<u64>(number) * RAYS_OF_CELL;
        // A lane has a piece.
        const bool is = group.own < state.pieces;
        const u32 which = state.rays >> 8 * group.own & 0xff;
        const SbrPolygon& region = regions[static_cast<u64>(number) * MOST_PIECES + group.own];
        const double area = is ? state.areas[group.own] : 0.0;
        const bool is_new = is && which >= LANES * round;
        double sum = 0.0, last = 0.0;
        const u32 news = group.ballot(is_new);
        for (u32 k = 0; k < state.pieces; k++) {
            const double part = group.get(area, k);
            sum = __dadd_rn(sum, part);
            if (news >> k & 1) last = __dadd_rn(last, part);
        }
        if (fabs(__dsub_rn(cell.whole(), sum)) <= __dmul_rn(CLOSED, cell.whole())) {
            u32 listed = NO_PART;
            if (is && area > cell.least()) out.polygon(of_cell[which], cell, region.corners, region.count, true, false, listed);
            continue;
        }
        const u32 edges = look(group, cell, of_cell[which], region, is_new, round == ROUNDS ? nullptr : of_cell + LANES * (round + 1));
        if (group.own != 0) continue;
        if (edges == 0 || (round == ROUNDS && last <= __dmul_rn(LITTLE, cell.whole()))) {
            out.enlist(taking, TAKING, number * MOST_PIECES, state.pieces);
            out.enlist(known, KNOWN, number);
        } else if (edges > LANES || round == ROUNDS) {
            out.unknown(of_cell, cell);
        } else {
            out.enlist(next, OPEN + round + 1, number);
            out.enlist(looking, LOOKING + round + 1, number * RAYS_OF_CELL + LANES * (round + 1), edges);
        }
    }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    sbr_take(const SbrLaunch* launches, const double* corners, const double* normals, const SbrRay* rays, SbrCell* states, const SbrPolygon* regions, const u32* taking,
             SbrPart* parts, u64* counters, const u32 level, const Sbr s) {
    const Target target = {nullptr, corners, normals, nullptr};
    Out out = {s, parts, nullptr, counters, level};
    const u64 count = *out.counter(TAKING), step = static_cast<u64>(gridDim.x) * blockDim.x;
    for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
        const u32 number = taking[i] / MOST_PIECES, piece = taking[i] % MOST_PIECES;
        SbrCell& state = states[number];
        const SbrRay* of_cell = rays + static_cast<u64>(number) * RAYS_OF_CELL;
        const SbrRay& ray = of_cell[state.rays >> 8 * piece & 0xff];
        const Cell cell(state.cell, level);
        const SbrLaunch& launch = launches[cell.launch];
        const SbrPolygon& region = regions[taking[i]];
        Polygon whole;
        whole.count = region.count;
        for (u32 k = 0; k < region.count; k++) whole.corners[k] = region.corners[k];
        double area = state.areas[piece];
        const Partings partings(ray, of_cell, state.rays, state.pieces);
        // What stands before a piece is listed at once, since there are few cells of which this is not all.
        u32 last = NO_PART;
        const auto with = [&](const Polygon& polygon, double part, bool is_taken) {
            area = is_taken ? __dsub_rn(area, part) : __dadd_rn(area, part);
            out.polygon(ray, cell, polygon.corners, polygon.count, false, is_taken, last);
        };
        share(target, launch, ray, partings, whole, cell.least(), with);
        if (area > cell.least()) out.polygon(ray, cell, whole.corners, whole.count, true, false, last);
        else out.withdraw(last);
        state.areas[piece] = area, state.last[piece] = last;
    }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    sbr_decide(const SbrRay* rays, const SbrCell* states, const u32* known, u64* children, SbrPart* parts, u64* counters, const u32 level, const Sbr s) {
    Out out = {s, parts, children, counters, level};
    const u64 count = *out.counter(KNOWN), step = static_cast<u64>(gridDim.x) * blockDim.x;
    for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
        const SbrCell& state = states[known[i]];
        const Cell cell(state.cell, level);
        double sum = 0.0;
        for (u32 k = 0; k < state.pieces; k++) sum = __dadd_rn(sum, state.areas[k]);
        const double left = __dsub_rn(cell.whole(), sum);
        if (fabs(left) <= __dmul_rn(CLOSED, cell.whole()) || (state.state & GAP && left > 0.0)) continue;
        for (u32 k = 0; k < state.pieces; k++) out.withdraw(state.last[k]);
        out.unknown(rays + static_cast<u64>(known[i]) * RAYS_OF_CELL, cell);
    }
}
