//! What the bench knows of a datagram.

/// What a source handed to the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A sound frame.
    Frame(Stamp),
    /// Bytes that no receiver accepts.
    Junk,
}

/// The counters of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its sequence number.
    pub sequence: u32,
    /// Its first time sample.
    pub first_sample: u64,
    /// Its number of time samples.
    pub samples: u64,
}
