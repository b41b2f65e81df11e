// Rays of cells that part; see sbr_cells.cuh.

#include "sbr_cells.cuh"
#include "sbr_lists.cuh"

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

// Few registers, so that many warps wait for memory at once.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 8)
    sbr_first(const SbrLaunch* launches, const float4* nodes, const double* corners, const double* normals, const u32* numbers, const uint2* tiles, const float4* entries, const u32* firsts,
              const SbrSeed* seeds, const u64* cells, const SbrRay* kept, SbrRay* rays, SbrCell* states, u32* open, SbrPart* parts, u64* counters, const u32 level, const u32 begin, const Sbr s) {
    __shared__ Waiting waiting[WARPS];
    const Target target = {nodes, corners, normals, numbers};
    const Group group;
    const u32 own = group.own, place = group.first / LANES;
    const u64 count = level == 0 ? counters[CELLS_0] - begin : min(counters[CELLS_0 + level], static_cast<u64>(s.capacity));
    u32 count_rays = 0, segments = 0;
    Out out = {s, parts, nullptr, counters, level};
    const u64 step = static_cast<u64>(gridDim.x) * WARPS * GROUPS;
    // All cells of a warp stay together, since their rays walk together.
    for (u64 first = (static_cast<u64>(blockIdx.x) * WARPS + threadIdx.x / 32) * GROUPS; first < count; first += step) {
        const bool is = first + place < count;
        const u64 number = is ? first + place : first, packed = cells[begin + number];
        const Cell cell(packed, level);
        const SbrLaunch& launch = launches[cell.launch];
        // Corners, counterclockwise, and the centre.
        const double left = own == CENTRE ? 0.5 : own == 1 || own == 2 ? 1.0 : 0.0, low = own == CENTRE ? 0.5 : own == 2 || own == 3 ? 1.0 : 0.0;
        double2 at = make_double2((cell.x + left) * cell.size, (cell.y + low) * cell.size);
        const u32 column = cell.x >> level, row = (cell.y >> level) - SIDE * launch.first_tile_row;
        const u32 seeds_of_cell = firsts[launch.first_cell + static_cast<u64>(row) * launch.columns + column];
        // Tiles have found that these part.
        const bool known = level == 0 && begin + number < s.kept && seeds_of_cell == 0;
        bool has = is && !known;
        if (own > CENTRE) has = is && seed(seeds, seeds_of_cell, cell, own - CENTRE - 1, at, s);
        SbrRay ray;
        if (known && own <= CENTRE) ray = kept[RAYS_KEPT * (begin + number) + own];
        bool whole = false;
        if (__any_sync(0xffffffff, has)) {
            SbrRay traced;
            const List list(tiles, entries, launch, column / SIDE, row / SIDE);
            const Exit exit = trace(target, launch, list, s, at.x, at.y, has, waiting[threadIdx.x / 32], segments, traced.facets);
            traced.x = at.x, traced.y = at.y, traced.met = exit.met, traced.cut = exit.cut;
            count_rays += has;
            whole = all_agree(group, s, exit, at, has) && !known;
            if (has) ray = traced;
        }
        if (!has && !(known && own <= CENTRE)) ray.met = NO_RAY;
        if (!is) continue;
        if (whole) {
            if (own == CENTRE) out.whole(ray, cell);
            continue;
        }
        rays[number * RAYS_OF_CELL + own] = ray;
        if (own == 0) {
            SbrCell& state = states[number];
            state.cell = packed, state.rays = 0, state.pieces = 0, state.state = 0;
            out.enlist(open, OPEN, number);
        }
    }
    tally(counters, RAYS, count_rays), tally(counters, SEGMENTS, segments);
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 8)
    sbr_beyond(const SbrLaunch* launches, const float4* nodes, const double* corners, const double* normals, const u32* numbers, const uint2* tiles, const float4* entries,
               SbrRay* rays, const SbrCell* states, const u32* looking, u64* counters, const u32 level, const u32 round, const Sbr s) {
    const Target target = {nodes, corners, normals, numbers};
    u32 count_rays = 0, segments = 0;
    const u64 count = counters[AT_WORK + STAGES * level + LOOKING + round], step = static_cast<u64>(gridDim.x) * blockDim.x;
    for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
        const u32 number = looking[i];
        const Cell cell(states[number / RAYS_OF_CELL].cell, level);
        const SbrLaunch& launch = launches[cell.launch];
        const List list(tiles, entries, launch, (cell.x >> level) / SIDE, (cell.y >> level) / SIDE - launch.first_tile_row);
        SbrRay ray = rays[number];
        const Exit exit = trace_alone(target, launch, list, s, ray.x, ray.y, segments, ray.facets);
        ray.met = exit.met, ray.cut = exit.cut;
        rays[number] = ray;
        count_rays++;
    }
    tally(counters, RAYS, count_rays), tally(counters, SEGMENTS, segments);
}
