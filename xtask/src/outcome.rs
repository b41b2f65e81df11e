//! How a step ended.

use std::time::Duration;

/// How a step ended that did not fail.
#[derive(Debug)]
pub enum Outcome {
    /// It did its work.
    Done,
    /// It ran tests, which took so long each.
    Tested(Vec<Timed>),
    /// It could not do its work here, which is no failure; why, and what would change that.
    Skipped(String),
}

/// A test and its wall time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// Program and path of the test.
    pub name: String,
    /// How long it took, beside others.
    pub wall: Duration,
}
