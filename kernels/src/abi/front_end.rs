//! `abi/front_end.h`.

use crate::plain::Plain;

/// What the kernels from bits to bins are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct FrontEnd {
    /// Of a stream: new rows of bits of an iteration; 0: complete arrays.
    pub rows: u32,
    /// Bytes of a row: an eighth of the channels.
    pub row_bytes: u32,
    /// Bins of a window.
    pub bins: u32,
    /// Words, and samples, of a channel's ring or array.
    pub capacity: u32,
    /// Of complete arrays: first word of the first window.
    pub first: u32,
    /// Of complete arrays: words from one window to the next.
    pub stride: u32,
    /// `exact_bins`: plain bins that make one result, 1 or 3.
    pub terms: u32,
    /// [`PHASE_WINDOWS`], [`PHASE_OLD`] or [`PHASE_NEW`].
    pub phase: u32,
}

/// Windows of complete arrays.
pub const PHASE_WINDOWS: u32 = 0;
/// Of a stream: what its old words add to the next window.
pub const PHASE_OLD: u32 = 1;
/// Of a stream: takes the new rows and adds what they add.
pub const PHASE_NEW: u32 = 2;

layout!(
    FrontEnd,
    32,
    rows = 0,
    row_bytes = 4,
    bins = 8,
    capacity = 12,
    first = 16,
    stride = 20,
    terms = 24,
    phase = 28
);
