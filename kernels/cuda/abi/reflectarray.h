// What the kernels of reflectarray.cu and lbfgs.cu are told and keep.
#pragma once

#include "abi/layout.h"

// What the kernels of `reflectarray.cu` are told.
struct Reflectarray {
    u32 columns;       // of the lattice
    u32 rows;          // of the lattice
    u32 wide;          // points of the power's transforms, along x and y
    u32 tall;          // and along y
    u32 terms_x;       // moments along x and y
    u32 terms_y;       // and along y
    u32 lines;         // different v of the directions
    u32 directions;    // directions
    u32 field_parts;   // pieces of lines and blocks of `weigh`, and so the parts of sums
    u32 power_parts;   // blocks of `weigh`, and so the parts of its sum
    u32 zernike;       // coefficients; 0: every phase is an unknown
    u32 added;         // whether value and gradient are added to those of another band
    u32 designs;       // designs
    u32 reserved;      // nothing
    double weight;     // of this band
    double mean;       // mu
    double sharpness;  // p
    double covered;    // directions with a least directivity
};

// When a search stops.
struct LbfgsSettings {
    double gain;        // a start that gains less than this, some iterations in a row, has converged
    double gradient;    // so has one whose gradient has no larger component
    double first_step;  // length of the first step
    u32 unknowns;       // of every start
    u32 iterations;     // most of them
    u32 patience;       // iterations without gain
    u32 parts;          // blocks of `compare`, and so the parts of its sums
};

// A start on its way.
struct LbfgsSearch {
    double value;    // best so far
    double squared;  // of the gradient there
    double step;     // of the trial along the direction
    double low;      // bracket of the step
    double high;     // its other end
    u32 state;       // 0 fresh, 1 moves, 2 converged, 3 ended
    u32 iterations;  // steps taken
    u32 idle;        // iterations without gain, in a row
    u32 trials;      // along this direction
    u32 pairs;       // remembered
    u32 next;        // where the next pair goes
    u32 taken;       // whether the trial has become the point
    u32 stored;      // whether its step has become a pair
    u32 turned;      // whether there is a new direction
    u32 reserved;    // nothing
};
