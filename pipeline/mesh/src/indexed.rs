//! Values that are kept once: groups by name, vertices by place, middles by edge.

use std::collections::HashMap;
use std::hash::Hash;

/// Values in the order in which their keys were met.
#[derive(Debug, Default)]
pub struct Indexed<K, V> {
    pub values: Vec<V>,
    pub known: HashMap<K, u32>,
}

impl<K: Hash + Eq, V> Indexed<K, V> {
    /// The index of a key's value, which is made if the key is new.
    pub fn index(&mut self, key: K, value: impl FnOnce() -> V) -> u32 {
        *self.known.entry(key).or_insert_with(|| {
            self.values.push(value());
            (self.values.len() - 1) as u32
        })
    }
}
