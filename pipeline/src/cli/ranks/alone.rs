//! One process.

use super::super::args::Command;
use super::super::exit::usage;
use super::{State, started};

/// The only process.
pub struct Ranks;

impl Ranks {
    /// Refuses to be one of several.
    pub fn start(_: &Command) -> anyhow::Result<Self> {
        match started()? {
            1 => Ok(Self),
            count => Err(usage(format!(
                "mpirun started {count} processes, and this program was built for one: build it with --features mpi"
            ))),
        }
    }

    /// Number of this process.
    pub fn rank(&self) -> usize {
        0
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        1
    }

    /// The worst state of all processes.
    pub fn worst(&self, own: State) -> State {
        own
    }

    /// Numbers of all processes, in their order, on the first; each has as many.
    pub fn gather(&self, own: Vec<f64>) -> Vec<f64> {
        own
    }

    /// Sums over all processes.
    pub fn sum<const N: usize>(&self, own: [u64; N]) -> [u64; N] {
        own
    }
}
