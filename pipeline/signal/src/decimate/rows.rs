//! What all engines agree on.

/// Rows that an engine takes at a time: one word of every channel's time.
pub const ROWS: usize = 32;

/// One slice of the channels with its own state; slices run side by side.
pub trait Engine: Send {
    /// Takes whole groups of [`ROWS`] rows; the samples replace those of the last call.
    fn process(&mut self, rows: &[u8], row_bytes: usize);

    /// The samples of the last call, [time][channel of the slice] in stream order, and the channels' number.
    fn output(&self) -> (&[i32], usize);
}
