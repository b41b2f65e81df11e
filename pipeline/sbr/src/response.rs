//! What plans give back, and how they are watched.

use super::cast::Steps;
use super::field::{C, Matrix, add};
use super::path::Counts;
use std::ops::ControlFlow;

/// The response to one direction of incidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// Scattering matrices, m: frequencies of the first observation, of the second, and so on.
    pub fields: Vec<Matrix>,
    /// Counts of rays and tubes.
    pub counts: Counts,
    /// Steps of first and of reflected pieces of rays in a kd-tree.
    pub steps: [Steps; 2],
}

/// Is told how many parts of the work are done, and of how many; its break stops the work.
pub type Watch<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

/// The share of one facet in an echo.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Contribution {
    /// Field of the tubes that leave from it, m; phase at the origin of coordinates.
    pub field: Matrix,
    /// Most bounces of those tubes; 0 where none leaves.
    pub bounces: usize,
}

impl Contribution {
    /// Adds another part of it.
    pub(crate) fn add(&mut self, other: &Self) {
        add(&mut self.field, &other.field, C::new(1.0, 0.0));
        self.bounces = self.bounces.max(other.bounces);
    }
}

/// Where an echo comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// One for each facet of the target.
    pub facets: Vec<Contribution>,
    /// Field of all edges, m.
    pub edges: Matrix,
}

impl Contributions {
    /// The whole field, m.
    pub fn total(&self) -> Matrix {
        let mut sum = self.edges;
        self.facets.iter().for_each(|facet| add(&mut sum, &facet.field, C::new(1.0, 0.0)));
        sum
    }
}
