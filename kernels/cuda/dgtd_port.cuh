// A port of dgtd.cu, whose numbers and layouts it has: pipeline/dgtd/src/port.rs on the card.
#pragma once

// E* at a node of a port's sheet, as if there were none, and what the sheet with its generator adds to that: -G (E* - E_s)/(Y+ + Y- + G) across the normal.
struct Across {
    double star[3], added[3];

    inline Across(const DgtdGap& gap, const Real* now, const DgtdPort& s) {
        const Real *mine = now + static_cast<u64>(gap.own) * 6, *theirs = now + static_cast<u64>(gap.other) * 6;
        const double* n = gap.normal;
        double e[3], h[3];
#pragma unroll
        for (u32 c = 0; c < 3; c++) e[c] = static_cast<double>(theirs[c]) - mine[c], h[c] = static_cast<double>(theirs[3 + c]) - mine[3 + c];
        const double along = n[0] * e[0] + n[1] * e[1] + n[2] * e[2];
#pragma unroll
        for (u32 c = 0; c < 3; c++) {
            const u32 y = (c + 1) % 3, z = (c + 2) % 3;
            star[c] = mine[c] + gap.both * (gap.beyond * (e[c] - n[c] * along) + n[y] * h[z] - n[z] * h[y]);
            e[c] = star[c] - s.field[c];
        }
        const double left = n[0] * e[0] + n[1] * e[1] + n[2] * e[2];
#pragma unroll
        for (u32 c = 0; c < 3; c++) added[c] = -gap.share * (e[c] - n[c] * left);
    }
};

// Adds what a port's sheet does to the stage that was just done, as stages are linear in rates: `before` are the fields that the stage began with. A block has one element, a thread one of its nodes.
extern "C" __global__ void __launch_bounds__((NODES + 31) / 32 * 32)
    dgtd_port(const Real* before, Real* now, Real* residual, const Real* lift, const DgtdGap* gaps, const u32* starts, const DgtdPort s) {
    __shared__ double flux[TRACES][6];
    const u32 first = starts[blockIdx.x], count = starts[blockIdx.x + 1] - first;
    for (u32 i = threadIdx.x; i < count; i += blockDim.x) {
        const DgtdGap& gap = gaps[first + i];
        const Across across(gap, before, s);
#pragma unroll
        for (u32 c = 0; c < 3; c++) {
            const u32 y = (c + 1) % 3, z = (c + 2) % 3;
            flux[i][c] = gap.electric * across.added[c];
            flux[i][3 + c] = -gap.magnetic * (gap.normal[y] * across.added[z] - gap.normal[z] * across.added[y]);
        }
    }
    __syncthreads();
    const u32 node = threadIdx.x;
    if (node >= NODES || count == 0) return;
    double sums[6] = {};
    for (u32 i = 0; i < count; i++) {
        const double weight = lift[(node / ROWS * TRACES + gaps[first + i].column) * ROWS + node % ROWS];
#pragma unroll
        for (u32 c = 0; c < 6; c++) sums[c] = fma(weight, flux[i][c], sums[c]);
    }
    const u32 place = gaps[first].place;
#pragma unroll
    for (u32 c = 0; c < 6; c++) {
        const double change = s.factors[1] * sums[c];
        residual[(static_cast<u64>(place / LANES) * VALUES + node * 6 + c) * LANES + place % LANES] += static_cast<Real>(change);
        now[static_cast<u64>(place) * VALUES + node * 6 + c] += static_cast<Real>(s.factors[0] * change);
    }
}

// Adds E* at nodes of the sheet times dt exp(-j k t) to what is there of it, a thread for each node and frequency.
extern "C" __global__ void __launch_bounds__(128)
    dgtd_terminals(const Real* now, const DgtdGap* gaps, const double* wavenumbers, double2* sums, u32 count, u32 frequencies, const DgtdPort s) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count * frequencies) return;
    const Across across(gaps[i % count], now, s);
    double sine, cosine;
    sincos(-wavenumbers[i / count] * s.time, &sine, &cosine);
#pragma unroll
    for (u32 c = 0; c < 3; c++) {
        const double field = s.factors[1] * (across.star[c] + across.added[c]);
        double2& sum = sums[static_cast<u64>(i) * 3 + c];
        sum.x = fma(field, cosine, sum.x), sum.y = fma(field, sine, sum.y);
    }
}
