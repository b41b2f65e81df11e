//! How the threads of a block share its elements, order by order.

use crate::calls::sources;
use crate::error::Error;
use crate::program::{Define, Program};

/// The source.
pub const PROGRAM: Program = Program { samples: SAMPLES, ..sources::DGTD };

/// Numbers of an element: gradients of r, s and t, 1/eps, 1/mu, sigma/eps; then those of its faces.
pub const GEOMETRY: usize = FACE + 4 * FACE_NUMBERS;
/// The first number of the first face.
pub const FACE: usize = 12;
/// Numbers of a face: normal, electric, magnetic and image factors.
pub const FACE_NUMBERS: usize = 9;
/// Lowest bits of a neighbour: its table of traces.
pub const TABLE_BITS: u32 = 5;
/// Tables of traces: six for each face of the neighbour.
pub const TABLES: usize = 24;
/// Lowest bits of where the memories of a block of layers begin: its axes.
pub const AXES_BITS: u32 = 3;

/// How many memories a block has whose layers absorb along these axes, as bits: a second one for every axis, and a first one for those whose both others absorb.
pub const fn memories(axes: u32) -> u32 {
    match axes.count_ones() {
        3 => 6,
        2 => 4,
        _ => 3,
    }
}

/// Orders that there are kernels for.
pub const ORDERS: usize = 8;

/// A block of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Np.
    pub nodes: usize,
    /// Nfp.
    pub face_nodes: usize,
    /// Elements of a block, side by side.
    pub lanes: usize,
    /// Nodes of a thread.
    pub rows: usize,
    /// Threads of an element.
    pub tiles: usize,
    /// Blocks that a multiprocessor should hold at once, which limits registers.
    blocks: usize,
    /// Of a number.
    bytes: usize,
}

impl Layout {
    /// For elements of an order and numbers of 4 or 8 bytes.
    pub fn new(order: usize, bytes: usize) -> Result<Self, Error> {
        if !(1..=ORDERS).contains(&order) {
            return Err(Error::Length { what: "order of elements", given: order, needed: ORDERS });
        }
        Ok(Self::of(order, bytes))
    }

    /// Two rows a thread, 36 sums, leave registers for enough threads; the highest orders have more rows than a block has threads. Lanes, rows and blocks were the fastest of some on an H200.
    const fn of(order: usize, bytes: usize) -> Self {
        let (lanes, rows, blocks) = match (bytes, order) {
            (4, 1) => (32, 1, 8),
            (4, 2) => (32, 2, 6),
            (4, 3) => (16, 2, 6),
            (4, 4) => (16, 2, 3),
            (4, 5) => (16, 2, 2),
            (4, 6) => (16, 2, 1),
            (4, 7) => (16, 4, 1),
            (4, _) => (8, 4, 1),
            (_, 1) => (32, 1, 5),
            (_, 2) => (32, 2, 3),
            (_, 3) => (16, 2, 3),
            (_, 4) => (8, 2, 3),
            (_, 5) => (8, 2, 2),
            (_, 6 | 7) => (8, 2, 1),
            _ => (4, 2, 1),
        };
        let nodes = (order + 1) * (order + 2) * (order + 3) / 6;
        let face_nodes = (order + 1) * (order + 2) / 2;
        Self { nodes, face_nodes, lanes, rows, tiles: nodes.div_ceil(rows), blocks, bytes }
    }

    /// Numbers between columns of the derivatives of a tile: those of D_r, then D_s, then D_t of its rows, in whole loads of 16 bytes.
    pub const fn pitch(&self) -> usize {
        (3 * self.rows * self.bytes).next_multiple_of(16) / self.bytes
    }

    /// Values of an element.
    pub const fn values(&self) -> usize {
        6 * self.nodes
    }

    /// Numbers of one memory of the two components of fields along an axis, in a block of layers: its values, and their residuals.
    pub const fn remembered(&self) -> usize {
        4 * self.nodes * self.lanes
    }

    /// Nodes of all faces of an element.
    pub const fn traces(&self) -> usize {
        4 * self.face_nodes
    }

    /// Bytes of shared memory of a block: fields, with one number more in every row, and fluxes.
    pub(super) fn shared(&self) -> usize {
        (self.values() * (self.lanes + 1) + 6 * self.traces() * self.lanes) * self.bytes
    }

    pub(super) const fn defines(&self) -> [Define; 7] {
        [
            ("BYTES", self.bytes as i64),
            ("NODES", self.nodes as i64),
            ("FACE_NODES", self.face_nodes as i64),
            ("LANES", self.lanes as i64),
            ("ROWS", self.rows as i64),
            ("TILES", self.tiles as i64),
            ("BLOCKS", self.blocks as i64),
        ]
    }
}

const fn sample(order: usize, bytes: usize) -> [Define; 7] {
    Layout::of(order, bytes).defines()
}

/// Usual orders, and the highest.
pub(super) const SAMPLES: &[&[Define]] =
    &[&sample(2, 4), &sample(3, 4), &sample(5, 4), &sample(3, 8), &sample(8, 8)];
