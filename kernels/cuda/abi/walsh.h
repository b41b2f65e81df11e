// What walsh_bins is told; kernels/src/abi/walsh.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

struct Walsh {
    u32 patterns;  // patterns within a word that are in use, at most 32
    u32 groups;    // of eight columns
    u32 together;  // groups that are in shared memory at a time
    u32 rows;      // rows of all rounds
    u32 longest;   // most terms of a bin in one round
    u32 terms;     // terms of all bins and rounds
    u32 room;      // bytes of shared memory for terms, their starts, and weights of new words
};

NEARFIELD_SIZE(Walsh, 28);
NEARFIELD_FIELD(Walsh, patterns, 0);
NEARFIELD_FIELD(Walsh, groups, 4);
NEARFIELD_FIELD(Walsh, together, 8);
NEARFIELD_FIELD(Walsh, rows, 12);
NEARFIELD_FIELD(Walsh, longest, 16);
NEARFIELD_FIELD(Walsh, terms, 20);
NEARFIELD_FIELD(Walsh, room, 24);

// One Walsh coefficient's part in a bin.
struct alignas(16) WalshTerm {
    u32 place;      // SAMPLES times the group's number within its round, plus the function of the words with its column for the lowest 3 bits
    float re, im;   // weight
    u32 alignment;  // 0: a term is one load of 16 bytes
};

NEARFIELD_SIZE(WalshTerm, 16);
NEARFIELD_FIELD(WalshTerm, place, 0);
NEARFIELD_FIELD(WalshTerm, re, 4);
NEARFIELD_FIELD(WalshTerm, im, 8);
NEARFIELD_FIELD(WalshTerm, alignment, 12);
