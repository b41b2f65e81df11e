// What walsh_bins is told; kernels/src/abi/walsh.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

struct Walsh {
    u32 patterns;  // patterns within a word that are in use, at most 32
    u32 groups;    // of eight columns
    u32 together;  // groups that are in shared memory at a time
    u32 rounds;    // groups over together, rounded up
    u32 rows;      // where in the tables the rows begin; words, a multiple of 4, like those that follow
    u32 starts;    // where the starts begin
    u32 terms;     // where the terms begin
    u32 staged;    // words of the tables that go to shared memory
    u32 sharing;   // 2^sharing threads share the terms of a bin
    u32 room;      // bytes of shared memory for weights of new words
    u32 early;     // whether the next kernel may begin before the last terms are summed
};

NEARFIELD_SIZE(Walsh, 44);
NEARFIELD_FIELD(Walsh, patterns, 0);
NEARFIELD_FIELD(Walsh, groups, 4);
NEARFIELD_FIELD(Walsh, together, 8);
NEARFIELD_FIELD(Walsh, rounds, 12);
NEARFIELD_FIELD(Walsh, rows, 16);
NEARFIELD_FIELD(Walsh, starts, 20);
NEARFIELD_FIELD(Walsh, terms, 24);
NEARFIELD_FIELD(Walsh, staged, 28);
NEARFIELD_FIELD(Walsh, sharing, 32);
NEARFIELD_FIELD(Walsh, room, 36);
NEARFIELD_FIELD(Walsh, early, 40);
