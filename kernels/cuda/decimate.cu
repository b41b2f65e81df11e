// Decimation of a batch: rows of bits as the array sends them to 24-bit samples, the very integers of
// dsp-core/src/decimator.rs. Launched by kernels/src/decimate.rs; twin of pipeline/signal/src/decimate/wide.rs.
//
//     transpose_rows   rows to words, 32 instants of one channel each
//     decimate_direct  y[n] = (sum_{i<93} h[i] c[4n+3-i] + 2^(shift-1)) >> shift,  c[m] = sum_{j<36} t[j] x[8m+7-j] / 2
//     decimate         the same, tuned; decimate_direct is its readable rung
//     carry_history    the last HISTORY words of a batch to the front of the next
//     to_frames        samples by channels to frames in grid order
//
// | symbol | meaning |
// |---|---|
// | x | +1 or -1, one bit |
// | t, c | taps and samples of the CIC of order 5 by 8, in half units: 2^14 is full scale |
// | u | c + 2^14: the sum of the taps at 1 bits, 0 to 2^15, from tables without a sign; Chain::start takes the 2^14 back |
// | h, y | taps of the FIR by 4, and the samples |
//
// | array | layout |
// |---|---|
// | rows | [time][byte], bit b of byte B is stream position 8 B + b |
// | words | [position][word_pitch]: HISTORY words that came before, then the batch's; bit t is time t |
// | samples | [position][sample_pitch], codes with full scale 2^23, or with FLOAT those times 2^-23 (25 bits: exact) |
// | grid | [position], the channel's place in a frame |
// | frames | [frame][place] |
//
// Cost of one sample of one channel in `decimate`: 4 bytes in, 4 out, and 9% of the words twice: 8.4 bytes. 204
// instructions (sm_90), of which 46 additions and 47 products to 64 bits are the FIR, 10 come from its loads and stores, and
// 98 are the CIC of its word and of its share of the history. At 4.3 TB/s the memory would let 5.1e11
// samples a second through, 10 700 times real time (1024 channels of 46 875 Hz). An SM issues 128 instructions a
// clock, 64 to each integer pipe, wide products at half that, and one wavefront to shared memory: 1.6, 1.8 and 1.2
// clocks a sample. 132 SMs at 1.8 GHz then do 1.3e11 a second, 2700 times real time: the kernel is bound by
// instructions. transpose_rows and to_frames move 8 bytes a sample each and are bound by memory.

#include "abi/decimate.h"
#include "wide.cuh"

#if FLOAT
typedef float Sample;
inline float sample(i32 code) { return (float)code * 0x1p-23f; }
#else
typedef i32 Sample;
inline i32 sample(i32 code) { return code; }
#endif

struct alignas(16) Four {
    Sample a, b, c, d;
};

#define ALL_LANES 0xffffffffu

// ---- transpose_rows

#define TRANSPOSE_THREADS 256
#define TRANSPOSE_WARPS (TRANSPOSE_THREADS / 32)
#define GROUPS 8  // of 32 channels each: 32 bytes of a row, the least that memory moves
#define WORDS 16  // in time, so that a channel's words fill whole sectors too

// Bytes 4g to 4g+3 of a row; those beyond its end are 0.
inline u32 row_word(const u8* rows, u32 row_bytes, u64 row, u32 g) {
    const u8* bytes = rows + row * row_bytes + 4 * g;
    if (row_bytes % 4 == 0) return 4 * g < row_bytes ? *(const u32*)bytes : 0;
    u32 word = 0;
    for (u32 b = 0; b < 4; b++)
        if (4 * g + b < row_bytes) word |= (u32)bytes[b] << (8 * b);
    return word;
}

// One pass of a 32 x 32 transposition of which lane r holds row r: quarters of squares of 2 `distance` bits change places.
template <u32 distance>
inline u32 exchange(u32 x, u32 mask, u32 lane) {
    u32 other = __shfl_xor_sync(ALL_LANES, x, distance);
    return lane & distance ? (x & ~mask) | (other >> distance & mask) : (x & mask) | (other & mask) << distance;
}

// Lane j gets bit j of every lane's word, bit t from lane t.
inline u32 transposed(u32 x, u32 lane) {
    x = exchange<16>(x, 0x0000ffff, lane);
    x = exchange<8>(x, 0x00ff00ff, lane);
    x = exchange<4>(x, 0x0f0f0f0f, lane);
    x = exchange<2>(x, 0x33333333, lane);
    return exchange<1>(x, 0x55555555, lane);
}

// A block takes GROUPS x 32 channels and WORDS words at a time. Paddings make every access of a warp one wavefront.
extern "C" __global__ /* hot */ __launch_bounds__(TRANSPOSE_THREADS) void transpose_rows(
    const u8* __restrict__ rows, u32* __restrict__ words, Batch batch) {
    __shared__ u32 sent[GROUPS][WORDS * 32 + 4];
    __shared__ u32 turned[GROUPS * 32][WORDS + 1];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, row_bytes = batch.positions / 8;
    const u32 across = (batch.positions + GROUPS * 32 - 1) / (GROUPS * 32), down = (batch.frames + WORDS - 1) / WORDS;
    for (u32 tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const u32 first_group = tile % across * GROUPS, first_word = tile / across * WORDS;
        const u32 count = min(WORDS, batch.frames - first_word);
        for (u32 i = threadIdx.x; i < GROUPS * 32 * count; i += TRANSPOSE_THREADS)
            sent[i % GROUPS][i / GROUPS] =
                row_word(rows, row_bytes, (u64)32 * first_word + i / GROUPS, first_group + i % GROUPS);
        __syncthreads();
        for (u32 i = warp; i < GROUPS * count; i += TRANSPOSE_WARPS) {
            const u32 group = i % GROUPS, word = i / GROUPS;
            turned[group * 32 + lane][word] = transposed(sent[group][word * 32 + lane], lane);
        }
        __syncthreads();
        for (u32 i = threadIdx.x; i < GROUPS * 32 * WORDS; i += TRANSPOSE_THREADS) {
            const u32 position = first_group * 32 + i / WORDS, word = i % WORDS;
            if (position < batch.positions && word < count)
                words[(u64)position * batch.word_pitch + HISTORY + first_word + word] = turned[i / WORDS][word];
        }
    }
}

// ---- decimate_direct: one thread a sample

#define DIRECT_THREADS 256

// CIC sample e of the word `now`, plus 2^14.
inline u32 cic(const u32 (*shares)[16], u32 before, u32 now, u32 e) {
    const u64 bits = ((u64)now << 32 | before) >> (8 * e + 4);
    u32 u = 0;
    for (u32 k = 0; k < CIC_NIBBLES; k++) u += shares[k][bits >> 4 * (CIC_NIBBLES - 1 - k) & 15];
    return u;
}

extern "C" __global__ __launch_bounds__(DIRECT_THREADS) void decimate_direct(
    const u32* __restrict__ words, Sample* __restrict__ samples, const __grid_constant__ Chain chain, Batch batch) {
    __shared__ u32 shares[CIC_NIBBLES][16];
    for (u32 i = threadIdx.x; i < CIC_NIBBLES * 16; i += DIRECT_THREADS)
        shares[i / 16][i % 16] = chain.shares[i / 16][i % 16];
    __syncthreads();
    const u64 total = (u64)batch.positions * batch.frames, step = (u64)gridDim.x * DIRECT_THREADS;
    for (u64 i = (u64)blockIdx.x * DIRECT_THREADS + threadIdx.x; i < total; i += step) {
        const u64 position = i / batch.frames, n = i % batch.frames;
        const u32* newest = words + position * batch.word_pitch + HISTORY + n;
        i64 sum = chain.start;
        for (i32 j = 0; j < FIR_TAPS; j++) {
            const u32* word = newest - j / 4;
            const u32 u = cic(shares, word[-1], word[0], 3 - j % 4);
            sum += (i64)chain.taps[min(j, FIR_TAPS - 1 - j)] * u;
        }
        samples[position * batch.sample_pitch + n] = sample((i32)(sum >> chain.shift));
    }
}

// ---- decimate: a warp takes RUN samples of one channel

#define DECIMATE_THREADS 128
#define DECIMATE_WARPS (DECIMATE_THREADS / 32)
#define TOGETHER 8                          // samples of a thread, whose window stays in registers
#define RUN (32 * TOGETHER)                 // samples of a warp
#define WINDOW (TOGETHER + HISTORY - 1)     // words under the FIR of a thread
#define PASSES ((RUN + HISTORY + 31) / 32)  // of 32 words each through the CIC
#define COPIES 16                           // of the table: eight bytes each, one for every pair of banks

// Where the CIC's four samples of word k lie: a gap after every eight, so that threads that read eight words apart meet
// different banks.
constexpr u32 place(u32 k) { return k + k / 8; }

struct Shared {
    uint4 quads[DECIMATE_WARPS][place(32 * PASSES)];
    // [low or high nibble of a byte][its bits][copy]: its shares in the byte's own sample and the next three, 16 bits each.
    uint2 table[2][16][COPIES];
};

// Four sums of 16 bits; none exceeds 2^15, so halves are added without a thought for carries.
struct Sums {
    u32 low, high;  // samples 0 and 1, 2 and 3
};

// Shares of one byte; `low` and `high` have the word's nibbles, one in each byte.
inline Sums shares(const Shared& shared, u32 low, u32 high, u32 byte, u32 copy) {
    const uint2 a = shared.table[0][__byte_perm(low, 0, 0x4440 + byte)][copy];
    const uint2 b = shared.table[1][__byte_perm(high, 0, 0x4440 + byte)][copy];
    return {a.x + b.x, a.y + b.y};
}

// The bits of a word in the four samples of their word, and in the four of the next.
inline void cic_sums(const Shared& shared, const Chain& chain, u32 word, u32 copy, Sums& now, Sums& next) {
    const u32 low = word & 0x0f0f0f0f, high = word >> 4 & 0x0f0f0f0f, ones = 0x01010101;
    const Sums byte0 = shares(shared, low, high, 0, copy), byte1 = shares(shared, low, high, 1, copy);
    const Sums byte2 = shares(shared, low, high, 2, copy), byte3 = shares(shared, low, high, 3, copy);
    // Bytes 1 and 3 begin at an odd sample: together they move up by 16 bits.
    const u32 odd0 = byte1.low, odd1 = byte1.high + byte3.low, odd2 = byte3.high;
    // High nibbles reach one sample further, by less than 2^8: four of them side by side.
    const u32 last = (high & ones) * chain.shares[8][1] + (high >> 1 & ones) * chain.shares[8][2] +
                     (high >> 2 & ones) * chain.shares[8][4] + (high >> 3 & ones) * chain.shares[8][8];
    now.low = byte0.low + (odd0 << 16);
    now.high = byte0.high + byte2.low + __funnelshift_l(odd0, odd1, 16);
    next.low = byte2.high + __funnelshift_l(odd1, odd2, 16) + __byte_perm(last, 0, 0x4140);
    next.high = (odd2 >> 16) + __byte_perm(last, 0, 0x4342);
}

// CIC samples of the words of a run, plus 2^14, into `quads`; lanes take successive words.
inline void cic_run(const Shared& shared, const Chain& chain, const u32* words, u32 available, uint4* quads) {
    const u32 lane = threadIdx.x % 32, copy = lane % COPIES;
    u32 ahead = lane < available ? words[lane] : 0;
    Sums before = {0, 0};  // what the last pass left for the first lane of this one
#pragma unroll 3
    for (u32 k = lane; k < 32 * PASSES; k += 32) {
        const u32 word = ahead;
        ahead = k + 32 < available ? words[k + 32] : 0;
        Sums now, next;
        cic_sums(shared, chain, word, copy, now, next);
        const Sums from = {__shfl_sync(ALL_LANES, next.low, lane + 31), __shfl_sync(ALL_LANES, next.high, lane + 31)};
        const u32 low = now.low + (lane ? from.low : before.low), high = now.high + (lane ? from.high : before.high);
        before = from;
        quads[place(k)] = make_uint4(low & 0xffff, low >> 16, high & 0xffff, high >> 16);
    }
}

// TOGETHER successive sums of the FIR; `quads` is the run's.
inline void fir(const Chain& chain, const uint4* quads, i64 (&sums)[TOGETHER]) {
    const u32 lane = threadIdx.x % 32;
    i32 u[4 * WINDOW];
#pragma unroll
    for (u32 q = 0; q < WINDOW; q++) {
        // The oldest word of a run is there for the CIC of the one after it only.
        const uint4 quad = quads[place(TOGETHER * lane) + place(1 + q)];
        u[4 * q] = quad.x, u[4 * q + 1] = quad.y, u[4 * q + 2] = quad.z, u[4 * q + 3] = quad.w;
    }
#pragma unroll
    for (u32 r = 0; r < TOGETHER; r++) sums[r] = chain.start + wide_product(u[4 * r + 3 + FIR_PAIRS], chain.taps[FIR_PAIRS]);
#pragma unroll
    for (u32 i = 0; i < FIR_PAIRS; i++)
#pragma unroll
        for (u32 r = 0; r < TOGETHER; r++)
            sums[r] += wide_product(u[4 * r + 3 + i] + u[4 * r + 2 + FIR_TAPS - i], chain.taps[i]);
}

extern "C" __global__ /* hot */ __launch_bounds__(DECIMATE_THREADS, 3) void decimate(
    const u32* __restrict__ words, Sample* __restrict__ samples, const __grid_constant__ Chain chain, Batch batch) {
    __shared__ Shared shared;
    for (u32 i = threadIdx.x; i < 2 * 16 * COPIES; i += DECIMATE_THREADS) {
        // Counted back from the newest, nibble 2b is the high one of byte b, 2b + 1 the low one.
        const u32 high = i / (16 * COPIES), bits = i / COPIES % 16, k = 1 - high;
        const u32 (*s)[16] = chain.shares;
        shared.table[high][bits][i % COPIES] =
            make_uint2(s[k][bits] | s[k + 2][bits] << 16, s[k + 4][bits] | s[k + 6][bits] << 16);
    }
    __syncthreads();
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, runs = (batch.frames + RUN - 1) / RUN;
    for (u32 i = blockIdx.x * DECIMATE_WARPS + warp; i < batch.positions * runs; i += gridDim.x * DECIMATE_WARPS) {
        const u64 position = i / runs;
        const u32 first = i % runs * RUN;
        cic_run(shared, chain, words + position * batch.word_pitch + first, HISTORY + batch.frames - first,
                shared.quads[warp]);
        __syncwarp();
        i64 sums[TOGETHER];
        fir(chain, shared.quads[warp], sums);
        __syncwarp();
        const u32 n = first + TOGETHER * lane;
        Sample* out = samples + position * batch.sample_pitch + n;
        Sample y[TOGETHER];
#pragma unroll
        for (u32 r = 0; r < TOGETHER; r++) y[r] = sample((i32)(sums[r] >> chain.shift));
        if (n + TOGETHER <= batch.frames) {
#pragma unroll
            for (u32 r = 0; r < TOGETHER; r += 4) *(Four*)(out + r) = {y[r], y[r + 1], y[r + 2], y[r + 3]};
        } else {
#pragma unroll
            for (u32 r = 0; r < TOGETHER; r++)
                if (n + r < batch.frames) out[r] = y[r];
        }
    }
}

// ---- carry_history: a warp takes a channel, and has read all before it writes, so a short batch may overlap

#define CARRY_THREADS 256

extern "C" __global__ /* hot */ __launch_bounds__(CARRY_THREADS) void carry_history(u32* words, Batch batch) {
    const u32 lane = threadIdx.x % 32, warp = (blockIdx.x * CARRY_THREADS + threadIdx.x) / 32;
    for (u32 position = warp; position < batch.positions; position += gridDim.x * CARRY_THREADS / 32) {
        u32* own = words + (u64)position * batch.word_pitch;
        const u32 word = lane < HISTORY ? own[batch.frames + lane] : 0;
        __syncwarp();
        if (lane < HISTORY) own[lane] = word;
    }
}

// ---- to_frames

#define FRAMES_THREADS 256
#define FRAMES_WARPS (FRAMES_THREADS / 32)

extern "C" __global__ /* hot */ __launch_bounds__(FRAMES_THREADS) void to_frames(
    const Sample* __restrict__ samples, const u32* __restrict__ grid, Sample* __restrict__ frames, Batch batch) {
    __shared__ Sample tile[32][33];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const u32 across = (batch.positions + 31) / 32, down = (batch.frames + 31) / 32;
    for (u32 t = blockIdx.x; t < across * down; t += gridDim.x) {
        const u32 position = t % across * 32, frame = t / across * 32;
        for (u32 p = warp; p < 32; p += FRAMES_WARPS)
            if (position + p < batch.positions && frame + lane < batch.frames)
                tile[p][lane] = samples[(u64)(position + p) * batch.sample_pitch + frame + lane];
        __syncthreads();
        for (u32 f = warp; f < 32; f += FRAMES_WARPS)
            if (position + lane < batch.positions && frame + f < batch.frames)
                frames[(u64)(frame + f) * batch.positions + grid[position + lane]] = tile[lane][f];
        __syncthreads();
    }
}
