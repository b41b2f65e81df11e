// Where a stream of bits stands, and what the last iteration took; kernels/src/abi/state.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

struct State {
    u64 rows;        // rows of bits taken so far
    u64 next;        // and with those of the iteration under way, known before it ends; like `begun`
    u32 arrived;     // clusters that have finished this iteration
    u32 iteration;   // iterations finished
    u32 took;        // rows of bits of the iteration under way
    u32 begun;       // iterations whose rows are on the card
    u64 clocks[32];  // the card's clock at the end of each stage, ns (clocks.cuh)
};

NEARFIELD_SIZE(State, 288);
NEARFIELD_FIELD(State, rows, 0);
NEARFIELD_FIELD(State, next, 8);
NEARFIELD_FIELD(State, arrived, 16);
NEARFIELD_FIELD(State, iteration, 20);
NEARFIELD_FIELD(State, took, 24);
NEARFIELD_FIELD(State, begun, 28);
NEARFIELD_FIELD(State, clocks, 32);
