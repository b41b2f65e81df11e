//! Workers, which take one batch after the other to the card.

use super::batch::{Batch, Lit};
use crate::vertices::Turning;
use kernels::abi::{Sbr, SbrSeed};
use kernels::sbr::{Beams, Counts, Rays, Receivers, Room, Scene};
use kernels::{Device, Error, Stream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// A queue of the card, with lists for a batch.
pub struct Worker {
    stream: Stream,
    rays: Rays,
    /// Kept, since new memory takes longer than to write into it.
    seeds: Vec<SbrSeed>,
}

/// What workers take from.
pub struct Work<'a> {
    pub lit: &'a [Lit],
    pub turning: &'a [Turning],
    pub batches: &'a [Batch],
    /// With the sums that all workers add to.
    pub receivers: &'a Receivers,
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

    fn find(&self, batch: &Batch, seeds: &mut Vec<SbrSeed>) {
        if self.numbers.levels > 0 {
            // A thread that panicked while it had this left nothing behind.
            let _alone = self.finding.lock().unwrap_or_else(PoisonError::into_inner);
            batch.seeds(self.lit, self.turning, seeds);
        }
    }

    fn take(&self) -> Option<&Batch> {
        self.batches.get(self.next.fetch_add(1, Ordering::Relaxed))
    }
}

impl Worker {
    pub fn new(device: &Device, scene: &Arc<Scene>, room: Room) -> Result<Self, Error> {
        let mut stream = device.stream()?;
        let rays = Rays::new(&mut stream, scene.clone(), room)?;
        Ok(Self { stream, rays, seeds: Vec::new() })
    }

    /// Takes batches until there are none, and says so of each. Gives what was done for each; all of it is in
    /// the sums then.
    pub fn run(&mut self, work: &Work<'_>, done: &Sender<()>) -> Result<Vec<Counts>, Error> {
        let Self { stream, rays, seeds } = self;
        let mut counts = Vec::new();
        while let Some(batch) = work.take() {
            work.find(batch, seeds);
            let did = rays.run(stream, &batch.launches, work.beams, seeds, work.receivers, &work.numbers);
            counts.push(did.inspect_err(|_| work.stop())?);
            // Nobody listens any more where work was stopped.
            let _ = done.send(());
        }
        Ok(counts)
    }
}
