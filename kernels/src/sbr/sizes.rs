//! Sizes that kernels and lists of work have together, and the target on the card.

use crate::memory::Buffer;

/// Tubes along a side of a tile, as in the source.
pub const SIDE: usize = 16;
/// Most quarterings of a cell: lists of cells.
pub const LEVELS: usize = 3;
/// Most launches at once, which cells have bits for.
pub const LAUNCHES: usize = 1 << 14;
/// Most tubes along a side, likewise.
pub const SIDE_TUBES: usize = 1 << 22;
/// Nodes that wait, as in the source: the most that a walk through the tree may need.
pub const DEPTH: usize = 64;
/// Numbers of a scattering matrix: vv, vh, hv, hh, real and imaginary parts.
pub const ENTRIES: usize = 8;

/// Sizes of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Tubes of all launches at once: where their seeds are, and the list of those that part.
    pub cells: usize,
    /// Cells at work at once, and quarters of them on each level; 64 at least.
    pub quartered: usize,
    /// Parts of tubes; 128 at least.
    pub parts: usize,
    /// Cells whose first rays are kept from the tiles; others are traced again.
    pub kept: usize,
    /// Facets in the lists of all tiles; a tile that finds no room has none, and takes longer.
    pub listed: usize,
}

/// The tree and facets.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) nodes: Buffer<f32>,
    pub(super) corners: Buffer<f64>,
    pub(super) normals: Buffer<f64>,
    pub(super) numbers: Buffer<u32>,
}
