// What the automatic choice of the k-filter reads and writes.
#pragma once

#include "abi/layout.h"

// What the data of one hologram say.
struct CutoffEstimate {
    double cutoff;    // k_co of the chosen filter, rad/m
    double slope;     // alpha of the chosen filter
    double additive;  // a: variance of a microphone that reads 0, square of the hologram's unit
    double relative;  // g: variance against |p|^2
    double total;     // n: variances of all microphones together
    double tapered;   // the same under the square of the Hann window: noise power of every ring
    double range;     // z_h + h, m
    u32 flags;        // CUTOFF_...
    u32 place;        // first value of [frame][y][x] that is not finite
};

const u32 CUTOFF_SILENT = 1;      // all values are zero
const u32 CUTOFF_NOT_FINITE = 2;  // a value is NaN or infinite: there is no filter
const u32 CUTOFF_OVERFLOW = 4;    // filter x propagator leaves the range: tables stay as they were

// What all holograms of a plan have in common.
struct CutoffSettings {
    double ring_width;     // rad/m
    double silent_cutoff;  // rad/m, of a hologram that is all zero
    double silent_slope;   // slope for a hologram that is all zero
    double limit;          // largest filter x propagator
    u32 frames;            // holograms of each scene
    u32 fields;            // tables of each hologram: 1 pressure, 2 also normal velocity
};

// A plane wave of one k_r: what the propagator does to it.
struct CutoffWave {
    double growth;         // kappa z
    double phase_re;       // exp(j Re(k_z) z)
    double phase_im;       // its imaginary part
    double admittance_re;  // k_z/(rho c k), m/(s Pa)
    double admittance_im;  // its imaginary part
};

// A circle of k-space in the integral of the expected error.
struct CutoffCircle {
    double radius;  // k_r, rad/m
    double kappa;   // rad/m; 0 inside the radiation circle
    double weight;  // d^2/(4 pi^2) x area x exp(2 kappa z)
};
