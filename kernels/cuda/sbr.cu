// Tubes of a launch grid, in tiles of 16 x 16: corners and centres are traced, tubes whose corners go the way of the centre radiate, the others are
// listed for sbr_cells.cu, with these rays as far as there is room for them. Sums are whole numbers of a quantum, so that they do not depend on the order in which blocks come.

#include "sbr_band.cuh"
#include "sbr_lists.cuh"
#include "sums.cuh"

constexpr u32 TUBES = SIDE * SIDE, CORNERS = (SIDE + 1) * (SIDE + 1);
constexpr u32 THREADS = TUBES, WARPS = THREADS / 32;
// Tiles of an item of work, in a row.
constexpr u32 TILES = 8;
// A warp takes 8 x 4 tubes.
constexpr u32 WIDE = 8, TALL = 4;

// Where the rays in the corners of borders begin that each cell has; 0: it has none.
extern "C" __global__ void __launch_bounds__(256) sbr_seeds(const SbrSeed* seeds, u32* firsts, const Sbr s) {
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < s.seeds; i += gridDim.x * blockDim.x) {
        if (i == 0 || seeds[i - 1].cell != seeds[i].cell) firsts[seeds[i].cell] = i + 1;
    }
}

// Corners of a tile's tubes, for neighbours to look at.
struct Corners {
    double place[3][CORNERS];
    double direction[3][CORNERS];
    u32 bounces[CORNERS];
    u32 met[CORNERS];
    bool cut[CORNERS];
    u32 facets[REMEMBERED][CORNERS];
};

inline void store_at(double (&to)[3][CORNERS], u32 i, Vec a) { to[0][i] = a.x, to[1][i] = a.y, to[2][i] = a.z; }
inline Vec load_at(const double (&from)[3][CORNERS], u32 i) { return {from[0][i], from[1][i], from[2][i]}; }

inline void put(Corners& corners, u32 i, const Exit& exit) {
    store_at(corners.place, i, exit.place), store_at(corners.direction, i, exit.direction);
    corners.bounces[i] = exit.bounces, corners.met[i] = exit.met, corners.cut[i] = exit.cut;
}

// A ray as cells have it; its facets are so far from each other.
inline SbrRay ray(double x, double y, u32 met, bool cut, const u32* facets, u32 apart) {
    SbrRay ray;
    ray.x = x, ray.y = y, ray.met = met, ray.cut = cut;
    for (u32 k = 0; k < REMEMBERED; k++) ray.facets[k] = facets[apart * k];
    return ray;
}

// The one at corner i.
inline SbrRay ray(const Corners& corners, u32 i, double x, double y) { return ray(x, y, corners.met[i], corners.cut[i], corners.facets[0] + i, CORNERS); }

// What a block keeps: first corners, then tubes for many frequencies, then their sums.
union Room {
    Corners corners;
    Tube tubes[TUBES];
    double sums[WARPS][ENTRIES];
    struct {
        Tube tubes[WARPS][32];
        double totals[WARPS][2 * LEAST_NODES][ENTRIES + 1]; // an odd number
    } warps;
    struct {
        double parts[ENTRIES][THREADS];
        double nodes[MOST_NODES][ENTRIES];
    } band;
};

// Number of those before this one of the block for which `is` holds, and of all of them.
inline uint2 rank(bool is, u32* counts) {
    const u32 ballot = __ballot_sync(0xffffffff, is), warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) counts[warp] = __popc(ballot);
    __syncthreads();
    uint2 result = make_uint2(__popc(ballot & ((1u << threadIdx.x % 32) - 1)), 0);
    for (u32 i = 0; i < WARPS; i++) {
        if (i < warp) result.x += counts[i];
        result.y += counts[i];
    }
    __syncthreads();
    return result;
}

// A tube, or several that are one.
struct Whole {
    Exit exit;
    double wide, tall; // 0: none
};

// Where all tubes of `across` x `down` of a warp go one way, with paths to a receiver that are no farther apart than `apart`, m, their first stands for all.
inline void merge(const Sbr& s, Whole& whole, Vec u, Vec v, Vec sight, double apart, u32 across, u32 down) {
    // A warp without single tubes has nothing left.
    if (!__any_sync(0xffffffff, whole.wide == 1.0)) return;
    const u32 lane = threadIdx.x % 32, x = lane % WIDE, y = lane / WIDE;
    const u32 leader = y / down * down * WIDE + x / across * across;
    const double dx = x % across, dy = y % down;
    const auto same = [&](double mine) { return __shfl_sync(0xffffffff, mine, leader) == mine; };
    const auto from = [&](double mine) { return __shfl_sync(0xffffffff, mine, leader); };
    const Exit& exit = whole.exit;
    // All lanes take part in all of this.
    bool one = (whole.wide == 1.0) & (__shfl_sync(0xffffffff, exit.bounces, leader) == exit.bounces);
    one &= same(exit.direction.x) & same(exit.direction.y) & same(exit.direction.z);
    one &= same(exit.mirrored_u.x) & same(exit.mirrored_u.y) & same(exit.mirrored_u.z);
    const Vec first = {from(exit.place.x), from(exit.place.y), from(exit.place.z)};
    const Vec miss = exit.place - (first + u * dx + v * dy);
    one &= dot(miss, miss) <= s.linear;
    const Vec slope = sight - exit.direction;
    one &= fabs(dot(slope, u)) * across + fabs(dot(slope, v)) * down <= apart;
    // The path along the tubes is as linear as the place.
    const u32 last = leader + (down - 1) * WIDE + across - 1;
    const double path = 0.5 * (from(exit.path) + __shfl_sync(0xffffffff, exit.path, last));
    u32 group = 0;
    for (u32 j = 0; j < down; j++) group |= ((1u << across) - 1) << (leader + j * WIDE);
    if ((__ballot_sync(0xffffffff, one) & group) != group) return;
    whole.exit.place = first + u * (0.5 * (across - 1)) + v * (0.5 * (down - 1));
    whole.exit.path = path;
    whole.wide = lane == leader ? across : 0.0, whole.tall = lane == leader ? down : 0.0;
}

inline Tube seen(const Whole& whole, const SbrLaunch& launch, const SbrReceiver& receiver) {
    const Exit& exit = whole.exit;
    return tube(exit.place, exit.direction, exit.normal, exit.u(), exit.v(), field(exit, launch.fields[0]), field(exit, launch.fields[1]), exit.path,
                receiver, whole.wide, whole.tall);
}

// Adds what a tube radiates whose path is so long.
inline void plus(double (&total)[ENTRIES], const Tube& tube, double path, double waves) {
    const double2 wave = footprint(tube, path, waves);
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        total[2 * k] = fma(tube.pattern[k], wave.x, total[2 * k]);
        total[2 * k + 1] = fma(tube.pattern[k], wave.y, total[2 * k + 1]);
    }
}

// Adds the tubes of a tile at every frequency; threads take one each, and where there are more of them parts of the tubes.
inline void radiate_each(const Room& room, u32 count, double inverse, const double* waves, i64* sums, const Sbr& s) {
    const u32 lanes = min(s.frequencies, THREADS), parts = THREADS / lanes, part = threadIdx.x / lanes;
    for (u32 f = threadIdx.x % lanes; f < s.frequencies && part < parts; f += lanes) {
        double total[ENTRIES] = {};
#pragma unroll 1
        for (u32 i = part; i < count; i += parts) plus(total, room.tubes[i], room.tubes[i].path, waves[f]);
        for (u32 k = 0; k < ENTRIES; k++) add(sums + k * s.frequencies + f, quanta(total[k], inverse));
    }
}

// What the tubes of a tile have at nodes, but for the phase of a middle path; threads take a node each and parts of the tubes.
inline void find_nodes(Room& room, u32 count, u32 nodes, const double* waves, double middle) {
    const u32 parts = min(THREADS / nodes, count), part = threadIdx.x / nodes;
    double total[ENTRIES] = {};
    if (part < parts) {
        const double own = waves[threadIdx.x % nodes];
#pragma unroll 1
        for (u32 i = part; i < count; i += parts) plus(total, room.tubes[i], room.tubes[i].path - middle, own);
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < ENTRIES; k++) room.band.parts[k][threadIdx.x] = total[k];
    __syncthreads();
    for (u32 i = threadIdx.x; i < ENTRIES * nodes; i += THREADS) {
        const u32 k = i / nodes, node = i % nodes;
        double sum = 0.0;
        for (u32 j = 0; j < parts; j++) sum += room.band.parts[k][j * nodes + node];
        room.band.nodes[node][k] = sum;
    }
    __syncthreads();
}

// Adds the tubes of a tile to a bin.
inline void radiate_bin(Room& room, u32 count, const Bin& bin, double inverse, const double* waves, const Sbr& s) {
    find_nodes(room, count, LEAST_NODES, waves + s.frequencies + s.bands, bin.middle);
    for (u32 i = threadIdx.x; i < ENTRIES * LEAST_NODES; i += THREADS) add(bin.nodes + i, quanta(room.band.nodes[i / ENTRIES][i % ENTRIES], inverse));
}

// The same by the nodes of a band; threads take half of the numbers of a frequency.
inline void radiate_band(Room& room, u32 count, const Band& band, double middle, double inverse, const double* waves, i64* sums, const Sbr& s) {
    find_nodes(room, count, band.nodes, band.waves, middle);
    for (u32 i = threadIdx.x; i < 2 * s.frequencies; i += THREADS) {
        const u32 f = i % s.frequencies, first = i < s.frequencies ? 0 : ENTRIES / 2;
        double2 one = make_double2(0.0, 0.0), other = one;
        for (u32 node = 0; node < band.nodes; node++) {
            const double share = __ldg(band.shares + node * s.frequencies + f);
            const double* of = room.band.nodes[node] + first;
            one.x = fma(share, of[0], one.x), one.y = fma(share, of[1], one.y);
            other.x = fma(share, of[2], other.x), other.y = fma(share, of[3], other.y);
        }
        const double2 wave = turned(waves[f] * middle);
        one = times(one, wave), other = times(other, wave);
        i64* to = sums + first * s.frequencies + f;
        add(to, quanta(one.x, inverse)), add(to + s.frequencies, quanta(one.y, inverse));
        add(to + 2 * s.frequencies, quanta(other.x, inverse)), add(to + 3 * s.frequencies, quanta(other.y, inverse));
    }
}

// Adds the tubes of a tile at all frequencies to what blocks have added.
inline void radiate_all(Room& room, u32* counts, Span (&spans)[WARPS], const Whole& whole, const SbrLaunch& launch, const SbrReceiver* receivers, const double* waves, i64* sums,
                        const Sbr& s) {
    const bool is = whole.wide > 0.0;
    const uint2 place = rank(is, counts);
    if (place.y == 0) return;
    const double inverse = 1.0 / launch.quantum;
    for (u32 r = 0; r < s.receivers; r++) {
        Tube own = {};
        if (is) room.tubes[place.x] = own = seen(whole, launch, receivers[launch.direction + r]);
        const Span paths = span(span(own, is), spans);
        const Band band(waves, paths.half(), s);
        const Bin bin(sums, paths.low, paths.high, launch.direction + r, s);
        i64* to = sums + static_cast<u64>(launch.direction + r) * ENTRIES * s.frequencies;
        if (bin.nodes) radiate_bin(room, place.y, bin, inverse, waves, s);
        else if (band.pays(place.y, s)) radiate_band(room, place.y, band, paths.middle(), inverse, waves, to, s);
        else radiate_each(room, place.y, inverse, waves, to, s);
        __syncthreads();
    }
}

// The same for one receiver and for tubes that are in bins, of which each warp adds its own; they are none any more. Whether the block has others.
inline bool radiate_warps(Room& room, Whole& whole, const SbrLaunch& launch, const SbrReceiver* receivers, const double* waves, i64* sums, const Sbr& s) {
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, node = lane % LEAST_NODES, part = lane / LEAST_NODES;
    Tube* tubes = room.warps.tubes[warp];
    auto* totals = room.warps.totals[warp];
    const double inverse = 1.0 / launch.quantum, at = waves[s.frequencies + s.bands + node];
    Tube own = {};
    if (whole.wide > 0.0) tubes[lane] = own = seen(whole, launch, receivers[launch.direction]);
    __syncwarp();
    u32 left = __ballot_sync(0xffffffff, whole.wide > 0.0);
    while (left != 0) {
        // The shortest paths, and all that are in their bin.
        const bool is = left >> lane & 1;
        const Span paths = span(own, is);
        const Bin bin(sums, paths.low, fmin(static_cast<double>(paths.high), paths.low + Bin::MOST * s.width), launch.direction, s);
        const u32 which = __ballot_sync(0xffffffff, is && bin.nodes && own.path + own.half() <= bin.middle + 2.0 * s.width);
        if (which == 0) break;
        left &= ~which;
        // Lanes take a node each and every second tube.
        static_assert(32 / LEAST_NODES == 2);
        double total[ENTRIES] = {};
#pragma unroll 1
        for (u32 bits = part == 0 ? which : part == 1 ? which & which - 1 : 0; bits != 0; bits &= bits - 1, bits &= bits - 1) {
            const Tube& tube = tubes[__ffs(bits) - 1];
            plus(total, tube, tube.path - bin.middle, at);
        }
#pragma unroll
        for (u32 k = 0; part < 2 && k < ENTRIES; k++) totals[lane][k] = total[k];
        __syncwarp();
        for (u32 i = lane; i < LEAST_NODES * ENTRIES; i += 32) {
            const u32 of = i / ENTRIES, k = i % ENTRIES;
            add(bin.nodes + i, quanta(totals[of][k] + totals[LEAST_NODES + of][k], inverse));
        }
        __syncwarp();
    }
    if (!(left >> lane & 1)) whole.wide = 0.0;
    return __syncthreads_or(left != 0);
}

// The launch that has an item of work, and which of its items that is.
inline uint2 find(const SbrLaunch* launches, const u32* first_items, u32 count, u32 item) {
    u32 low = 0, high = count - 1;
    while (low < high) {
        const u32 middle = (low + high + 1) / 2;
        if (first_items[middle] <= item) low = middle;
        else high = middle - 1;
    }
    return make_uint2(low, item - first_items[low]);
}

// A place in the list of parts for a tube that `is`; none: the list is full. All lanes of a warp call.
inline SbrPart* listed(SbrPart* parts, u64* counters, bool is, const Sbr& s) {
    const u32 ballot = __ballot_sync(0xffffffff, is), lane = threadIdx.x % 32;
    u64 first = 0;
    if (lane == 0 && ballot != 0) first = atomicAdd(counters + PARTS, static_cast<u64>(__popc(ballot)));
    const u64 slot = __shfl_sync(0xffffffff, first, 0) + __popc(ballot & ((1u << lane) - 1));
    if (!is) return nullptr;
    if (slot < s.parts) return parts + slot;
    // Only those beyond the end go back, so that all places are given away once.
    atomicAdd(counters + PARTS, ~0ull);
    return nullptr;
}

// The polygon of the places where four corners leave the facet of a tube, in sides of its footprint; counterclockwise there.
inline void quadrilateral(SbrPart& part, const Exit& exit, const Corners& shared, const u32 (&around)[4]) {
    const Vec u = exit.u(), v = exit.v(), normal = cross(u, v);
    const double inverse = 1.0 / dot(normal, normal);
    double a[4], b[4], twice = 0.0;
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        const Vec from = load_at(shared.place, around[i]) - exit.place;
        a[i] = dot(cross(from, v), normal) * inverse, b[i] = dot(cross(u, from), normal) * inverse;
    }
#pragma unroll
    for (u32 i = 0; i < 4; i++) twice += a[i] * b[(i + 1) % 4] - a[(i + 1) % 4] * b[i];
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        double* to = part.corners[twice < 0.0 ? 3 - i : i];
        to[0] = a[i], to[1] = b[i];
    }
}

// What becomes of tubes that are simple: they radiate here, at one or at many frequencies or receivers, or are listed for sbr_parts.cu and sbr_matter.cu, by the paper's rule those whose corners end on one facet.
enum Simple { ONE, MANY, LISTED_WHOLE, STRICT };

// All tiles.
template <Simple SIMPLE>
inline void all_tiles(const SbrLaunch* launches, const u32* first_items, const uint2* tiles, const float4* entries, const Target& target, const SbrReceiver* receivers,
                      const double* waves, const u32* firsts, i64* sums, SbrPart* parts, u64* cells, SbrRay* kept, u64* counters, const Sbr& s) {
    __shared__ Room room;
    __shared__ u32 last[SIMPLE == STRICT ? CORNERS : 1];
    __shared__ u32 counts[WARPS];
    __shared__ Span spans[WARPS];
    __shared__ Waiting waiting[WARPS];
    __shared__ u32 item;
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const u32 x = warp % (SIDE / WIDE) * WIDE + lane % WIDE, y = warp / (SIDE / WIDE) * TALL + lane / WIDE;
    u32 segments = 0, rays = 0, done = 0, cut = 0, dropped = 0;
    const u32 items = first_items[s.launches];
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) item = static_cast<u32>(atomicAdd(counters + ITEM, 1ull));
        __syncthreads();
        if (item >= items) break;
        const uint2 found = find(launches, first_items, s.launches, item);
        const SbrLaunch& launch = launches[found.x];
        const u32 items_of_row = (launch.tiles + TILES - 1) / TILES, row = found.y / items_of_row, first_column = found.y % items_of_row * TILES;
        double total[ENTRIES] = {};
        bool any = false;
        for (u32 column = first_column; column < min(first_column + TILES, launch.tiles); column++) {
            const List list(tiles, entries, launch, column, row);
            if (list.count == 0) continue;
            const u32 tile_x = column * SIDE, tile_y = (launch.first_tile_row + row) * SIDE;
            const Corners& shared = room.corners;
            const u32 at = y * (SIDE + 1) + x;
            const bool inside = tile_x + x < launch.columns && tile_y + y < launch.rows;
            bool seeded = false;
            if (SIMPLE == STRICT || s.levels > 0) {
                // Corners: the tube's own, and those on the far sides.
                const Exit own = trace(target, launch, list, s, tile_x + x, tile_y + y, true, waiting[warp], segments, room.corners.facets[0] + at, CORNERS);
                put(room.corners, at, own);
                if constexpr (SIMPLE == STRICT) last[at] = own.bounces > 0 ? own.facet : NO_FACET;
                if (warp < 2) {
                    // One warp takes the right side, one the top; the corner between them is the first one's.
                    const bool beyond = warp == 0 ? lane <= SIDE : lane < SIDE;
                    const u32 i = warp == 0 ? SIDE : lane, j = warp == 0 ? lane : SIDE, there = beyond ? j * (SIDE + 1) + i : 0;
                    const Exit far = trace(target, launch, list, s, tile_x + i, tile_y + j, beyond, waiting[warp], segments, room.corners.facets[0] + there, CORNERS);
                    if (beyond) put(room.corners, there, far);
                    if (SIMPLE == STRICT && beyond) last[there] = far.bounces > 0 ? far.facet : NO_FACET;
                    rays += beyond;
                }
                __syncthreads();
                const u64 cell = static_cast<u64>(row * SIDE + y) * launch.columns + tile_x + x;
                seeded = inside && firsts[launch.first_cell + cell] != 0;
                rays++;
            }
            Whole whole;
            whole.wide = whole.tall = 0.0;
            bool centre = inside && !seeded;
            if constexpr (SIMPLE == STRICT) {
                const u32 one = last[at], two = last[at + 1], three = last[at + SIDE + 2], four = last[at + SIDE + 1];
                const bool same = one == two && one == three && one == four, any_ends = min(min(one, two), min(three, four)) != NO_FACET;
                dropped += centre && any_ends && !same, centre &= any_ends && same;
            }
            u32 facets[REMEMBERED];
            if (__any_sync(0xffffffff, centre)) {
                whole.exit = trace(target, launch, list, s, tile_x + x + 0.5, tile_y + y + 0.5, centre, waiting[warp], segments, facets);
            }
            rays += centre;
            bool hard = seeded;
            if constexpr (SIMPLE == STRICT) {
                const bool is = centre && whole.exit.bounces > 0 && whole.exit.facet == last[at];
                dropped += centre && !is;
                if (SbrPart* part = listed(parts, counters, is, s)) {
                    const u32 around[4] = {at, at + 1, at + SIDE + 2, at + SIDE + 1};
                    part->ray = ray(tile_x + x + 0.5, tile_y + y + 0.5, whole.exit.met, whole.exit.cut, facets, 1);
                    part->count = 4, part->launch = found.x, part->counts = true;
                    quadrilateral(*part, whole.exit, shared, around);
                }
                __syncthreads();
                continue;
            }
            if (centre) {
                const Exit& exit = whole.exit;
                const Vec u = exit.u(), v = exit.v();
                const auto agrees = [&](u32 corner, double a, double b) {
                    return agree(s, exit.place + u * a + v * b, exit.direction, exit.bounces, load_at(shared.place, corner), load_at(shared.direction, corner), shared.bounces[corner]);
                };
                // With no quarterings centres count for all of their tubes.
                hard = s.levels > 0 && !(agrees(at, -0.5, -0.5) && agrees(at + 1, 0.5, -0.5) && agrees(at + SIDE + 2, 0.5, 0.5) && agrees(at + SIDE + 1, -0.5, 0.5));
                if (!hard && exit.bounces > 0) whole.wide = whole.tall = 1.0, done++, cut += exit.cut;
            }
            if constexpr (SIMPLE == LISTED_WHOLE) {
                const bool is = whole.wide > 0.0;
                SbrPart* part = listed(parts, counters, is, s);
                if (part) {
                    part->ray = ray(tile_x + x + 0.5, tile_y + y + 0.5, whole.exit.met, whole.exit.cut, facets, 1);
                    part->count = 0, part->launch = found.x, part->counts = true, part->corners[0][0] = 1.0;
                }
                // Where the list is full they are found again among the cells; the host then keeps no rays of these.
                hard |= is && !part;
            }
            if (hard) {
                const u64 slot = atomicAdd(counters + CELLS_0, 1ull);
                cells[slot] = static_cast<u64>(found.x) << 50 | static_cast<u64>(tile_y + y) << 25 | (tile_x + x);
                if (slot < s.kept && !seeded) {
                    // Corners, counterclockwise, and the centre, as in sbr_cells.cu.
                    SbrRay* to = kept + RAYS_KEPT * slot;
                    const double left = tile_x + x, low = tile_y + y;
                    to[0] = ray(shared, at, left, low), to[1] = ray(shared, at + 1, left + 1.0, low);
                    to[2] = ray(shared, at + SIDE + 2, left + 1.0, low + 1.0), to[3] = ray(shared, at + SIDE + 1, left, low + 1.0);
                    to[4] = ray(left + 0.5, low + 0.5, whole.exit.met, whole.exit.cut, facets, 1);
                }
            }
            __syncthreads();
            if constexpr (SIMPLE == MANY) {
                // With one receiver tubes stay in bins.
                const bool binned = s.receivers == 1 && s.bins > 0;
                const Vec sight = vec(receivers[launch.direction].sight);
                const double apart = binned ? Bin::MOST * s.width : __longlong_as_double(0x7ff0000000000000ll);
                const Vec u = whole.exit.u(), v = whole.exit.v();
                merge(s, whole, u, v, sight, apart, WIDE, TALL);
                merge(s, whole, u, v, sight, apart, WIDE / 2, TALL / 2);
                merge(s, whole, u, v, sight, apart, WIDE / 4, TALL / 2);
                merge(s, whole, u, v, sight, apart, WIDE / 4, TALL / 4);
                if (!binned || radiate_warps(room, whole, launch, receivers, waves, sums, s)) {
                    radiate_all(room, counts, spans, whole, launch, receivers, waves, sums, s);
                }
            } else if (SIMPLE == ONE && whole.wide > 0.0) {
                const Tube tube = seen(whole, launch, receivers[launch.direction]);
                plus(total, tube, tube.path, waves[0]);
                any = true;
            }
        }
        if (SIMPLE == ONE && __syncthreads_or(any)) {
#pragma unroll
            for (u32 k = 0; k < ENTRIES; k++) {
                const double all = warp_sum(total[k]);
                if (lane == 0) room.sums[warp][k] = all;
            }
            __syncthreads();
            if (threadIdx.x < ENTRIES) {
                double all = 0.0;
                for (u32 i = 0; i < WARPS; i++) all += room.sums[i][threadIdx.x];
                add(sums + static_cast<u64>(launch.direction) * ENTRIES + threadIdx.x, quanta(all, 1.0 / launch.quantum));
            }
        }
    }
    tally(counters, RAYS, rays), tally(counters, SEGMENTS, segments);
    // Those that are listed count when they radiate.
    if constexpr (SIMPLE == ONE || SIMPLE == MANY) tally(counters, TUBES_DONE, done), tally(counters, CUT_TUBES, cut);
    if constexpr (SIMPLE == STRICT) tally(counters, DROPPED, dropped);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    sbr_tiles(const SbrLaunch* launches, const u32* first_items, const uint2* tiles, const float4* entries, const float4* nodes, const double* corners, const double* normals,
              const u32* numbers, const SbrReceiver* receivers, const double* waves, const u32* firsts, i64* sums, u64* cells, SbrRay* kept, u64* counters, const Sbr s) {
    all_tiles<ONE>(launches, first_items, tiles, entries, {nodes, corners, normals, numbers}, receivers, waves, firsts, sums, nullptr, cells, kept, counters, s);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    sbr_many_tiles(const SbrLaunch* launches, const u32* first_items, const uint2* tiles, const float4* entries, const float4* nodes, const double* corners, const double* normals,
                   const u32* numbers, const SbrReceiver* receivers, const double* waves, const u32* firsts, i64* sums, u64* cells, SbrRay* kept, u64* counters, const Sbr s) {
    all_tiles<MANY>(launches, first_items, tiles, entries, {nodes, corners, normals, numbers}, receivers, waves, firsts, sums, nullptr, cells, kept, counters, s);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    sbr_list_tiles(const SbrLaunch* launches, const u32* first_items, const uint2* tiles, const float4* entries, const float4* nodes, const double* corners, const double* normals,
                   const u32* numbers, const u32* firsts, SbrPart* parts, u64* cells, SbrRay* kept, u64* counters, const Sbr s) {
    all_tiles<LISTED_WHOLE>(launches, first_items, tiles, entries, {nodes, corners, normals, numbers}, nullptr, nullptr, firsts, nullptr, parts, cells, kept, counters, s);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    sbr_strict_tiles(const SbrLaunch* launches, const u32* first_items, const uint2* tiles, const float4* entries, const float4* nodes, const double* corners, const double* normals,
                     const u32* numbers, const u32* firsts, SbrPart* parts, u64* cells, SbrRay* kept, u64* counters, const Sbr s) {
    all_tiles<STRICT>(launches, first_items, tiles, entries, {nodes, corners, normals, numbers}, nullptr, nullptr, firsts, nullptr, parts, cells, kept, counters, s);
}
