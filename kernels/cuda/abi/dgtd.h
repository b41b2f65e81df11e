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
