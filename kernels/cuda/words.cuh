// Which words a block's window has, and what its launch leaves at the end.
#pragma once

#include "ingest.cuh"

// Start of this block's window behind the rows of this launch.
inline u32 window_start(const FrontEnd& f, const Hop& hop) {
    if (f.rows == 0) return f.first + blockIdx.y * f.stride;
    // The ring may be longer than the window.
    return ring_place(ring_place(hop.place, hop.complete, f.capacity), f.capacity - SAMPLES, f.capacity);
}

inline void finish(const Clocks& clocks, State* state, int column) {
    if (threadIdx.x == 0 && column == 0 && blockIdx.y == 0) write_clocks(clocks, state, FRONT_BEGIN, FRONT_END);
}
