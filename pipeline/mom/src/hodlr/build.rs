//! What blocks are made of: entries on demand, tolerance and memory.

use super::budget::{Budget, LEAF};
use crate::entries::Entries;
use std::ops::Range;

/// What all blocks are made of.
pub struct Build<'a> {
    pub source: Entries<'a>,
    /// Of a block, in parts of its Frobenius norm.
    pub tolerance: f64,
    pub budget: &'a Budget,
}

impl Build<'_> {
    /// Where a range of unknowns is halved, if it is: between bodies, or else between cells.
    pub fn half(&self, range: &Range<usize>) -> Option<usize> {
        let mesh = &self.source.bodies.mesh;
        let (cell, middle) = (mesh.rule.nodes.len(), range.start + range.len() / 2);
        let borders = mesh.bodies.iter().map(|first| first * cell);
        let inside = borders.filter(|border| range.start < *border && *border < range.end);
        let cells = range.start + (range.len() / 2).next_multiple_of(cell);
        let border = inside.min_by_key(|border| border.abs_diff(middle)).unwrap_or(cells);
        (range.len() > LEAF && border < range.end).then_some(border)
    }
}
