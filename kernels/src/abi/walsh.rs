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
    /// Groups over together, rounded up.
    pub rounds: u32,
    /// Where in the tables the rows begin; words, a multiple of 4, like those that follow.
    pub rows: u32,
    /// Where the starts begin.
    pub starts: u32,
    /// Where the terms begin.
    pub terms: u32,
    /// Words of the tables that go to shared memory.
    pub staged: u32,
    /// `2^sharing` threads share the terms of a bin.
    pub sharing: u32,
    /// Bytes of shared memory for weights of new words.
    pub room: u32,
    /// Whether the next kernel may begin before the last terms are summed.
    pub early: u32,
}

layout!(
    Walsh,
    44,
    patterns = 0,
    groups = 4,
    together = 8,
    rounds = 12,
    rows = 16,
    starts = 20,
    terms = 24,
    staged = 28,
    sharing = 32,
    room = 36,
    early = 40
);
