// Holography in one kernel, a cluster for each hologram (holography.cuh). Launched by kernels/src/hologram.rs.

#define THREADS 384

#include "holography.cuh"
#include "overlap.cuh"

// By one thread: notes what changes at the end, and tells the kernels after this one, which may begin earlier.
inline void begin(Shared& s, State* state) {
    s.iteration = *static_cast<volatile u32*>(&state->iteration) + 1;
    s.rows = *static_cast<volatile u32*>(&state->took);
    if (blockIdx.x != 0) return;
    state->next = state->rows + s.rows;
    state->begun = s.iteration;
    __threadfence();
}

// By the first block of every cluster: tells the host that its results are there. The last one moves the state on for the next
// iteration, whose kernels begin when those of this one have ended.
inline void finish(Shared& s, State* state, u32* signals, Hologram h) {
    __syncthreads();
    clock_stage(s.clocks, HOLOGRAM_END);
    if (threadIdx.x != 0) return;
    u32 iteration = s.iteration;
    if (h.signal) {
        // What the block wrote is seen by whoever sees the signal.
        __threadfence_system();
        static_cast<volatile u32*>(signals)[blockIdx.x / CLUSTER] = iteration;
    }
    if (blockIdx.x == 0) write_clocks(s.clocks, state, HOLOGRAM_BEGIN, HOLOGRAM_END);
    if (atomicAdd(&state->arrived, 1) + 1 == gridDim.x / CLUSTER) {
        state->arrived = 0;
        state->rows += s.rows;
        state->iteration = iteration;
    }
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ /* hot */ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 2)
    hologram(const float2* bins, const float2* operators, const float* windows, const float2* twiddles, float2* fields,
             State* state, u32* signals, Hologram h) {
    extern __shared__ float4 memory[];
    Shared& s = *reinterpret_cast<Shared*>(memory);
    int rank = cluster_rank(), index = blockIdx.x / CLUSTER;
    // Blocks write into each other's memory: all must have begun.
    if (threadIdx.x == 0) expect_all(s, rank);
    cluster_arrive();
    clock_stage(s.clocks, HOLOGRAM_BEGIN);
    load_tables(s, rank, index, h.count, operators, windows, twiddles);
    cluster_wait();
    wait_for_previous();
    __syncthreads();
    // By a thread that has nothing else to do yet.
    if (threadIdx.x == THREADS / 2) begin(s, state);
    clock_stage(s.clocks, HOLOGRAM_TABLES);
    if (make_hologram(s, rank, index, bins, fields, h.count)) finish(s, state, signals, h);
}
#endif
