//! Sizes that the kernels of the front ends have together.

/// Threads of a block, as in the source.
pub(crate) const THREADS: usize = 512;
pub(super) const WARPS: usize = THREADS / 32;
/// Channels of a block: the bits of a byte.
pub(crate) const CHANNELS: usize = 8;
/// Fewest samples of a ring: what a launch can add, and the history that the decimator needs.
pub const SHORTEST: usize = 64;
/// Longest window that the kernels transform in shared memory.
pub const LONGEST: usize = 4096;
/// Most rows of one launch.
pub const MOST_ROWS: usize = 1024;
/// Most words that one launch completes.
pub const NEWEST: usize = 32;
/// Words before its own that a decimated sample depends on.
pub const HISTORY: usize = 24;
/// Entries of the decimator's impulse response: the bits of these words, beyond the last tap zeros.
pub const RESPONSE: usize = 32 * (HISTORY + 1);
