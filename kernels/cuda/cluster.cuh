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

// What all blocks of the cluster wrote before is there.
inline void cluster_sync() {
    cluster_arrive();
    cluster_wait();
}

// Writes to the place in block `rank` that corresponds to `place` here.
inline void store_remote(float2* place, unsigned rank, float2 value) {
    unsigned local = static_cast<unsigned>(__cvta_generic_to_shared(place)), remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(rank));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(remote), "f"(value.x), "f"(value.y) : "memory");
}
