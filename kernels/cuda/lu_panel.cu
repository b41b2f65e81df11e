// A panel of LU with partial pivoting by a cluster of blocks that keep it in registers: one barrier of the cluster a column. Launched by
// kernels/src/dense/lu.rs.
//
// A thread has ROWS rows of the panel. For every column warps, blocks and the cluster find the greatest entry, and all take its row from the block that
// has it. Rows stay where they are while the panel is factored: each knows its place, and goes there at the end. A column that is done leaves for shared
// memory, and the others move up by one register, so that one code does for several columns.
//
// Given: BYTES of a real number, COLUMNS of a panel, ROWS of a thread and THREADS of a block.

#include "abi/layout.h"
#include "cluster.cuh"
#include "lu.cuh"

#if __CUDA_ARCH__ >= 900
// Blocks of a cluster, and a row that is none.
constexpr u32 BLOCKS = 16, NOWHERE = 0xffffffff;
// The size of what is infinite.
constexpr u64 INFINITE = BYTES == 8 ? 0x7ff0000000000000 : 0x7f80000000000000;
constexpr u32 WARPS = THREADS / 32, SLOTS = ROWS * THREADS;
// Columns that share a code.
constexpr u32 GROUP = COLUMNS < 8 ? COLUMNS : 8;

// The size of an entry, as a number whose order is that of sizes, and the place of its row.
struct alignas(16) Candidate {
    u64 size, place;
};

// |x| + |y|; what is no number is greater than all others.
inline u64 size_of(Complex z) {
    const Real size = fabs(z.x) + fabs(z.y);
#if BYTES == 8
    return __double_as_longlong(size);
#else
    return static_cast<u64>(__float_as_uint(size)) << 32;
#endif
}

// The greatest one, and the first of equal ones.
inline Candidate over_warp(Candidate own) {
    const u32 high = own.size >> 32, most = __reduce_max_sync(0xffffffff, high);
    u32 low = high == most ? static_cast<u32>(own.size) : 0, rest = 0;
    if (BYTES == 8) rest = __reduce_max_sync(0xffffffff, low);
    const u32 place = high == most && static_cast<u32>(own.size) == rest ? static_cast<u32>(own.place) : NOWHERE;
    return {static_cast<u64>(most) << 32 | rest, __reduce_min_sync(0xffffffff, place)};
}

// Into the memory of another block of the cluster.
inline void put(const Candidate* place, u32 block, Candidate value) {
    asm volatile("st.shared::cluster.v2.u64 [%0], {%1, %2};" ::"r"(remote_address(place, block)), "l"(value.size), "l"(value.place) : "memory");
}

inline Complex take(const Complex* place, u32 block) {
    Complex value;
#if BYTES == 8
    asm volatile("ld.shared::cluster.v2.f64 {%0, %1}, [%2];" : "=d"(value.x), "=d"(value.y) : "r"(remote_address(place, block)) : "memory");
#else
    asm volatile("ld.shared::cluster.v2.f32 {%0, %1}, [%2];" : "=f"(value.x), "=f"(value.y) : "r"(remote_address(place, block)) : "memory");
#endif
    return value;
}

// Entries of columns that are done, [column][row of the block].
extern __shared__ __align__(16) unsigned char shared[];

// From row and column `first` of a matrix with `size` rows on. `moves` has for every column of the matrix the row that comes to its diagonal, then for
// every row of the diagonal where it goes, if that is below the panel. `wrong` becomes the first column without a pivot.
extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(THREADS)
    lu_panel(Complex* __restrict__ matrix, u32* __restrict__ moves, u32* __restrict__ wrong, const u32 size, const u32 first, const u32 width) {
    __shared__ Complex handed[2][COLUMNS + 1], pivot[COLUMNS + 1];
    __shared__ Candidate of_blocks[2][BLOCKS], of_warps[WARPS];
    Complex* done = reinterpret_cast<Complex*>(shared);
    cluster_arrive();
    const u32 block = cluster_rank(), lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows = size - first, each = (rows + BLOCKS - 1) / BLOCKS;
    Complex* panel = matrix + static_cast<u64>(first) * size + first;
    Complex own[ROWS][COLUMNS];
    u32 places[ROWS];
    bool is_open[ROWS], is_busy = false;
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
        const u32 slot = r * THREADS + threadIdx.x, row = block * each + slot;
        is_open[r] = slot < each && row < rows;
        places[r] = is_open[r] ? row : NOWHERE;
        is_busy |= is_open[r];
#pragma unroll
        for (u32 c = 0; c < COLUMNS; c++) own[r][c] = is_open[r] && c < width ? panel[static_cast<u64>(c) * size + row] : Complex{};
    }
    is_busy = __any_sync(0xffffffff, is_busy);
    // Blocks write into each other's memory: all must have begun.
    cluster_wait();
    Complex inverse;
    const auto look = [&]() {
        // A row that is not open comes last.
        Candidate best = {0, NOWHERE};
        Complex entry = {};
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            const u64 size = size_of(own[r][0]);
            if (is_open[r] && (best.place == NOWHERE || size > best.size || size == best.size && places[r] < best.place)) {
                best = {size, places[r]};
                entry = own[r][0];
            }
        }
        best = over_warp(best);
        if (lane == 0) of_warps[warp] = best;
        inverse = reciprocal(entry);
    };
    look();
#pragma unroll
    for (u32 group = 0; group < COLUMNS / GROUP; group++) {
        const u32 left = COLUMNS - group * GROUP;
#pragma unroll 1
        for (u32 column = group * GROUP; column < min((group + 1) * GROUP, width); column++) {
            __syncthreads();
            const u32 parity = column % 2;
            Candidate best = over_warp(lane < WARPS ? of_warps[lane] : Candidate{0, NOWHERE});
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
                if (!is_open[r] || places[r] != best.place) continue;
#pragma unroll
                for (u32 c = 0; c < left; c++) handed[parity][c] = own[r][c];
                handed[parity][COLUMNS] = inverse;
            }
            if (threadIdx.x < BLOCKS) put(&of_blocks[parity][block], threadIdx.x, best);
            cluster_arrive();
            cluster_wait();
            const Candidate candidate = lane < BLOCKS ? of_blocks[parity][lane] : Candidate{0, NOWHERE};
            best = over_warp(candidate);
            const u32 owner = __ffs(__ballot_sync(0xffffffff, lane < BLOCKS && candidate.place == best.place)) - 1;
            if (threadIdx.x <= COLUMNS) pivot[threadIdx.x] = take(&handed[parity][threadIdx.x], owner);
            __syncthreads();
            // Neither zero nor infinite nor no number.
            if (block == 0 && threadIdx.x == 0 && !(best.size > 0 && best.size < INFINITE)) atomicMin(wrong, first + column);
            if (!is_busy) continue;
            Complex factors[ROWS];
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
                if (is_open[r] && places[r] == best.place) {
                    places[r] = column, is_open[r] = false;
                    moves[first + column] = first + block * each + r * THREADS + threadIdx.x;
                } else if (places[r] == column) {
                    places[r] = best.place;
                }
                factors[r] = is_open[r] ? times(own[r][0], pivot[COLUMNS]) : Complex{};
                done[column * SLOTS + r * THREADS + threadIdx.x] = is_open[r] ? factors[r] : own[r][0];
                if (left > 1) own[r][0] = minus(own[r][1], factors[r], pivot[1]);
            }
            // The next pivot is looked for while the other columns are updated.
            look();
#pragma unroll
            for (u32 c = 2; c < left; c++)
#pragma unroll
                for (u32 r = 0; r < ROWS; r++) own[r][c - 1] = minus(own[r][c], factors[r], pivot[c]);
        }
    }
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
        const u32 slot = r * THREADS + threadIdx.x, row = block * each + slot;
        if (places[r] == NOWHERE) continue;
        for (u32 c = 0; c < width; c++) panel[static_cast<u64>(c) * size + places[r]] = done[c * SLOTS + slot];
        if (row < width) moves[size + first + row] = places[r] >= width ? first + places[r] : NOWHERE;
    }
    // Nobody may leave while others take from its memory.
    cluster_arrive();
    cluster_wait();
}
#endif
