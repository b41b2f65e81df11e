// Poles of dispersive media, with the numbers and types of dgtd.cu, whose last part this is.
#pragma once

// Takes the currents of polarisation from the stage that was just done, which is linear in rates, and P and J through the same stage. A thread has a node of an
// element of a dispersive medium; `before` are the fields that the stage began with, `rates` g, r, c, gamma, k and 1/eps of the poles of each element.
extern "C" __global__ void __launch_bounds__(128)
    dgtd_poles(const Real* before, Real* now, Real* residual, const u32* places, const Real* rates, Real* polarised, u32 count, u32 poles, double a, double b,
               double dt) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u32 element = i / NODES, node = i % NODES, place = places[element];
    const Real factor = a, weight = b, length = dt;
    const u64 at = static_cast<u64>(place) * VALUES + node * 6;
    Real e[3], lost[3] = {};
#pragma unroll
    for (u32 axis = 0; axis < 3; axis++) e[axis] = before[at + axis];
    for (u32 pole = 0; pole < poles; pole++) {
        const Real* own = rates + (static_cast<u64>(element) * poles + pole) * 6;
        const Real g = own[0], r = own[1], c = own[2], gamma = own[3], k = own[4], inverse = own[5];
        Real* here = polarised + static_cast<u64>(pole) * 12 * count + i;
#pragma unroll
        for (u32 axis = 0; axis < 3; axis++) {
            Real* of_p = here + static_cast<u64>(axis) * count;
            Real* of_j = of_p + static_cast<u64>(3) * count;
            const u64 apart = static_cast<u64>(6) * count;
            const Real p = *of_p, j = *of_j, current = g * e[axis] - r * p + j, change = c * e[axis] - gamma * j - k * p;
            const Real sum_p = factor * of_p[apart] + length * current, sum_j = factor * of_j[apart] + length * change;
            of_p[apart] = sum_p, *of_p = p + weight * sum_p;
            of_j[apart] = sum_j, *of_j = j + weight * sum_j;
            lost[axis] += inverse * current;
        }
    }
#pragma unroll
    for (u32 axis = 0; axis < 3; axis++) {
        residual[(static_cast<u64>(place / LANES) * VALUES + node * 6 + axis) * LANES + place % LANES] -= length * lost[axis];
        now[at + axis] -= weight * length * lost[axis];
    }
}
