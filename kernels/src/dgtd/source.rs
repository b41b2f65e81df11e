//! Short currents, on the card.

use super::layout::Layout;
use super::mesh::{Fields, Mesh};
use crate::calls;
use crate::error::{Error, below, same, size32};
use crate::kernel::{Geometry, Kernel};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;

/// A current in one element.
#[derive(Debug)]
pub struct Source<T> {
    kernel: Kernel,
    rates: Buffer<T>,
    place: u32,
    /// Of all fields that it may be added to.
    length: usize,
}

impl<T: Float> Source<T> {
    /// Adds to the stage that was just done: `signal` is dt, m, times the signal at its time, `b` the stage's factor.
    pub fn add(&self, stream: &mut Stream, fields: &mut Fields<T>, signal: f64, b: f64) -> Result<(), Error> {
        same("fields", fields.now.len(), self.length)?;
        let Fields { now, residual, .. } = fields;
        self.kernel.launch(stream, calls::dgtd_source(now, residual, &self.rates, self.place, signal, b))
    }
}

impl<T: Float> Mesh<T> {
    /// A current in the element at a place: `rates` are what a signal of 1 adds to dE/dt, `[node][axis]`, V/m^2.
    pub fn source(&self, stream: &mut Stream, place: usize, rates: &[T]) -> Result<Source<T>, Error> {
        let Layout { nodes, lanes, .. } = self.layout;
        let places = self.blocks * lanes;
        below("element of a source", place, places)?;
        same("rates of a source", rates.len(), 3 * nodes)?;
        Ok(Source {
            kernel: self.module.prepare(&calls::DGTD_SOURCE, Geometry::new([1, 1, 1], 32, 0)?)?,
            rates: Buffer::from_slice(stream, "rates of a source", rates)?,
            place: size32("elements", place)?,
            length: places * self.layout.values(),
        })
    }
}
