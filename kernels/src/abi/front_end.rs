//! `abi/front_end.h`.

use crate::plain::Plain;

/// What the kernels from bits to bins are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct FrontEnd {
    /// New rows of bits in this launch; 0: the arrays are complete, and windows start where `first` says.
    pub rows: u32,
    /// Bytes of a row: an eighth of the channels.
    pub row_bytes: u32,
    /// Bins of a window.
    pub bins: u32,
    /// Words, and samples, of a channel's ring or array.
    pub capacity: u32,
    /// Without new rows: first word of the first window.
    pub first: u32,
    /// Without new rows: words from one window to the next.
    pub stride: u32,
    /// `exact_bins`: plain bins that make one result, 1 or 3.
    pub terms: u32,
}

layout!(FrontEnd, 28, rows = 0, row_bytes = 4, bins = 8, capacity = 12, first = 16, stride = 20, terms = 24);
