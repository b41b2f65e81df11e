//! Processes of one run that `mpirun` started, numbered from 0. The first one talks and writes.
//!
//! With the cargo feature `mpi` they share the work; without it, more than one is refused: all would do the same and overwrite each other's files.

#[cfg_attr(feature = "mpi", path = "ranks/world.rs")]
#[cfg_attr(not(feature = "mpi"), path = "ranks/alone.rs")]
mod world;

pub use world::{Ranks, Sent};

use super::exit::usage;

/// How a process fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It goes on.
    Fine,
    /// It was asked to end.
    Interrupted,
    /// It cannot go on.
    Failed,
}

/// Another process failed, and says why.
#[derive(Debug, thiserror::Error)]
#[error("another process of this run failed")]
pub struct OtherFailed;

impl Ranks {
    /// Whether this process talks and writes.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// A result that all processes must have: none goes on alone.
    pub fn agree<T>(&self, own: anyhow::Result<T>) -> anyhow::Result<T> {
        let state = if own.is_ok() { State::Fine } else { State::Failed };
        match self.worst(state) {
            State::Fine => own,
            _ => Err(own.err().unwrap_or_else(|| OtherFailed.into())),
        }
    }
}

/// How many processes a starter of MPI programs says there are; 1 without one.
fn started() -> anyhow::Result<usize> {
    // Open MPI; MPICH, Intel MPI and what builds upon them.
    for name in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"] {
        if let Ok(text) = std::env::var(name) {
            let count = text.trim().parse().ok().filter(|count| *count > 0);
            return count
                .ok_or_else(|| usage(format!("{name} is '{text}', which is no number of processes")));
        }
    }
    Ok(1)
}
