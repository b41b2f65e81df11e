// What the fused holography kernel is told.
#pragma once

#include "abi/layout.h"

// What the fused holography kernel is told.
struct Hologram {
    u32 count;   // holograms
    u32 signal;  // 1: every cluster writes the number of the iteration to its signal when done
};
