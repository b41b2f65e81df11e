// New rows of bits into the rings on the card: a block takes one byte of every row, the bits of eight channels.
//
// | array | layout |
// |---|---|
// | rows | [row][row_bytes], as sent, in mapped host memory |
// | inbox | [byte of a row][group of four rows] in device memory, where the first block puts them for all |
// | pending | [byte of a row][32], rows that do not fill a word yet |
// | words | [channel][capacity], 32 bits of time, the oldest lowest; word i is at i mod capacity |
// | samples | [channel][capacity], decimated, full scale 1; sample i ends with word i |
// | shares | [word of the next launch][channel], what the old words add to its samples |
//
// A unit of the inbox has four bytes, the oldest lowest, and above them the number of the iteration.
//
// A channel is a position in the stream: bit b of byte B of a row is channel 8 B + b. Rings begin as idle
// channels: words 0x55555555, samples 0.
//
// Decimation is that of dsp_core::decimator, integer for integer. Its two filters are one of 772 taps, and a sample is
//
//     (sum_i response[i] bit[i] - 2^SHIFT FULL_SCALE + 2^(SHIFT - 1)) >> SHIFT,   i: age of the bit, bits 0 or 1
//
// which is linear in the bits: what the old words add is summed before the rows are here. Sums are kept as
// 2^SHIFT coarse + fine, so that 32 bits hold each part.
#pragma once

#include "abi/front_end.h"
#include "async.cuh"
#include "clocks.cuh"

#define CHANNELS 8
#define HISTORY 24           // words before a sample's own that it depends on
#define NEWEST 32            // most words that one launch completes
#define FETCHERS 4           // first blocks of a launch that takes rows: they only fetch them
#define SHIFT 11             // fractional bits dropped at the output
#define FULL_SCALE (1 << 23)
#define ALL_LANES 0xffffffffu

struct Ingest {
    u32 recent[CHANNELS][HISTORY + NEWEST];         // words of this block's channels, old ones first
    alignas(16) i32 response[32 * (HISTORY + 1)];  // of the decimator, the newest bit first
    int2 shares[NEWEST][CHANNELS];                 // what the old words add to the new samples, coarse and fine
    float fresh[NEWEST][CHANNELS];                 // new samples
    Clocks clocks;
};

// What a launch adds to the rings.
struct Hop {
    u32 place;     // of its first word in the rings
    int waiting;   // rows that wait for the rest of their word
    int complete;  // words that are complete with the new rows
    int left;      // rows that wait then
};

inline Hop hop_of(const FrontEnd& f, u64 taken) {
    int waiting = taken % 32, total = waiting + f.rows;
    return {static_cast<u32>(taken / 32 % f.capacity), waiting, total / 32, total % 32};
}

// Place of value t behind the one at `start` of a ring; t is at most the capacity.
inline u32 ring_place(u32 start, u32 t, u32 capacity) {
    u32 place = start + t;
    return place >= capacity ? place - capacity : place;
}

inline u32 row_groups(const FrontEnd& f) { return (f.rows + 3) / 4; }

// A reader waits for its own unit, so that nothing else need be said or ordered: eight bytes are written and read at once.
inline void put_unit(u64* unit, u32 bytes, u32 iteration) {
    *static_cast<volatile u64*>(unit) = static_cast<u64>(iteration) << 32 | bytes;
}

// Four bytes of four rows become four rows of four bytes.
inline void transpose_bytes(u32 (&x)[4]) {
    u32 low_01 = __byte_perm(x[0], x[1], 0x5140), low_23 = __byte_perm(x[2], x[3], 0x5140);
    u32 high_01 = __byte_perm(x[0], x[1], 0x7362), high_23 = __byte_perm(x[2], x[3], 0x7362);
    x[0] = __byte_perm(low_01, low_23, 0x5410);
    x[1] = __byte_perm(low_01, low_23, 0x7632);
    x[2] = __byte_perm(high_01, high_23, 0x5410);
    x[3] = __byte_perm(high_01, high_23, 0x7632);
}

// Rows of any length, byte by byte.
inline void fetch_bytes(const FrontEnd& f, u32 part, const u8* rows, u64* inbox, u32 iteration) {
    u32 groups = row_groups(f);
#pragma unroll 1
    for (u32 task = part * THREADS + threadIdx.x; task < groups * f.row_bytes; task += FETCHERS * THREADS) {
        u32 column = task % f.row_bytes, group = task / f.row_bytes, four = 0;
        for (u32 i = 0; i < 4; i++) {
            u32 row = min(4 * group + i, f.rows - 1);
            four |= static_cast<u32>(__ldcv(rows + static_cast<size_t>(row) * f.row_bytes + column)) << 8 * i;
        }
        put_unit(inbox + static_cast<size_t>(column) * groups + group, four, iteration);
    }
}

// A part of the rows from host memory to the inbox by one of FETCHERS blocks of THREADS threads: one would wait longer for
// many lines than for few. A warp asks the bus for whole lines of 128 bytes, and the block for all of 64 rows before the
// first is used; through shared memory they come out as runs of units.
inline void fetch(const FrontEnd& f, u32 part, const u8* rows, u64* inbox, u32 iteration) {
    const int warps = THREADS / 32;
    __shared__ u32 stage[4][warps][33];
    if (f.row_bytes % 4 != 0) return fetch_bytes(f, part, rows, inbox, iteration);
    u32 groups = row_groups(f), each = (groups + FETCHERS - 1) / FETCHERS, end = min((part + 1) * each, groups);
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (u32 line = 0; line < f.row_bytes; line += 128) {
        for (u32 first = part * each; first < end; first += warps) {
            u32 four[4], column = line + 4 * lane;
#pragma unroll
            for (int r = 0; r < 4; r++) {
                const u8* from = rows + static_cast<size_t>(min(4 * (first + warp) + r, f.rows - 1)) * f.row_bytes + column;
                bool real = first + warp < end && column < f.row_bytes;
                four[r] = real ? __ldcv(reinterpret_cast<const u32*>(from)) : 0;
            }
            transpose_bytes(four);
#pragma unroll
            for (int j = 0; j < 4; j++) stage[j][warp][lane] = four[j];
            __syncthreads();
            u32 group = first + threadIdx.x % warps;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                u32 at = threadIdx.x / warps + 32 * j;
                if (group < end && line + at < f.row_bytes) {
                    put_unit(inbox + static_cast<size_t>(line + at) * groups + group,
                             stage[at % 4][threadIdx.x % warps][at / 4], iteration);
                }
            }
            __syncthreads();
        }
    }
}

// This block's byte of a row, when it is here, or in a rehearsal whatever is there. The blocks that fetch are scheduled first and wait for nobody.
inline u32 byte_of_row(const u64* units, int row, u32 iteration, bool rehearsal) {
    const volatile u64* unit = units + row / 4;
    u64 value;
    do {
        value = *unit;
    } while (!rehearsal && static_cast<u32>(value >> 32) != iteration);
    return value >> 8 * (row % 4) & 255;
}

// The decimator's response; it is here behind copies_done() and a barrier.
inline void load_response(Ingest& s, const i32* response) {
    const int fours = 8 * (HISTORY + 1);
    int4* to = reinterpret_cast<int4*>(s.response);
    for (int i = threadIdx.x; i < fours; i += blockDim.x) copy_async(to + i, reinterpret_cast<const int4*>(response) + i);
}

// The words before the next ones; they are here likewise.
inline void load_history(Ingest& s, const FrontEnd& f, int column, const u32* words, const Hop& hop) {
    for (int i = threadIdx.x; i < CHANNELS * HISTORY; i += blockDim.x) {
        int c = i / HISTORY, m = i % HISTORY;
        u32 old = ring_place(hop.place, f.capacity - HISTORY + m, f.capacity);
        copy_async(&s.recent[c][m], words + static_cast<size_t>(CHANNELS * column + c) * f.capacity + old);
    }
}

// What words `from` up to `to` of `recent` add to new sample `word` of channel c, by one warp.
inline int2 share_of(const Ingest& s, int c, int word, int from, int to) {
    int lane = threadIdx.x % 32;
    i32 coarse = 0, fine = 0;
#pragma unroll 4
    for (int m = from; m < to; m++) {
        i32 share = s.recent[c][m] >> lane & 1 ? s.response[32 * (HISTORY + word - m) + 31 - lane] : 0;
        coarse += share >> SHIFT;
        fine += share & ((1 << SHIFT) - 1);
    }
    return make_int2(__reduce_add_sync(ALL_LANES, coarse), __reduce_add_sync(ALL_LANES, fine));
}

// Shares of the old words in the next samples.
inline void write_shares(const Ingest& s, const FrontEnd& f, int column, const Hop& hop, int2* shares) {
    int warps = blockDim.x / 32;
    for (int task = threadIdx.x / 32; task < CHANNELS * hop.complete; task += warps) {
        int c = task % CHANNELS, word = task / CHANNELS;
        int2 share = share_of(s, c, word, word, HISTORY);
        if (threadIdx.x % 32 == 0) shares[(word * f.row_bytes + column) * CHANNELS + c] = share;
    }
}

// They are here behind copies_done() and a barrier.
inline void load_shares(Ingest& s, const FrontEnd& f, int column, const Hop& hop, const int2* shares) {
    for (int i = threadIdx.x; i < CHANNELS * hop.complete; i += blockDim.x) {
        int c = i % CHANNELS, word = i / CHANNELS;
        copy_async(&s.shares[word][c], shares + (word * f.row_bytes + column) * CHANNELS + c);
    }
}

// All new samples, when the new words are here; a warp makes one. Every code is exact in single precision. Ends with a barrier.
inline void make_samples(Ingest& s, int complete) {
    int warps = blockDim.x / 32;
    for (int task = threadIdx.x / 32; task < CHANNELS * complete; task += warps) {
        int c = task % CHANNELS, word = task / CHANNELS;
        int2 old = s.shares[word][c], fresh = share_of(s, c, word, max(HISTORY, word), HISTORY + word + 1);
        i32 fine = old.y + fresh.y + (1 << (SHIFT - 1)), code = old.x + fresh.x - FULL_SCALE + (fine >> SHIFT);
        if (threadIdx.x % 32 == 0) s.fresh[word][c] = static_cast<float>(code) * (1.0f / FULL_SCALE);
    }
    __syncthreads();
}

// Takes the new rows of the inbox when they are here: the words that they complete are in `recent` from HISTORY on and in the
// ring. All threads of the block take part; ends with a barrier. A rehearsal (results.cuh) leaves rings and queue alone.
inline void take_words(Ingest& s, const FrontEnd& f, int column, const Hop& hop, const u64* inbox, u32 iteration, u8* pending,
                       u32* words, bool rehearsal) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const u64* units = inbox + static_cast<size_t>(column) * row_groups(f);
    u8* queue = pending + 32 * column;
    u8 tail = 0;
    for (int word = warp; word <= hop.complete; word += warps) {
        int row = 32 * word + lane - hop.waiting;
        u32 byte = 0;
        if (row < 0) {
            byte = queue[lane];
        } else if (row < static_cast<int>(f.rows)) {
            byte = byte_of_row(units, row, iteration, rehearsal);
        }
        if (word == hop.complete) {
            tail = byte;
            continue;
        }
        u32 mine = 0;
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            u32 bits = __ballot_sync(ALL_LANES, byte >> c & 1);
            if (lane == c) mine = bits;
        }
        if (lane < CHANNELS) {
            s.recent[lane][HISTORY + word] = mine;
            size_t place = static_cast<size_t>(CHANNELS * column + lane) * f.capacity + ring_place(hop.place, word, f.capacity);
            if (!rehearsal) words[place] = mine;
        }
    }
    __syncthreads();
    clock_stage(s.clocks, NEW_ROWS);
    if (!rehearsal && warp == hop.complete % warps && lane < hop.left) queue[lane] = tail;
}

// The new samples into the ring.
inline void write_samples(const Ingest& s, const FrontEnd& f, int column, float* samples, const Hop& hop) {
    for (int i = threadIdx.x; i < CHANNELS * hop.complete; i += blockDim.x) {
        int c = i % CHANNELS, word = i / CHANNELS;
        u32 place = ring_place(hop.place, word, f.capacity);
        samples[static_cast<size_t>(CHANNELS * column + c) * f.capacity + place] = s.fresh[word][c];
    }
}
