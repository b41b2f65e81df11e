//! Several processes, by MPI.
//!
//! A process that is lost is noticed by mpirun, which then asks all others to end, and kills them a second later. One that waits for it would not come to look at that: all waiting is done here, in `wait`.

use super::super::exit::Failed;
use super::super::task::{Processes, Task};
use super::launch::{State, started};
use crate::cli::exit::refuse;
use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::request::{Request, Scope, scope};
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Equivalence, Root, Source};
use pipeline::dgtd::cpu::{Exchange, Mail};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A process that was asked to end waits so long for others, less than mpirun does before it kills.
const PATIENCE: Duration = Duration::from_millis(500);
/// Between two looks at messages while threads compute.
const PAUSE: Duration = Duration::from_micros(50);

pub struct Ranks {
    /// None where there is only one process, so that the program needs no `mpirun`.
    universe: Option<Universe>,
    /// Whether this process was asked to end.
    interrupted: Arc<AtomicBool>,
    last_words: Mutex<String>,
    /// Whether all know that they are to end, and do what is left until then.
    are_ending: AtomicBool,
}

/// Numbers that processes send each other.
pub trait Sent: Equivalence {}

impl<T: Equivalence> Sent for T {}

impl Ranks {
    /// Meets the other processes.
    pub fn start(task: &Task, interrupted: Arc<AtomicBool>) -> crate::cli::Result<Self> {
        let count = started()?;
        let alone =
            Self { universe: None, interrupted, last_words: Mutex::default(), are_ending: false.into() };
        if count == 1 {
            return Ok(alone);
        }
        if task.processes == Processes::One {
            let name = task.name;
            refuse!("mpirun started {count} processes, and `nearfield {name}` runs in one");
        }
        let begun = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, _) = begun.ok_or_else(|| Failed::run("MPI was begun before"))?;
        let found = universe.world().size() as usize;
        if found != count {
            refuse!(
                "mpirun started {count} processes, and MPI finds {found}: is mpirun of another MPI than this program?"
            );
        }
        Ok(Self { universe: Some(universe), ..alone })
    }

    pub fn rank(&self) -> usize {
        self.universe.as_ref().map_or(0, |universe| universe.world().rank() as usize)
    }

    pub fn size(&self) -> usize {
        self.universe.as_ref().map_or(1, |universe| universe.world().size() as usize)
    }

    /// What to say if another process is lost.
    pub fn set_last_words(&self, words: String) {
        *self.last_words.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }

    /// The worst state of all processes.
    pub fn worst(&self, own: State) -> State {
        let Some(universe) = &self.universe else { return own };
        let (own, mut worst, op) = (own as i32, 0, SystemOperation::max());
        scope(|scope| {
            self.wait_for(universe.world().immediate_all_reduce_into(scope, &own, &mut worst, op));
        });
        self.are_ending.store(worst != State::Fine as i32, Ordering::Relaxed);
        [State::Fine, State::Interrupted]
            .into_iter()
            .find(|state| *state as i32 == worst)
            .unwrap_or(State::Failed)
    }

    /// Numbers of all processes, in their order, on the first; each has as many.
    pub fn gather(&self, own: Vec<f64>) -> Vec<f64> {
        self.lists(own).concat()
    }

    /// Numbers of each process, in their order, on the first; on others nothing.
    pub fn lists(&self, own: Vec<f64>) -> Vec<Vec<f64>> {
        let Some(universe) = &self.universe else { return vec![own] };
        let world = universe.world();
        if world.rank() != 0 {
            let first = world.process_at_rank(0);
            scope(|scope| self.wait_for(first.immediate_send(scope, &own[..])));
            return Vec::new();
        }
        let others = (1..world.size()).map(|rank| {
            let (other, mut found) = (world.process_at_rank(rank), None);
            self.wait(|| {
                found = other.immediate_matched_probe();
                found.is_some()
            });
            found.map_or_else(Vec::new, |message| message.matched_receive_vec().0)
        });
        std::iter::once(own).chain(others).collect()
    }

    /// Numbers of one process for all.
    pub fn share(&self, from: usize, numbers: &mut [f64]) {
        let Some(universe) = &self.universe else { return };
        let world = universe.world();
        let from = world.process_at_rank(from as i32);
        scope(|scope| self.wait_for(from.immediate_broadcast_into(scope, numbers)));
    }

    pub fn sum<const N: usize>(&self, own: [u64; N]) -> [u64; N] {
        let Some(universe) = &self.universe else { return own };
        let (mut sum, op) = ([0; N], SystemOperation::sum());
        scope(|scope| {
            let request = universe.world().immediate_all_reduce_into(scope, &own[..], &mut sum[..], op);
            self.wait_for(request);
        });
        sum
    }

    fn wait_for<'a, D: ?Sized, S: Scope<'a>>(&self, request: Request<'a, D, S>) {
        let mut left = Some(request);
        self.wait(|| {
            left = left.take().and_then(|request| request.test().err());
            left.is_none()
        });
    }

    /// Waits for what other processes must do. Ends the program if that does not come and the program was asked to end.
    fn wait(&self, mut is_done: impl FnMut() -> bool) {
        let mut since = None;
        while !is_done() {
            let is_asked =
                self.interrupted.load(Ordering::Relaxed) && !self.are_ending.load(Ordering::Relaxed);
            if is_asked && since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                self.give_up();
            }
            std::thread::yield_now();
        }
    }

    /// Ends all processes: another one does not answer.
    fn give_up(&self) {
        let (rank, size, words) =
            (self.rank(), self.size(), self.last_words.lock().unwrap_or_else(PoisonError::into_inner));
        // The second one speaks too, as the first may be the one that is lost.
        if rank < 2 {
            eprintln!(
                "nearfield: process {rank} of {size}: another process of this run ended or does not answer{words}"
            );
        }
        match &self.universe {
            Some(universe) => universe.world().abort(1),
            None => std::process::exit(1),
        }
    }
}

impl<T: Sent> Exchange<T> for Ranks {
    /// Threads compute while this one looks after the messages: large ones go on only while MPI is called.
    fn exchange(&self, mail: &mut [Mail<T>], work: Box<dyn FnOnce() + Send + '_>) {
        let Some(universe) = self.universe.as_ref().filter(|_| !mail.is_empty()) else { return work() };
        let (world, is_busy) = (universe.world(), AtomicBool::new(true));
        scope(|scope| {
            let mut left = Vec::new();
            for Mail { part, sent, received } in mail {
                let other = world.process_at_rank(*part as i32);
                left.push(other.immediate_receive_into(scope, &mut received[..]));
                left.push(other.immediate_send(scope, &sent[..]));
            }
            let mut is_done = || {
                left = left.drain(..).filter_map(|request| request.test().err()).collect();
                left.is_empty()
            };
            rayon::in_place_scope(|pool| {
                pool.spawn(|_| {
                    work();
                    is_busy.store(false, Ordering::Release);
                });
                while is_busy.load(Ordering::Acquire) && !is_done() {
                    std::thread::sleep(PAUSE);
                }
            });
            self.wait(is_done);
        });
    }
}
