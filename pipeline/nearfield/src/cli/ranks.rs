//! Processes of one run that `mpirun` started, numbered from 0. The first one talks and writes.
//!
//! With the cargo feature `mpi` they share the work; without it, more than one is refused: all would do the same and overwrite each other's files.

mod launch;
#[cfg_attr(feature = "mpi", path = "ranks/world.rs")]
#[cfg_attr(not(feature = "mpi"), path = "ranks/alone.rs")]
mod world;

pub use launch::State;
pub use world::{Ranks, Sent};

use super::exit::Result;
use pipeline::dgtd::Processes;
use pipeline::numerics::failure::{Failure, Kind};

/// Another process failed, and says why.
#[derive(Debug, thiserror::Error)]
#[error("another process of this run failed")]
pub struct OtherFailed;

impl Failure for OtherFailed {
    fn kind(&self) -> Kind {
        Kind::Run
    }
}

impl Ranks {
    /// Whether this process talks and writes.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// A result that all processes must have: none goes on alone.
    pub fn agree<T>(&self, own: Result<T>) -> Result<T> {
        let state = if own.is_ok() { State::Fine } else { State::Failed };
        match self.worst(state) {
            State::Fine => own,
            _ => Err(own.err().unwrap_or_else(|| OtherFailed.into())),
        }
    }
}

impl<T: Sent> Processes<T> for Ranks {
    fn rank(&self) -> usize {
        self.rank()
    }

    fn lists(&self, own: Vec<f64>) -> Vec<Vec<f64>> {
        self.lists(own)
    }

    fn share(&self, from: usize, numbers: &mut [f64]) {
        self.share(from, numbers);
    }
}
