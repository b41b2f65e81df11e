// New rows of bits into the rings on the card: a block takes one byte of every row (mail.cuh), the bits of eight channels.
//
// | array | layout |
// |---|---|
// | pending | [byte of a row][32], rows that do not fill a word yet |
// | words | [channel][capacity], 32 bits of time, the oldest lowest; word i is at i mod capacity |
// | samples | [channel][capacity], decimated, full scale 1; sample i ends with word i |
// | shares | [word of the next launch][channel], what the old words add to its samples |
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
#include "mail.cuh"

#define CHANNELS 8
#define HISTORY 24           // words before a sample's own that it depends on
#define NEWEST 32            // most words that one launch completes
#define MOST_ROWS 1024       // of one launch, or of one step of a skip
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
    u64 words = taken / 32;
    // A division of 64 bits takes several times as long; there are so many words after a day.
    u32 place = words >> 32 ? words % f.capacity : static_cast<u32>(words) % f.capacity;
    int waiting = taken % 32, total = waiting + f.rows;
    return {place, waiting, total / 32, total % 32};
}

// Place of value t behind the one at `start` of a ring; t is at most the capacity.
inline u32 ring_place(u32 start, u32 t, u32 capacity) {
    u32 place = start + t;
    return place >= capacity ? place - capacity : place;
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
// ring. `false` if the iteration is called off: rings and queue are as they were, as they are after a rehearsal (results.cuh). All
// threads of the block take part; ends with a barrier.
inline bool take_words(Ingest& s, const FrontEnd& f, int column, const Hop& hop, const u64* inbox, u32 iteration, u8* pending,
                       u32* words, bool rehearsal) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    u8* queue = pending + 32 * column;
    u8 tail = 0;
    bool leave = rehearsal;
    for (int word = warp; word <= hop.complete; word += warps) {
        int row = 32 * word + lane - hop.waiting;
        u32 byte = 0;
        if (row < 0) {
            byte = queue[lane];
        } else if (row < static_cast<int>(f.rows)) {
            u64 unit = byte_of_row(f, inbox, column, row, iteration, rehearsal);
            byte = static_cast<u32>(unit);
            leave = leave || unit >> 63;
        }
        leave = __any_sync(ALL_LANES, leave);
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
            if (!leave) words[place] = mine;
        }
    }
    leave = __syncthreads_or(leave);
    clock_stage(s.clocks, NEW_ROWS);
    if (!leave && warp == hop.complete % warps && lane < hop.left) queue[lane] = tail;
    return rehearsal || !leave;
}

// The new samples into the ring.
inline void write_samples(const Ingest& s, const FrontEnd& f, int column, float* samples, const Hop& hop) {
    for (int i = threadIdx.x; i < CHANNELS * hop.complete; i += blockDim.x) {
        int c = i % CHANNELS, word = i / CHANNELS;
        u32 place = ring_place(hop.place, word, f.capacity);
        samples[static_cast<size_t>(CHANNELS * column + c) * f.capacity + place] = s.fresh[word][c];
    }
}

// Shares of the old words where the launch before did not sum them. Ends with a barrier.
inline void make_shares(Ingest& s, const FrontEnd& f, int column, const u32* words, const Hop& hop) {
    load_history(s, f, column, words, hop);
    copies_done();
    __syncthreads();
    int warps = blockDim.x / 32;
    for (int task = threadIdx.x / 32; task < CHANNELS * hop.complete; task += warps) {
        int c = task % CHANNELS, word = task / CHANNELS;
        int2 share = share_of(s, c, word, word, HISTORY);
        if (threadIdx.x % 32 == 0) s.shares[word][c] = share;
    }
    __syncthreads();
}

// Rows that an iteration skips (mail.cuh), as many as a launch can take at a time: words and, if DECIMATES, samples go into the
// rings as if every hop had come by itself, and their number into the state. The response is in shared memory. The kernel ends
// behind it.
template <bool DECIMATES>
inline void skip_rows(Ingest& s, FrontEnd f, int column, State* state, const u64* inbox, u32 iteration, u8* pending, u32* words,
                      float* samples) {
    Skipped skipped = skipped_of(f, inbox, iteration);
    if (threadIdx.x == 0 && column == 0) state->took = skipped.rows;
    inbox += PARCEL_UNITS * skipped.first;
    u64 taken = state->next;
#pragma unroll 1
    for (u32 left = skipped.rows; left > 0; left -= f.rows) {
        f.rows = min(left, MOST_ROWS);
        Hop hop = hop_of(f, taken);
        if (DECIMATES) make_shares(s, f, column, words, hop);
        take_words(s, f, column, hop, inbox, skipped.tag, pending, words, false);
        if (DECIMATES) {
            make_samples(s, hop.complete);
            write_samples(s, f, column, samples, hop);
        }
        // What the next step reads is written.
        __syncthreads();
        inbox += static_cast<size_t>(PARCEL_UNITS * row_parcels(f)) * f.rows;
        taken += f.rows;
    }
}
