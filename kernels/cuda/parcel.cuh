// Sixteen bytes that the host sends while kernels run: kernels/src/mail.rs writes them.
#pragma once

#include "abi/layout.h"

struct alignas(16) Parcel {
    u32 bytes[3];  // of a row, as sent
    u32 tag;       // written behind them
};

// As it is in host memory now. All 16 bytes are read at once: whoever finds a tag has the bytes before it.
inline Parcel load_parcel(const Parcel* place) {
    Parcel p;
    u64 low, high;
    asm volatile(
        "{\n"
        ".reg .b128 all;\n"
        "ld.relaxed.sys.global.b128 all, [%2];\n"
        "mov.b128 {%0, %1}, all;\n"
        "}\n"
        : "=l"(low), "=l"(high)
        : "l"(__cvta_generic_to_global(place))
        : "memory");
    p.bytes[0] = static_cast<u32>(low);
    p.bytes[1] = static_cast<u32>(low >> 32);
    p.bytes[2] = static_cast<u32>(high);
    p.tag = static_cast<u32>(high >> 32);
    return p;
}
