//! Loops over numbers on all cores, for work that is worth a call.
//!
//! rayon's loops are compiled here, once, and not again for every type and every closure.

use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Does the work of the numbers below `count`.
pub fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Values of the numbers below `count`, in their order.
pub fn map<T: Send>(count: usize, value: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let places: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    each(count, &|number| *locked(&places[number]) = Some(value(number)));
    places
        .into_iter()
        .filter_map(|place| place.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// Works on parts of `size` values, by their numbers; the last part may be shorter.
pub fn parts<T: Send>(values: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let parts: Vec<_> = values.chunks_mut(size.max(1)).map(Mutex::new).collect();
    each(parts.len(), &|part| work(part, &mut locked(&parts[part])));
}

/// Nobody else looks at what has a number.
fn locked<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}
