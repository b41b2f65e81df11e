//! Energies of all elements, on the card.

use super::layout::Layout;
use super::mesh::{Fields, Mesh};
use crate::calls;
use crate::error::{Error, same};
use crate::kernel::{Geometry, Kernel};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;

/// What energies are made of.
#[derive(Debug)]
pub struct Energy {
    kernel: Kernel,
    mass: Buffer<f64>,
    scales: Buffer<f64>,
    energies: Buffer<f64>,
}

impl Energy {
    /// The energy of every place: half the integral of eps E^2 + mu H^2, V^2 m.
    pub fn of<T: Float>(&mut self, stream: &mut Stream, fields: &Fields<T>) -> Result<Vec<f64>, Error> {
        let values = fields.now.len() / self.energies.len().max(1);
        same("fields", fields.now.len(), values * self.energies.len())?;
        let call = calls::dgtd_energy(&fields.now, &self.mass, &self.scales, &mut self.energies);
        self.kernel.launch(stream, call)?;
        stream.values(&self.energies)
    }
}

impl<T: Float> Mesh<T> {
    /// `mass` is the symmetric mass matrix of the reference element; `scales` has of every place half its volume over that of the reference element, times eps and times mu.
    pub fn energy(&self, stream: &mut Stream, mass: &[f64], scales: &[f64]) -> Result<Energy, Error> {
        let Layout { nodes, lanes, .. } = self.layout;
        let places = self.blocks * lanes;
        same("mass matrix", mass.len(), nodes * nodes)?;
        same("scales of elements", scales.len(), 2 * places)?;
        let geometry = Geometry::new([places, 1, 1], nodes.next_multiple_of(32), 0)?;
        Ok(Energy {
            kernel: self.module.prepare(&calls::DGTD_ENERGY, geometry)?,
            mass: Buffer::from_slice(stream, "mass matrix", mass)?,
            scales: Buffer::from_slice(stream, "scales of elements", scales)?,
            energies: Buffer::zeros(stream, "energies", places)?,
        })
    }
}
