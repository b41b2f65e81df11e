// Matrices of moments, right-hand sides and far fields; the near entries of LCN are in mom_near.cu.
//
// A thread has a row and walks along columns, so that a warp writes whole lines of the solver's layout, column by column, and what it knows of a source is
// the same for all its lanes.
//
// Given, beside what mom.cuh wants: METHOD, 0: locally corrected Nystrom, 1: pulses, 2: Kress.

#include "mom.cuh"

constexpr u32 THREADS = 128, COLUMNS = 16;

inline double2 place(const double (&at)[2]) { return make_double2(at[0], at[1]); }

#if BYTES == 4
// As in mom.cuh, in 32 bits but for kR: of large arguments these would keep no phase.
inline Seen<float, float2> look_short(const Mom& s, double2 d, double2 normal, double2 source) {
    Seen<float, float2> seen = {};
    const double squared = s.k * s.k * dot(d, d);
    const float root = rsqrtf(static_cast<float>(squared));
    const double about = squared * root, x = fma(0.5 * root, fma(-about, about, squared), about);
    const ShortHankels h = short_hankel<ORDERS>(s.hankel, x);
    seen.h0 = h.h0, seen.h1 = h.h1;
    if (NORMALS || STRONG) {
        seen.inverse = root;
        const double scale = s.k * root;
        seen.to = static_cast<float>(dot(normal, d) * scale), seen.from = static_cast<float>(dot(source, d) * scale);
        seen.facing = static_cast<float>(dot(normal, source));
    }
    return seen;
}
#endif

// The logarithm in a Hankel function, integrated exactly (kress.rs).
template <typename T, typename P> inline void split(Seen<T, P>& seen, T difference) {
    const T factor = static_cast<T>(-0.31830988618379067) * difference;
    seen.h0.y = fma(factor, seen.h0.x, seen.h0.y);
    seen.h1.y = fma(factor, seen.h1.x, seen.h1.y);
}

// Off the diagonal.
inline Pair entry(const Mom& s, const MomNode& node, const MomNode& source, const double* __restrict__ ends, bool own, double difference) {
    const double2 d = place(node.point) - place(source.point);
    const Real scale = static_cast<Real>(0.25 * s.k * source.weight);
#if BYTES == 8
    auto seen = look(s, d, place(node.normal), place(source.normal));
    const Pair parts[4] = {pair(s.parts[0]), pair(s.parts[1]), pair(s.parts[2]), pair(s.parts[3])};
#else
    auto seen = look_short(s, d, place(node.normal), place(source.normal));
    const Pair parts[4] = {short_pair(s.parts[0]), short_pair(s.parts[1]), short_pair(s.parts[2]), short_pair(s.parts[3])};
#endif
    if (METHOD == 2 && own) {
        split(seen, static_cast<Real>(difference));
        return scale * kernel<true>(seen, parts[0], parts[1], parts[2], parts[3]);
    }
    Pair value = scale * kernel<METHOD == 1>(seen, parts[0], parts[1], parts[2], parts[3]);
    if (METHOD == 1 && STRONG) {
        const double2 first = place(node.point) - make_double2(ends[0], ends[1]), last = place(node.point) - make_double2(ends[2], ends[3]);
        const double2 more = cauchy_kernel(s, first, place(node.normal)) - cauchy_kernel(s, last, place(node.normal));
        value.x += static_cast<Real>(more.x), value.y += static_cast<Real>(more.y);
    }
    return value;
}

// ends: of the cells of pulses. diagonal: of pulses and Kress. firsts: the first node of a node's body; differences: of Kress's logarithms, from there on
// by the distance of the nodes.
extern "C" __global__ void __launch_bounds__(THREADS)
    mom_fill(const MomNode* __restrict__ nodes, const double* __restrict__ ends, const double2* __restrict__ diagonal, const u32* __restrict__ firsts,
             const double* __restrict__ differences, Pair* __restrict__ matrix, const __grid_constant__ Mom s) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= s.count) return;
    const MomNode node = nodes[row];
    const u32 first = METHOD == 2 ? firsts[row] : 0, end = min((blockIdx.y + 1) * COLUMNS, s.count);
    for (u32 column = blockIdx.y * COLUMNS; column < end; column++) {
        Pair value;
        if (row == column) {
            const double2 own = diagonal[row];
            value.x = static_cast<Real>(own.x), value.y = static_cast<Real>(own.y);
        } else {
            const bool own = METHOD == 2 && firsts[column] == first;
            const double difference = own ? differences[first + (row > column ? row - column : column - row)] : 0.0;
            value = entry(s, node, nodes[column], METHOD == 1 ? ends + 4 * column : ends, own, difference);
        }
        matrix[static_cast<u64>(column) * s.count + row] = value;
    }
}

// Right-hand sides of plane waves: (constant + normal n.direction) exp(-jk r.direction).
extern "C" __global__ void __launch_bounds__(THREADS)
    mom_incident(const MomNode* __restrict__ nodes, const double* __restrict__ directions, double2* __restrict__ right, const double constant,
                 const double normal, const double k, const u32 count) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= count) return;
    const MomNode node = nodes[row];
    const double2 direction = make_double2(directions[2 * blockIdx.y], directions[2 * blockIdx.y + 1]);
    const double factor = fma(normal, dot(place(node.normal), direction), constant);
    double sine, cosine;
    sincos(-k * dot(place(node.point), direction), &sine, &cosine);
    right[static_cast<u64>(blockIdx.y) * count + row] = make_double2(factor * cosine, factor * sine);
}

// What unknowns radiate: rows are directions, columns nodes; w (constant + normal n.direction) exp(jk r.direction).
extern "C" __global__ void __launch_bounds__(THREADS)
    mom_radiation(const MomNode* __restrict__ nodes, const double* __restrict__ directions, double2* __restrict__ matrix, const double2 constant,
                  const double2 normal, const double k, const u32 count) {
    const u32 row = blockIdx.y * THREADS + threadIdx.x;
    if (row >= count) return;
    const MomNode node = nodes[blockIdx.x];
    const double2 direction = make_double2(directions[2 * row], directions[2 * row + 1]);
    const double2 factor = node.weight * (constant + dot(place(node.normal), direction) * normal);
    double sine, cosine;
    sincos(k * dot(place(node.point), direction), &sine, &cosine);
    matrix[static_cast<u64>(blockIdx.x) * count + row] = times(factor, make_double2(cosine, sine));
}

// H_0 and H_1, for tests.
extern "C" __global__ void __launch_bounds__(THREADS)
    mom_hankel(const double* __restrict__ arguments, Pair* __restrict__ values, const u32 count, const __grid_constant__ Mom s) {
    const u32 at = blockIdx.x * THREADS + threadIdx.x;
    if (at >= count) return;
#if BYTES == 8
    const auto h = hankel<3>(s.hankel, arguments[at]);
#else
    const auto h = short_hankel<3>(s.hankel, arguments[at]);
#endif
    values[2 * at] = h.h0, values[2 * at + 1] = h.h1;
}
