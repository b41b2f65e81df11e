//! Short currents, on the card.

use super::layout::Layout;
use super::mesh::{Fields, Mesh};
use super::program::SOURCE;
use crate::error::{Error, same, size32};
use crate::kernel::{Geometry, Kernel, value};
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
        let (now, residual) = (fields.now.output(), fields.residual.output());
        let numbers = [value(&self.place), value(&signal), value(&b)];
        let [place, signal, b] = numbers;
        self.kernel.launch(stream, &[now, residual, self.rates.input(), place, signal, b])
    }
}

impl<T: Float> Mesh<T> {
    /// A current in the element at a place: `rates` are what a signal of 1 adds to dE/dt, `[node][axis]`, V/m^2.
    pub fn source(&self, stream: &mut Stream, place: usize, rates: &[T]) -> Result<Source<T>, Error> {
        let Layout { nodes, lanes, .. } = self.layout;
        let places = self.blocks * lanes;
        if place >= places {
            return Err(Error::Length { what: "element of a source", given: place, needed: places });
        }
        same("rates of a source", rates.len(), 3 * nodes)?;
        let geometry = Geometry { grid: [1, 1, 1], threads: 32, shared: 0 };
        Ok(Source {
            kernel: self.module.prepare(&SOURCE, geometry)?,
            rates: Buffer::from_slice(stream, "rates of a source", rates)?,
            place: size32("elements", place)?,
            length: places * self.layout.values(),
        })
    }
}
