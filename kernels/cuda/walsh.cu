// Walsh-Fourier: the chosen bins of every channel from some Walsh coefficients of its bits. Launched by
// kernels/src/front_end.rs with the tables of kernels/src/walsh.rs; twin of pipeline/signal/src/front_end/walsh. A block has eight
// channels; windows are along y of the launch.
//
//     X[k] = sum_j weight_j H_p[i],   H_p[i] = sum_t (-1)^popcount(i & t) (popcount(word t ^ pattern p) - 16)
//
// Term j is a Walsh function: pattern p within a word, function i of the words. The block counts and transforms its channels
// in groups of eight columns (hadamard.cuh), a column being a pattern with the lowest 3 bits of i; then every bin gathers its
// terms. Groups that do not fit at once go in rounds.
//
// A stream's next window is transformed with new words that count nothing (results.cuh); what they add is summed when they are
// here:
//
//     X[k] += sum_p sum_t newest[t][p][k] (popcount(word t ^ pattern p) - 16),   newest = sum_j weight_j (-1)^popcount(i & t)
//
// | array | layout |
// |---|---|
// | patterns | where the functions of a pattern are negative, one word each |
// | tables | four, one behind the other, each from a multiple of 16 bytes on: |
// | . columns | [group][column][8 words] |
// | . rows | [round][row], those of the second pass that have a term |
// | . starts | [round] and the end: where its rows begin; [round][bin] and the end: where the terms of a bin begin |
// | . terms | [round][bin][term]: place_of(the number), real and imaginary part of the weight, 0; a bin's are filled up with zeros |
// | newest | [last 32 words of a window][pattern][bin] |
// | places | grid index of every channel |
// | gains | [bin][channel]: response, delay and calibration |
// | kept | [bin][channel], bins of the old words |
// | bins_out | [window][bin][grid index] |
//
// SAMPLES: words of a window. FRESH: 1 for the new phase of a stream, 0 for the others (results.cuh). One group of the eight channels and 1024 words: 128 products of bit matrices and 8192 additions of
// two channels each for the first pass, 16384 for the second with all 32 rows, and 48 KB through shared memory, 384 cycles. The
// words are read once for all groups of a round, each by one thread. 40 coefficients of 20 bins have five patterns, but two groups and 28 rows.

#define THREADS 512

#include "abi/walsh.h"
#include "async.cuh"
#include "hadamard.cuh"
#include "overlap.cuh"
#include "results.cuh"
#include "words.cuh"

constexpr int LINES = CHANNELS / PACKED;  // transforms of a pattern
constexpr u32 MOST_PATTERNS = 32;
constexpr u32 COLUMNS = 8;  // of a group
constexpr int FOUR = 4;     // terms that a thread takes together

// Shared memory of a block: numbers [line][group of the round][SAMPLES]; sums [bin][channel]; as much of the tables as has
// room, at least columns and rows.
inline i32* numbers(float4* memory) { return reinterpret_cast<i32*>(memory); }
// Lines begin in different banks.
inline u32 line_pitch(const Walsh& w) { return w.together * SAMPLES + 4; }
inline float2* sums(float4* memory, const Walsh& w) {
    return reinterpret_cast<float2*>(numbers(memory) + LINES * line_pitch(w));
}

inline u32* tables_of(float4* memory, const FrontEnd& f, const Walsh& w) {
    return reinterpret_cast<u32*>(sums(memory, w) + CHANNELS * f.bins);
}

// What all threads of a block know and none keeps in registers, which are for the transforms.
struct Known {
    u32 start;           // of the window in the ring
    int complete;        // new words
    const u32* starts;   // in shared memory if they have room
    const uint4* terms;  // likewise
    u32 patterns[MOST_PATTERNS];
};

// Tables into shared memory, and where the window is.
inline void load(float4* memory, Known& known, const FrontEnd& f, const Walsh& w, const State* state, const u32* tables) {
    u64 next = state->next;
    u32* to = tables_of(memory, f, w);
#pragma unroll 1
    for (u32 i = 4 * threadIdx.x; i < w.staged; i += 4 * THREADS) {
        copy_async(reinterpret_cast<uint4*>(to + i), reinterpret_cast<const uint4*>(tables + i));
    }
    if (threadIdx.x == 0) {
        Hop hop = hop_of(f, next);
        const u32* from = w.staged > w.starts ? to : tables;
        known.start = window_start(f, hop);
        known.complete = hop.complete;
        known.starts = from + w.starts;
        known.terms = reinterpret_cast<const uint4*>(from + w.terms);
    }
    copies_done();
    __syncthreads();
}

// Two neighbouring words of two channels from word base + offset on. New words count nothing.
inline Pair load_pair(const Known& known, const FrontEnd& f, const u32* own, u32 channel, int base, int offset) {
    Pair pair;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int c = i % 2, on = offset + i / 2;
        const u32* ring = own + static_cast<size_t>(channel + c) * f.capacity;
        u32 word = ring[ring_place(known.start, base + on, f.capacity)];
        // Most offsets have none.
        bool fresh = offset + STRIDE > SAMPLES - NEWEST && base + on >= SAMPLES - known.complete;
        pair.ones[i] = fresh ? 0xffff : word;
        pair.zeros[i] = fresh ? 0xffff : ~word;
    }
    return pair;
}

// First pass of `count` groups from `begin` on. A task is a part of the words of two channels, which stay in registers; warps
// that have no task of their own share the groups.
inline void count_groups(float4* memory, const Known& known, const FrontEnd& f, const Walsh& w, const u32* own, u32 begin,
                         u32 count) {
    const u32 tasks = CHANNELS / 2 * (STRIDE / GROUP), warps = THREADS / 32, sharing = tasks < warps ? warps / tasks : 1;
#pragma unroll 1
    for (u32 first = 0; first < tasks * sharing; first += warps) {
        u32 i = first + threadIdx.x / 32;
        u32 channel = i % (CHANNELS / 2) * 2;
        int base = i / (CHANNELS / 2) % (STRIDE / GROUP) * GROUP + 2 * (threadIdx.x % 32);
        Pair words[1 << BITS_1];
#pragma unroll
        for (int r = 0; r < 1 << BITS_1; r++) {
            words[r] = load_pair(known, f, own, channel, base, r * STRIDE);
        }
        i32* line = numbers(memory) + channel / PACKED * line_pitch(w);
#pragma unroll 1
        for (u32 group = i / tasks; group < count; group += sharing) {
            const u32* columns = tables_of(memory, f, w) + COLUMNS * 8 * (begin + group);
            count_pass(line + group * SAMPLES, line_pitch(w), base, words, columns);
        }
    }
}

// Counts and transforms of a round. Ends with a barrier.
inline void transform(float4* memory, const Known& known, const FrontEnd& f, const Walsh& w, const u32* own, u32 round) {
    u32 begin = round * w.together;
    count_groups(memory, known, f, w, own, begin, min(w.together, w.groups - begin));
    __syncthreads();
    const u32* rows = tables_of(memory, f, w) + w.rows;
    u32 first = known.starts[round], end = known.starts[round + 1];
#pragma unroll 1
    for (u32 i = threadIdx.x / 32; first + i / LINES * 32 < end; i += THREADS / 32) {
        u32 row = first + i / LINES * 32 + threadIdx.x % 32;
        if (row < end) finish_pass(numbers(memory) + i % LINES * line_pitch(w), rows[row]);
    }
    __syncthreads();
}

// Bins of the two channels of a line, if it has two.
struct Both {
    float2 low, high;
};

// Sum over 2^log neighbouring threads.
inline Both shared_sum(Both x, int log) {
    auto add = [](float& y, int step) { y += __shfl_xor_sync(ALL_LANES, y, step); };
    for (int step = 1 << log >> 1; step > 0; step /= 2) {
        add(x.low.x, step);
        add(x.low.y, step);
        if (PACKED == 2) add(x.high.x, step);
        if (PACKED == 2) add(x.high.y, step);
    }
    return x;
}

// Every `step`th of the terms up to `end`. Four at a time: their loads are under way together.
inline Both sum_terms(const i32* line, const uint4* terms, const uint4* end, u32 step) {
    Both sum = {};
    for (; terms < end; terms += FOUR * step) {
        uint4 term[FOUR];
        i32 number[FOUR];
#pragma unroll
        for (int i = 0; i < FOUR; i++) term[i] = terms[i * step];
#pragma unroll
        for (int i = 0; i < FOUR; i++) number[i] = line[term[i].x];
#pragma unroll
        for (int i = 0; i < FOUR; i++) {
            float2 weight = make_float2(__uint_as_float(term[i].y), __uint_as_float(term[i].z));
            sum.low = sum.low + low_part(number[i]) * weight;
            if (PACKED == 2) sum.high = sum.high + high_part(number[i]) * weight;
        }
    }
    return sum;
}

// The terms of a round from the transforms to the sums.
inline void gather(float4* memory, const Known& known, const FrontEnd& f, const Walsh& w, u32 round) {
    const u32* starts = known.starts + w.rounds + 1 + round * f.bins;
    u32 tasks = LINES * f.bins, step = 1 << w.sharing;
    for (u32 i = threadIdx.x; i < (tasks * step + 31) / 32 * 32; i += THREADS) {
        u32 task = i >> w.sharing, share = i & (step - 1), line = task % LINES, bin = task / LINES;
        Both sum = {};
        if (task < tasks) {
            const i32* from = numbers(memory) + line * line_pitch(w);
            sum = sum_terms(from, known.terms + starts[bin] + share, known.terms + starts[bin + 1], step);
        }
        sum = shared_sum(sum, w.sharing);
        if (task < tasks && share == 0) {
            float2* to = sums(memory, w) + CHANNELS * bin + PACKED * line;
            to[0] = round == 0 ? sum.low : to[0] + sum.low;
            if (PACKED == 2) to[1] = round == 0 ? sum.high : to[1] + sum.high;
        }
    }
}

// Weights of the new words; in shared memory behind copies_done() and a barrier, if they have room.
inline const float2* load_newest(float4* memory, const FrontEnd& f, const Walsh& w, const float2* newest, int complete) {
    u32 both = w.patterns * f.bins, count = complete * both;
    const float2* from = newest + (NEWEST - complete) * both;
    if (count * sizeof(float2) > w.room) return from;
    float2* to = reinterpret_cast<float2*>(memory);
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += THREADS) copy_async(to + i, from + i);
    return to;
}

// The new phase.
inline void add_words(float4* memory, Ingest& in, Known& known, const FrontEnd& f, const Walsh& w, int column, const Parcel* mail,
                      const u32* patterns, const float2* newest, State* state, u64* inbox, u8* pending, u32* words,
                      const Results& to) {
    let_next_begin();
    u32 iteration = state->begun + 1;
    if (column < 0) return fetch(f, -1 - column, mail, inbox, iteration);
    clock_stage(in.clocks, NEW_BEGIN);
    if (threadIdx.x < w.patterns) copy_async(known.patterns + threadIdx.x, patterns + threadIdx.x);
    Hop hop = hop_of(f, state->next);
    newest = load_newest(memory, f, w, newest, hop.complete);
    auto take = [&](bool rehearsal) {
        copies_done();
        bool came = take_words(in, f, column, hop, inbox, iteration, pending, words, rehearsal);
        clock_stage(in.clocks, NEW_SAMPLES);
        return came;
    };
    bool came = write_new(f, column, to, [](u32) {}, [] {}, take, [&](float2 x, u32 bin, u32 c) {
        const float2* weight = newest + bin;
        for (int t = 0; t < hop.complete; t++) {
            u32 word = in.recent[c][HISTORY + t];
            for (u32 p = 0; p < w.patterns; p++, weight += f.bins) {
                x = x + static_cast<float>(__popc(word ^ known.patterns[p]) - 16) * *weight;
            }
        }
        return x;
    });
    if (came) {
        finish(in.clocks, f, state, column);
    } else {
        skip_rows<false>(in, f, column, state, inbox, iteration, pending, words, nullptr);
    }
}

// Of a multiprocessor; those of capability 12.0 have shared memory for one.
constexpr int BLOCKS = SAMPLES <= 1024 && __CUDA_ARCH__ < 1200 ? 2 : 1;

extern "C" __global__ /* hot */ void __launch_bounds__(THREADS, BLOCKS)
    walsh_bins(const Parcel* mail, const u32* patterns, const u32* tables, const float2* newest, const u32* places,
               const float2* gains, State* state, u64* inbox, u8* pending, u32* words, float2* kept, float2* bins_out,
               FrontEnd f, Walsh w) {
    extern __shared__ float4 memory[];
    __shared__ Ingest in;
    __shared__ Known known;
    Results to = {places, gains, kept, bins_out};
    int column = column_of();
    if (FRESH) {
        return add_words(memory, in, known, f, w, column, mail, patterns, newest, state, inbox, pending, words, to);
    }
    clock_stage(in.clocks, OLD_BEGIN);
    const u32* own = words + static_cast<size_t>(CHANNELS * column) * f.capacity;
    load(memory, known, f, w, state, tables);
    clock_stage(in.clocks, OLD_LOADED);
#pragma unroll 1
    for (u32 round = 0; round < w.rounds; round++) {
        transform(memory, known, f, w, own, round);
        // All blocks have found their room by now, and many terms take as long as it takes to set the next kernel up.
        if (w.early && round + 1 == w.rounds) let_next_begin();
        gather(memory, known, f, w, round);
        __syncthreads();
    }
    write_old(f, column, to, [&](u32 bin, u32 c) { return sums(memory, w)[CHANNELS * bin + c]; });
    finish(in.clocks, f, state, column);
}
