// From bits to the chosen bins of every channel. Launched by kernels/src/front_end.rs; twin of
// pipeline/src/front_end. A block has eight channels; windows are along y of the launch.
//
// | kernel | method | from |
// |---|---|---|
// | fft_bins | nominal | samples |
// | project_bins, SOURCE 0 | dot | samples |
// | project_bins, SOURCE 1 | average, walsh | counts of bits in words |
// | exact_bins | bits | words |
//
// With FrontEnd::rows > 0 a launch first takes new rows into the rings (ingest.cuh), and its window is the newest
// one; without, windows start at `first` and follow each other by `stride` words.
//
// | array | layout |
// |---|---|
// | places | grid index of every channel |
// | gains | [bin][channel]: response, delay and calibration |
// | bins_out | [window][bin][grid index] |
//
// | constant | meaning |
// |---|---|
// | SAMPLES | N, samples or words of a window; a power of two from 64 to 4096 where it is transformed |
// | SOURCE | of project_bins |
// | NOMINAL_BYTES | dynamic shared memory of fft_bins |
//
// Bytes: a window of 1024 samples of 1024 channels is 4 MB, read once from the L2 cache (1 us at 4.3 TB/s if it
// came from memory). Flops: fft_bins 2.5 N log2 N a channel, 26 MFLOP a window; project_bins 4 N a channel and bin; exact_bins
// 20 N a channel and bin. A window by itself is bound by latency; batches are measured in docs/measured/pnah.md.

#define THREADS 512
#define WARPS (THREADS / 32)

#include "nominal.cuh"
#include "overlap.cuh"

static_assert(sizeof(Nominal) <= NOMINAL_BYTES, "kernels/src/front_end.rs counts less shared memory");

// Start of this block's window behind `taken` rows and those of this launch.
inline u32 window_start(const FrontEnd& f, u64 taken) {
    if (f.rows == 0) return f.first + blockIdx.y * f.stride;
    // The ring may be longer than the window.
    return ((taken + f.rows) / 32 + f.capacity - SAMPLES) % f.capacity;
}

// The first block of a launch that takes rows only fetches them; `true` for the others, when the rows are there.
inline bool rows_are_here(const FrontEnd& f, const u8* rows, u8* inbox, State* state) {
    u32 iteration = state->iteration + 1;
    if (blockIdx.x == 0) {
        fetch(f, rows, inbox, &state->fetched, iteration);
        return false;
    }
    // It is scheduled first and waits for nobody.
    if (threadIdx.x == 0) wait_for_rows(&state->fetched, iteration);
    __syncthreads();
    return true;
}

inline void finish(const Clocks& clocks, State* state, int column) {
    if (threadIdx.x == 0 && column == 0 && blockIdx.y == 0) write_clocks(clocks, state, FRONT_BEGIN, FRONT_END);
}

// Nominal.
extern "C" __global__ void __launch_bounds__(THREADS, SAMPLES <= 1024 ? 2 : 1)
    fft_bins(const u8* rows, const i32* cic, const i32* taps, const float* window, const float2* twiddles, const u32* bins,
             const u32* places, const float2* gains, State* state, u8* inbox, u8* pending, u32* words, float* samples,
             float2* bins_out, FrontEnd f) {
    extern __shared__ float4 memory[];
    Nominal& s = *reinterpret_cast<Nominal*>(memory);
    int column = static_cast<int>(blockIdx.x) - (f.rows > 0);
    let_next_begin();
    clock_stage(s.in.clocks, FRONT_BEGIN);
    u64 taken = state->rows;
    int known = SAMPLES;
    if (column >= 0) {
        load_window(s, f, column, samples, window_start(f, taken));
        load_nominal(s, window, twiddles);
    }
    if (f.rows > 0) {
        if (column >= 0) {
            load_filter(s.in, cic, taps);
            load_history(s.in, f, column, words, taken / 32);
        }
        if (!rows_are_here(f, rows, inbox, state)) return;
        known -= static_cast<int>((taken % 32 + f.rows) / 32);
        ingest<true>(s.in, f, column, inbox, pending, words, samples, taken);
    }
    __syncthreads();
    transform_window(s, known);
    clock_stage(s.in.clocks, FRONT_BINS);
    pick_bins(s, f, column, bins, twiddles + RADIX_1 * (RADIX_2 - 1), places, gains, bins_out);
    clock_stage(s.in.clocks, FRONT_END);
    finish(s.in.clocks, state, column);
}

// The window's words into shared memory, [channel][SAMPLES], with whatever is in the place of those still to come.
inline void load_words(u32* own, const FrontEnd& f, int column, const u32* words, u32 start) {
    for (int i = threadIdx.x; i < CHANNELS * SAMPLES; i += THREADS) {
        u32 place = ring_place(start, i % SAMPLES, f.capacity);
        own[i] = words[static_cast<size_t>(CHANNELS * column + i / SAMPLES) * f.capacity + place];
    }
}

// The words that `ingest` has just completed.
inline void add_new_words(u32* own, const FrontEnd& f, const Ingest& in, u64 taken) {
    int complete = static_cast<int>((taken % 32 + f.rows) / 32);
    for (int i = threadIdx.x; i < CHANNELS * complete; i += THREADS) {
        int c = i / complete, word = i % complete;
        own[(c + 1) * SAMPLES - complete + word] = in.recent[c][HISTORY + word];
    }
    __syncthreads();
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

// Dot, average and Walsh: X[k] = sum_p sum_t v_p[t] weights[p][k][t], where v is a sample (SOURCE 0), or
// popcount(word ^ pattern_p) - 16 (SOURCE 1). `patterns` lists the p and then, [p][bin], whether a bin uses them. Warps share bins and, where these are few, the samples.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    project_bins(const u8* rows, const i32* cic, const i32* taps, const u32* patterns, const float2* weights,
                 const u32* places, const float2* gains, State* state, u8* inbox, u8* pending, u32* words,
                 float* samples, float2* bins_out, FrontEnd f) {
    extern __shared__ float4 memory[];
    __shared__ Ingest in;
    float* values = reinterpret_cast<float*>(memory);  // [t][channel]
    u32* own = reinterpret_cast<u32*>(values + CHANNELS * SAMPLES);  // [channel][t], SOURCE 1
    float* partial = values + (1 + SOURCE) * CHANNELS * SAMPLES;     // [slice][bin][channel, part]
    int column = static_cast<int>(blockIdx.x) - (f.rows > 0);
    let_next_begin();
    clock_stage(in.clocks, FRONT_BEGIN);
    u64 taken = state->rows;
    u32 start = window_start(f, taken), channels = 8 * f.row_bytes;
    if (SOURCE == 1 && column >= 0) load_words(own, f, column, words, start);
    if (f.rows > 0) {
        if (SOURCE == 0 && column >= 0) {
            load_filter(in, cic, taps);
            load_history(in, f, column, words, taken / 32);
        }
        if (!rows_are_here(f, rows, inbox, state)) return;
        ingest<SOURCE == 0>(in, f, column, inbox, pending, words, samples, taken);
        if (SOURCE == 1) add_new_words(own, f, in, taken);
    }
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int slices = max(1, WARPS / static_cast<int>(f.bins)), passes = SOURCE == 0 ? 1 : f.patterns;
    for (int p = 0; p < passes; p++) {
        u32 pattern = SOURCE == 0 ? 0 : patterns[p];
        for (int i = threadIdx.x; i < CHANNELS * SAMPLES; i += THREADS) {
            int c = i / SAMPLES, t = i % SAMPLES;
            size_t place = static_cast<size_t>(CHANNELS * column + c) * f.capacity + ring_place(start, t, f.capacity);
            values[t * CHANNELS + c] = SOURCE == 0 ? samples[place] : static_cast<float>(__popc(own[i] ^ pattern) - 16);
        }
        __syncthreads();
        if (p == 0) clock_stage(in.clocks, FRONT_LOADED);
        for (int task = warp; task < slices * static_cast<int>(f.bins); task += WARPS) {
            int bin = task % f.bins, slice = task / f.bins;
            // Few bins have coefficients of every pattern.
            bool used = SOURCE == 0 || patterns[f.patterns + p * f.bins + bin];
            if (!used && p > 0) continue;
            const float2* weight = weights + (static_cast<size_t>(p) * f.bins + bin) * SAMPLES;
            float sums[2 * CHANNELS] = {};
#pragma unroll 4
            for (int t = 32 * slice + lane; t < (used ? SAMPLES : 0); t += 32 * slices) {
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
            if (lane < 2 * CHANNELS) {
                float* place = partial + task * 2 * CHANNELS + lane;
                *place = p == 0 ? sum : *place + sum;
            }
        }
        __syncthreads();
    }
    clock_stage(in.clocks, FRONT_BINS);
    for (int task = threadIdx.x; task < CHANNELS * f.bins; task += THREADS) {
        int c = task % CHANNELS, bin = task / CHANNELS;
        float2 x = make_float2(0, 0);
        for (int slice = 0; slice < slices; slice++) {
            const float* place = partial + (slice * f.bins + bin) * 2 * CHANNELS + 2 * c;
            x = x + make_float2(place[0], place[1]);
        }
        u32 channel = CHANNELS * column + c;
        bins_out[(static_cast<size_t>(blockIdx.y) * f.bins + bin) * channels + places[channel]] =
            times(gains[static_cast<size_t>(bin) * channels + channel], x);
    }
    clock_stage(in.clocks, FRONT_END);
    finish(in.clocks, state, column);
}

// Bits: the exact DFT of the bits, +1 and -1. Word m, byte q, bit b is bit t = 32 m + 8 q + b of the window:
//
//     X[k] = sum_m exp(-j 2 pi k m/N) sum_q bytes[k][q][byte q of word m],   N = SAMPLES
//
// `plain` lists terms x bins plain bins; a result mixes `terms` of them (a Hann window is three).
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    exact_bins(const u8* rows, const float2* byte_sums, const float2* twiddles, const u32* plain, const float* mix,
               const u32* places, const float2* gains, State* state, u8* inbox, u8* pending, u32* words, float2* bins_out,
               FrontEnd f) {
    extern __shared__ float4 memory[];
    __shared__ Ingest in;
    const int parts = WARPS / CHANNELS;                    // warps of a channel
    float2* turns = reinterpret_cast<float2*>(memory);     // [SAMPLES]
    float2* table = turns + SAMPLES;                       // [byte][256]
    float2* partial = table + 4 * 256;        // [plain bin][channel][part]
    u32* mine = reinterpret_cast<u32*>(partial + f.terms * f.bins * WARPS);  // [channel][SAMPLES]
    int column = static_cast<int>(blockIdx.x) - (f.rows > 0);
    let_next_begin();
    clock_stage(in.clocks, FRONT_BEGIN);
    for (int i = threadIdx.x; i < SAMPLES; i += THREADS) turns[i] = twiddles[i];
    u64 taken = state->rows;
    if (column >= 0) load_words(mine, f, column, words, window_start(f, taken));
    if (f.rows > 0) {
        if (!rows_are_here(f, rows, inbox, state)) return;
        ingest<false>(in, f, column, inbox, pending, words, nullptr, taken);
        add_new_words(mine, f, in, taken);
    }
    u32 channels = 8 * f.row_bytes;
    clock_stage(in.clocks, FRONT_LOADED);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, channel = warp / parts, part = warp % parts;
    for (int i = 0; i < static_cast<int>(f.terms * f.bins); i++) {
        __syncthreads();
        for (int j = threadIdx.x; j < 4 * 256; j += THREADS) table[j] = byte_sums[i * 4 * 256 + j];
        __syncthreads();
        u32 k = plain[i];
        float2 sum = make_float2(0, 0);
#pragma unroll 2
        for (int m = 32 * part + lane; m < SAMPLES; m += 32 * parts) {
            u32 word = mine[channel * SAMPLES + m];
            float2 inner = (table[word & 255] + table[256 + (word >> 8 & 255)]) +
                           (table[512 + (word >> 16 & 255)] + table[768 + (word >> 24)]);
            sum = plus(sum, turns[k * m % SAMPLES], inner);
        }
#pragma unroll
        for (int step = 16; step > 0; step /= 2) {
            sum.x += __shfl_xor_sync(ALL_LANES, sum.x, step);
            sum.y += __shfl_xor_sync(ALL_LANES, sum.y, step);
        }
        if (lane == 0) partial[i * WARPS + warp] = sum;
    }
    __syncthreads();
    clock_stage(in.clocks, FRONT_BINS);
    for (int task = threadIdx.x; task < CHANNELS * f.bins; task += THREADS) {
        int c = task % CHANNELS, bin = task / CHANNELS;
        float2 x = make_float2(0, 0);
        for (int i = 0; i < static_cast<int>(f.terms) * parts; i++) {
            float2 part_sum = partial[(bin * f.terms + i / parts) * WARPS + c * parts + i % parts];
            x = x + mix[i / parts] * part_sum;
        }
        u32 to = CHANNELS * column + c;
        bins_out[(static_cast<size_t>(blockIdx.y) * f.bins + bin) * channels + places[to]] =
            times(gains[static_cast<size_t>(bin) * channels + to], x);
    }
    clock_stage(in.clocks, FRONT_END);
    finish(in.clocks, state, column);
}
