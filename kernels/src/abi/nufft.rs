//! `abi/nufft.h`.

use crate::plain::Plain;

/// What the kernels of `nufft.cu`, `nufft_plane.cu` and `nufft_points.cu` are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct NufftGrid {
    /// Fine points of x, y and z; axes that are not there have 1 of everything.
    pub n: [u32; 3],
    /// N.
    pub modes: [u32; 3],
    /// n over a bin's side, rounded up.
    pub bins: [u32; 3],
    /// Tiles of spreading.
    pub spread: [u32; 3],
    /// Tiles of interpolation.
    pub gather: [u32; 3],
    /// M.
    pub points: u32,
    /// Points of a part of a tile, at most.
    pub part: u32,
    /// Whether tiles have parts, which are listed; else every tile is one.
    pub listed: u32,
    /// Rows of bins that a block of `spread_plane` goes down.
    pub segment: u32,
    /// Number of this right-hand side: its modes and values lie behind those of the others.
    pub batch: u32,
    /// Axis whose i s k is a factor of the modes; 3: none.
    pub derivative: u32,
    /// s.
    pub sign: i32,
}

layout!(
    NufftGrid,
    88,
    n = 0,
    modes = 12,
    bins = 24,
    spread = 36,
    gather = 48,
    points = 60,
    part = 64,
    listed = 68,
    segment = 72,
    batch = 76,
    derivative = 80,
    sign = 84
);
