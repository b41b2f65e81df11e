//! Names of the clocks that an iteration's kernels leave in [`State::clocks`](crate::abi::State), as `cuda/clocks.cuh` has
//! them.

/// A stage and the places of the clocks at its begin and end.
pub const STAGES: [(&str, usize, usize); 13] = [
    ("rows over the bus", 0, 1),
    ("decimate or count", 1, 2),
    ("window", 2, 3),
    ("transform", 3, 4),
    ("bins", 4, 5),
    ("next kernel", 5, 9),
    ("pad rows", 9, 10),
    ("pad columns", 10, 11),
    ("DFT along y", 11, 12),
    ("DFT along x", 12, 13),
    ("operator, back along x", 13, 14),
    ("back along y", 14, 15),
    ("write", 15, 16),
];
