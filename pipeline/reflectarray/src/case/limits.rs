//! Limits of a case.

/// Largest file in bytes.
pub const MAX_BYTES: u64 = 1 << 22;
/// Most elements.
pub const MOST_ELEMENTS: usize = 250_000;
/// Most frequencies.
pub const MOST_FREQUENCIES: usize = 32;
/// Most starts.
pub const MOST_STARTS: usize = 1000;
/// Most iterations of all stages.
pub const MOST_ITERATIONS: usize = 1_000_000;
/// Most regions.
pub const MOST_REGIONS: usize = 64;
