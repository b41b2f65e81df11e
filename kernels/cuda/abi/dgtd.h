// What the kernels of dgtd.cu are told; kernels/src/abi/dgtd.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

// A stage of the Runge-Kutta scheme.
struct Dgtd {
    double factors[3];   // a, b, dt (m)
    double time;         // m
    double electric[3];  // of the plane wave where its signal is 1
    double magnetic[3];
    double wavenumber;   // of its signal, rad/m
    double centre;       // m
    double width;        // m; 0: a sine
    double shift;        // a of the matched layers, rad/m
    u64 first_matched;   // the first block in matched layers
};

NEARFIELD_SIZE(Dgtd, 120);
NEARFIELD_FIELD(Dgtd, time, 24);
NEARFIELD_FIELD(Dgtd, electric, 32);
NEARFIELD_FIELD(Dgtd, magnetic, 56);
NEARFIELD_FIELD(Dgtd, wavenumber, 80);
NEARFIELD_FIELD(Dgtd, centre, 88);
NEARFIELD_FIELD(Dgtd, width, 96);
NEARFIELD_FIELD(Dgtd, shift, 104);
NEARFIELD_FIELD(Dgtd, first_matched, 112);

// A node of a port's sheet as one of its two elements sees it.
struct DgtdGap {
    double normal[3];  // outwards
    double beyond;     // Y+
    double both;       // 1/(Y+ + Y-)
    double share;      // G/(Y+ + Y- + G)
    double electric;   // of what the sheet adds to E* in the rate of E, 1/m
    double magnetic;   // of its cross product with the normal in that of H, 1/m
    u32 own, other;    // nodes of the two elements
    u32 column;        // of LIFT
    u32 place;         // of the element
};

NEARFIELD_SIZE(DgtdGap, 80);
NEARFIELD_FIELD(DgtdGap, beyond, 24);
NEARFIELD_FIELD(DgtdGap, both, 32);
NEARFIELD_FIELD(DgtdGap, share, 40);
NEARFIELD_FIELD(DgtdGap, electric, 48);
NEARFIELD_FIELD(DgtdGap, magnetic, 56);
NEARFIELD_FIELD(DgtdGap, own, 64);
NEARFIELD_FIELD(DgtdGap, other, 68);
NEARFIELD_FIELD(DgtdGap, column, 72);
NEARFIELD_FIELD(DgtdGap, place, 76);

// What a port's generator does at a time.
struct DgtdPort {
    double field[3];    // E_s, V/m
    double time;        // m
    double factors[2];  // b, dt (m)
};

NEARFIELD_SIZE(DgtdPort, 48);
NEARFIELD_FIELD(DgtdPort, time, 24);
NEARFIELD_FIELD(DgtdPort, factors, 32);
