// What panels of LU do to the columns beside them, and substitutions. Launched by kernels/src/dense/lu.rs.
//
// Given: BYTES of a real number.

#include "abi/layout.h"
#include "lu.cuh"

inline Complex from_lane(Complex z, u32 lane) { return {__shfl_sync(0xffffffff, z.x, lane), __shfl_sync(0xffffffff, z.y, lane)}; }

// Columns of a panel at most, of a part of it that was factored at once, and of a block; a row that is none.
constexpr u32 PANEL = 256, INNER = 32, COLUMNS = 4, NOWHERE = 0xffffffff;

// Values that the threads of other rows wait for.
struct Handed {
    Complex values[2][INNER][COLUMNS];
};

// L^-1, or U^-1 if `UPPER`, of columns whose rows the threads have: parts of INNER rows after one another, each by a warp, which hands them to those that
// are not yet done. Factors begin in the first column, in the row of the thread.
template <bool UPPER> inline void solve(const Complex* __restrict__ factors, u32 size, u32 width, Complex (&own)[COLUMNS], Handed& handed) {
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, parts = (width + INNER - 1) / INNER;
    const bool is_here = threadIdx.x < width;
    const Complex inverse = UPPER && is_here ? reciprocal(factors[static_cast<u64>(threadIdx.x) * size]) : Complex{};
    for (u32 i = 0; i < parts; i++) {
        const u32 part = UPPER ? parts - 1 - i : i, start = part * INNER, count = min(INNER, width - start);
        Complex(&solved)[INNER][COLUMNS] = handed.values[i % 2];
        if (warp == part) {
#pragma unroll 8
            for (u32 j = 0; j < count; j++) {
                const u32 k = UPPER ? count - 1 - j : j;
                const bool follows = is_here && (UPPER ? lane < k : lane > k);
                const Complex factor = follows ? factors[static_cast<u64>(start + k) * size] : Complex{};
#pragma unroll
                for (u32 c = 0; c < COLUMNS; c++) {
                    if (UPPER && lane == k) own[c] = times(own[c], inverse);
                    own[c] = minus(own[c], factor, from_lane(own[c], k));
                }
            }
#pragma unroll
            for (u32 c = 0; c < COLUMNS; c++) solved[lane][c] = own[c];
        }
        __syncthreads();
        if (is_here && (UPPER ? warp < part : warp > part)) {
#pragma unroll 8
            for (u32 k = 0; k < count; k++) {
                const Complex factor = factors[static_cast<u64>(start + k) * size];
#pragma unroll
                for (u32 c = 0; c < COLUMNS; c++) own[c] = minus(own[c], factor, solved[k][c]);
            }
        }
    }
}

// B <- L^-1 B or U^-1 B of the rows from `first` on, for the triangle there; both matrices have `size` rows.
extern "C" __global__ /* hot */ void __launch_bounds__(PANEL, 2) lu_triangle(const Complex* __restrict__ factors, Complex* __restrict__ right, const u32 size,
                                                                   const u32 first, const u32 width, const u32 columns, const u32 upper) {
    __shared__ Handed handed;
    const u32 begin = blockIdx.x * COLUMNS, count = min(COLUMNS, columns - begin);
    Complex* values = right + static_cast<u64>(begin) * size + first + threadIdx.x;
    Complex own[COLUMNS];
#pragma unroll
    for (u32 c = 0; c < COLUMNS; c++) own[c] = threadIdx.x < width && c < count ? values[static_cast<u64>(c) * size] : Complex{};
    factors += static_cast<u64>(first) * size + first + threadIdx.x;
    if (upper) solve<true>(factors, size, width, own, handed);
    else solve<false>(factors, size, width, own, handed);
#pragma unroll
    for (u32 c = 0; c < COLUMNS; c++)
        if (threadIdx.x < width && c < count) values[static_cast<u64>(c) * size] = own[c];
}

// What lu_exchange does.
constexpr u32 EXCHANGES = 1, SOLVES = 2;

// In columns `from` to `to` but for those of the panel: exchanges rows as the panel's parts of `inner` columns did, and behind the panel takes L^-1 of
// what is beside it, or one of both.
extern "C" __global__ /* hot */ void __launch_bounds__(PANEL, 2) lu_exchange(Complex* matrix, const u32* __restrict__ moves, const u32 size,
                                                                   const u32 first, const u32 width, const u32 inner, const u32 from, const u32 to,
                                                                   const u32 what) {
    __shared__ u32 rows[2][PANEL];
    __shared__ Handed handed;
    u32 begin = from + blockIdx.x * COLUMNS;
    if (begin >= first && from <= first) begin += width;
    if (begin >= to) return;
    const u32 count = min(COLUMNS, to - begin), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (what & EXCHANGES) {
        if (threadIdx.x < width)
            for (u32 kind = 0; kind < 2; kind++) rows[kind][threadIdx.x] = moves[kind * size + first + threadIdx.x];
        __syncthreads();
        // Two warps for each column: rows that come to the diagonal, and those that leave it.
        const bool leaves = warp % 2 == 1;
        Complex* column = matrix + static_cast<u64>(begin + warp / 2) * size;
        for (u32 start = 0; start < width; start += inner) {
            const u32 own = start + lane;
            Complex value = {};
            u32 place = NOWHERE;
            if (warp / 2 < count && lane < min(inner, width - start)) {
                place = leaves ? rows[1][own] : first + own;
                value = column[leaves ? first + own : rows[0][own]];
            }
            __syncthreads();
            if (place != NOWHERE) column[place] = value;
            __syncthreads();
        }
    }
    if (begin < first || !(what & SOLVES)) return;
    Complex* right = matrix + static_cast<u64>(begin) * size + first + threadIdx.x;
    Complex own[COLUMNS];
#pragma unroll
    for (u32 c = 0; c < COLUMNS; c++) own[c] = threadIdx.x < width && c < count ? right[static_cast<u64>(c) * size] : Complex{};
    solve<false>(matrix + static_cast<u64>(first) * size + first + threadIdx.x, size, width, own, handed);
#pragma unroll
    for (u32 c = 0; c < COLUMNS; c++)
        if (threadIdx.x < width && c < count) right[static_cast<u64>(c) * size] = own[c];
}

// What a library's exchanges of rows, one after the other, amount to, as `lu_panel` has it. Pivots count from row `first`, from 1; its state is the first
// column without one, from 1, or nothing.
extern "C" __global__ /* hot */ void __launch_bounds__(INNER) lu_moves(const i32* __restrict__ pivots, const i32* __restrict__ state, u32* __restrict__ moves,
                                                             u32* __restrict__ wrong, const u32 size, const u32 first, const u32 width) {
    // Rows that are at the diagonal, and below it where a pivot was: that place, and the row there.
    __shared__ u32 there[INNER], below[INNER], beneath[INNER];
    there[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0 && *state > 0) atomicMin(wrong, first + *state - 1);
    __syncwarp();
    u32 count = 0;
    for (u32 i = 0; threadIdx.x == 0 && i < width; i++) {
        const u32 pivot = static_cast<u32>(pivots[first + i]) - 1;
        u32 known = 0;
        while (known < count && below[known] != pivot) known++;
        if (pivot >= width && known == count) below[count] = beneath[count] = pivot, count++;
        u32* other = pivot < width ? &there[pivot] : &beneath[known];
        const u32 kept = there[i];
        there[i] = *other, *other = kept;
    }
    __syncwarp();
    if (threadIdx.x < width) moves[first + threadIdx.x] = first + there[threadIdx.x], moves[size + first + threadIdx.x] = NOWHERE;
    __syncwarp();
    for (u32 i = 0; i < count; i++) moves[size + first + beneath[i]] = first + below[i];
}
