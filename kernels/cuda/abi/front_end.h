// What the kernels from bits to bins are told; kernels/src/abi/front_end.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

struct FrontEnd {
    u32 rows;       // new rows of bits in this launch; 0: the arrays are complete, and windows start where `first` says
    u32 row_bytes;  // bytes of a row: an eighth of the channels
    u32 bins;       // bins of a window
    u32 capacity;   // words, and samples, of a channel's ring or array
    u32 first;      // without new rows: first word of the first window
    u32 stride;     // without new rows: words from one window to the next
    u32 terms;      // exact_bins: plain bins that make one result, 1 or 3
};

NEARFIELD_SIZE(FrontEnd, 28);
NEARFIELD_FIELD(FrontEnd, rows, 0);
NEARFIELD_FIELD(FrontEnd, row_bytes, 4);
NEARFIELD_FIELD(FrontEnd, bins, 8);
NEARFIELD_FIELD(FrontEnd, capacity, 12);
NEARFIELD_FIELD(FrontEnd, first, 16);
NEARFIELD_FIELD(FrontEnd, stride, 20);
NEARFIELD_FIELD(FrontEnd, terms, 24);
