//! `abi/hologram.h`.

use crate::plain::Plain;

/// What the fused holography kernel is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Hologram {
    /// Holograms.
    pub count: u32,
    /// Rows of bits that this iteration took, added to [`State::rows`](super::State) when all holograms are written.
    pub rows: u32,
    /// 1: every cluster writes the number of the iteration to its signal when done.
    pub signal: u32,
    /// 0.
    pub reserved: u32,
}

layout!(Hologram, 16, count = 0, rows = 4, signal = 8, reserved = 12);
