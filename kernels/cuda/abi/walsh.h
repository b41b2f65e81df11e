// What walsh_bins is told.
#pragma once

#include "abi/layout.h"

// What `walsh_bins` is told.
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
