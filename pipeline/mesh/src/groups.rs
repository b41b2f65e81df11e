//! Groups by name.

use std::collections::HashMap;

/// Names of groups in the order in which they were met.
#[derive(Debug, Default)]
pub struct Groups {
    names: Vec<String>,
    known: HashMap<String, u32>,
}

impl Groups {
    /// The index of the group of this name.
    pub fn index(&mut self, name: String) -> u32 {
        *self.known.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            (self.names.len() - 1) as u32
        })
    }

    /// All names, by index.
    pub fn into_names(self) -> Vec<String> {
        self.names
    }
}
