// The k-filter of pipeline/holography/src/design.rs in double precision: x = cutoff (rad/m), y = slope.
#pragma once

// q/alpha, and 0 at the cutoff itself even for a brick wall.
inline double filter_fall(double2 filter, double radial) {
    return radial == filter.x ? 0.0 : (1.0 - radial / filter.x) / filter.y;
}

// Gain x exp(growth) without an intermediate overflow: above the cutoff the two exponents are added.
inline double filter_times_exp(double2 filter, double radial, double growth) {
    const double ln_2 = 0.693147180559945309417;
    const double fall = filter_fall(filter, radial);
    return radial <= filter.x ? (1.0 - 0.5 * exp(-fall)) * exp(growth) : exp(fall + growth - ln_2);
}
