// What the stages of an iteration take: the first thread of a block notes the card's clock (its step is 32 ns on an
// H200), and one block writes its notes when its results are out.
#pragma once

#include "abi/state.h"

// Places in State::clocks; kernels/src/clocks.rs names them.
enum Stage {
    NEW_BEGIN = 0,
    NEW_ROWS = 1,      // the new rows are here, and the words that they complete
    NEW_SAMPLES = 2,   // decimated
    NEW_END = 3,       // bins written
    OLD_BEGIN = 4,
    OLD_LOADED = 5,  // the old window is in shared memory
    OLD_END = 6,     // its part of the bins is kept
    HOLOGRAM_BEGIN = 8,
    HOLOGRAM_TABLES = 9,   // operators in shared memory, the bins are there
    HOLOGRAM_ROWS = 10,    // rows continued
    HOLOGRAM_COLUMNS = 11, // columns continued
    HOLOGRAM_Y = 12,       // transformed along y
    HOLOGRAM_X = 13,       // transformed along x
    HOLOGRAM_BACK_X = 14,  // operator applied, back along x
    HOLOGRAM_BACK_Y = 15,  // back along y
    HOLOGRAM_END = 16      // written
};

struct Clocks {
    u64 at[32];
};

inline u64 nanoseconds() {
    u64 now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

inline void clock_stage(Clocks& clocks, Stage stage) {
    if (threadIdx.x == 0) clocks.at[stage] = nanoseconds();
}

// By one thread of the block whose clocks count.
inline void write_clocks(const Clocks& clocks, State* state, Stage first, Stage last) {
    for (int i = first; i <= last; i++) state->clocks[i] = clocks.at[i];
}
