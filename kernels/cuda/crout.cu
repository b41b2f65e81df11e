// The thesis's solver: Crout's LU with partial updates and explicit inverses of both triangles; pipeline/mom/src/crout.rs is the same on the processor.
//
// One launch is one iteration, and its end the iteration's only barrier. Every block finds the pivot for itself, and nobody writes to the column that all read:
// what becomes of it goes elsewhere. Matrices lie column by column.

#include "abi/layout.h"
#include "complex.cuh"

constexpr u32 THREADS = 256;

inline double2 inverted(double2 a) {
    const double scale = 1.0 / norm_squared(a);
    return make_double2(scale * a.x, -scale * a.y);
}

// Row and squared magnitude of the first largest entry from a row on, for all threads. What is no number is the largest.
inline void find_pivot(const double2* __restrict__ column, u32 from, u32 size, u32& row, double& largest) {
    __shared__ double values[THREADS / 32];
    __shared__ u32 rows[THREADS / 32];
    const auto take = [&](double value, u32 at) {
        const bool better = value > largest || isnan(value) && !isnan(largest);
        if (better || value == largest && at < row) largest = value, row = at;
    };
    largest = -1.0, row = from;
    for (u32 i = from + threadIdx.x; i < size; i += THREADS) take(norm_squared(column[i]), i);
    for (u32 step = 16; step > 0; step /= 2) {
        const double value = __shfl_xor_sync(0xffffffff, largest, step);
        const u32 at = __shfl_xor_sync(0xffffffff, row, step);
        take(value, at);
    }
    if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = largest, rows[threadIdx.x / 32] = row;
    __syncthreads();
    for (u32 i = 0; i < THREADS / 32; i++) take(values[i], rows[i]);
}

// Iteration `at`: the rest of the matrix less the product of column and row, rows exchanged. lower[row of A][at] is the column of L; order has the row of A in
// each place; pivots and their magnitudes are kept.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    crout_step(double2* matrix, double2* __restrict__ lower, u32* __restrict__ order, double2* __restrict__ pivots, const u32 at, const u32 size) {
    const double2* column = matrix + static_cast<u64>(at) * size;
    u32 row;
    double largest;
    find_pivot(column, at, size, row, largest);
    const double2 pivot = column[row], upper = column[at], inverse = inverted(pivot);
    const auto factor = [&](u32 i) { return times(i == row ? upper : column[i], inverse); };
    if (blockIdx.x == 0) {
        const u32 own = order[at], other = order[row];
        __syncthreads();
        for (u32 i = at + 1 + threadIdx.x; i < size; i += THREADS) lower[static_cast<u64>(at) * size + (i == row ? own : order[i])] = factor(i);
        __syncthreads();
        if (threadIdx.x == 0) order[row] = own, order[at] = other, pivots[at] = pivot;
    }
    for (u32 next = at + 1 + blockIdx.x; next < size; next += gridDim.x) {
        double2* entries = matrix + static_cast<u64>(next) * size;
        const double2 across = entries[row], replaced = entries[at];
        __syncthreads();
        for (u32 i = at + 1 + threadIdx.x; i < size; i += THREADS) entries[i] = minus(i == row ? replaced : entries[i], factor(i), across);
        if (threadIdx.x == 0) entries[at] = across;
    }
}

// L below the diagonal, U above and on it, in place of what the iterations left.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    crout_gather(double2* __restrict__ matrix, const double2* __restrict__ lower, const u32* __restrict__ order, const double2* __restrict__ pivots,
                 const u32 size) {
    const u32 row = blockIdx.y * THREADS + threadIdx.x, column = blockIdx.x;
    if (row >= size || row < column) return;
    const u64 first = static_cast<u64>(column) * size;
    matrix[first + row] = row == column ? pivots[column] : lower[first + order[row]];
}

// Column blockIdx.x of both inverses. A thread owns rows; one value a step goes to all.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    crout_invert(const double2* __restrict__ factors, double2* __restrict__ lower, double2* __restrict__ upper, const u32 size) {
    __shared__ double2 values[2];
    const u32 own = blockIdx.x;
    double2 *l = lower + static_cast<u64>(own) * size, *u = upper + static_cast<u64>(own) * size;
    for (u32 i = threadIdx.x; i < size; i += THREADS) {
        const double one = i == own ? 1.0 : 0.0;
        l[i] = make_double2(one, 0.0), u[i] = make_double2(one, 0.0);
    }
    for (u32 m = own; m < size; m++) {
        if (m % THREADS == threadIdx.x) values[m % 2] = l[m];
        __syncthreads();
        const double2 value = values[m % 2], *column = factors + static_cast<u64>(m) * size;
        for (u32 i = (m + 1) / THREADS * THREADS + threadIdx.x; i < size; i += THREADS)
            if (i > m) l[i] = minus(l[i], column[i], value);
    }
    __syncthreads();
    for (u32 m = own + 1; m-- > 0;) {
        const double2* column = factors + static_cast<u64>(m) * size;
        if (m % THREADS == threadIdx.x) values[m % 2] = u[m] = times(u[m], inverted(column[m]));
        __syncthreads();
        const double2 value = values[m % 2];
        for (u32 i = threadIdx.x; i < m; i += THREADS) u[i] = minus(u[i], column[i], value);
    }
}
