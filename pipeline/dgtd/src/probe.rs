//! Fields at a point.

use super::design::Design;
use super::{Error, State};
use numerics::vec3::Vec3;

/// A point in its element.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Number of the element.
    pub element: usize,
    /// Of the values at its nodes.
    pub weights: Vec<f64>,
}

impl Probe {
    /// At a point, m. Where elements meet it is any of theirs.
    pub fn new(design: &Design, point: Vec3) -> Result<Self, Error> {
        let (element, coordinates) = design.mesh.find(point)?;
        Ok(Self { element, weights: design.element.interpolation(&coordinates) })
    }

    /// The fields there, from those at the nodes of the element.
    pub fn at(&self, nodes: impl Iterator<Item = State>) -> State {
        self.weights.iter().zip(nodes).fold(State::default(), |sum, (weight, state)| State {
            e: sum.e + state.e * *weight,
            h: sum.h + state.h * *weight,
        })
    }
}
