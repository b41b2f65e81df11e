//! Several processes, by MPI.

use super::super::args::Command;
use super::super::exit::usage;
use super::{State, started};
use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};

/// All processes; none is asked for where there is only one, so that the program needs no `mpirun`.
pub struct Ranks(Option<Universe>);

impl Ranks {
    /// Meets the other processes.
    pub fn start(command: &Command) -> anyhow::Result<Self> {
        let count = started()?;
        if count == 1 {
            return Ok(Self(None));
        }
        if !matches!(command, Command::Sbr(_)) {
            let name = command.name();
            return Err(usage(format!(
                "mpirun started {count} processes, and `nearfield {name}` runs in one"
            )));
        }
        let begun = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, _) = begun.ok_or_else(|| anyhow::anyhow!("MPI was begun before"))?;
        let found = universe.world().size() as usize;
        if found != count {
            return Err(usage(format!(
                "mpirun started {count} processes, and MPI finds {found}: is mpirun of another MPI than this program?"
            )));
        }
        Ok(Self(Some(universe)))
    }

    /// Number of this process.
    pub fn rank(&self) -> usize {
        self.0.as_ref().map_or(0, |universe| universe.world().rank() as usize)
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.0.as_ref().map_or(1, |universe| universe.world().size() as usize)
    }

    /// The worst state of all processes.
    pub fn worst(&self, own: State) -> State {
        let Some(universe) = &self.0 else { return own };
        let mut worst = 0i32;
        universe.world().all_reduce_into(&(own as i32), &mut worst, SystemOperation::max());
        [State::Fine, State::Interrupted]
            .into_iter()
            .find(|state| *state as i32 == worst)
            .unwrap_or(State::Failed)
    }

    /// Numbers of all processes, in their order, on the first; each has as many.
    pub fn gather(&self, own: Vec<f64>) -> Vec<f64> {
        let Some(universe) = &self.0 else { return own };
        let world = universe.world();
        let first = world.process_at_rank(0);
        if world.rank() != 0 {
            first.gather_into(&own[..]);
            return Vec::new();
        }
        let mut all = vec![0.0; own.len() * world.size() as usize];
        first.gather_into_root(&own[..], &mut all[..]);
        all
    }

    /// Sums over all processes.
    pub fn sum<const N: usize>(&self, own: [u64; N]) -> [u64; N] {
        let Some(universe) = &self.0 else { return own };
        let mut sum = [0; N];
        universe.world().all_reduce_into(&own[..], &mut sum[..], SystemOperation::sum());
        sum
    }
}
