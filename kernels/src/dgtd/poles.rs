//! Dispersive media, on the card.

use super::layout::Layout;
use super::mesh::{Fields, Mesh, THREADS};
use crate::calls;
use crate::error::{Error, below, same, size32};
use crate::kernel::{Geometry, Kernel};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;

/// Numbers of a pole: g, r, c, gamma, k and 1/eps.
pub const POLE_NUMBERS: usize = 6;

/// Numbers that a pole has at a node: P, J and their residuals.
const POLARISED: usize = 12;

/// Poles of the elements of dispersive media.
#[derive(Debug)]
pub struct Poles<T> {
    kernel: Kernel,
    places: Buffer<u32>,
    rates: Buffer<T>,
    /// Nodes of all these elements.
    nodes: usize,
    /// Of an element.
    poles: usize,
    /// Of all fields.
    length: usize,
}

impl<T: Float> Poles<T> {
    /// Polarisations, all zero: `[pole][Px to Pz, Jx to Jz, their residuals][element][node]`.
    pub fn polarised(&self, stream: &mut Stream) -> Result<Buffer<T>, Error> {
        Buffer::zeros(stream, "polarisations", POLARISED * self.poles * self.nodes)
    }

    /// Where component 0 to 5 of a pole's P and J is at a node of these elements.
    pub fn place(&self, pole: usize, component: usize, node: usize) -> usize {
        (pole * POLARISED + component) * self.nodes + node
    }

    /// Bytes that a stage reads and writes at least: P and J and their residuals, E before and after, its residual.
    pub fn traffic(&self, polarised: &Buffer<T>) -> usize {
        2 * polarised.bytes() + self.rates.bytes() + 15 * self.nodes * size_of::<T>()
    }

    /// Adds to the stage that was just done with factors a, b and dt, m.
    pub fn add(
        &self,
        stream: &mut Stream,
        fields: &mut Fields<T>,
        polarised: &mut Buffer<T>,
        [a, b, dt]: [f64; 3],
    ) -> Result<(), Error> {
        same("fields", fields.now.len(), self.length)?;
        same("polarisations", polarised.len(), POLARISED * self.poles * self.nodes)?;
        let (count, poles) = (size32("nodes", self.nodes)?, size32("poles", self.poles)?);
        let Fields { now, next: before, residual, .. } = fields;
        let (places, rates) = (&self.places, &self.rates);
        let call =
            calls::dgtd_poles(&*before, now, residual, places, rates, polarised, count, poles, a, b, dt);
        self.kernel.launch(stream, call)
    }
}

impl<T: Float> Mesh<T> {
    /// Poles of the elements at some places: as many of each, `rates` are `[element][pole][number]`.
    pub fn poles(&self, stream: &mut Stream, places: &[u32], rates: &[T]) -> Result<Poles<T>, Error> {
        let Layout { nodes, lanes, .. } = self.layout;
        let most = self.blocks * lanes;
        places.iter().try_for_each(|place| below("element of a pole", *place as usize, most))?;
        let poles = rates.len() / (POLE_NUMBERS * places.len().max(1));
        same("rates of poles", rates.len(), POLE_NUMBERS * poles * places.len())?;
        let count = nodes * places.len();
        let geometry = Geometry::new([count.div_ceil(THREADS).max(1), 1, 1], THREADS, 0)?;
        Ok(Poles {
            kernel: self.module.prepare(&calls::DGTD_POLES, geometry)?,
            places: Buffer::from_slice(stream, "elements of dispersive media", places)?,
            rates: Buffer::from_slice(stream, "rates of poles", rates)?,
            nodes: count,
            poles,
            length: most * self.layout.values(),
        })
    }
}
