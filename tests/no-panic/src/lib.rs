//! The firmware paths of `dsp-core`, one entry each, for `tests/tests/boards/no_panic.rs`.
//!
//! Every entry calls one routine with slices of unknown length and values of unknown size, so that the optimiser may
//! assume nothing that a caller would not promise. The test links each entry alone, drops what it cannot reach, and
//! looks for [`panic_is_reachable`] in the rest.
//!
//! Entries are named `path_*` in Rust's own calling convention (nobody calls them, and it has slices); those under
//! the feature `control` are named `control_*` and do panic.
#![no_std]

mod board;
#[cfg(feature = "control")]
mod control;
mod filters;
mod sources;
mod spectra;
mod wire;

use core::panic::PanicInfo;

/// The only way out of a panic. Never inlined, so every panic leaves this name in the code that can reach it.
#[unsafe(no_mangle)]
#[inline(never)]
pub fn panic_is_reachable() -> ! {
    loop {
        core::hint::spin_loop();
    }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    panic_is_reachable()
}
