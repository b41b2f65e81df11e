//! Workers, which take one batch after the other to the card.

use super::batch::{Batch, Lit};
use crate::solvers::sbr::vertices::Turning;
use kernels::abi::{Sbr, SbrReceiver, SbrSeed};
use kernels::sbr::{Band, Beams, Counts, Rays, Receivers, Room, Scene};
use kernels::{Device, Error, Stream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// A queue of the card, with lists for a batch.
pub struct Worker {
    stream: Stream,
    rays: Rays,
    /// Kept from one call to the next: to free memory waits for all work of the card.
    sums: Option<Receivers>,
}

/// What workers take from.
pub struct Work<'a> {
    pub lit: &'a [Lit],
    pub turning: &'a [Turning],
    pub batches: &'a [Batch],
    pub receivers: &'a [SbrReceiver],
    pub band: &'a Band,
    pub numbers: Sbr,
    /// Which facets reflect into the open.
    pub beams: &'a Beams,
    /// The next batch.
    pub next: AtomicUsize,
    /// Seeds of one batch are found at a time, by all cores, so that the first one is ready soon.
    pub finding: Mutex<()>,
}

impl Work<'_> {
    /// No other batch is begun.
    pub fn stop(&self) {
        self.next.store(self.batches.len(), Ordering::Relaxed);
    }

    fn seeds(&self, batch: &Batch) -> Vec<SbrSeed> {
        if self.numbers.levels == 0 {
            return Vec::new();
        }
        // A thread that panicked while it had this left nothing behind.
        let _alone = self.finding.lock().unwrap_or_else(PoisonError::into_inner);
        batch.seeds(self.lit, self.turning)
    }

    fn take(&self) -> Option<&Batch> {
        self.batches.get(self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// What a worker has added up.
pub struct Done {
    /// Of each batch.
    pub counts: Vec<Counts>,
    /// Quanta of all receivers and frequencies.
    pub sums: Vec<i64>,
}

impl Worker {
    pub fn new(device: &Device, scene: &Arc<Scene>, room: Room) -> Result<Self, Error> {
        let mut stream = device.stream()?;
        let rays = Rays::new(&mut stream, scene.clone(), room)?;
        Ok(Self { stream, rays, sums: None })
    }

    /// Takes batches until there are none, and says so of each.
    pub fn run(&mut self, work: &Work<'_>, done: &Sender<()>) -> Result<Done, Error> {
        let Self { stream, rays, sums } = self;
        let sums = match sums {
            Some(sums) => {
                sums.set(stream, work.receivers, work.band)?;
                sums
            }
            None => sums.insert(Receivers::new(stream, work.receivers, work.band)?),
        };
        let mut counts = Vec::new();
        while let Some(batch) = work.take() {
            let seeds = work.seeds(batch);
            let did = rays.run(stream, &batch.launches, work.beams, &seeds, sums, &work.numbers);
            counts.push(did.inspect_err(|_| work.stop())?);
            // Nobody listens any more where work was stopped.
            let _ = done.send(());
        }
        Ok(Done { counts, sums: sums.sums(stream)? })
    }
}
