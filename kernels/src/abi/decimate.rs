//! `abi/decimate.h`.

use crate::plain::Plain;

/// Nibbles of bits that the CIC's taps reach over.
pub const CIC_NIBBLES: usize = 9;
/// Taps of the FIR.
pub const FIR_TAPS: usize = 93;
/// Pairs of equal taps around the middle one.
pub const FIR_PAIRS: usize = FIR_TAPS / 2;
/// Words before the first frame that it depends on.
pub const HISTORY: usize = 24;

/// The decimating filters as numbers: a CIC of order 5 by 8, then a symmetric FIR by 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Chain {
    /// Rounding, less what a CIC sample of all zeros would be.
    pub start: i64,
    /// `[nibble back from the newest][its bits]`: sum of the CIC's taps at 1 bits. All taps together make 2^15.
    pub shares: [[u32; 16]; CIC_NIBBLES],
    /// The first half of the FIR and its middle.
    pub taps: [i32; FIR_PAIRS + 1],
    /// Fractional bits dropped at the output.
    pub shift: u32,
}

layout!(Chain, 776, start = 0, shares = 8, taps = 584, shift = 772);

/// How much of the decimator's arrays is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Batch {
    /// Channels in the order of the stream, 8 for each byte of a row.
    pub positions: u32,
    /// New words of every channel, and samples that they make.
    pub frames: u32,
    /// Words from one channel to the next, [`HISTORY`] + `frames` at least.
    pub word_pitch: u32,
    /// Samples from one channel to the next, a multiple of 4.
    pub sample_pitch: u32,
}

layout!(Batch, 16, positions = 0, frames = 4, word_pitch = 8, sample_pitch = 12);
