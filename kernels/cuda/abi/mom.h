// What the kernels of mom.cu and mom_near.cu are told; kernels/src/abi/mom.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

// Polynomials of the Hankel functions: pipeline/src/solvers/mom/hankel.rs has the formulas and owns the numbers.
constexpr u32 INTERVALS = 4, POWERS = 16, TERMS = 13, SHORT_POWERS = 8;

// Of x: from where on, what makes -1 to 1 of 1/x^2; P - 1 and x Q of order 0, both of order 1.
struct MomInterval {
    double from, scale, shift;
    double powers[4][POWERS];
};

struct MomHankel {
    MomInterval intervals[INTERVALS];
    double series[4][TERMS];           // below the first interval
    float short_powers[4][SHORT_POWERS];  // of the last one, as far as 32 bits see them
};

// An equation.
struct Mom {
    MomHankel hankel;
    double k;            // rad/m
    double parts[4][2];  // of S, K', K and T
    double jump[2];      // what stands before the unknown
    double reach;        // of local corrections, m
    u32 count;           // nodes
    u32 cells;
};

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
    u32 terms;
    u32 first;            // node
};

NEARFIELD_SIZE(MomInterval, 536);
NEARFIELD_SIZE(MomHankel, 2688);
NEARFIELD_FIELD(MomHankel, series, 2144);
NEARFIELD_FIELD(MomHankel, short_powers, 2560);
NEARFIELD_SIZE(Mom, 2792);
NEARFIELD_FIELD(Mom, k, 2688);
NEARFIELD_FIELD(Mom, parts, 2696);
NEARFIELD_FIELD(Mom, jump, 2760);
NEARFIELD_FIELD(Mom, reach, 2776);
NEARFIELD_FIELD(Mom, count, 2784);
NEARFIELD_FIELD(Mom, cells, 2788);
NEARFIELD_SIZE(MomNode, 40);
NEARFIELD_FIELD(MomNode, normal, 16);
NEARFIELD_FIELD(MomNode, weight, 32);
NEARFIELD_SIZE(MomCell, 104);
NEARFIELD_FIELD(MomCell, ends, 16);
NEARFIELD_FIELD(MomCell, length, 48);
NEARFIELD_FIELD(MomCell, numbers, 56);
NEARFIELD_FIELD(MomCell, kind, 88);
NEARFIELD_FIELD(MomCell, first_term, 92);
NEARFIELD_FIELD(MomCell, terms, 96);
NEARFIELD_FIELD(MomCell, first, 100);
