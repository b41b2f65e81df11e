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
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS) dense_greatest(const double2* __restrict__ matrix, double* __restrict__ greatest, const u32 rows) {
    const double2* column = matrix + static_cast<u64>(blockIdx.x) * rows;
    double most = 0.0;
    for (u32 row = threadIdx.x; row < rows; row += THREADS) most = nan_max(most, magnitude(column[row]));
    most = over_block(most, nan_max);
    if (threadIdx.x == 0) greatest[blockIdx.x] = most;
}

// Sum of weighted magnitudes of every column.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    dense_column_sums(const double2* __restrict__ matrix, const double* __restrict__ weights, double* __restrict__ sums, const u32 rows) {
    const double2* column = matrix + static_cast<u64>(blockIdx.x) * rows;
    double sum = 0.0;
    for (u32 row = threadIdx.x; row < rows; row += THREADS) sum = fma(weights[row], magnitude(column[row]), sum);
    sum = over_block(sum, [](double a, double b) { return a + b; });
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Sums of magnitudes of rows over CHUNK columns each, [chunk][row].
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS) dense_row_sums(const double2* __restrict__ matrix, double* __restrict__ sums, const u32 rows, const u32 columns) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    double sum = 0.0;
    for (u32 column = blockIdx.y * CHUNK; column < min((blockIdx.y + 1) * CHUNK, columns); column++) sum += magnitude(matrix[static_cast<u64>(column) * rows + row]);
    sums[static_cast<u64>(blockIdx.y) * rows + row] = sum;
}

// Sums of the chunks, in place of the first one.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS) dense_add_chunks(double* __restrict__ sums, const u32 rows, const u32 chunks) {
    const u32 row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    double sum = 0.0;
    for (u32 chunk = 0; chunk < chunks; chunk++) sum += sums[static_cast<u64>(chunk) * rows + row];
    sums[row] = sum;
}

// Rows in another order: the first list says where each comes from; if `back`, where it goes. An entry has so many words.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    dense_order(const u64* __restrict__ from, u64* __restrict__ to, const u32* __restrict__ order, const u32 rows, const u32 words, const u32 back) {
    const u32 row = blockIdx.y * THREADS + threadIdx.x;
    if (row >= rows) return;
    const u64 first = static_cast<u64>(blockIdx.x) * rows;
    const u32 ends[2] = {row, order[row]};
    for (u32 word = 0; word < words; word++) to[(first + ends[back]) * words + word] = from[(first + ends[1 - back]) * words + word];
}

// 32-bit numbers of columns over their scales; columns of nothing stay so.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    dense_narrow(const double2* __restrict__ matrix, const double* __restrict__ scales, float2* __restrict__ narrow, const u32 rows) {
    const u32 row = blockIdx.y * THREADS + threadIdx.x;
    if (row >= rows) return;
    const u64 at = static_cast<u64>(blockIdx.x) * rows + row;
    const double scale = scales == nullptr ? 1.0 : scales[blockIdx.x], inverse = scale > 0.0 ? 1.0 / scale : 0.0;
    narrow[at] = make_float2(static_cast<float>(inverse * matrix[at].x), static_cast<float>(inverse * matrix[at].y));
}

// Adds 32-bit numbers times the scales of their columns.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    dense_add(const float2* __restrict__ narrow, const double* __restrict__ scales, double2* __restrict__ matrix, const u32 rows) {
    const u32 row = blockIdx.y * THREADS + threadIdx.x;
    if (row >= rows) return;
    const u64 at = static_cast<u64>(blockIdx.x) * rows + row;
    const double scale = scales[blockIdx.x];
    matrix[at] = matrix[at] + scale * make_double2(narrow[at].x, narrow[at].y);
}
