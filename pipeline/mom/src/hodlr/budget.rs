//! Memory: what is planned before anything is computed, and what is counted meanwhile.

use crate::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Unknowns of a block of the diagonal that is not halved any more.
pub const LEAF: usize = 96;

const NUMBER: f64 = 16.0;
const GIB: f64 = (1u64 << 30) as f64;

/// Complex numbers that may be stored, and that are.
#[derive(Debug)]
pub struct Budget {
    most: usize,
    taken: AtomicUsize,
}

impl Budget {
    pub fn new(gib: f64) -> Self {
        Self { most: (gib * GIB / NUMBER) as usize, taken: AtomicUsize::new(0) }
    }

    /// Counts numbers, and refuses those that do not fit; `what` says whose they are.
    pub fn take(&self, numbers: usize, what: impl FnOnce() -> String) -> Result<(), Error> {
        let taken = self.taken.fetch_add(numbers, Ordering::Relaxed) + numbers;
        if taken > self.most {
            let gib = |numbers: usize| numbers as f64 * NUMBER / GIB;
            return Err(Error::Ranks { what: what(), needed_gib: gib(taken), free_gib: gib(self.most) });
        }
        Ok(())
    }

    /// Numbers that are not stored any more.
    pub fn give(&self, numbers: usize) {
        self.taken.fetch_sub(numbers, Ordering::Relaxed);
    }

    pub fn taken_gib(&self) -> f64 {
        self.taken.load(Ordering::Relaxed) as f64 * NUMBER / GIB
    }
}

/// What ranks are planned with: so much for every digit of the tolerance, every doubling of the half and
/// every radian of its electrical length. Over all halvings of circles and of strips that is more than is
/// found.
const RANK_DIGIT: f64 = 1.6;
const RANK_DOUBLING: f64 = 1.0;
const RANK_RADIAN: f64 = 0.5;

/// Bytes that blocks and their inverse are expected to need: unknowns, electrical length k L, and tolerance.
pub fn planned_bytes(unknowns: f64, radians: f64, tolerance: f64) -> f64 {
    let mut numbers = 3.0 * LEAF as f64 * unknowns;
    let mut half = 0.5 * unknowns;
    while half > 0.5 * LEAF as f64 {
        let rank = -RANK_DIGIT * tolerance.log10()
            + RANK_DOUBLING * half.log2()
            + RANK_RADIAN * radians * half / unknowns;
        // U, V and W.
        numbers += 3.0 * rank.min(half) * unknowns;
        half *= 0.5;
    }
    NUMBER * numbers
}
