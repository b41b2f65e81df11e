// Copies from device memory to shared memory that do not pass through registers: many are under way at once, and nobody waits
// before `copies_done`.
#pragma once

// 4, 8 or 16 bytes.
template <class T>
inline void copy_async(T* to, const T* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(__cvta_generic_to_global(from)), "n"(sizeof(T))
                 : "memory");
}

// This thread's copies are here; a barrier makes them everybody's.
inline void copies_done() { asm volatile("cp.async.wait_all;" ::: "memory"); }
