// Local corrections of the Nystrom method: pipeline/mom/src/lcn.rs on the card.
//
// A warp has a row. Its lanes look for near cells, then all of them integrate each one: a lane takes nodes of the rules and sums moments of its own, which
// are added at the end.
//
// Given, beside what mom.cuh wants: NODES of a cell; OWN and PART, nodes of the rules on the node's own cell and on parts of others.

#include "mom.cuh"

constexpr u32 THREADS = 128;
constexpr u32 ALL = 0xffffffff;
constexpr u32 MOST_HALVINGS = 40;
constexpr double PI = 3.1415926535897932;

inline double2 place(const double (&at)[2]) { return make_double2(at[0], at[1]); }

// r(u), dr/du.
struct Spot {
    double2 point, slope;
};

inline Spot spot(const MomCell& cell, const double4* __restrict__ terms, double u) {
    double sine, cosine;
    if (cell.kind == 0) {
        const double2 from = make_double2(cell.numbers[0], cell.numbers[1]), along = make_double2(cell.numbers[2], cell.numbers[3]) - from;
        return {from + u * along, along};
    }
    if (cell.kind == 1) {
        const double radius = cell.numbers[2];
        sincos(2.0 * PI * u, &sine, &cosine);
        return {make_double2(fma(radius, cosine, cell.numbers[0]), fma(radius, sine, cell.numbers[1])), 2.0 * PI * radius * make_double2(-sine, cosine)};
    }
    Spot sum = {};
    for (u32 m = 0; m < cell.terms; m++) {
        const double4 term = terms[cell.first_term + m];
        const double w = 2.0 * PI * m;
        sincos(w * u, &sine, &cosine);
        sum.point = sum.point + cosine * make_double2(term.x, term.y) + sine * make_double2(term.z, term.w);
        sum.slope = sum.slope + -w * sine * make_double2(term.x, term.y) + w * cosine * make_double2(term.z, term.w);
    }
    return sum;
}

// r(u + step) - r(u), with all its digits.
inline double2 chord(const MomCell& cell, const double4* __restrict__ terms, double u, double step) {
    double sine, cosine;
    if (cell.kind == 0) return step * make_double2(cell.numbers[2] - cell.numbers[0], cell.numbers[3] - cell.numbers[1]);
    if (cell.kind == 1) {
        sincos(2.0 * PI * (u + 0.5 * step), &sine, &cosine);
        const double length = 2.0 * cell.numbers[2] * sin(PI * step);
        return length * make_double2(-sine, cosine);
    }
    double2 sum = {};
    for (u32 m = 0; m < cell.terms; m++) {
        const double4 term = terms[cell.first_term + m];
        const double w = 2.0 * PI * m;
        sincos(w * (u + 0.5 * step), &sine, &cosine);
        const double length = 2.0 * sin(0.5 * w * step);
        sum = sum + -length * sine * make_double2(term.x, term.y) + length * cosine * make_double2(term.z, term.w);
    }
    return sum;
}

// P_0, P_1, ... at x.
inline void legendre(double x, double (&values)[NODES]) {
    double before = 0.0, present = 1.0;
#pragma unroll
    for (u32 k = 0; k < NODES; k++) {
        values[k] = present;
        const double next = ((2.0 * k + 1.0) * x * present - k * before) * (1.0 / (k + 1.0));
        before = present, present = next;
    }
}

// Derivatives of polynomials from their values.
inline void legendre_slopes(const double (&values)[NODES], double (&slopes)[NODES]) {
#pragma unroll
    for (u32 k = 0; k < NODES; k++) slopes[k] = k == 0 ? 0.0 : k == 1 ? 1.0 : slopes[k - 2] + (2.0 * k - 1.0) * values[k - 1];
}

inline double from_lane(double value, u32 lane) { return __shfl_sync(ALL, value, lane); }

// Of one node and one cell.
struct Moments {
    const Mom& s;
    const MomCell& cell;
    const double4* __restrict__ terms;
    double2 point, normal;
    double2 of[NODES];

    inline void add(double x, double2 value) {
        double values[NODES];
        legendre(x, values);
#pragma unroll
        for (u32 k = 0; k < NODES; k++) of[k] = of[k] + values[k] * value;
    }

    inline double parameter(double x) const { return fma(cell.half, x, cell.middle); }

    // Whether a part is nearer to the point than it is long; lanes 0 to 2 look at its beginning, middle and end.
    inline bool is_near(double from, double to) const {
        const u32 lane = threadIdx.x % 32;
        const double2 d = spot(cell, terms, parameter(lane == 0 ? from : lane == 1 ? 0.5 * (from + to) : to)).point - point;
        const double squared = dot(d, d);
        const double nearest = fmin(fmin(from_lane(squared, 0), from_lane(squared, 1)), from_lane(squared, 2));
        const double2 length = make_double2(from_lane(d.x, 2) - from_lane(d.x, 0), from_lane(d.y, 2) - from_lane(d.y, 0));
        return nearest < 1.5 * dot(length, length);
    }

    // Another cell: halves of halves, each by the rule, one after another.
    inline void other(const double2* __restrict__ rule) {
        u32 depth = 0;
        u64 number = 0;
        do {
            const double width = ldexp(2.0, -static_cast<i32>(depth)), from = fma(static_cast<double>(number), width, -1.0);
            if (depth < MOST_HALVINGS && is_near(from, from + width)) {
                depth++, number *= 2;
                continue;
            }
            for (u32 i = threadIdx.x % 32; i < PART; i += 32) {
                const double x = from + 0.5 * width * (1.0 + rule[i].x);
                const Spot at = spot(cell, terms, parameter(x));
                const double speed = sqrt(dot(at.slope, at.slope));
                const double2 source = 1.0 / speed * make_double2(at.slope.y, -at.slope.x);
                add(x, 0.5 * width * rule[i].y * speed * cell.half * kernel<false>(s, point - at.point, normal, source));
            }
            number++;
            while (depth > 0 && number % 2 == 0) depth--, number /= 2;
        } while (depth > 0);
    }

    // The node's own cell: both sides of the node, x = x_0 + s v^6.
    inline void own(const double2* __restrict__ rule, double x0) {
        double at_pole[NODES], slopes[NODES], values[NODES];
        const double u = parameter(x0);
        double2 residue = {};
        if (STRONG) {
            legendre(x0, values);
            legendre_slopes(values, at_pole);
            const double2 slope = spot(cell, terms, u).slope;
            residue = 1.0 / (2.0 * PI * s.k * sqrt(dot(slope, slope)) * cell.half) * make_double2(-s.parts[3][1], s.parts[3][0]);
        }
        for (u32 i = threadIdx.x % 32; i < 2 * OWN; i += 32) {
            const double side = i < OWN ? 1.0 - x0 : -1.0 - x0, v = 0.5 * (1.0 + rule[i % OWN].x), squared = v * v, fifth = squared * squared * v;
            const double step = side * (fifth * v), weight = 3.0 * rule[i % OWN].y * fabs(side) * fifth;
            const double2 d = -1.0 * chord(cell, terms, u, cell.half * step), slope = spot(cell, terms, parameter(x0 + step)).slope;
            const double speed = sqrt(dot(slope, slope));
            const double2 value = weight * speed * cell.half * kernel<true>(s, d, normal, 1.0 / speed * make_double2(slope.y, -slope.x));
            legendre(x0 + step, values);
            if (STRONG) legendre_slopes(values, slopes);
            const double2 strong = STRONG ? weight * cauchy_kernel(s, d, normal) : double2{}, pole = weight / step * residue;
#pragma unroll
            for (u32 k = 0; k < NODES; k++) {
                of[k] = of[k] + values[k] * value;
                if (STRONG) of[k] = of[k] + slopes[k] * strong - at_pole[k] * pole;
            }
        }
        if (STRONG && threadIdx.x % 32 == 0) {
            const double2 pole = log((1.0 - x0) / (1.0 + x0)) * residue;
            const double2 first = cauchy_kernel(s, -1.0 * chord(cell, terms, u, cell.half * (-1.0 - x0)), normal);
            const double2 last = cauchy_kernel(s, -1.0 * chord(cell, terms, u, cell.half * (1.0 - x0)), normal);
#pragma unroll
            for (u32 k = 0; k < NODES; k++) of[k] = of[k] + at_pole[k] * pole - last + (k % 2 == 0 ? 1.0 : -1.0) * first;
        }
    }

    // Sums over the lanes.
    inline void finish() {
#pragma unroll
        for (u32 k = 0; k < NODES; k++)
            for (u32 step = 16; step > 0; step /= 2) of[k].x += __shfl_xor_sync(ALL, of[k].x, step), of[k].y += __shfl_xor_sync(ALL, of[k].y, step);
    }
};

// Square of the distance of a point to a cell's nodes and ends.
inline double squared_distance(const MomNode* __restrict__ nodes, const MomCell& cell, double2 point) {
    const double2 first = place(cell.ends[0]) - point, last = place(cell.ends[1]) - point;
    double nearest = fmin(dot(first, first), dot(last, last));
    for (u32 i = 0; i < NODES; i++) {
        const double2 d = place(nodes[cell.first + i].point) - point;
        nearest = fmin(nearest, dot(d, d));
    }
    return nearest;
}

// rules: Gauss's on (-1, 1) with NODES, OWN and PART nodes, (node, weight). interpolation: [i][k], w_i (k + 1/2) P_k(x_i).
extern "C" __global__ void __launch_bounds__(THREADS)
    mom_near(const MomNode* __restrict__ nodes, const MomCell* __restrict__ cells, const double4* __restrict__ terms, const double2* __restrict__ rules,
             const double* __restrict__ interpolation, Pair* __restrict__ matrix, const __grid_constant__ Mom s) {
    const u32 row = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= s.count) return;
    const double2 point = place(nodes[row].point), normal = place(nodes[row].normal);
    for (u32 begin = 0; begin < s.cells; begin += 32) {
        bool near = false;
        if (begin + lane < s.cells) {
            const MomCell& cell = cells[begin + lane];
            const double reach = fmax(s.reach, cell.length);
            near = row - cell.first < NODES || squared_distance(nodes, cell, point) < reach * reach;
        }
        for (u32 found = __ballot_sync(ALL, near); found != 0; found &= found - 1) {
            const MomCell cell = cells[begin + __ffs(found) - 1];
            Moments moments = {s, cell, terms, point, normal, {}};
            const bool own = row - cell.first < NODES;
            if (own) moments.own(rules + NODES, rules[row - cell.first].x);
            else moments.other(rules + NODES + OWN);
            moments.finish();
            if (lane >= NODES) continue;
            double2 sum = own && row - cell.first == lane ? pair(s.jump) : double2{};
#pragma unroll
            for (u32 k = 0; k < NODES; k++) sum = sum + interpolation[lane * NODES + k] * moments.of[k];
            Pair value;
            value.x = static_cast<Real>(sum.x), value.y = static_cast<Real>(sum.y);
            matrix[static_cast<u64>(cell.first + lane) * s.count + row] = value;
        }
    }
}
