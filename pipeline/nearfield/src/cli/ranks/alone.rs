//! One process.

use super::super::exit::usage;
use super::super::task::Task;
use super::launch::{State, started};
use pipeline::dgtd::cpu::{Exchange, Mail};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The only process.
pub struct Ranks;

/// Numbers that processes send each other.
pub trait Sent {}

impl<T> Sent for T {}

impl Ranks {
    /// Refuses to be one of several.
    pub fn start(_: &Task, _: Arc<AtomicBool>) -> crate::cli::Result<Self> {
        match started()? {
            1 => Ok(Self),
            count => Err(usage(format!(
                "mpirun started {count} processes, and this program was built for one: build it with --features mpi"
            ))),
        }
    }

    pub fn rank(&self) -> usize {
        0
    }

    pub fn size(&self) -> usize {
        1
    }

    /// What to say if another process is lost.
    pub fn set_last_words(&self, _: String) {}

    /// The worst state of all processes.
    pub fn worst(&self, own: State) -> State {
        own
    }

    /// Numbers of all processes, in their order, on the first; each has as many.
    pub fn gather(&self, own: Vec<f64>) -> Vec<f64> {
        own
    }

    /// Numbers of each process, in their order, on the first; on others nothing.
    pub fn lists(&self, own: Vec<f64>) -> Vec<Vec<f64>> {
        vec![own]
    }

    /// Numbers of one process for all.
    pub fn share(&self, _: usize, _: &mut [f64]) {}

    pub fn sum<const N: usize>(&self, own: [u64; N]) -> [u64; N] {
        own
    }
}

impl<T: Sent> Exchange<T> for Ranks {
    fn exchange(&self, _: &mut [Mail<T>], work: Box<dyn FnOnce() + Send + '_>) {
        work();
    }
}
