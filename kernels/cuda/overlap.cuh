// Two kernels that overlap in a graph: the second is set up while the first runs, and waits where it needs its results.
// Without such an edge between them, and before compute capability 9.0, both functions do nothing.
#pragma once

// The next kernel may begin, when all blocks say so. It then finds what was here when this one had waited for the one before.
inline void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// The kernel before has ended, and what it wrote is here.
inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
