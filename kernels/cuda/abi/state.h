// Where a stream of bits stands, and what the last iteration took.
#pragma once

#include "abi/layout.h"

// Where a stream of bits stands, and what the last iteration took.
struct State {
    u64 rows;        // rows of bits taken so far
    u64 next;        // and with those of the iteration under way, known before it ends; like `begun`
    u32 arrived;     // clusters that have finished this iteration
    u32 iteration;   // iterations finished
    u32 took;        // rows of bits of the iteration under way
    u32 begun;       // iterations whose rows are on the card
    u64 clocks[32];  // the card's clock at the end of each stage, ns (clocks.cuh)
};
