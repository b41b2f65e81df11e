//! What a process of several finds out before and tells the others.

use super::super::exit::{Result, usage};

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

/// How many processes a starter of MPI programs says there are; 1 without one.
pub fn started() -> Result<usize> {
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
