// Vectors in space. Products are never fused into sums, so that results are those of pipeline/numerics/src/vec3.rs to the last bit.
#pragma once

struct Vec {
    double x, y, z;
};

inline Vec vec(const double* from) { return {from[0], from[1], from[2]}; }
inline Vec operator+(Vec a, Vec b) { return {__dadd_rn(a.x, b.x), __dadd_rn(a.y, b.y), __dadd_rn(a.z, b.z)}; }
inline Vec operator-(Vec a, Vec b) { return {__dsub_rn(a.x, b.x), __dsub_rn(a.y, b.y), __dsub_rn(a.z, b.z)}; }
inline Vec operator-(Vec a) { return {-a.x, -a.y, -a.z}; }
inline Vec operator*(Vec a, double b) { return {__dmul_rn(a.x, b), __dmul_rn(a.y, b), __dmul_rn(a.z, b)}; }
inline double dot(Vec a, Vec b) { return __dadd_rn(__dadd_rn(__dmul_rn(a.x, b.x), __dmul_rn(a.y, b.y)), __dmul_rn(a.z, b.z)); }
// The mirror image in a plane through the origin with unit normal n.
inline Vec mirrored(Vec a, Vec n) { return a - n * __dmul_rn(2.0, dot(a, n)); }
inline Vec cross(Vec a, Vec b) {
    return {__dsub_rn(__dmul_rn(a.y, b.z), __dmul_rn(a.z, b.y)), __dsub_rn(__dmul_rn(a.z, b.x), __dmul_rn(a.x, b.z)),
            __dsub_rn(__dmul_rn(a.x, b.y), __dmul_rn(a.y, b.x))};
}
inline void store(double* to, Vec a) { to[0] = a.x, to[1] = a.y, to[2] = a.z; }
