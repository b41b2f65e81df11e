//! `abi/hologram.h`.

use crate::plain::Plain;

/// What the fused holography kernel is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Hologram {
    /// Holograms.
    pub count: u32,
    /// 1: every cluster writes the number of the iteration to its signal when done.
    pub signal: u32,
}

layout!(Hologram, 8, count = 0, signal = 4);
