//! What all engines agree on.

/// Rows that an engine takes at a time: one word of every channel's time.
pub const ROWS: usize = 32;
