// Complex numbers as float2 and double2: x is the real part, y the imaginary part.
#pragma once

inline float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
inline float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
inline float2 operator*(float s, float2 a) { return make_float2(s * a.x, s * a.y); }

// a b
inline float2 times(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// a + k x
inline float2 plus(float2 a, float2 k, float2 x) {
    return make_float2(fmaf(-k.y, x.y, fmaf(k.x, x.x, a.x)), fmaf(k.y, x.x, fmaf(k.x, x.y, a.y)));
}

// a + conj(k) x
inline float2 plus_conj(float2 a, float2 k, float2 x) {
    return make_float2(fmaf(k.y, x.y, fmaf(k.x, x.x, a.x)), fmaf(-k.y, x.x, fmaf(k.x, x.y, a.y)));
}

// a - k x
inline float2 minus(float2 a, float2 k, float2 x) {
    return make_float2(fmaf(k.y, x.y, fmaf(-k.x, x.x, a.x)), fmaf(-k.y, x.x, fmaf(-k.x, x.y, a.y)));
}

inline float2 conjugate(float2 a) { return make_float2(a.x, -a.y); }
inline float norm_squared(float2 a) { return fmaf(a.x, a.x, a.y * a.y); }

inline double2 operator+(double2 a, double2 b) { return make_double2(a.x + b.x, a.y + b.y); }
inline double2 operator-(double2 a, double2 b) { return make_double2(a.x - b.x, a.y - b.y); }
inline double2 operator*(double s, double2 a) { return make_double2(s * a.x, s * a.y); }

inline double2 times(double2 a, double2 b) {
    return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

inline double2 plus(double2 a, double2 k, double2 x) {
    return make_double2(fma(-k.y, x.y, fma(k.x, x.x, a.x)), fma(k.y, x.x, fma(k.x, x.y, a.y)));
}

inline double2 plus_conj(double2 a, double2 k, double2 x) {
    return make_double2(fma(k.y, x.y, fma(k.x, x.x, a.x)), fma(-k.y, x.x, fma(k.x, x.y, a.y)));
}

inline double2 minus(double2 a, double2 k, double2 x) {
    return make_double2(fma(k.y, x.y, fma(-k.x, x.x, a.x)), fma(-k.y, x.x, fma(-k.x, x.y, a.y)));
}

inline double2 conjugate(double2 a) { return make_double2(a.x, -a.y); }
inline double norm_squared(double2 a) { return fma(a.x, a.x, a.y * a.y); }

// a/b
inline double2 over(double2 a, double2 b) { return (1.0 / norm_squared(b)) * times(a, conjugate(b)); }
