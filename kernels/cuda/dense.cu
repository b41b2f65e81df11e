// What a dense solver does beside cuSOLVER and cuBLAS: numbers of other sizes, norms of columns and rows. Matrices lie column by column.

#include "abi/layout.h"
#include "complex.cuh"

constexpr u32 THREADS = 256;
// Columns whose magnitudes a thread adds up.
constexpr u32 CHUNK = 256;

// The greater one; what is no number stays none.
inline double nan_max(double a, double b) { return a > b || isnan(a) ? a : b; }

inline double magnitude(double2 a) { return sqrt(norm_squared(a)); }

// Sum or maximum over the block, for its first thread.
template <typename Combine> inline double over_block(double value, Combine combine) {
    __shared__ double parts[THREADS / 32];
    for (u32 step = 16; step > 0; step /= 2) value = combine(value, __shfl_down_sync(0xffffffff, value, step));
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    for (u32 i = 1; threadIdx.x == 0 && i < THREADS / 32; i++) value = combine(value, parts[i]);
    return value;
}

// Greatest magnitude of every column.
extern "C" __global__ void __launch_bounds__(THREADS) dense_greatest(const double2* __restrict__ matrix, double* __restrict__ greatest, const u32 rows) {
    const double2* column = matrix + static_cast<u64>(blockIdx.x) * rows;
    double most = 0.0;
    for (u32 row = threadIdx.x; row < rows; row += THREADS) most = nan_max(most, magnitude(column[row]));
    most = over_block(most, nan_max);
    if (threadIdx.x == 0) greatest[blockIdx.x] = most;
}

// Sum of weighted magnitudes of every column.
extern "C" __global__ void __launch_bounds__(THREADS)
    dense_column_sums(const double2* __restrict__ matrix, const double* __restrict__ weights, double* __restrict__ sums, const u32 rows) {
    const double2* column = matrix + static_cast<u64>(blockIdx.x) * rows;
    double sum = 0.0;
    for (u32 row = threadIdx.x; row < rows; row += THREADS) sum = fma(weights[row], magnitude(column[row]), sum);
    sum = over_block(sum, [](double a, double b) { return a + b; });
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Sums of magnitudes of rows over CHUNK columns each, [chunk][row].
extern "C" __global__ void __launch_bounds__(THREADS) dense_row_sums(const double2* __restrict__ matrix, double* __restrict__ sums, const u32 rows, const u32 columns) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    double sum = 0.0;
    for (u32 column = blockIdx.y * CHUNK; column < min((blockIdx.y + 1) * CHUNK, columns); column++) sum += magnitude(matrix[static_cast<u64>(column) * rows + row]);
    sums[static_cast<u64>(blockIdx.y) * rows + row] = sum;
}

// Sums of the chunks, in place of the first one.
extern "C" __global__ void __launch_bounds__(THREADS) dense_add_chunks(double* __restrict__ sums, const u32 rows, const u32 chunks) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    double sum = 0.0;
    for (u32 chunk = 0; chunk < chunks; chunk++) sum += sums[static_cast<u64>(chunk) * rows + row];
    sums[row] = sum;
}

// Rows in another order: the first list says where each comes from; if `back`, where it goes.
extern "C" __global__ void __launch_bounds__(THREADS)
    dense_order(const double2* __restrict__ from, double2* __restrict__ to, const u32* __restrict__ order, const u32 rows, const u32 back) {
    const u32 row = blockIdx.y * THREADS + threadIdx.x;
    if (row >= rows) return;
    const u64 first = static_cast<u64>(blockIdx.x) * rows;
    if (back) to[first + order[row]] = from[first + row];
    else to[first + row] = from[first + order[row]];
}

// 32-bit numbers of columns over their scales; columns of nothing stay so.
extern "C" __global__ void __launch_bounds__(THREADS)
    dense_narrow(const double2* __restrict__ matrix, const double* __restrict__ scales, float2* __restrict__ narrow, const u32 rows) {
    const u32 row = blockIdx.y * THREADS + threadIdx.x;
    if (row >= rows) return;
    const u64 at = static_cast<u64>(blockIdx.x) * rows + row;
    const double scale = scales == nullptr ? 1.0 : scales[blockIdx.x], inverse = scale > 0.0 ? 1.0 / scale : 0.0;
    narrow[at] = make_float2(static_cast<float>(inverse * matrix[at].x), static_cast<float>(inverse * matrix[at].y));
}

// Adds 32-bit numbers times the scales of their columns.
extern "C" __global__ void __launch_bounds__(THREADS)
    dense_add(const float2* __restrict__ narrow, const double* __restrict__ scales, double2* __restrict__ matrix, const u32 rows) {
    const u32 row = blockIdx.y * THREADS + threadIdx.x;
    if (row >= rows) return;
    const u64 at = static_cast<u64>(blockIdx.x) * rows + row;
    const double scale = scales[blockIdx.x];
    matrix[at] = matrix[at] + scale * make_double2(narrow[at].x, narrow[at].y);
}

// Columns of a panel of LU, and a row that is none.
constexpr u32 PANEL = 256, NOWHERE = 0xffffffff;

// What a panel's row exchanges amount to, done at once: rows to write, then rows to read. Pivots count from the panel's first row, from 1.
extern "C" __global__ void __launch_bounds__(PANEL)
    dense_plan_swaps(const i32* __restrict__ pivots, u32* __restrict__ swaps, const u32 first, const u32 width) {
    __shared__ u32 rows[PANEL], slots[PANEL], now[2 * PANEL];
    const u32 own = threadIdx.x;
    const bool is = own < width;
    if (is) rows[own] = first + static_cast<u32>(pivots[first + own]) - 1;
    now[own] = own, now[PANEL + own] = PANEL + own;
    __syncthreads();
    // Rows below the panel's have the slot of the first pivot that is there.
    if (is) {
        u32 same = 0;
        while (rows[same] != rows[own]) same++;
        slots[own] = rows[own] < first + width ? rows[own] - first : PANEL + same;
    }
    __syncthreads();
    for (u32 i = 0; own == 0 && i < width; i++) {
        const u32 other = slots[i], kept = now[i];
        now[i] = now[other], now[other] = kept;
    }
    __syncthreads();
    const auto row = [&](u32 slot) { return slot < PANEL ? first + slot : rows[slot - PANEL]; };
    for (u32 slot = own; slot < 2 * PANEL; slot += PANEL) {
        const bool moves = is && (slot < PANEL || slots[own] == slot) && now[slot] != slot;
        swaps[slot] = moves ? row(slot) : NOWHERE;
        swaps[2 * PANEL + slot] = moves ? row(now[slot]) : NOWHERE;
    }
}

// Exchanges rows in all columns but `skipped` ones from `skip` on, or takes the exchange back.
extern "C" __global__ void __launch_bounds__(2 * PANEL)
    dense_swap(const u32* __restrict__ swaps, float2* __restrict__ matrix, const u32 rows, const u32 skip, const u32 skipped, const u32 back) {
    const u32 column = blockIdx.x + (blockIdx.x >= skip ? skipped : 0);
    const u32 ends[2] = {swaps[threadIdx.x], swaps[2 * PANEL + threadIdx.x]}, to = ends[back], from = ends[1 - back];
    float2* entries = matrix + static_cast<u64>(column) * rows;
    float2 value = {};
    if (to != NOWHERE) value = entries[from];
    __syncthreads();
    if (to != NOWHERE) entries[to] = value;
}
