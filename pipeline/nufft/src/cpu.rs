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

mod bands;
mod parts;
mod points;
mod spread;
mod stages;
mod transform;
pub mod type_3;

use super::design::{Window, smooth};
use super::settings::{check_batch, check_count, check_modes};
use super::{Precision, Result, Settings, Sum, Type};
use num_complex::Complex;
use parts::Design;
pub use parts::Scratch;
pub(super) use points::{Map, Places, check};
pub(super) use spread::Lanes;
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

numerics::compiled! { T: Precision => Plan<T>: new, scratch, set_points, run }

impl<T: Precision> Plan<T> {
    /// A plan for modes -N/2 .. (N-1)/2 along every axis, x first; it has no points yet.
    #[inline(never)]
    pub fn new(modes: &[usize], settings: &Settings) -> Result<Self> {
        check_modes(modes)?;
        let window = Window::new(settings.window, settings.tolerance, settings.oversampling, modes)?;
        settings.check_reach::<T>()?;
        Self::with_window(modes, settings, window)
    }

    fn with_window(modes: &[usize], settings: &Settings, window: Window) -> Result<Self> {
        let width = window.width;
        let fine = |modes: &usize| ((window.oversampling * *modes as f64).ceil() as usize).max(2 * width);
        let least: Vec<usize> = modes.iter().map(fine).collect();
        // Before anything is done with large numbers.
        let needed =
            |n: &[usize], padded: &[usize]| Settings::needed(n, padded, modes, size_of::<Complex<T>>());
        settings.check_memory(&least, needed(&least, &least))?;
        check_count(&least)?;
        let n: Vec<usize> = least.into_iter().map(smooth).collect();
        let lanes = Lanes::new(&window.polynomials, width);
        // A window begins at most at n of the padded points, and its vector is `lanes` long.
        let padded: Vec<usize> =
            n.iter().enumerate().map(|(a, n)| n + if a == 0 { lanes.lanes } else { width }).collect();
        settings.check_memory(&n, needed(&n, &padded))?;
        check_count(&padded)?;
        let axes = T::transforms(&n).into_iter().zip(&n).zip(modes);
        let axes = axes.map(|((transforms, &n), &modes)| Axis::new(transforms, n, &window.factors(modes, n)));
        let axes: Vec<_> = axes.collect();
        let settings = settings.clone();
        let design = Design { settings, window, lanes, axes, padded };
        design.check_memory()?;
        Ok(Self { design: Arc::new(design), places: Places::none(modes.len()) })
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
    #[inline(never)]
    pub fn scratch(&self) -> Scratch<T> {
        let (grid, stage) = self.design.sizes();
        let zero = Complex::default();
        Scratch { grid: vec![[T::zero(); 2]; grid], stages: [vec![zero; stage], vec![zero; stage]] }
    }

    /// Takes points, radians, an array for each axis, x first; all of them are reduced to one period.
    #[inline(never)]
    pub fn set_points(&mut self, points: &[&[f64]]) -> Result<()> {
        let maps: Vec<Map> = self.design.axes.iter().map(|axis| Map::Period(axis.n as f64)).collect();
        self.places.set(points, &maps, &self.design.padded, self.design.window.width)
    }

    /// A sum with the sign of the settings, of right-hand sides one after the other: from strengths to
    /// modes, or from modes to values.
    pub fn execute(
        &self,
        sum: impl Into<Sum>,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<()> {
        self.run(sum.into(), input, output, scratch)
    }

    #[inline(never)]
    fn run(
        &self,
        sum: Sum,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<()> {
        let (kind, exponent) = self.design.settings.resolved(sum, self.design.axes.len())?;
        let (modes, points) = (self.modes(), self.points());
        let batch = check_batch(kind, [input.len(), output.len()], modes, points)?;
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
