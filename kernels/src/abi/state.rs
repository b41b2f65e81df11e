//! `abi/state.h`.

use crate::plain::Plain;

/// Where a stream of bits stands, and what the last iteration took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct State {
    /// Rows of bits taken so far.
    pub rows: u64,
    /// And with those of the iteration under way, known before it ends; like `begun`.
    pub next: u64,
    /// Clusters that have finished this iteration.
    pub arrived: u32,
    /// Iterations finished.
    pub iteration: u32,
    /// Rows of bits of the iteration under way.
    pub took: u32,
    /// Iterations whose rows are on the card.
    pub begun: u32,
    /// The card's clock at the end of each stage, ns (`cuda/clocks.cuh`).
    pub clocks: [u64; 32],
}

layout!(State, 288, rows = 0, next = 8, arrived = 16, iteration = 20, took = 24, begun = 28, clocks = 32);
