//! The CPU's plan.
//!
//! | stage | type 1 | type 2 |
//! |---|---|---|
//! | `points` | cells, fractions, sort | the same |
//! | `spread` | strengths to the padded fine grid | fine grid to values |
//! | `transform` | FFTs, axis by axis, with the factors of the modes | the same backwards |
//!
//! Threads are those of the current rayon pool. Spreading takes bands of the outermost axis: first the even ones, then the odd ones, each of
//! which writes to itself and to the start of the next, so that those of a kind can be dealt to threads. Bands follow from the grid, and
//! the sum at a fine point is always in the same order: results are the same bits with any number of threads. Points are sorted by one.

pub(super) mod bands;
mod parts;
mod points;
mod spread;
mod stages;
mod transform;
pub mod type_3;

use super::design::{Window, smooth};
use super::settings::{check_count, check_modes};
use super::{Error, Precision, Settings, Type};
use num_complex::Complex;
use parts::Design;
pub use parts::Scratch;
pub(super) use points::{Map, Places, check};
pub(super) use spread::Lanes;
use stages::Exponent;
use std::sync::Arc;
use transform::Axis;

/// A plan for one set of modes, and the points it was given.
///
/// Every transform takes stacked right-hand sides, one after the other: B times the modes and B times the points. A clone shares
/// the design and the FFTs, and may have other points: a batch of small problems on different points is a clone for each, run in
/// parallel with a [`Scratch`] for each thread.
#[derive(Clone)]
pub struct Plan<T> {
    design: Arc<Design<T>>,
    places: Places<T>,
}

impl<T: Precision> Plan<T> {
    /// A plan for modes -N/2 .. (N-1)/2 along every axis, x first; it has no points yet.
    pub fn new(modes: &[usize], settings: &Settings) -> Result<Self, Error> {
        check_modes(modes)?;
        let window = Window::new(settings.window, settings.tolerance, settings.oversampling, modes)?;
        settings.check_reach::<T>()?;
        Self::with_window(modes, settings, window)
    }

    fn with_window(modes: &[usize], settings: &Settings, window: Window) -> Result<Self, Error> {
        let width = window.width;
        let fine = |modes: &usize| ((window.oversampling * *modes as f64).ceil() as usize).max(2 * width);
        let least: Vec<usize> = modes.iter().map(fine).collect();
        // Before anything is done with large numbers.
        settings.check_memory(&least, &least, modes, size_of::<Complex<T>>())?;
        check_count(&least)?;
        let n: Vec<usize> = least.into_iter().map(smooth).collect();
        let lanes = Lanes::new(&window.polynomials, width);
        // A window begins at most at n of the padded points, and its vector is `lanes` long.
        let padded: Vec<usize> =
            n.iter().enumerate().map(|(a, n)| n + if a == 0 { lanes.lanes } else { width }).collect();
        settings.check_memory(&n, &padded, modes, size_of::<Complex<T>>())?;
        check_count(&padded)?;
        let axes = T::transforms(&n).into_iter().zip(&n).zip(modes);
        let axes = axes.map(|((transforms, &n), &modes)| Axis::new(transforms, n, &window.factors(modes, n)));
        let axes: Vec<_> = axes.collect();
        let settings = settings.clone();
        let design = Design { settings, window, lanes, axes, padded };
        design.check_memory()?;
        Ok(Self { design: Arc::new(design), places: Places::none(modes.len()) })
    }

    /// The window.
    pub fn window(&self) -> &Window {
        &self.design.window
    }

    /// Fine points of every axis, x first.
    pub fn fine_grid(&self) -> Vec<usize> {
        self.design.axes.iter().map(|axis| axis.n).collect()
    }

    /// Number of modes.
    pub fn modes(&self) -> usize {
        self.design.axes.iter().map(|axis| axis.modes).product()
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.places.len()
    }

    /// Memory for a run.
    pub fn scratch(&self) -> Scratch<T> {
        let (grid, stage) = self.design.sizes();
        let zero = Complex::default();
        Scratch { grid: vec![[T::zero(); 2]; grid], stages: [vec![zero; stage], vec![zero; stage]] }
    }

    /// Takes points, radians, an array for each axis, x first; all of them are reduced to one period.
    pub fn set_points(&mut self, points: &[&[f64]]) -> Result<(), Error> {
        let maps: Vec<Map> = self.design.axes.iter().map(|axis| Map::Period(axis.n as f64)).collect();
        (T::loops().sort)(&mut self.places, points, &maps, &self.design.padded, self.design.window.width)
    }

    /// The sum of either type with the sign of the settings: from strengths to modes, or from modes to values.
    pub fn execute(
        &self,
        kind: Type,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<(), Error> {
        self.run(kind, self.exponent(None), input, output, scratch)
    }

    /// The adjoint of [`execute`](Self::execute): the other type with the other sign, from modes to values for type 1.
    pub fn execute_adjoint(
        &self,
        kind: Type,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<(), Error> {
        self.run(kind.other(), self.exponent(None).conjugate(), input, output, scratch)
    }

    /// The sum of either type with i s k of `axis` under it.
    ///
    /// Of type 2 that is the derivative of every value with respect to that coordinate of its point. Of type 1 with strengths
    /// `c_j d_j` it is what the modes change by when the points move by `d_j`. As modes weigh with k, the relative error is up to
    /// sqrt(3) of the tolerance.
    pub fn execute_derivative(
        &self,
        kind: Type,
        axis: usize,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<(), Error> {
        self.run(kind, self.exponent(Some(self.check_axis(axis)?)), input, output, scratch)
    }

    /// The adjoint of [`execute_derivative`](Self::execute_derivative).
    ///
    /// For gradients: where a real function L of type 1's modes changes by `Re sum_k conj(g[k]) df[k]`, this makes of g the h
    /// for which L changes by `Re(conj(c_j) h_j)` a radian when point j moves along `axis`.
    pub fn execute_derivative_adjoint(
        &self,
        kind: Type,
        axis: usize,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<(), Error> {
        let exponent = self.exponent(Some(self.check_axis(axis)?)).conjugate();
        self.run(kind.other(), exponent, input, output, scratch)
    }

    fn exponent(&self, derivative: Option<usize>) -> Exponent {
        Exponent { positive: self.design.settings.sign.is_positive(), derivative }
    }

    fn check_axis(&self, axis: usize) -> Result<usize, Error> {
        let axes = self.design.axes.len();
        if axis < axes { Ok(axis) } else { Err(Error::Axis { axis, axes }) }
    }

    /// Right-hand sides one after the other.
    fn run(
        &self,
        kind: Type,
        exponent: Exponent,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<(), Error> {
        let (modes, points) = (self.modes(), self.points());
        let (values, f) = match kind {
            Type::One => (input.len(), output.len()),
            Type::Two => (output.len(), input.len()),
        };
        let batch = f / modes;
        if !f.is_multiple_of(modes) || batch == 0 {
            return Err(Error::Length { what: "array of modes", given: f, needed: modes * batch.max(1) });
        }
        if values != batch * points {
            let needed = batch * points;
            return Err(Error::Length { what: "array of values at the points", given: values, needed });
        }
        scratch.check(self.design.sizes())?;
        for i in 0..batch {
            match kind {
                Type::One => {
                    let (c, f) = (&input[i * points..][..points], &mut output[i * modes..][..modes]);
                    self.design.modes_of(&self.places, exponent, c, f, scratch);
                }
                Type::Two => {
                    let (f, c) = (&input[i * modes..][..modes], &mut output[i * points..][..points]);
                    self.design.values_of(&self.places, exponent, f, c, scratch);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
