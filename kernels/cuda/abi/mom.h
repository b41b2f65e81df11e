// What the kernels of mom.cu and mom_near.cu are told.
#pragma once

#include "abi/layout.h"

// Intervals, powers of their polynomials, terms below the first interval, powers that 32 bits see; pipeline/mom/src/hankel.rs has the formulas.
constexpr u32 INTERVALS = 4, POWERS = 16, TERMS = 13, SHORT_POWERS = 8;

// An interval of x with the polynomials of the Hankel functions in it.
struct MomInterval {
    double from;               // the least x
    double scale, shift;       // 1/x^2 is multiplied with the first, then the second is taken away, to make -1 to 1 of it
    double powers[4][POWERS];  // P - 1 and x Q of order 0, both of order 1
};

// All polynomials of the Hankel functions.
struct MomHankel {
    MomInterval intervals[INTERVALS];     // in rising order
    double series[4][TERMS];              // below the first interval
    float short_powers[4][SHORT_POWERS];  // of the last one, as far as 32 bits see them
};

// An equation.
struct Mom {
    MomHankel hankel;    // polynomials of the Hankel functions
    double k;            // 2 pi/wavelength, rad/m
    double parts[4][2];  // of S, K', K and T, complex
    double jump[2];      // what stands before the unknown itself, complex
    double reach;        // of local corrections, m
    u32 count;           // nodes
    u32 cells;           // cells
};

// A node.
struct MomNode {
    double point[2], normal[2];  // m
    double weight;               // m
};

// A cell is a part of a piece, as in cells.rs and curve.rs.
struct MomCell {
    double middle, half;  // in u of the piece
    double ends[2][2];    // m
    double length;        // m
    double numbers[4];    // of a segment both ends; of a circle centre and radius
    u32 kind;             // 0: segment, 1: circle, 2: series
    u32 first_term;       // of a series
    u32 terms;            // how many it has
    u32 first;            // node
};
