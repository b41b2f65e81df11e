// What the kernels of dgtd.cu are told.
#pragma once

#include "abi/layout.h"

// A stage of the Runge-Kutta scheme.
struct Dgtd {
    double factors[3];   // a, b, dt (m)
    double time;         // m
    double electric[3];  // of the plane wave where its signal is 1
    double magnetic[3];  // H times the impedance of vacuum there, V/m
    double wavenumber;   // of its signal, rad/m
    double centre;       // m
    double width;        // m; 0: a sine
    double shift;        // a of the matched layers, rad/m
    u64 first_matched;   // the first block in matched layers
};

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

// What a port's generator does at a time.
struct DgtdPort {
    double field[3];    // E_s, V/m
    double time;        // m
    double factors[2];  // b, dt (m)
};
