// A stage of Maxwell's equations on tetrahedra: pipeline/dgtd/src/cpu on the card, all of it in one kernel.
//
// A block has LANES elements and TILES groups of threads; a thread is at ROWS nodes of one element. Fields of an element lie together, node by node, so
// that neighbours read whole sectors of its faces; the block turns them round on their way into shared memory, where elements lie side by side. Residuals
// and memories of layers, which nobody else reads, always lie so.
//
// Given: BYTES of a number, NODES and FACE_NODES of an element, LANES, ROWS, TILES, and BLOCKS that a multiprocessor should hold at once.

#include "abi/dgtd.h"
#include "number.cuh"

constexpr u32 THREADS = LANES * TILES;
constexpr u32 TRACES = 4 * FACE_NODES;
constexpr u32 VALUES = 6 * NODES;
// One more than there are elements, so that both orders pass through all banks.
constexpr u32 STRIDE = LANES + 1;
// Numbers of an element: gradients of r, s and t, 1/eps, 1/mu, sigma/eps; then its faces.
constexpr u32 MEDIUM = 9, FACE = 12, FACE_NUMBERS = 9, GEOMETRY = FACE + 4 * FACE_NUMBERS;
// A neighbour has its element and, in the lowest bits, one of 24 tables of traces.
constexpr u32 TABLE_BITS = 5;

// Entries of D_r, D_s and D_t in a column, for the rows of a thread.
struct alignas(16) Derivatives {
    Real along[3][ROWS];
};

struct alignas(ROWS * BYTES > 16 ? 16 : ROWS * BYTES) Lifts {
    Real of[ROWS];
};

// Fields of a block, then fluxes at the nodes of faces.
extern __shared__ __align__(16) unsigned char shared[];

struct Face {
    Real normal[3], electric[2], magnetic[2], image[2];
};

// n x (Z+ [H] - alpha n x [E]) and n x (-Y+ [E] - alpha n x [H]) with their factors.
inline void to_flux(const Face& face, Real (&jump)[6]) {
    const Real* n = face.normal;
    const Real along_e = n[0] * jump[0] + n[1] * jump[1] + n[2] * jump[2], along_h = n[0] * jump[3] + n[1] * jump[4] + n[2] * jump[5];
    Real flux[6];
#pragma unroll
    for (u32 axis = 0; axis < 3; axis++) {
        const u32 y = (axis + 1) % 3, z = (axis + 2) % 3;
        const Real turned_e = n[y] * jump[z] - n[z] * jump[y], turned_h = n[y] * jump[3 + z] - n[z] * jump[3 + y];
        flux[axis] = face.electric[0] * turned_h + face.electric[1] * (jump[axis] - n[axis] * along_e);
        flux[3 + axis] = face.magnetic[1] * (jump[3 + axis] - n[axis] * along_h) - face.magnetic[0] * turned_e;
    }
#pragma unroll
    for (u32 c = 0; c < 6; c++) jump[c] = flux[c];
}

// The signal of the plane wave.
inline double signal(const Dgtd& s, double at) {
    if (s.width == 0.0) return sin(s.wavenumber * at);
    const double from = at - s.centre, part = from / s.width;
    return exp(-part * part) * cos(s.wavenumber * from);
}

// Faces of an element and what they look at.
struct Sides {
    const Real* __restrict__ geometry;
    const u32* __restrict__ neighbours;
    const i32* __restrict__ wet;
    u32 lane;

    inline Face face(u32 number) const {
        Face face;
#pragma unroll
        for (u32 i = 0; i < FACE_NUMBERS; i++) reinterpret_cast<Real*>(&face)[i] = geometry[(FACE + number * FACE_NUMBERS + i) * LANES + lane];
        return face;
    }
};

// Nodes of faces that a group takes, in a row.
constexpr u32 EACH = (TRACES + TILES - 1) / TILES;

// Fluxes at the nodes of the faces. Nothing here waits for what was read before: several nodes are on their way at once.
inline void fluxes(const Real* __restrict__ now, const Sides& sides, const u8* __restrict__ face_nodes, const u8* __restrict__ seen, const Real* own,
                   Real* flux, u32 group) {
    const u32 lane = sides.lane;
#pragma unroll 4
    for (u32 i = 0; i < EACH; i++) {
        const u32 trace = group * EACH + i;
        if (TRACES % TILES != 0 && trace >= TRACES) break;
        const u32 number = trace / FACE_NODES, node = trace % FACE_NODES;
        const u32 neighbour = sides.neighbours[number * LANES + lane];
        const u32 there = seen[(neighbour & ((1u << TABLE_BITS) - 1)) * FACE_NODES + node];
        const Pair* theirs = reinterpret_cast<const Pair*>(now + (static_cast<u64>(neighbour >> TABLE_BITS) * NODES + there) * 6);
        const Pair pairs[3] = {theirs[0], theirs[1], theirs[2]};
        const Face face = sides.face(number);
        const Real* mine = own + face_nodes[trace] * 6 * STRIDE + lane;
        Real jump[6];
#pragma unroll
        for (u32 k = 0; k < 3; k++) jump[2 * k] = pairs[k].x, jump[2 * k + 1] = pairs[k].y;
#pragma unroll
        for (u32 c = 0; c < 6; c++) jump[c] = face.image[c / 3] * jump[c] - mine[c * STRIDE];
        to_flux(face, jump);
#pragma unroll
        for (u32 c = 0; c < 6; c++) flux[(trace * 6 + c) * LANES + lane] = jump[c];
    }
}

// Adds what the plane wave makes at the nodes of a group, where faces see it. Fluxes are linear in jumps.
inline void add_wave(const Sides& sides, const double* __restrict__ delays, Real* flux, u32 group, const Dgtd& s) {
    const u32 lane = sides.lane, end = min((group + 1) * EACH, TRACES);
    for (u32 trace = group * EACH; trace < end; trace++) {
        const u32 number = trace / FACE_NODES, node = trace % FACE_NODES;
        const i32 waves = sides.wet[number * LANES + lane];
        if (waves == 0) continue;
        const double value = signal(s, s.time - delays[abs(waves) - 1 + node]) * (waves > 0 ? 1.0 : -1.0);
        Real jump[6];
#pragma unroll
        for (u32 c = 0; c < 3; c++) jump[c] = static_cast<Real>(value * s.electric[c]), jump[3 + c] = static_cast<Real>(value * s.magnetic[c]);
        to_flux(sides.face(number), jump);
#pragma unroll
        for (u32 c = 0; c < 6; c++) flux[(trace * 6 + c) * LANES + lane] += jump[c];
    }
}

// Rates of the fields at the thread's nodes: curl and lift.
inline void rate(const Derivatives* __restrict__ derivatives, const Lifts* __restrict__ lifts, const Real* __restrict__ geometry, const Real* own,
                 const Real* flux, u32 lane, Real (&rates)[ROWS][6]) {
    Real along[3][ROWS][6] = {};
#pragma unroll 2
    for (u32 column = 0; column < NODES; column++) {
        const Derivatives entry = derivatives[column];
        Real q[6];
#pragma unroll
        for (u32 c = 0; c < 6; c++) q[c] = own[(column * 6 + c) * STRIDE + lane];
#pragma unroll
        for (u32 axis = 0; axis < 3; axis++)
#pragma unroll
            for (u32 row = 0; row < ROWS; row++)
#pragma unroll
                for (u32 c = 0; c < 6; c++) along[axis][row][c] = fma(entry.along[axis][row], q[c], along[axis][row][c]);
    }
    const Real inverse[2] = {geometry[MEDIUM * LANES + lane], geometry[(MEDIUM + 1) * LANES + lane]};
    Real axes[3][3];
#pragma unroll
    for (u32 i = 0; i < 9; i++) axes[i / 3][i % 3] = geometry[i * LANES + lane];
#pragma unroll
    for (u32 row = 0; row < ROWS; row++)
#pragma unroll
        for (u32 c = 0; c < 3; c++) {
            const u32 y = (c + 1) % 3, z = (c + 2) % 3;
            Real curl_e = 0, curl_h = 0;
#pragma unroll
            for (u32 axis = 0; axis < 3; axis++) {
                curl_e += axes[axis][y] * along[axis][row][z] - axes[axis][z] * along[axis][row][y];
                curl_h += axes[axis][y] * along[axis][row][3 + z] - axes[axis][z] * along[axis][row][3 + y];
            }
            rates[row][c] = inverse[0] * curl_h, rates[row][3 + c] = -inverse[1] * curl_e;
        }
#pragma unroll 4
    for (u32 column = 0; column < TRACES; column++) {
        const Lifts lift = lifts[column];
#pragma unroll
        for (u32 c = 0; c < 6; c++) {
            const Real value = flux[(column * 6 + c) * LANES + lane];
#pragma unroll
            for (u32 row = 0; row < ROWS; row++) rates[row][c] = fma(lift.of[row], value, rates[row][c]);
        }
    }
}

// Numbers of one memory of the two components, E and H, along an axis: its values, then its residuals.
constexpr u32 PAIR = 4 * NODES * LANES;

// How many axes have a first memory: those whose both others absorb.
inline u32 firsts(u32 axes) { return axes == 7 ? 3 : __popc(axes) == 2 ? 1 : 0; }

// What a block of matched layers remembers: the second memories of all axes, then the first ones of those that have them. Elements are sorted by the axes
// along which they absorb: most have one and no first memory at all, and a memory of all values costs as much traffic as the fields themselves.
struct Layers {
    Real* at;  // of the thread's lane
    u32 axes;  // as bits
    Real sigma[3], shift, a, b, dt;

    inline Layers(u32 start, const Real* sigmas, Real* memory, const Dgtd& s)
        : at(memory + static_cast<u64>(start >> 3) * PAIR), axes(start & 7), sigma{sigmas[0], sigmas[LANES], sigmas[2 * LANES]}, shift(s.shift),
          a(s.factors[0]), b(s.factors[1]), dt(s.factors[2]) {}

    // Both other axes absorb.
    inline bool has_first(u32 axis) const { return (axes | 1u << axis) == 7; }

    // Takes a memory through the stage.
    inline void pass(Real* here, Real memory, Real residual, Real change) const {
        residual = a * residual + dt * change;
        here[2 * NODES * LANES] = residual, here[0] = memory + b * residual;
    }

    // Adds what layers do to the rates of a node, and takes its memories through the stage, axis by axis: more memories on their way at once would leave
    // too few registers.
    inline void absorb(u32 node, const Real* own, Real (&rates)[6]) const {
        Real* seconds = at + node * 2 * LANES;
        Real* first = seconds + 3 * PAIR;
#pragma unroll
        for (u32 axis = 0; axis < 3; axis++) {
            const Real* from = seconds + axis * PAIR;
            const Real memory[2] = {from[0], from[LANES]}, residual[2] = {from[2 * NODES * LANES], from[(2 * NODES + 1) * LANES]};
            const Real y = sigma[(axis + 1) % 3], z = sigma[(axis + 2) % 3];
            const bool is_both = y != 0 && z != 0;
            const Real strength = (is_both ? z : y + z) - sigma[axis];
            Real fields[2];
#pragma unroll
            for (u32 half = 0; half < 2; half++) fields[half] = own[(node * 6 + 3 * half + axis) * STRIDE];
            if (has_first(axis)) {
                const Real before[4] = {first[0], first[LANES], first[2 * NODES * LANES], first[(2 * NODES + 1) * LANES]};
#pragma unroll
                for (u32 half = 0; half < 2; half++) {
                    const Real change = (is_both ? y : Real(0)) * fields[half] - shift * before[half];
                    rates[3 * half + axis] -= change;
                    fields[half] += before[half];
                    pass(first + half * LANES, before[half], before[2 + half], change);
                }
                first += PAIR;
            }
#pragma unroll
            for (u32 half = 0; half < 2; half++) {
                const u32 c = 3 * half + axis;
                const Real change = strength * fields[half] - (shift + sigma[axis]) * memory[half];
                rates[c] -= change;
                pass(seconds + axis * PAIR + half * LANES, memory[half], residual[half], change);
            }
        }
    }
};

// Asks for what lies from `first` on, line by line, long before it is read.
inline void expect(const Real* first, u32 bytes) {
    for (u32 at = threadIdx.x * 128; at < bytes; at += THREADS * 128)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(reinterpret_cast<const char*>(first) + at));
}

// Blocks in matched layers, which are the last and take longest, are begun first.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    dgtd_stage(const Real* __restrict__ now, Real* __restrict__ next, Real* __restrict__ residual, const Real* __restrict__ derivatives,
               const Real* __restrict__ lift, const Real* __restrict__ geometry, const u32* __restrict__ neighbours, const i32* __restrict__ wet,
               const double* __restrict__ delays, const u8* __restrict__ face_nodes, const u8* __restrict__ seen, const Real* __restrict__ sigma,
               const u32* __restrict__ starts, Real* __restrict__ memory, const Dgtd s) {
    Real* own = reinterpret_cast<Real*>(shared);
    Real* flux = own + VALUES * STRIDE;
    const u32 lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    const u32 block = gridDim.x - 1 - blockIdx.x;
    const bool is_matched = block >= s.first_matched;
    if (is_matched) {
        const u32 start = starts[block - s.first_matched];
        expect(memory + static_cast<u64>(start >> 3) * PAIR, (3 + firsts(start & 7)) * (PAIR * BYTES));
    }
    const Real* loaded = now + static_cast<u64>(block) * LANES * VALUES;
    for (u32 i = threadIdx.x; i < LANES * VALUES; i += THREADS) own[i % VALUES * STRIDE + i / VALUES] = loaded[i];
    __syncthreads();
    const Real* here = geometry + static_cast<u64>(block) * GEOMETRY * LANES;
    const Sides sides = {here, neighbours + static_cast<u64>(block) * 4 * LANES, wet + static_cast<u64>(block) * 4 * LANES, lane};
    fluxes(now, sides, face_nodes, seen, own, flux, group);
    add_wave(sides, delays, flux, group, s);
    __syncthreads();
    Real values[ROWS][6];
    rate(reinterpret_cast<const Derivatives*>(derivatives) + group * NODES, reinterpret_cast<const Lifts*>(lift) + group * TRACES, here, own, flux, lane,
         values);
    Real* kept = residual + static_cast<u64>(block) * VALUES * LANES + lane;
    Real sums[ROWS][6];
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const u32 node = group * ROWS + row;
        if (NODES % ROWS != 0 && node >= NODES) continue;
#pragma unroll
        for (u32 c = 0; c < 6; c++) sums[row][c] = kept[(node * 6 + c) * LANES];
    }
    if (is_matched) {
        const u32 place = block - s.first_matched;
        const Layers layers(starts[place], sigma + static_cast<u64>(place) * 3 * LANES + lane, memory + lane, s);
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const u32 node = group * ROWS + row;
            if (NODES % ROWS != 0 && node >= NODES) continue;
            layers.absorb(node, own + lane, values[row]);
        }
    }
    const Real a = s.factors[0], b = s.factors[1], dt = s.factors[2], loss = here[(MEDIUM + 2) * LANES + lane];
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const u32 node = group * ROWS + row;
        if (NODES % ROWS != 0 && node >= NODES) continue;
#pragma unroll
        for (u32 c = 0; c < 6; c++) {
            const Real q = own[(node * 6 + c) * STRIDE + lane];
            const Real sum = a * sums[row][c] + dt * (c < 3 ? values[row][c] - loss * q : values[row][c]);
            kept[(node * 6 + c) * LANES] = sum;
            values[row][c] = q + b * sum;
        }
    }
    // All have read the fields: those of the next stage leave the way that they came.
    __syncthreads();
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const u32 node = group * ROWS + row;
        if (NODES % ROWS != 0 && node >= NODES) continue;
#pragma unroll
        for (u32 c = 0; c < 6; c++) own[(node * 6 + c) * STRIDE + lane] = values[row][c];
    }
    __syncthreads();
    Real* stored = next + static_cast<u64>(block) * LANES * VALUES;
    for (u32 i = threadIdx.x; i < LANES * VALUES; i += THREADS) stored[i] = own[i % VALUES * STRIDE + i / VALUES];
}

// Adds fields at nodes times dt exp(-j k t) to what is there of them, frequency by frequency.
extern "C" __global__ void __launch_bounds__(128)
    dgtd_spectrum(const Real* now, const u32* nodes, const double* wavenumbers, double2* phasors, u32 count, u32 frequencies, double time, double dt) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Real q[6];
#pragma unroll
    for (u32 c = 0; c < 6; c++) q[c] = now[static_cast<u64>(nodes[i]) * 6 + c];
    for (u32 f = 0; f < frequencies; f++) {
        double sine, cosine;
        sincos(-wavenumbers[f] * time, &sine, &cosine);
        double2* to = phasors + static_cast<u64>(f) * 6 * count + i;
#pragma unroll
        for (u32 c = 0; c < 6; c++) {
            double2 sum = to[static_cast<u64>(c) * count];
            sum.x = fma(dt * cosine, static_cast<double>(q[c]), sum.x), sum.y = fma(dt * sine, static_cast<double>(q[c]), sum.y);
            to[static_cast<u64>(c) * count] = sum;
        }
    }
}

// Adds a short current to the stage that was just done: what its signal makes of the rates at the nodes of its element.
extern "C" __global__ void __launch_bounds__(32)
    dgtd_source(Real* now, Real* residual, const Real* rates, u32 place, double signal, double b) {
    for (u32 i = threadIdx.x; i < 3 * NODES; i += blockDim.x) {
        const u32 value = i / 3 * 6 + i % 3;
        const Real change = static_cast<Real>(signal) * rates[i];
        residual[(static_cast<u64>(place / LANES) * VALUES + value) * LANES + place % LANES] += change;
        now[static_cast<u64>(place) * VALUES + value] += static_cast<Real>(b) * change;
    }
}

// The energy of every element: `scales` are half its volume times eps and mu, over that of the reference element. A block has one element, a thread one row of its mass matrix.
extern "C" __global__ void __launch_bounds__((NODES + 31) / 32 * 32)
    dgtd_energy(const Real* now, const double* mass, const double2* scales, double* energies) {
    __shared__ double own[VALUES];
    __shared__ double sums[NODES];
    const Real* here = now + static_cast<u64>(blockIdx.x) * VALUES;
    for (u32 i = threadIdx.x; i < VALUES; i += blockDim.x) own[i] = here[i];
    __syncthreads();
    const u32 row = threadIdx.x;
    if (row < NODES) {
        double electric = 0, magnetic = 0;
        for (u32 column = 0; column < NODES; column++) {
            // The matrix is symmetric.
            const double weight = mass[column * NODES + row];
            for (u32 c = 0; c < 3; c++) {
                electric = fma(weight, own[row * 6 + c] * own[column * 6 + c], electric);
                magnetic = fma(weight, own[row * 6 + 3 + c] * own[column * 6 + 3 + c], magnetic);
            }
        }
        const double2 scale = scales[blockIdx.x];
        sums[row] = scale.x * electric + scale.y * magnetic;
    }
    __syncthreads();
    if (row == 0) {
        double sum = 0;
        for (u32 i = 0; i < NODES; i++) sum += sums[i];
        energies[blockIdx.x] = sum;
    }
}

#include "dgtd_poles.cuh"
#include "dgtd_port.cuh"
