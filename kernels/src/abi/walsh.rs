//! `abi/walsh.h`.

use crate::plain::Plain;

/// What `walsh_bins` is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Walsh {
    /// Patterns within a word that are in use, at most 32.
    pub patterns: u32,
    /// Patterns that are in shared memory at a time.
    pub together: u32,
    /// Most terms of a bin in one round.
    pub longest: u32,
    /// Terms of all bins and rounds.
    pub terms: u32,
    /// Bytes of shared memory for tables.
    pub room: u32,
}

layout!(Walsh, 20, patterns = 0, together = 4, longest = 8, terms = 12, room = 16);

/// One Walsh coefficient's part in a bin.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct WalshTerm {
    /// Words of a window times the pattern's number within its round, plus the function of the words.
    pub place: u32,
    /// Weight in the real part.
    pub re: f32,
    /// Weight in the imaginary part.
    pub im: f32,
    /// 0: a term is one load of 16 bytes.
    pub alignment: u32,
}

layout!(WalshTerm, 16, place = 0, re = 4, im = 8, alignment = 12);
