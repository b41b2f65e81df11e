// Cells of the launch grid whose corners part: pipeline/sbr/src/tile.rs on the card. A level of quarterings takes these kernels:
//
// first    rays in the corners, the centre and the corners of borders; cells that are whole after all
// ways     the ways that a round of rays has found; three rounds, with
// regions  what these cover, and
// edges    whether that is all of the cell, or where to look beyond; in between
// beyond   the rays that look there
// take     pieces of cells whose ways are all known: less what stands before them they are listed as what radiates
// decide   whether these are all of their cell
//
// Cells that remain go to the list of the next level, in quarters. A cell has eight lanes in `first`, `ways` and `edges`; in the others rays, pieces and cells have one each, so
// that none waits.
#pragma once

#include "sbr.cuh"
#include "sbr_pieces.cuh"

// Rounds of rays beyond edges, as in tile.rs.
constexpr u32 ROUNDS = 2;
// Lanes of a cell: four corners, the centre, and up to three rays in the corners of borders; then rays beyond up to eight edges.
constexpr u32 LANES = 8, CENTRE = 4, WARPS = 4, GROUPS = 32 / LANES;
constexpr u32 RAYS_OF_CELL = LANES * (ROUNDS + 1);
// Of a cell's state.
constexpr u32 GAP = 1, MANY = 2;
// No part of a list.
constexpr u32 NO_PART = 0xffffffff;
// Lists of a level: cells at work and new pieces of each round, rays for `beyond` of each but the first, pieces for `take`, cells for `decide`.
enum Stage { OPEN, PIECES = OPEN + ROUNDS + 1, LOOKING = PIECES + ROUNDS, TAKING = LOOKING + ROUNDS + 1, KNOWN, STAGES };

// The lanes of a cell.
struct Group {
    u32 own, first, mask;

    inline Group() : own(threadIdx.x % LANES), first(threadIdx.x % 32 / LANES * LANES), mask(0xffu << first) {}

    inline double get(double x, u32 lane) const { return __shfl_sync(mask, x, lane, LANES); }
    inline u32 get(u32 x, u32 lane) const { return __shfl_sync(mask, x, lane, LANES); }
    inline u64 get(u64 x, u32 lane) const { return __shfl_sync(mask, x, lane, LANES); }
    inline u32 ballot(bool is) const { return __ballot_sync(mask, is) >> first; }
};

// A square of the grid.
struct Cell {
    u32 launch, x, y;
    double2 middle;
    double size;

    inline Cell(u64 packed, u32 level) : launch(packed >> 50), x(packed & 0x1ffffff), y(packed >> 25 & 0x1ffffff), size(1.0 / (1u << level)) {
        middle = make_double2((x + 0.5) * size, (y + 0.5) * size);
    }

    inline double whole() const { return __dmul_rn(size, size); }
    inline double least() const { return __dmul_rn(__dmul_rn(LEAST, size), size); }
    inline bool holds(double2 at) const { return fabs(__dsub_rn(at.x, middle.x)) <= 0.5 * size && fabs(__dsub_rn(at.y, middle.y)) <= 0.5 * size; }
};

// Where cells go.
struct Out {
    const Sbr& s;
    SbrPart* parts;
    u64* children;
    u64* counters;
    u32 level;

    // A part of a cell around a ray, for the caller to fill in; none if the list is full, which the host sees.
    inline SbrPart* part(const SbrRay& ray, const Cell& cell, u32 count, bool counts) {
        const u64 slot = atomicAdd(counters + PARTS, 1ull);
        if (slot >= s.parts) return nullptr;
        SbrPart* part = parts + slot;
        part->ray = ray, part->count = count, part->launch = cell.launch, part->counts = counts;
        return part;
    }

    // The centre counts for all of a cell; one lane calls.
    inline void whole(const SbrRay& centre, const Cell& cell) {
        if (centre.met == 0) return;
        SbrPart* part = this->part(centre, cell, 0, true);
        if (part) part->corners[0][0] = cell.size;
    }

    // A polygon, the other way round where it counts less than nothing; `last` is the number of the part that the lane listed before, and becomes this one's.
    inline void polygon(const SbrRay& ray, const Cell& cell, const double2* corners, u32 count, bool counts, bool reversed, u32& last) {
        SbrPart* part = this->part(ray, cell, count, counts);
        if (!part) return;
        part->before = last, last = part - parts;
        for (u32 i = 0; i < count; i++) {
            double* to = part->corners[reversed ? count - 1 - i : i];
            to[0] = corners[i].x, to[1] = corners[i].y;
        }
    }

    // Parts that a lane has listed do not count.
    inline void withdraw(u32 last) {
        for (; last != NO_PART; last = parts[last].before) parts[last].ray.met = 0;
    }

    // A cell whose pieces remain unknown: its centre counts for all of it, or it is quartered.
    inline void unknown(const SbrRay* rays, const Cell& cell) {
        if (level == s.levels) return whole(rays[CENTRE], cell);
        atomicAdd(counters + SPLIT, 1ull);
        const u64 slot = atomicAdd(counters + CELLS_0 + level + 1, 4ull);
        for (u32 i = 0; i < 4 && slot + i < s.capacity; i++) {
            children[slot + i] = static_cast<u64>(cell.launch) << 50 | static_cast<u64>(2 * cell.y + i / 2) << 25 | (2 * cell.x + i % 2);
        }
    }

    inline u64* counter(u32 stage) const { return counters + AT_WORK + STAGES * level + stage; }

    // Puts so many numbers from one on into a list.
    inline void enlist(u32* list, u32 stage, u32 number, u32 count = 1) {
        const u64 slot = atomicAdd(counter(stage), static_cast<u64>(count));
        for (u32 i = 0; i < count; i++) list[slot + i] = number + i;
    }
};
