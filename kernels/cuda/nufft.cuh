// Bins, tiles and their points: what nufft.cu and nufft_points.cu share. Constants are given by kernels/src/nufft.rs:
//
// | constant | meaning |
// |---|---|
// | AXES, WIDTH | axes; fine points that a window covers, w |
// | WIDE | 1: double precision |
// | BIN_X, BIN_Y, BIN_Z | fine points of a bin |
// | SPREAD_X, .. | fine points of a tile of spreading, whole bins |
// | GATHER_X, .. | of a tile of interpolation, whole bins |
// | SPREAD_BYTES, GATHER_BYTES, PLANE_BYTES, ROWS_BYTES, MOVING_BYTES | shared memory that the launches have |
//
// A point belongs to the bin of its start, the first fine point that its window covers, from 0 to n - 1. Points are in the order of
// their bins, those of a bin in the order in which they were given. Fine points are numbered bin by bin, within a bin row by row: cells.
#pragma once

#include "abi/nufft.h"
#include "complex.cuh"

#if WIDE
typedef double real;
typedef double2 pair;
#else
typedef float real;
typedef float2 pair;
#endif

inline pair make_pair(real x, real y) {
    pair p;
    p.x = x;
    p.y = y;
    return p;
}

// Strengths or values, and modes, of this right-hand side.
inline size_t value_place(const NufftGrid& g) { return static_cast<size_t>(g.batch) * g.points; }
inline size_t mode_place(const NufftGrid& g) { return static_cast<size_t>(g.batch) * g.modes[0] * g.modes[1] * g.modes[2]; }

// Lanes that have a column of `width` each.
constexpr int columns_for(int width) { return width <= 8 ? 8 : width <= 16 ? 16 : 32; }

constexpr int BIN[3] = {BIN_X, BIN_Y, BIN_Z};
constexpr int SPREAD[3] = {SPREAD_X, SPREAD_Y, SPREAD_Z};
constexpr int GATHER[3] = {GATHER_X, GATHER_Y, GATHER_Z};

constexpr u32 BIN_CELLS = BIN_X * BIN_Y * BIN_Z;

// A point in the order of the bins: read and written whole.
struct alignas((8 + AXES * sizeof(real)) % 16 == 0 ? 16 : 8) Point {
    u32 cell;             // of its start
    u32 index;            // as given
    real fraction[AXES];  // 2 t - 1, t the way from the window's begin to the start
};

// Bins along an axis, and where a tile lies as seen from their points' starts.
struct Stretch {
    int first, last;  // bins
    int origin;       // fine points minus this are places in the tile; windows that pass the end of the period have another one
};

// The stretches of starts whose windows reach fine points `begin` up to `end`: one, or two at the begin of a period.
inline int reaching(Stretch (&found)[2], int axis, int begin, int end, const NufftGrid& g) {
    int reach = axis < AXES ? WIDTH - 1 : 0, n = g.n[axis];
    found[0] = {max(begin - reach, 0) / BIN[axis], (end - 1) / BIN[axis], begin};
    if (begin >= reach) return 1;
    found[1] = {max(begin - reach + n, 0) / BIN[axis], static_cast<int>(g.bins[axis]) - 1, begin + n};
    return 2;
}

// The points of a row of bins, which are neighbours in memory.
struct Range {
    u32 begin, end;
    u32 cells;  // the first of the row
    int at[3];  // where it lies in the tile

    // The start of one of its points in the tile.
    inline int place(u32 cell, int axis) const {
        u32 on = cell - cells;
        if (axis == 0) return at[0] + static_cast<int>(on / BIN_CELLS * BIN_X + on % BIN_X);
        if (axis == 1) return at[1] + static_cast<int>(on / BIN_X % BIN_Y);
        return at[2] + static_cast<int>(on / (BIN_X * BIN_Y) % BIN_Z);
    }
};

// Fine points of a tile.
struct Tile {
    int begin[3], end[3];
};

inline Tile tile_of(u32 number, const u32 (&tiles)[3], const int (&side)[3], const NufftGrid& g) {
    u32 at[3] = {number % tiles[0], number / tiles[0] % tiles[1], number / tiles[0] / tiles[1]};
    Tile tile;
    for (int a = 0; a < 3; a++) {
        tile.begin[a] = at[a] * side[a];
        tile.end[a] = min(tile.begin[a] + side[a], static_cast<int>(g.n[a]));
    }
    return tile;
}

// What part of a tile a block has.
struct Share {
    u32 tile, part, of;
};

inline Share share_of_block(const u32* parts, const u32* owners, const NufftGrid& g) {
    if (!g.listed) return {blockIdx.x, 0, 1};
    u32 tile = owners[blockIdx.x];
    return {tile, blockIdx.x - parts[tile], parts[tile + 1] - parts[tile]};
}

// The ranges of points that reach a tile (spreading), or start in it (interpolation): number `i`, and how many there are.
struct Ranges {
    Stretch x[2], y[2], z[2];
    int xs, ys, zs, rows_y[2], rows_z[2];

    inline Ranges(const Tile& t, bool reach, const NufftGrid& g) {
        xs = ys = zs = 1;
        if (reach) {
            xs = reaching(x, 0, t.begin[0], t.end[0], g);
            ys = reaching(y, 1, t.begin[1], t.end[1], g);
            zs = reaching(z, 2, t.begin[2], t.end[2], g);
        } else {
            x[0] = {t.begin[0] / BIN[0], (t.end[0] - 1) / BIN[0], t.begin[0]};
            y[0] = {t.begin[1] / BIN[1], (t.end[1] - 1) / BIN[1], t.begin[1]};
            z[0] = {t.begin[2] / BIN[2], (t.end[2] - 1) / BIN[2], t.begin[2]};
        }
        for (int i = 0; i < 2; i++) {
            rows_y[i] = i < ys ? y[i].last - y[i].first + 1 : 0;
            rows_z[i] = i < zs ? z[i].last - z[i].first + 1 : 0;
        }
    }

    inline int count() const { return xs * (rows_y[0] + rows_y[1]) * (rows_z[0] + rows_z[1]); }

    inline Range range(int i, const u32* starts, const NufftGrid& g) const {
        int along_x = i % xs, row = i / xs, rows = rows_y[0] + rows_y[1];
        int at_y = row % rows, at_z = row / rows;
        int second_y = at_y >= rows_y[0], second_z = at_z >= rows_z[0];
        int bin_y = (second_y ? at_y - rows_y[0] : at_y) + y[second_y].first;
        int bin_z = (second_z ? at_z - rows_z[0] : at_z) + z[second_z].first;
        u32 line = (bin_z * g.bins[1] + bin_y) * g.bins[0], first = line + x[along_x].first;
        return {starts[first], starts[line + x[along_x].last + 1], first * BIN_CELLS,
                {x[along_x].first * BIN[0] - x[along_x].origin, bin_y * BIN[1] - y[second_y].origin,
                 bin_z * BIN[2] - z[second_z].origin}};
    }
};

inline size_t fine_place(int x, int y, int z, const NufftGrid& g) {
    return (static_cast<size_t>(z) * g.n[1] + y) * g.n[0] + x;
}
