//! Pinned threads, locked memory and real-time priority: what an instrument wishes and the system permits.
//!
//! Nothing here is needed for right results; it makes latencies steadier. What is not permitted is said, and
//! the instrument runs without.

use serde::{Deserialize, Serialize};
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};

/// The table `[realtime]` of an instrument.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table of cores, lock_memory, spin and priority")]
pub struct Settings {
    /// Core of the intake and core of the stage.
    pub cores: Option<[usize; 2]>,
    /// All memory stays in the machine's.
    pub lock_memory: bool,
    /// Intake and stage look for work without a pause instead of sleeping.
    pub spin: bool,
    /// First-in first-out scheduling at this priority, 1 to 99, of the intake; the stage has one less.
    pub priority: Option<u8>,
}

impl Settings {
    /// Whether threads look without a pause: if asked for, and if there are cores enough.
    pub fn spins(&self) -> bool {
        self.spin && may_spin().refused.is_none()
    }
}

/// What became of a wish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// What was asked for.
    pub wish: String,
    /// Why not; none if granted.
    pub refused: Option<String>,
}

impl Outcome {
    fn of(wish: String, result: Result<(), String>) -> Self {
        Self { wish, refused: result.err() }
    }

    /// In a line.
    pub fn line(&self) -> String {
        match &self.refused {
            None => format!("{}: yes", self.wish),
            Some(reason) => format!("{}: no, {reason}", self.wish),
        }
    }
}

/// Keeps all present and future memory of the process in the machine's.
pub fn lock_memory() -> Outcome {
    use rustix::mm::{MlockAllFlags, mlockall};
    let locked = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE).map_err(|e| e.to_string());
    Outcome::of("memory locked".into(), locked)
}

/// Whether two threads may take a core each and leave one for the others.
pub fn may_spin() -> Outcome {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let enough = if cores > 2 { Ok(()) } else { Err(format!("two threads would take all {cores} cores")) };
    Outcome::of("no sleep between datagrams and spans".into(), enough)
}

/// Keeps the calling thread on one core.
pub fn pin(name: &str, core: usize) -> Outcome {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let wish = format!("{name} on core {core}");
    if core >= CpuSet::MAX_CPU {
        return Outcome::of(wish, Err(format!("there are at most {} cores", CpuSet::MAX_CPU)));
    }
    let mut set = CpuSet::new();
    set.set(core);
    Outcome::of(wish, sched_setaffinity(None, &set).map_err(|e| e.to_string()))
}

/// Gives the calling thread a real-time priority.
pub fn prioritise(name: &str, priority: u8) -> Outcome {
    let wish = format!("{name} at real-time priority {priority}");
    let result = ThreadPriorityValue::try_from(priority).and_then(|value| {
        let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Crossplatform(value), policy)
            .map_err(|error| format!("{error:?}"))
    });
    Outcome::of(wish, result)
}

/// What the system would permit, tried on a thread that ends at once.
pub fn try_all() -> Vec<Outcome> {
    let tried = std::thread::spawn(|| vec![pin("a thread", 0), prioritise("a thread", 10)]);
    let mut outcomes = tried.join().unwrap_or_default();
    outcomes.extend([may_spin(), lock_memory()]);
    let _ = rustix::mm::munlockall();
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_said() {
        let outcome = std::thread::spawn(|| [pin("test", 100_000), pin("test", 1023)]).join().unwrap();
        assert!(outcome.iter().all(|o| o.refused.is_some()), "{outcome:?}");
        assert!(outcome[0].line().starts_with("test on core 100000: no, "));
        assert!(prioritise("test", 200).refused.is_some());
    }
}
