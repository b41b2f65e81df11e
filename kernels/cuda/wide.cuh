// Products of 32-bit numbers for 64-bit sums. Written out, because the compiler, when it hoists the sign of a factor out of a
// loop, falls back to 64-bit multiplications of four instructions. The assembler makes product and sum one instruction.
#pragma once

#include "abi/layout.h"

// a b
inline i64 wide_product(i32 a, i32 b) {
    i64 product;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
}
