// Parts of reflectarray.cu that know nothing of fields: products of a block, and sums over blocks.
#pragma once

#include "abi/reflectarray.h"
#include "complex.cuh"
#include "sums.cuh"

#ifndef TOGETHER
#error TOGETHER: designs that a block of field_levels and slopes_to_lines takes
#endif

// Threads of blocks that sum; those of matrix products alone may have more.
constexpr u32 THREADS = 256;
#define INFINITE __longlong_as_double(0x7ff0000000000000ll)

// Loads that are under way at once, to hide the way to the second cache.
constexpr u32 DEEP = 8;
// Most threads of a block.
constexpr u32 MOST = 1024;

// Adds DEEP rows of the table, from i on and `step` apart, times their values; those from `count` on are not there.
template <bool WHOLE, u32 COUNT, class Row>
inline void some_rows(double2 (&sums)[COUNT], const double2* values, u32 apart, u32 i, u32 step, u32 count, const double* __restrict__ table,
                      u32 terms, u32 k, Row row) {
    double factors[DEEP];
#pragma unroll
    for (u32 deep = 0; deep < DEEP; deep++) {
        const u32 j = i + deep * step;
        factors[deep] = WHOLE || j < count ? __ldg(table + row(j) * terms + k) : 0.0;
    }
#pragma unroll
    for (u32 deep = 0; deep < DEEP; deep++) {
        const u32 j = WHOLE ? i + deep * step : min(i + deep * step, count - 1);
#pragma unroll
        for (u32 list = 0; list < COUNT; list++) sums[list] = sums[list] + factors[deep] * values[list * apart + j];
    }
}

// Sums of threads, the same memory for all products of a kernel: MOST of one list, or those of a smaller block for TOGETHER.
inline double2* room() {
    static_assert(TOGETHER * THREADS <= MOST, "sums do not fit");
    __shared__ double2 sums[MOST];
    return sums;
}

// out(list, k, sum over i of values[list][i] table[row(i)][k]) for all k below `terms`, and for COUNT lists of values, which lie `apart` from each
// other in shared memory; all threads of the block call it. Threads take a k each, and where there are more of them parts of the sum.
template <u32 COUNT, class Row, class Out>
inline void products(const double2* values, u32 apart, u32 count, const double* table, u32 terms, Row row, Out out) {
    const u32 wide = min(blockDim.x, (terms + 31) / 32 * 32), parts = blockDim.x / wide;
    const u32 lane = threadIdx.x % wide, part = threadIdx.x / wide;
    for (u32 first = 0; first < terms; first += wide) {
        // Those that are not there do what the last one does, for nothing.
        const u32 k = min(first + lane, terms - 1);
        double2 sums[COUNT] = {};
        u32 i = part < parts ? part : count;
        for (; i + (DEEP - 1) * parts < count; i += DEEP * parts) {
            some_rows<true>(sums, values, apart, i, parts, count, table, terms, k, row);
        }
        if (i < count) some_rows<false>(sums, values, apart, i, parts, count, table, terms, k, row);
#pragma unroll
        for (u32 list = 0; list < COUNT; list++) room()[list * blockDim.x + threadIdx.x] = sums[list];
        __syncthreads();
        const u32 here = min(terms - first, wide);
        for (u32 o = threadIdx.x; o < COUNT * here; o += blockDim.x) {
            const u32 list = o / here, own = o % here;
            const double2* parted = room() + list * blockDim.x + own;
            double2 sum = parted[0];
            for (u32 p = 1; p < parts; p++) sum = sum + parted[p * wide];
            out(list, first + own, sum);
        }
        __syncthreads();
    }
}

// The same of one list.
template <class Row, class Out>
inline void product(const double2* values, u32 count, const double* table, u32 terms, Row row, Out out) {
    products<1>(values, 0, count, table, terms, row, [&](u32, u32 k, double2 sum) { out(k, sum); });
}

struct Same {
    u32 operator()(u32 i) const { return i; }
};

// times j^quarters
inline double2 quarter(double2 a, u32 quarters) {
    switch (quarters % 4) {
        case 0: return a;
        case 1: return make_double2(-a.y, a.x);
        case 2: return make_double2(-a.x, -a.y);
        default: return make_double2(a.y, -a.x);
    }
}

// Over a warp; every lane gets it.
inline double warp_least(double x) {
    for (int step = 16; step > 0; step /= 2) x = fmin(x, __shfl_xor_sync(0xffffffff, x, step));
    return x;
}

// Over the block; every thread gets it.
inline double least(double x) {
    __shared__ double parts[THREADS / 32];
    x = warp_least(x);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
    __syncthreads();
    for (u32 warp = 0; warp < THREADS / 32; warp++) x = fmin(x, parts[warp]);
    __syncthreads();
    return x;
}

inline double sum(double x) { return block_sum<THREADS>(x); }

// Several sums over a block of THREADS at once; every thread gets them.
template <u32 N>
inline void sums_of_block(double (&x)[N]) {
    __shared__ double parts[THREADS / 32][N];
#pragma unroll
    for (u32 i = 0; i < N; i++) {
        x[i] = warp_sum(x[i]);
        if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32][i] = x[i];
    }
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < N; i++) {
        x[i] = 0.0;
        for (u32 warp = 0; warp < THREADS / 32; warp++) x[i] += parts[warp][i];
    }
    __syncthreads();
}

// Sum of every `stride`-th of `count` numbers; all threads get it.
inline double total(const double* parts, u32 count, u32 stride) {
    double mine = 0.0;
    for (u32 i = threadIdx.x; i < count; i += THREADS) mine += parts[static_cast<size_t>(i) * stride];
    return sum(mine);
}

// What is summed over all blocks of a design; the last one of them to arrive writes it, in an order that never changes.
struct Totals {
    double smallest;  // margin
    double all;       // sum of exp(-p (margin - smallest))
    double mean;      // sum of shares times ln of levels
    double inside;    // sum of ln of levels inside
    double darkest;   // least ln of a level
    double power;     // P
    double quiet;     // what exceeding levels cost
    double by_log;    // slope by ln of all levels together
};

// Whether this block is the last of its design; if so, it can read what the others wrote.
inline bool last(u32* arrived, u32 blocks) {
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(arrived, 1) == blocks - 1;
        if (is_last) *arrived = 0;
    }
    __syncthreads();
    if (is_last) __threadfence();
    return is_last;
}

// What a design is worth.
inline double worth(const Totals& t, double inside, const Reflectarray& r) {
    const double to_directivity = log(2.0 / t.power);
    const double margin = t.smallest + to_directivity - log(t.all / r.covered) / r.sharpness;
    // Shares sum to one where there is anything inside.
    return t.quiet - r.mean * (t.mean + (inside > 0.0 ? to_directivity : 0.0)) - (1.0 - r.mean) * margin;
}
