// How a front end's bins come together. Every bin is linear in the words of its window; of a stream's next window nearly all are
// there before the next rows are.
//
// | phase | bins |
// |---|---|
// | PHASE_WINDOWS | all of complete arrays |
// | PHASE_OLD | of the next window, with zeros in the place of the new words; they are kept |
// | PHASE_NEW | those, and what the new words add, which is a few products |
#pragma once

#include "complex.cuh"
#include "ingest.cuh"
#include "overlap.cuh"

#define NEAR 3  // new words of 75 rows

// Weights of the newest values of a bin: those of short hops are in registers when the rows come, the others in memory.
struct NewestWeights {
    const float2* last;  // of the newest value; older ones lie before it
    float2 near[NEAR];
};

inline NewestWeights newest_weights(const float2* last, int complete) {
    NewestWeights w;
    w.last = last;
#pragma unroll
    for (int i = 0; i < NEAR; i++) w.near[i] = i < complete ? last[-i] : make_float2(0, 0);
    return w;
}

// x + the sum over new words of weight times value(word).
template <class Value>
inline float2 plus_newest(float2 x, const NewestWeights& w, int complete, Value value) {
#pragma unroll
    for (int i = 0; i < NEAR; i++) {
        if (i < complete) x = x + value(complete - 1 - i) * w.near[i];
    }
#pragma unroll 1
    for (int i = NEAR; i < complete; i++) x = x + value(complete - 1 - i) * w.last[-i];
    return x;
}

// Where bins and channels come from and go: tables, and the places of one bin of one channel of this block.
struct Results {
    const u32* places;
    const float2* gains;
    float2* kept;  // [bin][channel]
    float2* bins_out;
};

inline size_t kept_place(const FrontEnd& f, int column, u32 bin, u32 c) {
    return (static_cast<size_t>(bin) * f.row_bytes + column) * CHANNELS + c;
}

inline size_t out_place(const FrontEnd& f, const u32* places, int column, u32 bin, u32 c) {
    size_t line = static_cast<size_t>(blockIdx.y) * f.bins + bin;
    return line * CHANNELS * f.row_bytes + places[CHANNELS * column + c];
}

// The bins old(bin, c), by whole warps: kept, or the results of complete arrays.
template <class Old>
inline void write_old(const FrontEnd& f, int column, const Results& to, Old old) {
    u32 tasks = CHANNELS * f.bins;
    for (u32 task = threadIdx.x; task / 32 * 32 < tasks; task += THREADS) {
        u32 c = task % CHANNELS, bin = min(task / CHANNELS, f.bins - 1);
        size_t kept = kept_place(f, column, bin, c);
        if (f.phase == PHASE_OLD) {
            float2 x = old(bin, c);
            if (task < tasks) to.kept[kept] = x;
        } else {
            float2 gain = to.gains[kept];
            size_t place = out_place(f, to.places, column, bin, c);
            float2 x = old(bin, c);
            if (task < tasks) to.bins_out[place] = times(gain, x);
        }
    }
}

// A thread makes one bin of one channel: before(bin) loads the tables that add(x, bin, c) will need, load_kept() what the old phase
// has left, when that is over; take(rehearsal) returns when the new words are here, with `false` if none will come, which is the
// result. A rehearsal does the same with whatever is there and leaves nothing: while the old phase is at work or the rows are under
// way, it brings the code into the instruction cache.
template <class Before, class LoadKept, class Take, class Add>
inline bool write_new(const FrontEnd& f, int column, const Results& to, Before before, LoadKept load_kept, Take take, Add add) {
    u32 tasks = CHANNELS * f.bins;
    for (u32 first = 0; first < tasks; first += THREADS) {
        u32 task = first + threadIdx.x, c = task % CHANNELS, bin = min(task / CHANNELS, f.bins - 1);
        size_t kept = kept_place(f, column, bin, c), place = out_place(f, to.places, column, bin, c);
        float2 x = make_float2(0, 0), gain = to.gains[kept];
        before(bin);
#pragma unroll 1
        for (int rehearsal = first == 0; rehearsal >= 0; rehearsal--) {
            if (!rehearsal) {
                if (first == 0) {
                    wait_for_previous();
                    load_kept();
                }
                x = to.kept[kept];
            }
            if (first == 0 && !take(rehearsal)) return false;
            float2 result = times(gain, add(x, bin, c));
            if (!rehearsal && task < tasks) to.bins_out[place] = result;
            if (rehearsal) __syncthreads();
        }
    }
    return true;
}
