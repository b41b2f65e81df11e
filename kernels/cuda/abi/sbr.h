// What the kernels of sbr.cu and sbr_cells.cu are told; kernels/src/abi/sbr.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

// A part of the launch grid of one direction of incidence; lengths in metres, places from the centre of the facets.
struct SbrLaunch {
    double sight[3];     // unit vector from the target to the transmitter
    double corner[3];    // of the whole grid
    double u[3];         // sides of a tube
    double v[3];
    double fields[2][2]; // incident fields of both polarisations, in units of u and of v
    double inverse;      // of the square of a tube's side, 1/m^2
    double quantum;      // of the sums, m^2
    u32 columns;         // tubes of the whole grid
    u32 rows;
    u32 first_tile_row;  // of this part
    u32 tile_rows;
    u32 first_tile;      // of its tiles, behind those of other launches
    u32 tiles;           // in a row of tiles
    u32 first_cell;      // of its cells, at the left of the first row of tiles
    u32 direction;       // number of the first receiver of this launch
};

NEARFIELD_SIZE(SbrLaunch, 176);
NEARFIELD_FIELD(SbrLaunch, corner, 24);
NEARFIELD_FIELD(SbrLaunch, u, 48);
NEARFIELD_FIELD(SbrLaunch, v, 72);
NEARFIELD_FIELD(SbrLaunch, fields, 96);
NEARFIELD_FIELD(SbrLaunch, inverse, 128);
NEARFIELD_FIELD(SbrLaunch, quantum, 136);
NEARFIELD_FIELD(SbrLaunch, columns, 144);
NEARFIELD_FIELD(SbrLaunch, rows, 148);
NEARFIELD_FIELD(SbrLaunch, first_tile_row, 152);
NEARFIELD_FIELD(SbrLaunch, tile_rows, 156);
NEARFIELD_FIELD(SbrLaunch, first_tile, 160);
NEARFIELD_FIELD(SbrLaunch, tiles, 164);
NEARFIELD_FIELD(SbrLaunch, first_cell, 168);
NEARFIELD_FIELD(SbrLaunch, direction, 172);

// A receiver.
struct SbrReceiver {
    double sight[3];            // unit vector from the target
    double polarisations[2][3]; // v and h
};

NEARFIELD_SIZE(SbrReceiver, 72);
NEARFIELD_FIELD(SbrReceiver, polarisations, 24);

// A face of an edge.
struct SbrFace {
    double x[3];  // unit vector from the edge into it
    double y[3];  // unit vector out of it
    double reach; // m along x; < 0: it bends away
};

NEARFIELD_SIZE(SbrFace, 56);
NEARFIELD_FIELD(SbrFace, y, 24);
NEARFIELD_FIELD(SbrFace, reach, 48);

// A piece of an edge; lengths in metres, places from the centre of the facets.
struct SbrEdge {
    double middle[3];
    double edge[3];  // from end to end
    double start[3]; // of rays: a little outside of the middle
    SbrFace faces[2];
    double n; // exterior angle over pi
};

NEARFIELD_SIZE(SbrEdge, 192);
NEARFIELD_FIELD(SbrEdge, edge, 24);
NEARFIELD_FIELD(SbrEdge, start, 48);
NEARFIELD_FIELD(SbrEdge, faces, 72);
NEARFIELD_FIELD(SbrEdge, n, 184);

// A ray in the corner of a border.
struct SbrSeed {
    double x; // tubes from the grid's corner
    double y;
    u32 cell; // from a launch's first cell on
    u32 reserved;
};

NEARFIELD_SIZE(SbrSeed, 24);
NEARFIELD_FIELD(SbrSeed, cell, 16);

// Numbers of all kernels.
struct Sbr {
    u32 launches;
    u32 facets;
    u32 bounces;         // most of a ray
    u32 receivers;       // of a launch
    u32 frequencies;
    u32 capacity;        // of a list of cells that were quartered
    u32 parts;           // capacity of the list of parts
    u32 levels;          // times that a cell is quartered at most
    u32 seeds;           // rays in the corners of borders
    u32 listed;          // capacity of the lists of tiles
    u32 kept;            // cells whose first rays are kept as tiles have traced them
    u32 bands;           // numbers of nodes that there are tables for, see sbr_band.cuh
    double least;        // m: nearer hits of a ray that left a facet are rounding
    double place;        // m^2: agreement of two rays, see design.rs
    double direction;    // agreement of two rays
    double linear;       // m^2: tubes whose places are as linear as this are one
    double start;        // m: where bins of paths begin, see sbr_band.cuh
    double width;        // m, of a bin
    u32 observers;       // receivers of all launches
    u32 bins;            // of each of them
};

NEARFIELD_SIZE(Sbr, 104);
NEARFIELD_FIELD(Sbr, facets, 4);
NEARFIELD_FIELD(Sbr, bounces, 8);
NEARFIELD_FIELD(Sbr, receivers, 12);
NEARFIELD_FIELD(Sbr, frequencies, 16);
NEARFIELD_FIELD(Sbr, capacity, 20);
NEARFIELD_FIELD(Sbr, parts, 24);
NEARFIELD_FIELD(Sbr, levels, 28);
NEARFIELD_FIELD(Sbr, seeds, 32);
NEARFIELD_FIELD(Sbr, listed, 36);
NEARFIELD_FIELD(Sbr, kept, 40);
NEARFIELD_FIELD(Sbr, bands, 44);
NEARFIELD_FIELD(Sbr, least, 48);
NEARFIELD_FIELD(Sbr, place, 56);
NEARFIELD_FIELD(Sbr, direction, 64);
NEARFIELD_FIELD(Sbr, linear, 72);
NEARFIELD_FIELD(Sbr, start, 80);
NEARFIELD_FIELD(Sbr, width, 88);
NEARFIELD_FIELD(Sbr, observers, 96);
NEARFIELD_FIELD(Sbr, bins, 100);

// A ray of a cell that parts: where it began, and the facets that it met.
struct SbrRay {
    double x; // tubes from the grid's corner
    double y;
    u32 facets[8]; // the first ones
    u32 met;       // 0xffffffff: there is no ray
    u32 cut;       // whether it would have been reflected again
};

NEARFIELD_SIZE(SbrRay, 56);
NEARFIELD_FIELD(SbrRay, facets, 16);
NEARFIELD_FIELD(SbrRay, met, 48);
NEARFIELD_FIELD(SbrRay, cut, 52);

// What is known of a cell that parts.
struct SbrCell {
    u64 cell;   // launch, row and column
    u64 rays;   // which ray found each of its pieces, a byte each
    u32 pieces;
    u32 state;       // bits: a ray met nothing; there are too many pieces
    double areas[8]; // of pieces, in the end without what stands before them
    u32 last[8];     // numbers of the parts of pieces that were listed last
};

NEARFIELD_SIZE(SbrCell, 120);
NEARFIELD_FIELD(SbrCell, rays, 8);
NEARFIELD_FIELD(SbrCell, pieces, 16);
NEARFIELD_FIELD(SbrCell, state, 20);
NEARFIELD_FIELD(SbrCell, areas, 24);
NEARFIELD_FIELD(SbrCell, last, 88);

// What a way covers of a cell.
struct SbrPolygon {
    double2 corners[8]; // counterclockwise, in tubes from its ray
    u32 count;
    u32 reserved[3];
};

NEARFIELD_SIZE(SbrPolygon, 144);
NEARFIELD_FIELD(SbrPolygon, count, 128);

// A part of a tube that radiates: what a polygon of the grid covers of the last facet of a ray.
struct SbrPart {
    SbrRay ray;
    double corners[8][2]; // counterclockwise, in tubes from its ray; clockwise where it counts less than nothing
    u32 count;            // of them; 0: all of a cell whose size is the first number of corners
    u32 launch;
    u32 counts; // as a tube
    u32 before; // number of the part that was listed before it for the same ray
};

NEARFIELD_SIZE(SbrPart, 200);
NEARFIELD_FIELD(SbrPart, corners, 56);
NEARFIELD_FIELD(SbrPart, count, 184);
NEARFIELD_FIELD(SbrPart, launch, 188);
NEARFIELD_FIELD(SbrPart, counts, 192);
NEARFIELD_FIELD(SbrPart, before, 196);
