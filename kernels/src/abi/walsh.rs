//! `abi/walsh.h`.

use crate::plain::Plain;

/// What `walsh_bins` is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Walsh {
    /// Patterns within a word that are in use, at most 32.
    pub patterns: u32,
    /// Groups of eight columns.
    pub groups: u32,
    /// Groups that are in shared memory at a time.
    pub together: u32,
    /// Rows of all rounds.
    pub rows: u32,
    /// Most terms of a bin in one round.
    pub longest: u32,
    /// Terms of all bins and rounds.
    pub terms: u32,
    /// Bytes of shared memory for terms, their starts, and weights of new words.
    pub room: u32,
}

layout!(Walsh, 28, patterns = 0, groups = 4, together = 8, rows = 12, longest = 16, terms = 20, room = 24);

/// One Walsh coefficient's part in a bin.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct WalshTerm {
    /// Words of a window times the group's number within its round, plus the function of the words with its column for
    /// the lowest 3 bits.
    pub place: u32,
    /// Weight in the real part.
    pub re: f32,
    /// Weight in the imaginary part.
    pub im: f32,
    /// 0: a term is one load of 16 bytes.
    pub alignment: u32,
}

layout!(WalshTerm, 16, place = 0, re = 4, im = 8, alignment = 12);
