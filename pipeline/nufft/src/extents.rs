//! What both devices must agree on about type 3: how far points and targets reach, the grid between them, and phases. All in `f64`.

use super::cpu::check as check_coordinates;
use super::design::{Window, smooth};
use super::reference::wave;
use super::settings::check_count;
use super::{Error, Result, Settings};
use num_complex::Complex;
use numerics::real::{Real, ends, rounded};
use std::f64::consts::{PI, TAU};

/// Coordinates and frequencies beyond are refused: their products overflow.
const FARTHEST: f64 = 1e100;
/// Extents below are as good as none: no phase reaches 1e-50 there.
const NEAREST: f64 = 1e-150;
/// Oversampling with which windows reach 1e-14 at the last mode, and do not multiply rounding there.
const MORE: f64 = 3.0;

/// A window whose last mode has half the tolerance, with more oversampling where the given one is not enough.
pub fn made_for_ends(axes: usize, settings: &Settings) -> Result<Window> {
    if !(1..=3).contains(&axes) {
        return Err(Error::Axes(axes));
    }
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

/// Refuses coordinates of points and targets that are none, and other numbers of axes.
pub fn check(axes: usize, points: &[&[f64]], targets: &[&[f64]]) -> Result<()> {
    for given in [points.len(), targets.len()] {
        if given != axes {
            return Err(Error::Length { what: "list of coordinates", given, needed: axes });
        }
    }
    check_coordinates(points, FARTHEST)?;
    check_coordinates(targets, FARTHEST)
}

/// Number of right-hand sides, given how many points and targets there are and how many values at each; of no points, as many as there
/// are values.
pub fn batch([points, targets]: [usize; 2], [strengths, values]: [usize; 2]) -> Result<usize> {
    let batch = strengths.checked_div(points).or(values.checked_div(targets)).unwrap_or(0);
    for (what, given, one) in [
        ("array of values at the points", strengths, points),
        ("array of values at the targets", values, targets),
    ] {
        let needed = batch.max(1) * one;
        if given != needed {
            return Err(Error::Length { what, given, needed });
        }
    }
    Ok(batch)
}

/// One axis of points and targets.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// x0 and s0.
    centres: [f64; 2],
    /// X and S.
    halves: [f64; 2],
    /// w.
    width: usize,
    /// n.
    pub n: usize,
}

impl Extent {
    /// With the fewest points of the grid.
    pub fn new(points: &[f64], targets: &[f64], window: &Window) -> Self {
        let [(x0, x), (s0, s)] = [points, targets].map(middle_and_half);
        let least = (2.0 * window.oversampling * x * s / PI).ceil() as usize;
        let width = window.width;
        Self { centres: [x0, s0], halves: [x, s], width, n: least.saturating_add(width + 2) }
    }

    /// With a number of points for which FFTs are fast, a multiple of `whole` and at least `least`.
    pub fn smooth(self, whole: usize, least: usize) -> Self {
        Self { n: whole * smooth(self.n.max(least).div_ceil(whole)), ..self }
    }

    /// d.
    fn step(self) -> f64 {
        2.0 * self.halves[0] / (self.n - self.width - 1) as f64
    }

    /// From coordinates to points of the grid: x0, 1/d, and the number of the point where x0 is.
    pub fn line(self) -> (f64, f64, usize) {
        (self.centres[0], 1.0 / self.step(), self.n / 2)
    }

    /// The same as an angle of a grid that is one period.
    pub fn angles(self, points: &[f64]) -> Vec<f64> {
        let (centre, scale, middle) = self.line();
        let turn = TAU / self.n as f64;
        points.iter().map(|x| turn * ((x - centre) * scale + middle as f64)).collect()
    }

    /// d s'.
    pub fn scaled(self, targets: &[f64]) -> Vec<f64> {
        targets.iter().map(|s| self.step() * (s - self.centres[1])).collect()
    }
}

fn middle_and_half(values: &[f64]) -> (f64, f64) {
    let [low, high] = ends(values.iter().copied());
    let middle = if values.is_empty() { 0.0 } else { 0.5 * (low + high) };
    (middle, (high - middle).max(middle - low).max(NEAREST))
}

/// Refuses grids that take more than the settings allow, or cannot be numbered; `needed` are bytes, given fine points.
pub fn check_memory(extents: &[Extent], fine: Vec<usize>, needed: u128, settings: &Settings) -> Result<()> {
    let allowed = settings.memory;
    if needed <= allowed {
        return check_count(&fine);
    }
    let extents = extents.iter().map(|extent| extent.halves).collect();
    Err(Error::Extents { extents, grid: fine, needed, allowed })
}

/// exp(i s s0 . x') of every point.
pub fn before<T: Real>(extents: &[Extent], points: &[&[f64]], settings: &Settings) -> Vec<Complex<T>> {
    let s = sign(settings);
    let along = |(extent, x): (&Extent, &&[f64]), j: usize| {
        let [x0, s0] = extent.centres;
        wave(s * s0, x[j] - x0)
    };
    let phase = |j: usize| extents.iter().zip(points).map(|axis| along(axis, j)).product();
    (0..points[0].len()).map(phase).map(rounded).collect()
}

/// exp(i s s . x0)/Phi of every target.
pub fn after<T: Real>(
    extents: &[Extent],
    targets: &[&[f64]],
    window: &Window,
    settings: &Settings,
) -> Vec<Complex<T>> {
    let (s, factor) = (sign(settings), window.series());
    let along = |(extent, target): (&Extent, &&[f64]), k: usize| {
        let [x0, s0] = extent.centres;
        wave(s * target[k], x0).scale(factor.value(extent.step() * (target[k] - s0)))
    };
    let phase = |k: usize| extents.iter().zip(targets).map(|axis| along(axis, k)).product();
    (0..targets[0].len()).map(phase).map(rounded).collect()
}

fn sign(settings: &Settings) -> f64 {
    if settings.sign.is_positive() { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::Sign;
    use super::*;

    /// Windows at the angles stay within a period, and angles are the points of the line.
    #[test]
    fn angles_are_the_line_and_windows_stay_on_the_grid() {
        for (tolerance, axes) in [(1e-2, 1), (1e-6, 2), (1e-13, 3)] {
            let settings = Settings::new(tolerance, Sign::Negative);
            let window = made_for_ends(axes, &settings).unwrap();
            let half = 0.5 * window.width as f64;
            for (centre, x, s) in [(0.0, 1.0, 500.0), (1e3, 40.0, 1.5), (-7.0, 1e-9, 1.0), (0.0, 0.0, 0.0)] {
                let points: Vec<f64> = (-4..=4).map(|i| centre + 0.25 * f64::from(i) * x).collect();
                for (whole, least) in [(1, 1), (8, 2 * window.width)] {
                    let extent = Extent::new(&points, &[-s, s], &window).smooth(whole, least);
                    assert!(extent.n >= least && extent.n.is_multiple_of(whole));
                    let n = extent.n as f64;
                    let (middle, scale, number) = extent.line();
                    for (x, angle) in points.iter().zip(extent.angles(&points)) {
                        let place = angle / TAU * n;
                        let expected = (x - middle) * scale + number as f64;
                        // Three roundings.
                        assert!((place - expected).abs() <= 3.0 * f64::EPSILON * n, "{place} {expected}");
                        let first = (place - half).ceil();
                        assert!(first >= 0.0 && first + 2.0 * half <= n, "{place} of {n}");
                    }
                    let highest = extent.scaled(&[-s, s]).into_iter().fold(0.0, f64::max);
                    assert!(highest <= PI / window.oversampling * (1.0 + 1e-12), "{highest}");
                }
            }
        }
    }
}
