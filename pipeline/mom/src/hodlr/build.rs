//! What blocks are made of: entries on demand, where ranges are halved, tolerance and memory.

use super::budget::{Budget, LEAF};
use crate::entries::Source;
use std::ops::Range;

/// Where ranges may be halved.
pub struct Order {
    /// Unknowns of a cell.
    pub cell: usize,
    /// First unknowns of the bodies, and their number.
    pub bodies: Vec<usize>,
}

impl Order {
    /// Where a range is halved, if it is: between bodies, or else between cells.
    pub(super) fn half(&self, range: &Range<usize>) -> Option<usize> {
        let middle = range.start + range.len() / 2;
        let inside =
            self.bodies.iter().copied().filter(|border| range.start < *border && *border < range.end);
        let cells = range.start + (range.len() / 2).next_multiple_of(self.cell);
        let border = inside.min_by_key(|border| border.abs_diff(middle)).unwrap_or(cells);
        (range.len() > LEAF && border < range.end).then_some(border)
    }
}

/// What all blocks are made of.
pub struct Build<'a, S: Source> {
    /// Entries.
    pub source: &'a S,
    /// Where ranges are halved.
    pub order: &'a Order,
    /// Of a block, in parts of its Frobenius norm.
    pub tolerance: f64,
    /// Memory.
    pub budget: &'a Budget,
}
