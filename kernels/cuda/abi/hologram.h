// What the fused holography kernel is told; kernels/src/abi/hologram.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

struct Hologram {
    u32 count;   // holograms
    u32 signal;  // 1: every cluster writes the number of the iteration to its signal when done
};

NEARFIELD_SIZE(Hologram, 8);
NEARFIELD_FIELD(Hologram, count, 0);
NEARFIELD_FIELD(Hologram, signal, 4);
