// What the kernels of reflectarray.cu and lbfgs.cu are told and keep; kernels/src/abi/reflectarray.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

struct Reflectarray {
    u32 columns;       // of the lattice
    u32 rows;
    u32 wide;          // points of the power's transforms, along x and y
    u32 tall;
    u32 terms_x;       // moments along x and y
    u32 terms_y;
    u32 lines;         // different v of the directions
    u32 directions;
    u32 field_parts;   // pieces of lines and blocks of `weigh`, and so the parts of sums
    u32 power_parts;
    u32 zernike;       // coefficients; 0: every phase is an unknown
    u32 added;         // whether value and gradient are added to those of another band
    u32 designs;
    u32 reserved;
    double weight;     // of this band
    double mean;       // mu
    double sharpness;  // p
    double covered;    // directions with a least directivity
};

NEARFIELD_SIZE(Reflectarray, 88);
NEARFIELD_FIELD(Reflectarray, columns, 0);
NEARFIELD_FIELD(Reflectarray, rows, 4);
NEARFIELD_FIELD(Reflectarray, wide, 8);
NEARFIELD_FIELD(Reflectarray, tall, 12);
NEARFIELD_FIELD(Reflectarray, terms_x, 16);
NEARFIELD_FIELD(Reflectarray, terms_y, 20);
NEARFIELD_FIELD(Reflectarray, lines, 24);
NEARFIELD_FIELD(Reflectarray, directions, 28);
NEARFIELD_FIELD(Reflectarray, field_parts, 32);
NEARFIELD_FIELD(Reflectarray, power_parts, 36);
NEARFIELD_FIELD(Reflectarray, zernike, 40);
NEARFIELD_FIELD(Reflectarray, added, 44);
NEARFIELD_FIELD(Reflectarray, designs, 48);
NEARFIELD_FIELD(Reflectarray, reserved, 52);
NEARFIELD_FIELD(Reflectarray, weight, 56);
NEARFIELD_FIELD(Reflectarray, mean, 64);
NEARFIELD_FIELD(Reflectarray, sharpness, 72);
NEARFIELD_FIELD(Reflectarray, covered, 80);

// When a search stops.
struct LbfgsSettings {
    double gain;        // a start that gains less than this, some iterations in a row, has converged
    double gradient;    // so has one whose gradient has no larger component
    double first_step;  // length of the first step
    u32 unknowns;
    u32 iterations;     // most of them
    u32 patience;       // iterations without gain
    u32 parts;          // blocks of `compare`, and so the parts of its sums
};

NEARFIELD_SIZE(LbfgsSettings, 40);
NEARFIELD_FIELD(LbfgsSettings, gain, 0);
NEARFIELD_FIELD(LbfgsSettings, gradient, 8);
NEARFIELD_FIELD(LbfgsSettings, first_step, 16);
NEARFIELD_FIELD(LbfgsSettings, unknowns, 24);
NEARFIELD_FIELD(LbfgsSettings, iterations, 28);
NEARFIELD_FIELD(LbfgsSettings, patience, 32);
NEARFIELD_FIELD(LbfgsSettings, parts, 36);

// A start on its way.
struct LbfgsSearch {
    double value;       // best so far
    double squared;     // of the gradient there
    double step;        // of the trial along the direction
    double low;         // bracket of the step
    double high;
    u32 state;          // 0 fresh, 1 moves, 2 converged, 3 ended
    u32 iterations;
    u32 idle;           // iterations without gain, in a row
    u32 trials;         // along this direction
    u32 pairs;          // remembered
    u32 next;           // where the next pair goes
    u32 taken;          // whether the trial has become the point
    u32 stored;         // whether its step has become a pair
    u32 turned;         // whether there is a new direction
    u32 reserved;
};

NEARFIELD_SIZE(LbfgsSearch, 80);
NEARFIELD_FIELD(LbfgsSearch, value, 0);
NEARFIELD_FIELD(LbfgsSearch, squared, 8);
NEARFIELD_FIELD(LbfgsSearch, step, 16);
NEARFIELD_FIELD(LbfgsSearch, low, 24);
NEARFIELD_FIELD(LbfgsSearch, high, 32);
NEARFIELD_FIELD(LbfgsSearch, state, 40);
NEARFIELD_FIELD(LbfgsSearch, iterations, 44);
NEARFIELD_FIELD(LbfgsSearch, idle, 48);
NEARFIELD_FIELD(LbfgsSearch, trials, 52);
NEARFIELD_FIELD(LbfgsSearch, pairs, 56);
NEARFIELD_FIELD(LbfgsSearch, next, 60);
NEARFIELD_FIELD(LbfgsSearch, taken, 64);
NEARFIELD_FIELD(LbfgsSearch, stored, 68);
NEARFIELD_FIELD(LbfgsSearch, turned, 72);
NEARFIELD_FIELD(LbfgsSearch, reserved, 76);
