// Sums in an order that never changes: two runs give the same bits.
#pragma once

// Over a warp; every lane gets it.
inline double warp_sum(double x) {
    for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffff, x, step);
    return x;
}

// Over a block of THREADS, which all call it; every thread gets it.
template <int THREADS>
inline double block_sum(double x) {
    __shared__ double parts[THREADS / 32];
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
    __syncthreads();
    double sum = 0.0;
    for (int warp = 0; warp < THREADS / 32; warp++) sum += parts[warp];
    __syncthreads();
    return sum;
}
