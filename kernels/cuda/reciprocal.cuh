#pragma once

// 1/x to 1 unit in the last place, for x in the normal range.
inline float reciprocal(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
