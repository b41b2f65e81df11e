// The sums of a NUFFT by definition, in double precision, as products of matrices: what every fast way is measured against where the
// processor's sum takes too long. Launched by kernels/src/nufft/direct.rs; twin of pipeline/nufft/src/reference.rs.
//
//     type 1   f[r][k] = sum_j (c_j R[j][r]) X[j][k],         X[j][k] = exp(i s k x_j)
//     type 2   c_j     = sum_r R[j][r] (sum_k f[r][k] X[j][k]),   R[j][r] = exp(i s (ky y_j + kz z_j))
//
// A row r is a pair of ky and kz. A block has SIDE x SIDE results, a thread 4 x 4 of them; exponentials are made in shared memory, DEPTH at a
// time for each. A phase is reduced to one turn with twice the digits, so that k x keeps all of them.
//
// | array | layout |
// |---|---|
// | x, y, z | radians; unused axes are not read |
// | strengths, values | [point] |
// | modes | [kz][ky][kx], from -N/2 on |
//
// 1e5 points and 500 x 500 modes: 2.5e10 complex products, 2e11 flops, and 1.6e9 exponentials.

#include "abi/nufft.h"
#include "complex.cuh"
#include "turn.cuh"

#define THREADS 256
#define SIDE 64
#define DEPTH 16
#define EACH 4

struct Points {
    const double *x, *y, *z;
};

// Turns of k x, to a turn.
inline double turns(int k, double x) {
    double high = x * TURN, low = fma(x, TURN, -high) + x * TURN_REST;
    double whole = k * high, rest = fma(static_cast<double>(k), high, -whole) + k * low;
    return whole - rint(whole) + rest;
}

inline double2 exponential(double turns, int sign) {
    double2 e;
    sincospi(2 * turns, &e.y, &e.x);
    if (sign < 0) e.y = -e.y;
    return e;
}

inline int mode(u32 i, u32 modes) { return static_cast<int>(i) - static_cast<int>(modes / 2); }

// exp(i s k x) of mode number i, 0 beyond the last.
inline double2 along_x(const Points& p, u32 j, u32 i, const NufftGrid& g) {
    if (j >= g.points || i >= g.modes[0]) return make_double2(0, 0);
    return exponential(turns(mode(i, g.modes[0]), p.x[j]), g.sign);
}

// Likewise of a row of modes.
inline double2 along_rows(const Points& p, u32 j, u32 row, const NufftGrid& g) {
    if (j >= g.points || row >= g.modes[1] * g.modes[2]) return make_double2(0, 0);
    double sum = 0;
    if (p.y) sum += turns(mode(row % g.modes[1], g.modes[1]), p.y[j]);
    if (p.z) sum += turns(mode(row / g.modes[1], g.modes[2]), p.z[j]);
    return exponential(sum, g.sign);
}

struct Tiles {
    double2 a[DEPTH][SIDE], b[DEPTH][SIDE];
};

// sums += a^T b, for this thread's results: rows of a from EACH * down on, of b from EACH * across on.
inline void multiply(double2 (&sums)[EACH][EACH], const Tiles& t, int down, int across) {
    for (int d = 0; d < DEPTH; d++) {
        double2 b[EACH];
        for (int i = 0; i < EACH; i++) b[i] = t.b[d][EACH * across + i];
        for (int r = 0; r < EACH; r++) {
            double2 a = t.a[d][EACH * down + r];
            for (int i = 0; i < EACH; i++) sums[r][i] = plus(sums[r][i], a, b[i]);
        }
    }
}

// Blocks: x of modes, rows of modes.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    direct_modes(const double* x, const double* y, const double* z, const double2* strengths, double2* modes, NufftGrid g) {
    __shared__ Tiles t;
    Points p = {x, y, z};
    int across = threadIdx.x % 16, down = threadIdx.x / 16;
    u32 first_x = blockIdx.x * SIDE, first_row = blockIdx.y * SIDE, rows = g.modes[1] * g.modes[2];
    double2 sums[EACH][EACH] = {};
    for (u32 first = 0; first < g.points; first += DEPTH) {
        for (int i = threadIdx.x; i < DEPTH * SIDE; i += THREADS) {
            u32 j = first + i / SIDE;
            double2 c = j < g.points ? strengths[j] : make_double2(0, 0);
            t.a[i / SIDE][i % SIDE] = times(c, along_rows(p, j, first_row + i % SIDE, g));
            t.b[i / SIDE][i % SIDE] = along_x(p, j, first_x + i % SIDE, g);
        }
        __syncthreads();
        multiply(sums, t, down, across);
        __syncthreads();
    }
    for (int r = 0; r < EACH; r++) {
        for (int i = 0; i < EACH; i++) {
            u32 row = first_row + EACH * down + r, k = first_x + EACH * across + i;
            if (row < rows && k < g.modes[0]) modes[static_cast<size_t>(row) * g.modes[0] + k] = sums[r][i];
        }
    }
}

// Blocks: points.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    direct_values(const double* x, const double* y, const double* z, const double2* modes, double2* values, NufftGrid g) {
    __shared__ Tiles t;
    __shared__ double2 shares[16][SIDE];
    Points p = {x, y, z};
    int across = threadIdx.x % 16, down = threadIdx.x / 16;
    u32 point = blockIdx.x * SIDE, rows = g.modes[1] * g.modes[2];
    double2 found[EACH] = {};
    for (u32 first_row = 0; first_row < rows; first_row += SIDE) {
        double2 sums[EACH][EACH] = {};
        for (u32 first = 0; first < g.modes[0]; first += DEPTH) {
            for (int i = threadIdx.x; i < DEPTH * SIDE; i += THREADS) {
                u32 row = first_row + i / DEPTH, k = first + i % DEPTH;
                bool here = row < rows && k < g.modes[0];
                t.a[i % DEPTH][i / DEPTH] = here ? modes[static_cast<size_t>(row) * g.modes[0] + k] : make_double2(0, 0);
                t.b[i / SIDE][i % SIDE] = along_x(p, point + i % SIDE, first + i / SIDE, g);
            }
            __syncthreads();
            multiply(sums, t, down, across);
            __syncthreads();
        }
#pragma unroll
        for (int r = 0; r < EACH; r++) {
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                double2 e = along_rows(p, point + EACH * across + i, first_row + EACH * down + r, g);
                found[i] = plus(found[i], e, sums[r][i]);
            }
        }
    }
    for (int i = 0; i < EACH; i++) shares[down][EACH * across + i] = found[i];
    __syncthreads();
    u32 j = point + threadIdx.x;
    if (threadIdx.x < SIDE && j < g.points) {
        double2 sum = make_double2(0, 0);
        for (int d = 0; d < 16; d++) sum = sum + shares[d][threadIdx.x];
        values[j] = sum;
    }
}
