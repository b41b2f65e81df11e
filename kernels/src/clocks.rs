//! Names of the clocks that an iteration's kernels leave in [`State::clocks`](crate::abi::State), as `cuda/clocks.cuh` has
//! them.

/// A stage and the places of the clocks at its begin and end.
pub const STAGES: [(&str, usize, usize); 13] = [
    ("old window", 0, 1),
    ("old bins", 1, 2),
    ("rest of the bus", 2, 3),
    ("new samples", 3, 4),
    ("new bins", 4, 5),
    ("next kernel", 5, 9),
    ("pad rows", 9, 10),
    ("pad columns", 10, 11),
    ("DFT along y", 11, 12),
    ("DFT along x", 12, 13),
    ("operator, back along x", 13, 14),
    ("back along y", 14, 15),
    ("write", 15, 16),
];
