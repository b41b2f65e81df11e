// The fast Walsh-Hadamard transform of the counts of SAMPLES words of two channels, in shared memory and in exact integers:
//
//     H[i] = sum_t (-1)^popcount(i & t) (popcount(word t ^ pattern) - 16)
//
// Two passes over the bits of t, by the whole block; where a number was, its sum or difference goes.
//
// | bits of t | pass | how |
// |---|---|---|
// | the lowest 3 | count | by a matrix unit, with the counting |
// | the highest BITS_1 | count | sums and differences in registers |
// | BITS_2 between them | finish | sums and differences in registers |
//
// The first pass makes eight functions of the lowest 3 bits at a time, the columns of a group: those that are wanted, each
// with its own pattern; from the first pass on a column's number stands for the lowest 3 bits of i. The second makes the
// wanted rows.
//
// |H| <= 16 SAMPLES, so up to 1024 words two channels share one number, high 2^16 + low: sums and differences of such numbers
// are those of both parts. At the end 2^15 is added to both, and each is 16 bits by itself.
#pragma once

#include "abi/layout.h"

constexpr int logarithm(int n) { return n > 1 ? 1 + logarithm(n / 2) : 0; }

constexpr int LEVELS = logarithm(SAMPLES);
static_assert(SAMPLES == 1 << LEVELS && LEVELS >= 6 && LEVELS <= 12, "a power of two from 64 to 4096");
constexpr int PACKED = SAMPLES <= 1024 ? 2 : 1;  // channels in one number

// A warp counts 64 words at a time. Few bits in the first pass: 1024 words of eight channels are then a task for each of 16
// warps, whatever the number of patterns.
constexpr int GROUP = 64;
constexpr int BITS_1 = LEVELS > 10 ? 3 : LEVELS > 8 ? 2 : LEVELS - 6;
constexpr int BITS_2 = LEVELS - 3 - BITS_1;
constexpr int STRIDE = SAMPLES >> BITS_1;  // of the words that a thread counts

// Place of number i: those that the second pass takes together are neighbours, and groups of four are mixed so that the threads
// of both passes are in different banks.
inline int mixed(int i) { return i ^ (i >> 3 & 28); }
inline int place_of(int i) {
    int high = i & -STRIDE, low = i & (STRIDE - 1);
    return high + mixed((low & 7) << BITS_2 | low >> 3);
}

inline i32 pack(i32 low, i32 high) { return (high << 16) + low; }
constexpr i32 BIAS = PACKED == 2 ? 0x80008000 : 0;

// Both parts of a transform's number. As the last bits of 2^23, 16 bits are a float; that takes two fast instructions where a
// conversion takes one slow or four.
inline float low_part(i32 number) {
    if (PACKED == 1) return static_cast<float>(number);
    return __int_as_float(__byte_perm(number, 0x4b000000, 0x7410)) - (0x800000 + 0x8000);
}
inline float high_part(i32 number) {
    return __int_as_float(__byte_perm(number, 0x4b000000, 0x7432)) - (0x800000 + 0x8000);
}

// Sums and differences over all bits of the index, two bits at a time: additions of three numbers save a quarter of them.
template <int COUNT>
inline void hadamard(i32 (&v)[COUNT]) {
#pragma unroll
    for (int step = COUNT / 4; step > 0; step /= 4) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (i & 3 * step) continue;
            i32 a = v[i], b = v[i + step], c = v[i + 2 * step], d = v[i + 3 * step];
            i32 sum = a + c, difference = a - c;
            v[i] = sum + b + d;
            v[i + step] = sum - b - d;
            v[i + 2 * step] = difference + b - d;
            v[i + 3 * step] = difference - b + d;
        }
    }
    if constexpr (logarithm(COUNT) % 2 == 1) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 2) {
            i32 a = v[i], b = v[i + 1];
            v[i] = a + b;
            v[i + 1] = a - b;
        }
    }
}

// Two neighbouring words of two channels, [word][channel]: where they are 1 and where they are 0. A word that is both in the
// same 16 bits counts 16, whatever the pattern.
struct Pair {
    u32 ones[4], zeros[4];
};

// What a warp's 64 words give, thread n having words 2 n and 2 n + 1: columns 2 n and 2 n + 1 of the group, [channel][column].
// A column of eight neighbouring words is the pattern, with all bits turned over where the function is negative.
#if __CUDA_ARCH__ < 1000
// A matrix unit counts ones of a & b for eight words and eight columns at once; a ^ b is a & ~b and ~a & b. Later cards
// have no such unit.
constexpr i32 EXCESS = 8 * 16;  // what every count has too much
inline void add_common(i32 (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Words 2 k and 2 k + 1 of column n, k and n being those of a thread.
inline uint2 column_words(const u32* group) { return reinterpret_cast<const uint2*>(group)[threadIdx.x % 32]; }

inline void count(i32 (&sums)[4], const Pair& words, uint2 column) {
#pragma unroll
    for (int i = 0; i < 4; i++) sums[i] = 0;
    add_common(sums, words.ones, ~column.x, ~column.y);
    add_common(sums, words.zeros, column.x, column.y);
}
#else
// Here the columns of a group are all functions of one pattern, in their order.
constexpr i32 EXCESS = 0;

inline u32 column_words(const u32* group) { return group[0]; }

inline void count(i32 (&sums)[4], const Pair& words, u32 pattern) {
#pragma unroll
    for (int c = 0; c < 2; c++) {
        i32 v[2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            v[i] = __popc((words.ones[2 * i + c] & ~pattern) | (words.zeros[2 * i + c] & pattern)) - 16;
        }
        hadamard(v);
#pragma unroll
        for (int i = 0; i < 2; i++) {
#pragma unroll
            for (int bit = 1; bit < 4; bit *= 2) {
                i32 other = __shfl_xor_sync(0xffffffffu, v[i], bit);
                v[i] = threadIdx.x & bit ? other - v[i] : v[i] + other;
            }
            sums[2 * c + i] = v[i];
        }
    }
}
#endif

// The first pass of one group over a warp's words, this thread's being two from base + STRIDE r on for every r. Numbers of
// one channel have their own line each.
inline void count_pass(i32* numbers, int line_pitch, int base, const Pair (&words)[1 << BITS_1], const u32* group) {
    const int lines = 2 / PACKED;
    auto column = column_words(group);
    i32 v[lines][2][1 << BITS_1];
#pragma unroll
    for (int r = 0; r < 1 << BITS_1; r++) {
        i32 sums[4];
        count(sums, words[r], column);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            v[0][i][r] = PACKED == 2 ? pack(sums[i], sums[i + 2]) : sums[i];
            if (PACKED == 1) v[lines - 1][i][r] = sums[i + 2];
        }
    }
#pragma unroll
    for (int line = 0; line < lines; line++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            hadamard(v[line][i]);
            // Only the sum without a minus sign has it still.
            v[line][i][0] -= (PACKED == 2 ? pack(EXCESS, EXCESS) : EXCESS) << BITS_1;
            i32* to = numbers + line * line_pitch + place_of(base + i);
#pragma unroll
            for (int r = 0; r < 1 << BITS_1; r++) to[r * STRIDE] = v[line][i][r];
        }
    }
}

// The second pass: 2^BITS_2 numbers that lie together, number `row` of them.
inline void finish_pass(i32* numbers, u32 row) {
    const int fours = (1 << BITS_2) / 4;
    numbers += row / 8 * STRIDE;
    int first = mixed(row % 8 << BITS_2);
    auto four = [&](int i) { return reinterpret_cast<int4*>(numbers + (first ^ mixed(4 * i))); };
    i32 v[1 << BITS_2];
#pragma unroll
    for (int i = 0; i < fours; i++) {
        int4 x = *four(i);
        v[4 * i] = x.x, v[4 * i + 1] = x.y, v[4 * i + 2] = x.z, v[4 * i + 3] = x.w;
    }
    hadamard(v);
#pragma unroll
    for (int i = 0; i < fours; i++) {
        *four(i) = make_int4(v[4 * i] + BIAS, v[4 * i + 1] + BIAS, v[4 * i + 2] + BIAS, v[4 * i + 3] + BIAS);
    }
}
