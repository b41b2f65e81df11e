// New rows of bits into the rings on the card: a block takes one byte of every row, the bits of eight channels.
//
// | array | layout |
// |---|---|
// | rows | [row][row_bytes], as sent, in mapped host memory |
// | inbox | the same in device memory, where the first block puts them for all |
// | pending | [byte of a row][32], rows that do not fill a word yet |
// | words | [channel][capacity], 32 bits of time, the oldest lowest; word i is at i mod capacity |
// | samples | [channel][capacity], decimated, full scale 1; sample i ends with word i |
//
// A channel is a position in the stream: bit b of byte B of a row is channel 8 B + b. Rings begin as idle
// channels: words 0x55555555, samples 0.
//
// Decimation is that of dsp_core::decimator, integer for integer: a CIC of order 5 by 8 in half units from
// byte tables, then 93 taps by 4 with 64-bit sums. A warp makes one sample.
#pragma once

#include "abi/front_end.h"
#include "clocks.cuh"

#define CHANNELS 8
#define HISTORY 24       // words before a sample's own that it depends on
#define NEWEST 32        // most words that one launch completes
#define CIC_BYTES 5      // bytes that a CIC output depends on
#define CIC_FULL 16384   // half units of a full-scale input
#define TAPS 93
#define SHIFT 11         // fractional bits dropped at the output
#define ALL_LANES 0xffffffffu

struct Ingest {
    u32 recent[CHANNELS][HISTORY + NEWEST];  // words of this block's channels, old ones first
    i32 cic[CIC_BYTES][256];                 // half of a byte's share of a CIC output, newest byte first
    i32 taps[96];
    float fresh[CHANNELS][NEWEST];           // new samples
    Clocks clocks;
};

// Place of sample t of a window that starts at `start` of a ring.
inline u32 ring_place(u32 start, u32 t, u32 capacity) {
    u32 place = start + t;
    return place >= capacity ? place - capacity : place;
}

// One sample by one warp; `newest` is the byte that it ends with.
inline i32 decimated(const Ingest& s, const u8* bytes, int newest) {
    int lane = threadIdx.x % 32;
    i64 sum = 0;
#pragma unroll
    for (int i = lane; i < 96; i += 32) {
        if (i < TAPS) {
            i32 half = -CIC_FULL;
#pragma unroll
            for (int q = 0; q < CIC_BYTES; q++) half += s.cic[q][bytes[newest - i - q]];
            sum += static_cast<i64>(s.taps[i]) * half;
        }
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, step);
    return static_cast<i32>((sum + (1 << (SHIFT - 1))) >> SHIFT);
}

// Rows from host memory to the inbox by one block, which asks the bus for whole lines, all at once; then the others know.
inline void fetch(const FrontEnd& f, const u8* rows, u8* inbox, u32* fetched, u32 iteration) {
    const int most = 4;  // pieces of a thread under way
    u32 bytes = f.rows * f.row_bytes, pieces = bytes / 16;
    const uint4* from = reinterpret_cast<const uint4*>(rows);
    uint4* to = reinterpret_cast<uint4*>(inbox);
    for (u32 first = threadIdx.x; first < pieces; first += most * blockDim.x) {
        uint4 piece[most];
#pragma unroll
        for (int i = 0; i < most; i++) {
            if (first + i * blockDim.x < pieces) piece[i] = __ldcv(from + first + i * blockDim.x);
        }
#pragma unroll
        for (int i = 0; i < most; i++) {
            if (first + i * blockDim.x < pieces) __stcg(to + first + i * blockDim.x, piece[i]);
        }
    }
    for (u32 i = 16 * pieces + threadIdx.x; i < bytes; i += blockDim.x) inbox[i] = rows[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        *static_cast<volatile u32*>(fetched) = iteration;
    }
}

// The other blocks wait until the rows of `iteration` have been fetched.
inline void wait_for_rows(const u32* fetched, u32 iteration) {
    while (*static_cast<const volatile u32*>(fetched) != iteration) {
    }
    __threadfence();
}

// What decimation needs besides new rows.
inline void load_filter(Ingest& s, const i32* cic, const i32* taps) {
    for (int i = threadIdx.x; i < CIC_BYTES * 256; i += blockDim.x) s.cic[i / 256][i % 256] = cic[i];
    for (int i = threadIdx.x; i < TAPS; i += blockDim.x) s.taps[i] = taps[i];
}

inline void load_history(Ingest& s, const FrontEnd& f, int column, const u32* words, u64 first) {
    for (int i = threadIdx.x; i < CHANNELS * HISTORY; i += blockDim.x) {
        int c = i / HISTORY, age = HISTORY - i % HISTORY;
        u32 place = (first + f.capacity - age) % f.capacity;
        s.recent[c][HISTORY - age] = words[static_cast<size_t>(CHANNELS * column + c) * f.capacity + place];
    }
}

// Takes the new rows of the inbox; whether samples are wanted is known when the kernel is compiled. Words and samples are in
// the rings, and the new samples in `fresh`, when it returns. All threads of the block take part.
template <bool DECIMATE>
inline void ingest(Ingest& s, const FrontEnd& f, int column, const u8* rows, u8* pending, u32* words, float* samples,
                   u64 taken) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    u64 first = taken / 32;
    int waiting = taken % 32, total = waiting + f.rows, complete = total / 32, left = total % 32;
    clock_stage(s.clocks, FRONT_ROWS);
    u8* queue = pending + 32 * column;
    u8 tail = 0;
    for (int word = warp; word <= complete; word += warps) {
        int row = 32 * word + lane;
        u32 byte = 0;
        if (row < waiting) {
            byte = queue[row];
        } else if (row < total) {
            byte = __ldcg(rows + static_cast<size_t>(row - waiting) * f.row_bytes + column);
        }
        if (word == complete) {
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
            words[static_cast<size_t>(CHANNELS * column + lane) * f.capacity + (first + word) % f.capacity] = mine;
        }
    }
    __syncthreads();
    if (warp == complete % warps && lane < left) queue[lane] = tail;
    if (DECIMATE) {
        for (int task = warp; task < CHANNELS * complete; task += warps) {
            int c = task % CHANNELS, word = task / CHANNELS;
            const u8* bytes = reinterpret_cast<const u8*>(s.recent[c]);
            i32 code = decimated(s, bytes, 4 * (HISTORY + word) + 3);
            // 2^-23: every code is exact in single precision.
            float sample = static_cast<float>(code) * 1.1920929e-7f;
            if (lane == 0) {
                s.fresh[c][word] = sample;
                samples[static_cast<size_t>(CHANNELS * column + c) * f.capacity + (first + word) % f.capacity] = sample;
            }
        }
        __syncthreads();
    }
    clock_stage(s.clocks, FRONT_SAMPLES);
}
