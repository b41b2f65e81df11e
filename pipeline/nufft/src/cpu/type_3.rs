//! Type 3: from strengths at points to values at targets, neither of them on a grid.
//!
//! ```text
//! f_k  = sum_j c_j exp(i s s_k . x_j)
//! x'   = x - x0,  s' = s - s0                       centred: |x'| <= X, |s'| <= S along every axis
//! b[l] = sum_j c_j exp(i s s0 . x'_j) phi(l - x'_j/d)            spread to n points, d apart      bands
//! v_k  = sum_l b[l] exp(i s l d . s'_k)                          type 2 at the points d s'_k      stages
//! f_k  = v_k exp(i s s_k . x0) / Phi(d s'_k)
//! ```
//! Windows stay within the n points, X/d = (n - w - 1)/2, and frequencies within what the window is good for, d S <= pi/sigma: both are
//! met from n = 2 sigma X S/pi + w + 1 on. Type 2 takes sigma n points again.
//!
//! # Error
//! Points may crowd where the copies of type 2 are strongest, and targets where those of the spreading are; there are as few as two of
//! them. The window is therefore made for the last mode and not for the mean of all, and for half the tolerance, as two of its
//! errors add up along every axis. Coordinates are rounded, as the caller's were: 1e-16 X S is the least error.

use super::super::Error;
use super::super::extents::{self, Extent};
use super::super::settings::{Exponent, product};
use super::bands::{interpolate_all, spread_all};
use super::points::{Map, Places};
use super::{Complex, Plan as Inside, Precision, Result, Scratch as Inner, Settings, Window};

/// A plan of type 3, and the points and targets it was given.
///
/// Right-hand sides are stacked: B times the points, B times the targets. For derivatives with respect to a point, multiply what is at
/// the targets by i s s_k.
#[derive(Clone)]
pub struct Plan<T> {
    settings: Settings,
    window: Window,
    /// Type 2, with the targets for points.
    inside: Inside<T>,
    /// Points that are spread to, x first; those along x with what vectors need.
    padded: Vec<usize>,
    places: Places<T>,
    /// exp(i s s0 . x').
    before: Vec<Complex<T>>,
    /// exp(i s s . x0)/Phi.
    after: Vec<Complex<T>>,
}

/// Memory of a run. What is in it does not matter.
#[derive(Debug, Clone)]
pub struct Scratch<T> {
    inside: Inner<T>,
    grid: Vec<[T; 2]>,
    modes: Vec<Complex<T>>,
    /// Strengths with their phases.
    turned: Vec<Complex<T>>,
}

numerics::compiled! { T: Precision => Plan<T>: new, set_points, scratch, execute, execute_adjoint }

impl<T: Precision> Plan<T> {
    /// A plan for `axes` axes; it has neither points nor targets yet.
    #[inline(never)]
    pub fn new(axes: usize, settings: &Settings) -> Result<Self> {
        let window = extents::made_for_ends(axes, settings)?;
        settings.check_reach::<T>()?;
        Self::made(settings, window, &vec![&[][..]; axes], &vec![&[][..]; axes])
    }

    /// Takes points and targets, an array for each axis, x first; products of the two are radians. The grid follows from their extents,
    /// and is refused where it takes more memory than the settings allow.
    #[inline(never)]
    pub fn set_points(&mut self, points: &[&[f64]], targets: &[&[f64]]) -> Result<()> {
        extents::check(self.padded.len(), points, targets)?;
        *self = Self::made(&self.settings, self.window.clone(), points, targets)?;
        Ok(())
    }

    fn made(settings: &Settings, window: Window, points: &[&[f64]], targets: &[&[f64]]) -> Result<Self> {
        let width = window.width;
        let both = points.iter().zip(targets);
        let extents: Vec<Extent> = both.map(|(x, s)| Extent::new(x, s, &window)).collect();
        within::<T>(&extents, settings, window.oversampling)?;
        let extents: Vec<Extent> = extents.into_iter().map(|extent| extent.smooth(1, 1)).collect();
        let modes: Vec<usize> = extents.iter().map(|extent| extent.n).collect();
        let mut inside = Inside::with_window(&modes, settings, window.clone())?;
        let scaled: Vec<Vec<f64>> = extents.iter().zip(targets).map(|(e, s)| e.scaled(s)).collect();
        inside.set_points(&scaled.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        let mut padded = modes;
        padded[0] += inside.design.lanes.lanes - width;
        let mut places = Places::none(extents.len());
        let maps: Vec<Map> = extents.iter().map(|extent| extent.map()).collect();
        places.set(points, &maps, &padded, width)?;
        let before = extents::before(&extents, points, settings);
        let after = extents::after(&extents, targets, &window, settings);
        Ok(Self { settings: settings.clone(), window, inside, padded, places, before, after })
    }

    /// Fine points of every axis of the type 2 inside, x first.
    pub fn fine_grid(&self) -> Vec<usize> {
        self.inside.fine_grid()
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.before.len()
    }

    /// Number of targets.
    pub fn targets(&self) -> usize {
        self.after.len()
    }

    /// Memory for a run on these points and targets.
    #[inline(never)]
    pub fn scratch(&self) -> Scratch<T> {
        let zero = Complex::default();
        Scratch {
            inside: self.inside.scratch(),
            grid: vec![[T::zero(); 2]; self.padded.iter().product()],
            modes: vec![zero; self.inside.modes()],
            turned: vec![zero; self.points().max(self.targets())],
        }
    }

    /// `f_k = sum_j c_j exp(i s s_k . x_j)`, from strengths to values at the targets.
    #[inline(never)]
    pub fn execute(
        &self,
        strengths: &[Complex<T>],
        values: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<()> {
        for i in 0..self.check(strengths.len(), values.len(), scratch)? {
            let strengths = &strengths[i * self.points()..][..self.points()];
            self.values_of(strengths, &mut values[i * self.targets()..][..self.targets()], scratch);
        }
        Ok(())
    }

    /// The adjoint, `c_j = sum_k f_k exp(-i s s_k . x_j)`, from targets to points.
    #[inline(never)]
    pub fn execute_adjoint(
        &self,
        values: &[Complex<T>],
        strengths: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<()> {
        for i in 0..self.check(strengths.len(), values.len(), scratch)? {
            let values = &values[i * self.targets()..][..self.targets()];
            self.strengths_of(values, &mut strengths[i * self.points()..][..self.points()], scratch);
        }
        Ok(())
    }

    /// Number of right-hand sides.
    fn check(&self, strengths: usize, values: usize, scratch: &Scratch<T>) -> Result<usize> {
        let batch = extents::batch([self.points(), self.targets()], [strengths, values])?;
        let (given, needed) = (scratch.turned.len(), self.points().max(self.targets()));
        if given != needed || scratch.grid.len() != self.padded.iter().product::<usize>() {
            return Err(Error::Length { what: "scratch of another plan", given, needed });
        }
        scratch.inside.check(self.inside.design.sizes())?;
        Ok(batch)
    }

    fn exponent(&self, adjoint: bool) -> Exponent {
        Exponent { positive: self.settings.sign.is_positive() != adjoint, derivative: None }
    }

    /// Rows of the modes and of the grid.
    fn row(&self) -> usize {
        self.inside.design.axes[0].modes
    }

    fn values_of(&self, strengths: &[Complex<T>], values: &mut [Complex<T>], scratch: &mut Scratch<T>) {
        let Scratch { inside, grid, modes, turned } = scratch;
        let design = &self.inside.design;
        for ((turned, c), phase) in turned.iter_mut().zip(strengths).zip(&self.before) {
            *turned = c * phase;
        }
        spread_all(&design.lanes, &self.places, turned, grid, &self.padded);
        for (to, from) in modes.chunks_exact_mut(self.row()).zip(grid.chunks_exact(self.padded[0])) {
            for (to, [re, im]) in to.iter_mut().zip(from) {
                *to = Complex::new(*re, *im);
            }
        }
        design.values_of(&self.inside.places, self.exponent(false), modes, values, inside);
        values.iter_mut().zip(&self.after).for_each(|(value, after)| *value *= after);
    }

    fn strengths_of(&self, values: &[Complex<T>], strengths: &mut [Complex<T>], scratch: &mut Scratch<T>) {
        let Scratch { inside, grid, modes, turned } = scratch;
        let design = &self.inside.design;
        for ((turned, value), after) in turned.iter_mut().zip(values).zip(&self.after) {
            *turned = value * after.conj();
        }
        design.modes_of(&self.inside.places, self.exponent(true), turned, modes, inside);
        for (to, from) in grid.chunks_exact_mut(self.padded[0]).zip(modes.chunks_exact(self.row())) {
            let (row, beyond) = to.split_at_mut(from.len());
            row.iter_mut().zip(from).for_each(|(to, from)| *to = [from.re, from.im]);
            beyond.fill([T::zero(); 2]);
        }
        interpolate_all(&design.lanes, &self.places, grid, &self.padded, strengths);
        strengths.iter_mut().zip(&self.before).for_each(|(c, phase)| *c *= phase.conj());
    }
}

/// Refuses grids that do not fit into memory, the one inside with those of the spreading, before anything is done with large numbers.
fn within<T>(extents: &[Extent], settings: &Settings, oversampling: f64) -> Result<()> {
    let modes: Vec<usize> = extents.iter().map(|extent| extent.n).collect();
    let fine: Vec<usize> = modes.iter().map(|n| (oversampling * *n as f64) as usize).collect();
    let bytes = size_of::<Complex<T>>();
    let inside = Settings::needed(&fine, &fine, &modes, bytes);
    let needed = inside.saturating_add(product(2 * bytes, &modes));
    extents::check_memory(extents, fine, needed, settings)
}

impl Extent {
    /// From coordinates to points of the grid.
    fn map(self) -> Map {
        let (centre, scale, middle) = self.line();
        Map::Line { centre, scale, middle: middle as f64 }
    }
}

#[cfg(test)]
mod tests;
