// Which words a block's window has, and what its launch leaves of its clocks.
#pragma once

#include "ingest.cuh"
#include "overlap.cuh"

// Byte of a row that this block has; negative for those that fetch new rows.
inline int column_of(const FrontEnd& f) { return static_cast<int>(blockIdx.x) - (f.phase == PHASE_NEW ? FETCHERS : 0); }

// Start of this block's window; of a stream's, behind the next rows.
inline u32 window_start(const FrontEnd& f, const Hop& hop) {
    if (f.phase == PHASE_WINDOWS) return f.first + blockIdx.y * f.stride;
    // The ring may be longer than the window.
    return ring_place(ring_place(hop.place, hop.complete, f.capacity), f.capacity - SAMPLES, f.capacity);
}

inline void finish(Clocks& clocks, const FrontEnd& f, State* state, int column) {
    bool fresh = f.phase == PHASE_NEW;
    clock_stage(clocks, fresh ? NEW_END : OLD_END);
    if (threadIdx.x == 0 && column == 0 && f.phase != PHASE_WINDOWS) {
        if (fresh) state->took = f.rows;
        write_clocks(clocks, state, fresh ? NEW_BEGIN : OLD_BEGIN, fresh ? NEW_END : OLD_END);
    }
    if (f.phase == PHASE_OLD) {
        // The new phase of the next iteration may begin; not earlier, for it would take time from this one.
        let_next_begin();
        // The old phase overlaps the end of the iteration before it, and must not end first.
        wait_for_previous();
    }
}
