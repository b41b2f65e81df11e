// The polynomials of a NUFFT's window, `[power, highest first][w]`.
#pragma once

#include "nufft.cuh"

// The window's polynomial of one column.
struct Polynomial {
    real a[DEGREE + 1];

    inline Polynomial(const real* polynomials, int column) {
#pragma unroll
        for (int i = 0; i <= DEGREE; i++) a[i] = column < WIDTH ? polynomials[i * WIDTH + column] : 0;
    }

    inline real operator()(real s) const {
        real sum = a[0];
#pragma unroll
        for (int i = 1; i <= DEGREE; i++) sum = sum * s + a[i];
        return sum;
    }
};
