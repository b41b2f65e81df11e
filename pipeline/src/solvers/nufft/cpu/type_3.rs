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

use super::super::reference::wave;
use super::points::{Map, Places, check};
use super::stages::Exponent;
use super::{Complex, Error, Plan as Inside, Precision, Scratch as Inner, Settings, Window, smooth};
use std::f64::consts::PI;

/// Coordinates and frequencies beyond are refused: their products overflow.
const FARTHEST: f64 = 1e100;
/// Extents below are as good as none: no phase reaches 1e-50 there.
const NEAREST: f64 = 1e-150;
/// Oversampling with which windows reach 1e-14 at the last mode, and do not multiply rounding there.
const MORE: f64 = 3.0;

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

impl<T: Precision> Plan<T> {
    /// A plan for `axes` axes; it has neither points nor targets yet.
    pub fn new(axes: usize, settings: &Settings) -> Result<Self, Error> {
        if !(1..=3).contains(&axes) {
            return Err(Error::Axes(axes));
        }
        let window = made_for_ends(axes, settings)?;
        Self::made(settings, window, &vec![&[][..]; axes], &vec![&[][..]; axes])
    }

    /// Takes points and targets, an array for each axis, x first; products of the two are radians. The grid follows from their extents,
    /// and is refused where it takes more memory than the settings allow.
    pub fn set_points(&mut self, points: &[&[f64]], targets: &[&[f64]]) -> Result<(), Error> {
        let needed = self.padded.len();
        for given in [points.len(), targets.len()] {
            if given != needed {
                return Err(Error::Length { what: "list of coordinates", given, needed });
            }
        }
        check(points, FARTHEST)?;
        check(targets, FARTHEST)?;
        *self = Self::made(&self.settings, self.window.clone(), points, targets)?;
        Ok(())
    }

    fn made(
        settings: &Settings,
        window: Window,
        points: &[&[f64]],
        targets: &[&[f64]],
    ) -> Result<Self, Error> {
        let width = window.width;
        let both = || points.iter().zip(targets);
        let extents: Vec<Extent> =
            both().map(|(x, s)| Extent::new(x, s, window.oversampling, width)).collect();
        let extents = within::<T>(&extents, settings, window.oversampling)?;
        let modes: Vec<usize> = extents.iter().map(|extent| extent.n).collect();
        let mut inside = Inside::with_window(&modes, settings, window.clone())?;
        let scaled: Vec<Vec<f64>> = extents.iter().zip(targets).map(|(e, s)| e.scaled(s)).collect();
        inside.set_points(&scaled.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        let mut padded = modes;
        padded[0] += inside.design.lanes.lanes - width;
        let mut places = Places::none(extents.len());
        let maps: Vec<Map> = extents.iter().map(|extent| extent.map()).collect();
        (T::loops().sort)(&mut places, points, &maps, &padded, width)?;
        let s = if settings.sign.is_positive() { 1.0 } else { -1.0 };
        let phase = |values: &dyn Fn(usize) -> (f64, f64)| {
            (0..extents.len()).map(values).map(|(k, x)| wave(s * k, x)).product::<Complex<f64>>()
        };
        let before = (0..points[0].len())
            .map(|j| phase(&|a| (extents[a].centres[1], points[a][j] - extents[a].centres[0])));
        let factor = window.series();
        let factors = |k: usize| scaled.iter().map(|y| factor.value(y[k])).product::<f64>();
        let after = (0..targets[0].len())
            .map(|k| phase(&|a| (targets[a][k], extents[a].centres[0])).scale(factors(k)));
        let rounded = |c: Complex<f64>| Complex::new(T::of(c.re), T::of(c.im));
        let (before, after) = (before.map(rounded).collect(), after.map(rounded).collect());
        Ok(Self { settings: settings.clone(), window, inside, padded, places, before, after })
    }

    /// The window.
    pub fn window(&self) -> &Window {
        &self.window
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
    pub fn execute(
        &self,
        strengths: &[Complex<T>],
        values: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<(), Error> {
        self.check(strengths.len(), values.len(), scratch)?;
        for i in 0..self.batch(strengths.len(), values.len()) {
            let strengths = &strengths[i * self.points()..][..self.points()];
            self.values_of(strengths, &mut values[i * self.targets()..][..self.targets()], scratch);
        }
        Ok(())
    }

    /// The adjoint, `c_j = sum_k f_k exp(-i s s_k . x_j)`, from targets to points.
    pub fn execute_adjoint(
        &self,
        values: &[Complex<T>],
        strengths: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) -> Result<(), Error> {
        self.check(strengths.len(), values.len(), scratch)?;
        for i in 0..self.batch(strengths.len(), values.len()) {
            let values = &values[i * self.targets()..][..self.targets()];
            self.strengths_of(values, &mut strengths[i * self.points()..][..self.points()], scratch);
        }
        Ok(())
    }

    /// Right-hand sides; of no points, as many as there are values.
    fn batch(&self, strengths: usize, values: usize) -> usize {
        strengths.checked_div(self.points()).or(values.checked_div(self.targets())).unwrap_or(0)
    }

    fn check(&self, strengths: usize, values: usize, scratch: &Scratch<T>) -> Result<(), Error> {
        let batch = self.batch(strengths, values).max(1);
        for (what, given, one) in [
            ("array of values at the points", strengths, self.points()),
            ("array of values at the targets", values, self.targets()),
        ] {
            if given != batch * one {
                return Err(Error::Length { what, given, needed: batch * one });
            }
        }
        let (given, needed) = (scratch.turned.len(), self.points().max(self.targets()));
        if given != needed || scratch.grid.len() != self.padded.iter().product::<usize>() {
            return Err(Error::Length { what: "scratch of another plan", given, needed });
        }
        scratch.inside.check(self.inside.design.sizes())
    }

    fn exponent(&self) -> Exponent {
        Exponent { positive: self.settings.sign.is_positive(), derivative: None }
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
        (T::loops().spread)(&design.lanes, &self.places, turned, grid, &self.padded);
        for (to, from) in modes.chunks_exact_mut(self.row()).zip(grid.chunks_exact(self.padded[0])) {
            for (to, [re, im]) in to.iter_mut().zip(from) {
                *to = Complex::new(*re, *im);
            }
        }
        design.values_of(&self.inside.places, self.exponent(), modes, values, inside);
        values.iter_mut().zip(&self.after).for_each(|(value, after)| *value *= after);
    }

    fn strengths_of(&self, values: &[Complex<T>], strengths: &mut [Complex<T>], scratch: &mut Scratch<T>) {
        let Scratch { inside, grid, modes, turned } = scratch;
        let design = &self.inside.design;
        for ((turned, value), after) in turned.iter_mut().zip(values).zip(&self.after) {
            *turned = value * after.conj();
        }
        design.modes_of(&self.inside.places, self.exponent().conjugate(), turned, modes, inside);
        for (to, from) in grid.chunks_exact_mut(self.padded[0]).zip(modes.chunks_exact(self.row())) {
            let (row, beyond) = to.split_at_mut(from.len());
            row.iter_mut().zip(from).for_each(|(to, from)| *to = [from.re, from.im]);
            beyond.fill([T::zero(); 2]);
        }
        (T::loops().interpolate)(&design.lanes, &self.places, grid, &self.padded, strengths);
        strengths.iter_mut().zip(&self.before).for_each(|(c, phase)| *c *= phase.conj());
    }
}

/// A window whose last mode has half the tolerance, with more oversampling where the given one is not enough.
fn made_for_ends(axes: usize, settings: &Settings) -> Result<Window, Error> {
    let given = settings.oversampling;
    let design =
        |oversampling| Window::new(settings.window, 0.5 * settings.tolerance, oversampling, &vec![2; axes]);
    let window = design(given).or_else(|error| match error {
        Error::Tolerance { .. } => design(MORE.max(given)),
        _ => Err(error),
    });
    window.map_err(|error| match error {
        Error::Tolerance { window, oversampling, reach, .. } => {
            Error::Tolerance { tolerance: settings.tolerance, window, oversampling, reach: 2.0 * reach }
        }
        other => other,
    })
}

/// Smooth extents, if the grid inside fits into memory with those of the spreading.
fn within<T: Precision>(
    extents: &[Extent],
    settings: &Settings,
    oversampling: f64,
) -> Result<Vec<Extent>, Error> {
    let modes: Vec<usize> = extents.iter().map(|extent| extent.n).collect();
    let fine: Vec<usize> = modes.iter().map(|n| (oversampling * *n as f64) as usize).collect();
    let bytes = size_of::<Complex<T>>();
    let own = modes.iter().fold(2u128, |product, &n| product.saturating_mul(n as u128));
    let inside = Settings::needed(&fine, &fine, &modes, bytes);
    let needed = inside.saturating_add(own.saturating_mul(bytes as u128));
    if needed > settings.memory {
        let extents = extents.iter().map(|extent| extent.halves).collect();
        return Err(Error::Extents { extents, grid: fine, needed, allowed: settings.memory });
    }
    Ok(extents.iter().map(|extent| extent.smooth()).collect())
}

/// One axis of points and targets.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// x0 and s0.
    centres: [f64; 2],
    /// X and S.
    halves: [f64; 2],
    /// w.
    width: usize,
    /// n.
    n: usize,
}

impl Extent {
    fn new(points: &[f64], targets: &[f64], oversampling: f64, width: usize) -> Self {
        let [(x0, x), (s0, s)] = [points, targets].map(middle_and_half);
        let least = (2.0 * oversampling * x * s / PI).ceil() as usize;
        Self { centres: [x0, s0], halves: [x, s], width, n: least.saturating_add(width + 2) }
    }

    /// With a number of points for which FFTs are fast.
    fn smooth(self) -> Self {
        Self { n: smooth(self.n), ..self }
    }

    /// d.
    fn step(self) -> f64 {
        2.0 * self.halves[0] / (self.n - self.width - 1) as f64
    }

    /// From coordinates to points of the grid.
    fn map(self) -> Map {
        Map::Line { centre: self.centres[0], scale: 1.0 / self.step(), middle: (self.n / 2) as f64 }
    }

    /// d s'.
    fn scaled(self, targets: &[f64]) -> Vec<f64> {
        targets.iter().map(|s| self.step() * (s - self.centres[1])).collect()
    }
}

fn middle_and_half(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(-f64::INFINITY, f64::max);
    let middle = if values.is_empty() { 0.0 } else { 0.5 * (low + high) };
    (middle, (high - middle).max(middle - low).max(NEAREST))
}

#[cfg(test)]
mod tests;
