// What the kernels of nufft.cu, nufft_plane.cu and nufft_points.cu are told.
#pragma once

#include "abi/layout.h"

// What the kernels of `nufft.cu`, `nufft_plane.cu` and `nufft_points.cu` are told.
struct NufftGrid {
    u32 n[3];        // fine points of x, y and z; axes that are not there have 1 of everything
    u32 modes[3];    // N
    u32 bins[3];     // n over a bin's side, rounded up
    u32 spread[3];   // tiles of spreading
    u32 gather[3];   // tiles of interpolation
    u32 points;      // M
    u32 part;        // points of a part of a tile, at most
    u32 listed;      // whether tiles have parts, which are listed; else every tile is one
    u32 segment;     // rows of bins that a block of spread_plane goes down
    u32 batch;       // number of this right-hand side: its modes and values lie behind those of the others
    u32 derivative;  // axis whose i s k is a factor of the modes; 3: none
    i32 sign;        // s
};
