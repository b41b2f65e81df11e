// Blocks of a cluster, which can write into each other's shared memory (compute capability 9.0).
#pragma once

// Number of this block in its cluster.
inline unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// What this block wrote is visible to blocks whose wait follows.
inline void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }

// All blocks of the cluster have arrived.
inline void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

// Values that blocks send into this block's memory are counted here, byte by byte: who waits for all of them needs no
// barrier of the cluster, which would first wait for all writes of all blocks.
struct Arrivals {
    u64 barrier;
};

inline unsigned shared_address(const void* place) { return static_cast<unsigned>(__cvta_generic_to_shared(place)); }

// The same place in block `rank`.
inline unsigned remote_address(const void* place, unsigned rank) {
    unsigned remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared_address(place)), "r"(rank));
    return remote;
}

// By one thread, before a barrier of the cluster that all senders wait for: the bytes that will come.
inline void expect(Arrivals& arrivals, unsigned bytes) {
    unsigned barrier = shared_address(&arrivals);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Until all bytes are here.
inline void wait_for(Arrivals& arrivals) {
    asm volatile(
        "{\n"
        ".reg .pred here;\n"
        "again:\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 here, [%0], 0;\n"
        "@!here bra again;\n"
        "}\n" ::"r"(shared_address(&arrivals))
        : "memory");
}

// Writes to the place in block `rank` that corresponds to `place` here, and counts it there.
inline void send(float2* place, unsigned rank, Arrivals& arrivals, float2 value) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(
                     remote_address(place, rank)),
                 "f"(value.x), "f"(value.y), "r"(remote_address(&arrivals, rank))
                 : "memory");
}

// The same for two neighbouring values, at a multiple of 16 bytes: half as many packets.
inline void send(float2* place, unsigned rank, Arrivals& arrivals, float4 pair) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                     remote_address(place, rank)),
                 "f"(pair.x), "f"(pair.y), "f"(pair.z), "f"(pair.w), "r"(remote_address(&arrivals, rank))
                 : "memory");
}
