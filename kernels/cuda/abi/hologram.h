// What the fused holography kernel is told; kernels/src/abi/hologram.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

struct Hologram {
    u32 count;     // holograms
    u32 rows;      // rows of bits that this iteration took, added to State::rows when all holograms are written
    u32 signal;    // 1: every cluster writes the number of the iteration to its signal when done
    u32 reserved;  // 0
};

NEARFIELD_SIZE(Hologram, 16);
NEARFIELD_FIELD(Hologram, count, 0);
NEARFIELD_FIELD(Hologram, rows, 4);
NEARFIELD_FIELD(Hologram, signal, 8);
NEARFIELD_FIELD(Hologram, reserved, 12);
