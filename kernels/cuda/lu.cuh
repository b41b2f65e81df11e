// Numbers of LU: complex ones of BYTES each part.
#pragma once

#include "complex.cuh"

#if BYTES == 8
typedef double Real;
typedef double2 Complex;
#else
typedef float Real;
typedef float2 Complex;
#endif

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
