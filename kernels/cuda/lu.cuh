// Numbers of LU: complex ones of BYTES each part.
#pragma once

#include "complex.cuh"
#include "number.cuh"

typedef Pair Complex;

// 1/z: a power of two keeps squares in range.
inline Complex reciprocal(Complex z) {
    const Real greater = max(fabs(z.x), fabs(z.y));
#if BYTES == 8
    const Real scale = __longlong_as_double((0x7fdull - min(__double_as_longlong(greater) >> 52, 0x7fcll)) << 52);
#else
    const Real scale = __uint_as_float((0xfdu - min(__float_as_uint(greater) >> 23, 0xfcu)) << 23);
#endif
    const Complex near = scale * z;
    return scale / norm_squared(near) * conjugate(near);
}
