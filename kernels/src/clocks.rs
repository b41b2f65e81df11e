//! Names of the clocks that an iteration's kernels leave in [`State::clocks`](crate::abi::State), as `cuda/clocks.cuh` has
//! them.

/// A stage and the places of the clocks at its begin and end.
pub const STAGES: [(&str, usize, usize); 11] = [
    ("rows over the bus", 0, 1),
    ("new samples", 1, 2),
    ("new bins", 2, 3),
    ("next kernel", 3, 9),
    ("pad rows", 9, 10),
    ("pad columns", 10, 11),
    ("DFT along y", 11, 12),
    ("DFT along x", 12, 13),
    ("operator, back along x", 13, 14),
    ("back along y", 14, 15),
    ("write", 15, 16),
];

/// What follows when the results are out: the old words' part of the next window.
pub const AFTERWARDS: [(&str, usize, usize); 2] = [("old window", 4, 5), ("old bins", 5, 6)];
