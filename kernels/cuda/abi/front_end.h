// What the kernels from bits to bins are told.
#pragma once

#include "abi/layout.h"

// What the kernels from bits to bins are told.
struct FrontEnd {
    u32 rows;       // of a stream: new rows of bits of an iteration; 0: complete arrays
    u32 row_bytes;  // bytes of a row: an eighth of the channels
    u32 bins;       // bins of a window
    u32 capacity;   // words, and samples, of a channel's ring or array
    u32 first;      // of complete arrays: first word of the first window
    u32 stride;     // of complete arrays: words from one window to the next
    u32 terms;      // exact_bins: plain bins that make one result, 1 or 3
    u32 phase;      // PHASE_...
};

const u32 PHASE_WINDOWS = 0;  // windows of complete arrays
const u32 PHASE_OLD = 1;      // of a stream: what its old words add to the next window
const u32 PHASE_NEW = 2;      // of a stream: takes the new rows and adds what they add
