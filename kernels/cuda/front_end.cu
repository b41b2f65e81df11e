// From bits to the chosen bins of every channel. Launched by kernels/src/front_end.rs; twin of
// pipeline/signal/src/front_end. A block has eight channels; windows are along y of the launch.
//
// | kernel | method | from |
// |---|---|---|
// | fft_bins | nominal | samples |
// | project_bins, SOURCE 0 | dot | samples |
// | project_bins, SOURCE 1 | average | counts of bits in words |
// | exact_bins | bits | words |
//
// Windows of complete arrays start at `first` and follow each other by `stride` words. A stream has two launches for every
// iteration (results.cuh): one waits for the rows, takes them into the rings (ingest.cuh) and adds what they add to the bins of
// the newest window; when its results are out, another makes the part of the next window that is there already.
//
// | array | layout |
// |---|---|
// | places | grid index of every channel |
// | gains | [bin][channel]: response, delay and calibration |
// | kept | [bin][channel], bins of the old words |
// | bins_out | [window][bin][grid index] |
//
// | constant | meaning |
// |---|---|
// | SAMPLES | N, samples or words of a window; a power of two from 64 to 4096 where it is transformed |
// | FRESH | 1: the new phase of a stream, 0: the others (results.cuh) |
// | SOURCE | of project_bins |
// | NOMINAL_BYTES | dynamic shared memory of fft_bins |
//
// Bytes: a window of 1024 samples of 1024 channels is 4 MB, read once from the L2 cache (1 us at 4.3 TB/s if it
// came from memory). Flops: fft_bins 2.5 N log2 N a channel, 26 MFLOP a window; project_bins 4 N a channel and bin; exact_bins
// 20 N a channel and bin. A window by itself is bound by latency; batches are measured in docs/measured/pnah_cuda.md.

#define THREADS 512
#define WARPS (THREADS / 32)

#include "nominal.cuh"
#include "overlap.cuh"
#include "results.cuh"
#include "words.cuh"

static_assert(sizeof(Nominal) <= NOMINAL_BYTES, "kernels/src/front_end/tables.rs counts less shared memory");

// The new phase of methods that decimate; `last_of(bin)` is the weight of the newest sample.
template <class Last>
inline void add_samples(Ingest& in, const FrontEnd& f, int column, const Parcel* mail, const i32* response, State* state, u64* inbox,
                        u8* pending, u32* words, float* samples, const int2* shares, const Results& to, Last last_of) {
    let_next_begin();
    u32 iteration = state->begun + 1;
    if (column < 0) return fetch(f, -1 - column, mail, inbox, iteration);
    clock_stage(in.clocks, NEW_BEGIN);
    load_response(in, response);
    Hop hop = hop_of(f, state->next);
    NewestWeights weights;
    auto before = [&](u32 bin) { weights = newest_weights(last_of(bin), hop.complete); };
    auto load_kept = [&] { load_shares(in, f, column, hop, shares); };
    auto take = [&](bool rehearsal) {
        copies_done();
        bool came = take_words(in, f, column, hop, inbox, iteration, pending, words, rehearsal);
        make_samples(in, hop.complete);
        clock_stage(in.clocks, NEW_SAMPLES);
        return came;
    };
    bool came = write_new(f, column, to, before, load_kept, take, [&](float2 x, u32, u32 c) {
        return plus_newest(x, weights, hop.complete, [&](int word) { return in.fresh[word][c]; });
    });
    if (came) {
        write_samples(in, f, column, samples, hop);
        finish(in.clocks, f, state, column);
    } else {
        skip_rows<true>(in, f, column, state, inbox, iteration, pending, words, samples);
    }
}

// Nominal. `newest` holds twice the window times exp(-j 2 pi k t/N) for the last 32 samples, [bin][t].
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS, SAMPLES <= 1024 ? 2 : 1)
    fft_bins(const Parcel* mail, const i32* response, const float* window, const float2* twiddles, const float2* newest,
             const u32* bins, const u32* places, const float2* gains, State* state, u64* inbox, u8* pending, u32* words,
             float* samples, int2* shares, float2* kept, float2* bins_out, FrontEnd f) {
    extern __shared__ float4 memory[];
    Nominal& s = *reinterpret_cast<Nominal*>(memory);
    Results to = {places, gains, kept, bins_out};
    int column = column_of();
    if (FRESH) {
        return add_samples(s.in, f, column, mail, response, state, inbox, pending, words, samples, shares, to,
                           [&](u32 bin) { return newest + bin * NEWEST + NEWEST - 1; });
    }
    clock_stage(s.in.clocks, OLD_BEGIN);
    u64 next = state->next;
    // While it comes, what needs not know where the window is.
    load_tables(s, f, twiddles, bins);
    if (f.phase == PHASE_OLD) load_response(s.in, response);
    Hop hop = hop_of(f, next);
    if (f.phase == PHASE_OLD) load_history(s.in, f, column, words, hop);
    transform_ring(s, f, column, samples, window, window_start(f, hop), SAMPLES - hop.complete);
    clock_stage(s.in.clocks, OLD_LOADED);
    transform_further(s);
    write_old(f, column, to, [&](u32 bin, u32 c) {
        bool staged = bin < STAGED;
        const float2* turns = staged ? s.turns : twiddles;
        return transformed_bin(s, staged ? s.bins[bin] : bins[bin], c, turns + TURNS + bin * RADIX_3);
    });
    if (f.phase == PHASE_OLD) write_shares(s.in, f, column, hop, shares);
    finish(s.in.clocks, f, state, column);
}

// Half of the values go to the lane whose number differs in bit HALF, the other half comes from there.
template <int HALF, int COUNT>
inline void halve(float (&v)[COUNT]) {
    bool upper = threadIdx.x & HALF;
#pragma unroll
    for (int i = 0; i < HALF; i++) {
        float give = upper ? v[i] : v[i + HALF], keep = upper ? v[i + HALF] : v[i];
        v[i] = keep + __shfl_xor_sync(ALL_LANES, give, HALF);
    }
}

// Sums of 16 values over the lanes of a warp: lane l ends with the sum of value l mod 16.
inline float lane_sums(float (&v)[16]) {
    halve<8>(v);
    halve<4>(v);
    halve<2>(v);
    halve<1>(v);
    return v[0] + __shfl_xor_sync(ALL_LANES, v[0], 16);
}

// What project_bins sums: a sample, or the ones of a word beyond half.
inline float count(u32 word) { return static_cast<float>(__popc(word) - 16); }

// The window's values into shared memory, [t][channel], with zeros from `known` on.
inline void load_values(float* values, const FrontEnd& f, int column, const u32* words, const float* samples, u32 start,
                        int known) {
    size_t own = static_cast<size_t>(CHANNELS * column) * f.capacity;
    for (int t = threadIdx.x; t < SAMPLES; t += THREADS) {
        size_t place = own + ring_place(start, t, f.capacity);
        float x[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; c++, place += f.capacity) {
            x[c] = SOURCE == 0 ? samples[place] : count(words[place]);
            if (t >= known) x[c] = 0;
        }
        float4* to = reinterpret_cast<float4*>(values + t * CHANNELS);
        to[0] = make_float4(x[0], x[1], x[2], x[3]);
        to[1] = make_float4(x[4], x[5], x[6], x[7]);
    }
}

// Slices of the window that are summed apart, so that few bins occupy all warps; kernels/src/front_end/tables.rs has room for
// so many sums.
inline int slices_of(int bins) {
    int slices = WARPS;
    while (slices > 1 && slices * bins > 4 * WARPS) slices /= 2;
    return slices;
}

// Sums of all bins over the slices of the window, [slice][bin][channel, part]; a warp makes one.
inline void sum_slices(const float* values, const FrontEnd& f, const float2* weights, int slices, float* partial) {
    int lane = threadIdx.x % 32, bins = f.bins;
    for (int task = threadIdx.x / 32; task < slices * bins; task += WARPS) {
        int bin = task % bins, slice = task / bins;
        const float2* weight = weights + static_cast<size_t>(bin) * SAMPLES;
        float sums[2 * CHANNELS] = {};
#pragma unroll 4
        for (int t = 32 * slice + lane; t < SAMPLES; t += 32 * slices) {
            float2 w = weight[t];
            const float4* v = reinterpret_cast<const float4*>(values + t * CHANNELS);
            float4 low = v[0], high = v[1];
            const float x[CHANNELS] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                sums[2 * c] = fmaf(x[c], w.x, sums[2 * c]);
                sums[2 * c + 1] = fmaf(x[c], w.y, sums[2 * c + 1]);
            }
        }
        float sum = lane_sums(sums);
        if (lane < 2 * CHANNELS) partial[task * 2 * CHANNELS + lane] = sum;
    }
}

// The new phase of the average.
inline void add_counts(Ingest& in, const FrontEnd& f, int column, const Parcel* mail, const float2* weights, State* state, u64* inbox,
                       u8* pending, u32* words, const Results& to) {
    let_next_begin();
    u32 iteration = state->begun + 1;
    if (column < 0) return fetch(f, -1 - column, mail, inbox, iteration);
    clock_stage(in.clocks, NEW_BEGIN);
    Hop hop = hop_of(f, state->next);
    NewestWeights newest;
    auto before = [&](u32 bin) { newest = newest_weights(weights + (bin + 1) * SAMPLES - 1, hop.complete); };
    auto take = [&](bool rehearsal) {
        bool came = take_words(in, f, column, hop, inbox, iteration, pending, words, rehearsal);
        clock_stage(in.clocks, NEW_SAMPLES);
        return came;
    };
    bool came = write_new(f, column, to, before, [] {}, take, [&](float2 x, u32, u32 c) {
        return plus_newest(x, newest, hop.complete, [&](int word) { return count(in.recent[c][HISTORY + word]); });
    });
    if (came) {
        finish(in.clocks, f, state, column);
    } else {
        skip_rows<false>(in, f, column, state, inbox, iteration, pending, words, nullptr);
    }
}

// Dot and average: X[k] = sum_t v[t] weights[k][t], where v is a sample (SOURCE 0), or popcount(word) - 16 (SOURCE 1).
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS, SAMPLES <= 1024 ? 2 : 1)
    project_bins(const Parcel* mail, const i32* response, const float2* weights, const u32* places, const float2* gains,
                 State* state, u64* inbox, u8* pending, u32* words, float* samples, int2* shares, float2* kept,
                 float2* bins_out, FrontEnd f) {
    extern __shared__ float4 memory[];
    __shared__ Ingest in;
    Results to = {places, gains, kept, bins_out};
    int column = column_of(), slices = slices_of(f.bins);
    if (FRESH) {
        if (SOURCE == 1) return add_counts(in, f, column, mail, weights, state, inbox, pending, words, to);
        return add_samples(in, f, column, mail, response, state, inbox, pending, words, samples, shares, to,
                           [&](u32 bin) { return weights + (bin + 1) * SAMPLES - 1; });
    }
    float* values = reinterpret_cast<float*>(memory);
    float2* partial = reinterpret_cast<float2*>(values + CHANNELS * SAMPLES);
    clock_stage(in.clocks, OLD_BEGIN);
    u64 next = state->next;
    bool decimates = SOURCE == 0 && f.phase == PHASE_OLD;
    if (decimates) load_response(in, response);
    Hop hop = hop_of(f, next);
    if (decimates) load_history(in, f, column, words, hop);
    load_values(values, f, column, words, samples, window_start(f, hop), SAMPLES - hop.complete);
    copies_done();
    __syncthreads();
    clock_stage(in.clocks, OLD_LOADED);
    sum_slices(values, f, weights, slices, &partial->x);
    __syncthreads();
    write_old(f, column, to, [&](u32 bin, u32 c) {
        float2 x = make_float2(0, 0);
        for (int slice = 0; slice < slices; slice++) x = x + partial[(slice * f.bins + bin) * CHANNELS + c];
        return x;
    });
    if (decimates) write_shares(in, f, column, hop, shares);
    finish(in.clocks, f, state, column);
}

// The window's words into shared memory, [channel][SAMPLES], with whatever is in the place of those still to come. They are here
// behind copies_done() and a barrier.
inline void load_words(u32* own, const FrontEnd& f, int column, const u32* words, u32 start) {
    for (int i = threadIdx.x; i < CHANNELS * SAMPLES; i += THREADS) {
        u32 place = ring_place(start, i % SAMPLES, f.capacity);
        copy_async(own + i, words + static_cast<size_t>(CHANNELS * column + i / SAMPLES) * f.capacity + place);
    }
}

constexpr int PARTS = WARPS / CHANNELS, BYTE_SUMS = 4 * 256;  // warps of a channel; sums of a plain bin, [byte][value]

// What the four bytes of a word add.
inline float2 byte_sum(const float2* table, u32 word) {
    return (table[word & 255] + table[256 + (word >> 8 & 255)]) +
           (table[512 + (word >> 16 & 255)] + table[768 + (word >> 24)]);
}

// Sums of all plain bins over the words before `known`, [plain bin][channel][part].
inline void sum_words(const float2* byte_sums, const u32* plain, int bins, int known, const u32* own, const float2* turns,
                      float2* table, float2* partial) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, channel = warp / PARTS, part = warp % PARTS;
    const int each = BYTE_SUMS / THREADS;
    // The next table is under way while one is in use.
    float2 next[each];
#pragma unroll
    for (int j = 0; j < each; j++) next[j] = byte_sums[threadIdx.x + j * THREADS];
    for (int i = 0; i < bins; i++) {
        u32 k = plain[i];
        byte_sums += i + 1 < bins ? BYTE_SUMS : 0;
#pragma unroll
        for (int j = 0; j < each; j++) {
            table[threadIdx.x + j * THREADS] = next[j];
            next[j] = byte_sums[threadIdx.x + j * THREADS];
        }
        __syncthreads();
        float2 sum = make_float2(0, 0);
#pragma unroll 4
        for (int m = 32 * part + lane; m < known; m += 32 * PARTS) {
            sum = plus(sum, turns[k * m % SAMPLES], byte_sum(table, own[channel * SAMPLES + m]));
        }
#pragma unroll
        for (int step = 16; step > 0; step /= 2) {
            sum.x += __shfl_xor_sync(ALL_LANES, sum.x, step);
            sum.y += __shfl_xor_sync(ALL_LANES, sum.y, step);
        }
        if (lane == 0) partial[i * WARPS + warp] = sum;
        __syncthreads();
    }
}

// The new phase of the bits.
inline void add_words(Ingest& in, const FrontEnd& f, int column, const Parcel* mail, const float2* byte_sums,
                      const float2* twiddles, const u32* plain, const float* mix, State* state, u64* inbox, u8* pending,
                      u32* words, const Results& to) {
    let_next_begin();
    u32 iteration = state->begun + 1;
    if (column < 0) return fetch(f, -1 - column, mail, inbox, iteration);
    clock_stage(in.clocks, NEW_BEGIN);
    Hop hop = hop_of(f, state->next);
    auto take = [&](bool rehearsal) {
        bool came = take_words(in, f, column, hop, inbox, iteration, pending, words, rehearsal);
        clock_stage(in.clocks, NEW_SAMPLES);
        return came;
    };
    bool came = write_new(f, column, to, [](u32) {}, [] {}, take, [&](float2 x, u32 bin, u32 c) {
        for (u32 i = 0; i < f.terms; i++) {
            u32 k = plain[bin * f.terms + i];
            const float2* sums = byte_sums + static_cast<size_t>(bin * f.terms + i) * BYTE_SUMS;
            for (int word = 0; word < hop.complete; word++) {
                float2 turn = twiddles[k * (SAMPLES - hop.complete + word) % SAMPLES];
                x = x + mix[i] * times(turn, byte_sum(sums, in.recent[c][HISTORY + word]));
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

// Bits: the exact DFT of the bits, +1 and -1. Word m, byte q, bit b is bit t = 32 m + 8 q + b of the window:
//
//     X[k] = sum_m exp(-j 2 pi k m/N) sum_q bytes[k][q][byte q of word m],   N = SAMPLES
//
// `plain` lists terms x bins plain bins; a result mixes `terms` of them (a Hann window is three).
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS, SAMPLES <= 1024 ? 2 : 1)
    exact_bins(const Parcel* mail, const float2* byte_sums, const float2* twiddles, const u32* plain, const float* mix,
               const u32* places, const float2* gains, State* state, u64* inbox, u8* pending, u32* words, float2* kept,
               float2* bins_out, FrontEnd f) {
    extern __shared__ float4 memory[];
    __shared__ Ingest in;
    Results to = {places, gains, kept, bins_out};
    int column = column_of();
    if (FRESH) {
        return add_words(in, f, column, mail, byte_sums, twiddles, plain, mix, state, inbox, pending, words, to);
    }
    float2* turns = reinterpret_cast<float2*>(memory);  // [SAMPLES]
    float2* table = turns + SAMPLES;                    // [byte][256]
    float2* partial = table + BYTE_SUMS;                // [plain bin][channel][part]
    u32* own = reinterpret_cast<u32*>(partial + f.terms * f.bins * WARPS);  // [channel][SAMPLES]
    clock_stage(in.clocks, OLD_BEGIN);
    u64 next = state->next;
    for (int i = threadIdx.x; i < SAMPLES; i += THREADS) copy_async(turns + i, twiddles + i);
    Hop hop = hop_of(f, next);
    load_words(own, f, column, words, window_start(f, hop));
    copies_done();
    clock_stage(in.clocks, OLD_LOADED);
    sum_words(byte_sums, plain, f.terms * f.bins, SAMPLES - hop.complete, own, turns, table, partial);
    write_old(f, column, to, [&](u32 bin, u32 c) {
        float2 x = make_float2(0, 0);
        for (int i = 0; i < static_cast<int>(f.terms) * PARTS; i++) {
            x = x + mix[i / PARTS] * partial[(bin * f.terms + i / PARTS) * WARPS + c * PARTS + i % PARTS];
        }
        return x;
    });
    finish(in.clocks, f, state, column);
}
