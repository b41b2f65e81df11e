//! Static memory with one owner.

use core::cell::{Cell, UnsafeCell};

/// A static value that is handed out once.
pub struct Single<T> {
    value: UnsafeCell<T>,
    taken: Cell<bool>,
}

// SAFETY: boards have one hart, and no interrupt handler of theirs returns or takes a `Single`; so nothing runs between the
// look at `taken` and its change. Host tests take theirs from one thread.
unsafe impl<T> Sync for Single<T> {}

impl<T> Single<T> {
    /// A value that nobody has yet.
    pub const fn new(value: T) -> Self {
        Self { value: UnsafeCell::new(value), taken: Cell::new(false) }
    }

    /// The value, the first time; afterwards nothing.
    #[allow(clippy::mut_from_ref)] // the flag makes the reference the only one
    pub fn take(&self) -> Option<&mut T> {
        if self.taken.replace(true) {
            return None;
        }
        // SAFETY: `taken` was false and is true for ever, so this is the only reference.
        Some(unsafe { &mut *self.value.get() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_owner() {
        let single = Single::new(7);
        let first = single.take();
        assert!(first == Some(&mut 7) && single.take().is_none());
    }
}
