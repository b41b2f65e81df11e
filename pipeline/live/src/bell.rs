//! Wakes a thread that waits for a ring, and costs a load when nobody waits.

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Mutex, PoisonError};
use std::thread::Thread;
use std::time::Duration;

/// One thread waits, others ring.
#[derive(Debug, Default)]
pub struct Bell {
    asleep: AtomicBool,
    sleeper: Mutex<Option<Thread>>,
}

impl Bell {
    /// Waits until the bell rings, `ready` holds or `patience` is over.
    pub fn wait(&self, patience: Duration, ready: impl Fn() -> bool) {
        if patience.is_zero() {
            return;
        }
        *self.sleeper.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::current());
        self.asleep.store(true, Ordering::Relaxed);
        // With the fence of `ring`: either the ring's change is seen here, or the sleeper there.
        fence(Ordering::SeqCst);
        if !ready() {
            std::thread::park_timeout(patience);
        }
        self.asleep.store(false, Ordering::Relaxed);
    }

    /// Wakes whoever waits.
    pub fn ring(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed)
            && self.asleep.swap(false, Ordering::Relaxed)
            && let Some(thread) = self.sleeper.lock().unwrap_or_else(PoisonError::into_inner).as_ref()
        {
            thread.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Instant;

    #[test]
    fn a_ring_ends_the_wait() {
        let bell = Arc::new(Bell::default());
        let (rung, start) = (bell.clone(), Instant::now());
        let ringer = std::thread::spawn(move || {
            while !rung.asleep.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            rung.ring();
        });
        bell.wait(Duration::from_secs(60), || false);
        ringer.join().unwrap();
        bell.wait(Duration::from_secs(60), || true);
        assert!(start.elapsed() < Duration::from_secs(50));
    }
}
