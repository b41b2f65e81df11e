//! `abi/state.h`.

use crate::plain::Plain;

/// Where a stream of bits stands, and what the last iteration took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct State {
    /// Rows of bits taken so far.
    pub rows: u64,
    /// Clusters that have finished this iteration.
    pub arrived: u32,
    /// Iterations finished.
    pub iteration: u32,
    /// The card's clock at the end of each stage, ns (`cuda/clocks.cuh`).
    pub clocks: [u64; 32],
}

layout!(State, 272, rows = 0, arrived = 8, iteration = 12, clocks = 16);
