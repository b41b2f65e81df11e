// Where a stream of bits stands, and what the last iteration took; kernels/src/abi/state.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

struct State {
    u64 rows;        // rows of bits taken so far
    u32 arrived;     // clusters that have finished this iteration
    u32 iteration;   // iterations finished
    u32 fetched;     // iteration whose rows are on the card, counted from 1
    u32 reserved;    // 0
    u64 clocks[32];  // the card's clock at the end of each stage, ns (clocks.cuh)
};

NEARFIELD_SIZE(State, 280);
NEARFIELD_FIELD(State, rows, 0);
NEARFIELD_FIELD(State, arrived, 8);
NEARFIELD_FIELD(State, iteration, 12);
NEARFIELD_FIELD(State, fetched, 16);
NEARFIELD_FIELD(State, reserved, 20);
NEARFIELD_FIELD(State, clocks, 24);
