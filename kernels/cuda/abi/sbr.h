// What the kernels of sbr.cu and sbr_cells.cu are told.
#pragma once

#include "abi/layout.h"

// A part of the launch grid of one direction of incidence; lengths in metres, places from the centre of the facets.
struct SbrLaunch {
    double sight[3];      // unit vector from the target to the transmitter
    double corner[3];     // of the whole grid
    double u[3];          // sides of a tube
    double v[3];          // the other side
    double fields[2][2];  // incident fields of both polarisations, in units of u and of v
    double inverse;       // of the square of a tube's side, 1/m^2
    double quantum;       // of the sums, m^2
    u32 columns;          // tubes of the whole grid
    u32 rows;             // along the other side
    u32 first_tile_row;   // of this part
    u32 tile_rows;        // rows of tiles of this part
    u32 first_tile;       // of its tiles, behind those of other launches
    u32 tiles;            // in a row of tiles
    u32 first_cell;       // of its cells, at the left of the first row of tiles
    u32 direction;        // number of the first receiver of this launch
};

// A receiver.
struct SbrReceiver {
    double sight[3];             // unit vector from the target
    double polarisations[2][3];  // v and h
};

// A face of an edge.
struct SbrFace {
    double x[3];   // unit vector from the edge into it
    double y[3];   // unit vector out of it
    double reach;  // m along x; < 0: it bends away
};

// A piece of an edge; lengths in metres, places from the centre of the facets.
struct SbrEdge {
    double middle[3];  // between its ends
    double edge[3];    // from end to end
    double start[3];   // of rays: a little outside of the middle
    SbrFace faces[2];  // both faces
    double n;          // exterior angle over pi
};

// A ray in the corner of a border.
struct SbrSeed {
    double x;      // tubes from the grid's corner
    double y;      // the other way
    u32 cell;      // from a launch's first cell on
    u32 reserved;  // nothing
};

// Numbers of all kernels.
struct Sbr {
    u32 launches;      // launches at once
    u32 facets;        // triangles
    u32 bounces;       // most of a ray
    u32 receivers;     // of a launch
    u32 frequencies;   // at once
    u32 capacity;      // of a list of cells that were quartered
    u32 parts;         // capacity of the list of parts
    u32 levels;        // times that a cell is quartered at most
    u32 seeds;         // rays in the corners of borders
    u32 listed;        // capacity of the lists of tiles
    u32 kept;          // cells whose first rays are kept as tiles have traced them
    u32 bands;         // numbers of nodes that there are tables for, see sbr_band.cuh
    double least;      // m: nearer hits of a ray that left a facet are rounding
    double place;      // m^2: agreement of two rays, see design.rs
    double direction;  // agreement of two rays
    double linear;     // m^2: tubes whose places are as linear as this are one
    double start;      // m: where bins of paths begin, see sbr_band.cuh
    double width;      // m, of a bin
    u32 observers;     // receivers of all launches
    u32 bins;          // of each of them
};

// A ray of a cell that parts: where it began, and the facets that it met.
struct SbrRay {
    double x;       // tubes from the grid's corner
    double y;       // the other way
    u32 facets[8];  // the first ones
    u32 met;        // 0xffffffff: there is no ray
    u32 cut;        // whether it would have been reflected again
};

// What is known of a cell that parts.
struct SbrCell {
    u64 cell;         // launch, row and column
    u64 rays;         // which ray found each of its pieces, a byte each
    u32 pieces;       // how many
    u32 state;        // bits: a ray met nothing; there are too many pieces
    double areas[8];  // of pieces, in the end without what stands before them
    u32 last[8];      // numbers of the parts of pieces that were listed last
};

// What a way covers of a cell.
struct SbrPolygon {
    double2 corners[8];  // counterclockwise, in tubes from its ray
    u32 count;           // of them
    u32 reserved[3];     // nothing
};

// A part of a tube that radiates: what a polygon of the grid covers of the last facet of a ray.
struct SbrPart {
    SbrRay ray;            // its ray
    double corners[8][2];  // counterclockwise, in tubes from its ray; clockwise where it counts less than nothing
    u32 count;             // of them; 0: all of a cell whose size is the first number of corners
    u32 launch;            // number of its launch
    u32 counts;            // as a tube
    u32 before;            // number of the part that was listed before it for the same ray
};
