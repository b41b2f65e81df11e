// The fast Walsh-Hadamard transform of the counts of SAMPLES words by one warp, in shared memory and in exact integers:
//
//     H[i] = sum_t (-1)^popcount(i & t) c[t]
//
// A pass takes some bits of t: a thread adds and subtracts 2^bits numbers in registers and puts them back where they were.
// |c| <= 16, so |H| <= 16 SAMPLES, and up to 1024 words two channels share one number, high 2^16 + low: sums and differences of
// such numbers are those of both parts, and the low part is found again as the lower half with its sign.
#pragma once

#include "abi/layout.h"

constexpr int logarithm(int n) { return n > 1 ? 1 + logarithm(n / 2) : 0; }

constexpr int LEVELS = logarithm(SAMPLES);
static_assert(SAMPLES == 1 << LEVELS && LEVELS >= 6 && LEVELS <= 12, "a power of two from 64 to 4096");
constexpr int PACKED = SAMPLES <= 1024 ? 2 : 1;  // channels in one number

// Bits of the passes, the highest bits of t first: at most 32 numbers in registers.
constexpr int BITS_1 = LEVELS <= 10 ? (LEVELS + 1) / 2 : 4;
constexpr int BITS_2 = LEVELS <= 10 ? LEVELS / 2 : 4;
constexpr int BITS_3 = LEVELS - BITS_1 - BITS_2;

// Place of number i: a gap after every 32nd keeps the threads of every pass in different banks.
inline int spaced(int i) { return i + i / 32; }
constexpr int SPACED = SAMPLES + SAMPLES / 32;

// Of numbers from 0 to 65535.
inline i32 pack(u32 low, u32 high) { return __byte_perm(low, high, 0x5410); }
inline i32 high_part(i32 packed) { return (packed - static_cast<short>(packed)) >> 16; }
inline i32 low_part(i32 packed) { return PACKED == 2 ? static_cast<short>(packed) : packed; }

// Sums and differences over all bits of the index.
template <int COUNT>
inline void hadamard(i32 (&v)[COUNT]) {
#pragma unroll
    for (int half = COUNT / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (i & half) continue;
            i32 a = v[i], b = v[i + half];
            v[i] = a + b;
            v[i + half] = a - b;
        }
    }
}

// One pass over BITS bits of t from bit LOWEST up; load(base, offset) gives number t = base + offset, and the offset is known
// when the pass is compiled. `excess` is what every number has too much: only sums without a minus sign have it then.
template <int BITS, int LOWEST, class Load>
inline void hadamard_pass(i32* numbers, i32 excess, Load load) {
    const int below = (1 << LOWEST) - 1;
#pragma unroll 1
    for (int j = threadIdx.x % 32; j < SAMPLES >> BITS; j += 32) {
        int base = (j & ~below) << BITS | (j & below);
        i32 v[1 << BITS];
#pragma unroll
        for (int r = 0; r < 1 << BITS; r++) v[r] = load(base, r << LOWEST);
        hadamard(v);
        v[0] -= excess << BITS;
        // Base and offset have no bit in common: their gaps add up.
        i32* to = numbers + spaced(base);
#pragma unroll
        for (int r = 0; r < 1 << BITS; r++) to[spaced(r << LOWEST)] = v[r];
    }
    __syncwarp();
}

// The whole transform of count(base, offset) - excess, offsets being multiples of STRIDE.
constexpr int STRIDE = SAMPLES >> BITS_1;
template <class Count>
inline void hadamard_transform(i32* numbers, i32 excess, Count count) {
    auto stored = [&](int base, int offset) { return numbers[spaced(base) + spaced(offset)]; };
    hadamard_pass<BITS_1, LEVELS - BITS_1>(numbers, excess, count);
    hadamard_pass<BITS_2, BITS_3>(numbers, 0, stored);
    if (BITS_3 > 0) hadamard_pass<BITS_3, 0>(numbers, 0, stored);
}
