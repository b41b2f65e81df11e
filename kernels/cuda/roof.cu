// What a card does at most: multiply-adds in registers, and the traffic of a stage of a time stepper with memory, without its arithmetic.
//
// Given: BYTES of a number.

#include "abi/layout.h"

#if BYTES == 8
typedef double Real;
typedef double2 Vector;
#else
typedef float Real;
typedef float4 Vector;
#endif

// Chains of a thread: enough to hide the latency of one.
constexpr u32 CHAINS = 8;
// Values that a thread moves.
constexpr u32 VALUES = 4;

// `rounds` multiply-adds in every chain; the factors are not known to the compiler.
extern "C" __global__ void __launch_bounds__(256) roof_multiply_adds(Real* sums, const Real* factors, u32 rounds) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    const Real factor = factors[0], term = factors[1];
    Real chains[CHAINS];
#pragma unroll
    for (u32 c = 0; c < CHAINS; c++) chains[c] = sums[i] + static_cast<Real>(c);
#pragma unroll 16
    for (u32 r = 0; r < rounds; r++) {
#pragma unroll
        for (u32 c = 0; c < CHAINS; c++) chains[c] = fma(chains[c], factor, term);
    }
    Real sum = 0;
#pragma unroll
    for (u32 c = 0; c < CHAINS; c++) sum += chains[c];
    sums[i] = sum;
}

inline Vector plus(const Vector& a, const Vector& b) {
#if BYTES == 8
    return make_double2(a.x + b.x, a.y + b.y);
#else
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
#endif
}

// next = now + residual, residual = residual + now: two arrays read, two written.
extern "C" __global__ void __launch_bounds__(256) roof_traffic(const Vector* __restrict__ now, Vector* __restrict__ next, Vector* __restrict__ residual, u64 count) {
    const u64 first = static_cast<u64>(blockIdx.x) * 256 * VALUES + threadIdx.x;
    Vector own[VALUES], sum[VALUES];
#pragma unroll
    for (u32 i = 0; i < VALUES; i++) {
        const u64 at = first + i * 256;
        if (at < count) own[i] = now[at], sum[i] = residual[at];
    }
#pragma unroll
    for (u32 i = 0; i < VALUES; i++) {
        const u64 at = first + i * 256;
        if (at < count) next[at] = residual[at] = plus(own[i], sum[i]);
    }
}
