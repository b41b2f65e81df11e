// What the decimating kernels are told.
#pragma once

#include "abi/layout.h"

#define CIC_NIBBLES 9  // the CIC's 36 taps reach over nine nibbles of bits
#define FIR_TAPS 93    // symmetric
#define FIR_PAIRS 46   // pairs of equal taps around the middle one
#define HISTORY 24     // words before the first frame that it depends on

// The filters as numbers.
struct Chain {
    i64 start;                    // rounding, less what a CIC sample of all zeros would be
    u32 shares[CIC_NIBBLES][16];  // [nibble back from the newest][its bits]: sum of the taps at 1 bits
    i32 taps[FIR_PAIRS + 1];      // the first half of the FIR and its middle
    u32 shift;                    // fractional bits dropped at the output
};

// How much of the arrays is in use.
struct Batch {
    u32 positions;     // channels in the order of the stream, 8 for each byte of a row
    u32 frames;        // new words of every channel, and samples that they make
    u32 word_pitch;    // words from one channel to the next, HISTORY + frames at least
    u32 sample_pitch;  // samples from one channel to the next, a multiple of 4
};
