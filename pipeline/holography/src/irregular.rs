//! Holograms from microphones anywhere in the plane of the array: the field as a sum of plane waves, fitted to all microphones at
//! once and read on a regular grid. Padding, k-filter and propagation then are those of a regular array.
//!
//! # Formulas
//! ```text
//! p(x)   = sum_k s_k g_k exp(j k . x)                               waves of period L, up to pi/d          A S g
//! s_k^2  = exp(-2 z sqrt(kr^2 - k^2)), 1 where kr <= k; sum 1        their power, before anything is known
//! J(g)   = sum_m w_m |p(x_m) - p_m|^2 + mu |g|^2                    least for
//! (S A^H W A S + mu) g = S A^H W p_m                                by conjugate gradients
//! h(x_i) = p(x_i) on the grid of the aperture
//! ```
//! A is a NUFFT of type 2, its adjoint one of type 1.
//!
//! # Symbols
//! | symbol | meaning | unit |
//! |---|---|---|
//! | x_m, p_m | places and pressures of the microphones | m, Pa |
//! | w_m | density weights, mean 1: the share of the plane that a microphone stands for | |
//! | d, x_i | pitch and points of the grid | m |
//! | L | [`PERIOD`] times what grid and microphones span, along each axis | m |
//! | k, kr | acoustic wavenumber, wavenumber along the array | rad/m |
//! | z | standoff: no source is nearer | m |
//! | mu | variance of a channel's error relative to the field's, [`NUGGET`] | |
//!
//! # Validity
//! The prior is that of [`signal::array::kriging`]: sources that are white at distance z, and waves from everywhere. With equal weights
//! the result is the estimate of least variance from all microphones, where kriging takes the nearest few. The standoff should be a
//! pitch or more: waves shorter than two pitches are not in the sum. Whether the microphones determine a point of the grid at all is
//! asked before, by the variance of kriging, which is an upper bound.
//!
//! For pressures that are a sum of the same waves with coefficients c the fit is within
//! `sum w |h - p|^2 <= mu (|c/s|^2 + sum w |p|^2)`: J at g = c/s bounds its least value, and [`Plan::execute`] stops where J exceeds that
//! by no more than the last term, since J - J_min <= |r|^2/mu for a residual r of the equations.
//!
//! # Cost
//! Two NUFFTs of 4 x microphones modes an iteration, some 50 to 150 iterations a hologram.
//!
//! # References
//! Hald, J. Acoust. Soc. Am. 125, 2165 (2009) (statistically optimised holography: a field from waves fitted to microphones);
//! Hestenes and Stiefel, J. Res. Natl. Bur. Stand. 49, 409 (1952).

use super::Error;
use super::design::Aperture;
use super::error::check_length;
use nufft::{Settings, Sign, Sum, Type, cpu};
use num_complex::Complex;
use signal::array::{self, kriging::NUGGET};
use std::f64::consts::TAU;

type C = Complex<f64>;

/// Period of the waves over what they must cover: with 2 no two microphones are nearer around the period than across it.
pub const PERIOD: f64 = 2.0;
/// Fewest microphones: four by four, less is no picture.
pub const FEWEST: usize = 16;
/// Most waves, for 64 times the largest array.
const MOST_WAVES: f64 = (1u64 << 24) as f64;
/// Tolerance of the transforms: a hundredth of the residual that ends the iterations.
const TOLERANCE: f64 = 0.01 * NUGGET;
/// Iterations at most; the condition of the equations is below (sum of w)/mu, in practice far below.
const MOST_ITERATIONS: usize = 2000;

/// Microphones in a plane.
#[derive(Debug, Clone, Copy)]
pub struct Microphones<'a> {
    /// x and y, m.
    pub positions: &'a [[f64; 2]],
    /// The share of the plane of each, in any unit.
    pub areas: &'a [f64],
}

impl Microphones<'_> {
    fn check(&self) -> Result<(), Error> {
        let count = self.positions.len();
        if count < FEWEST {
            return Err(Error::FewMicrophones { count, fewest: FEWEST });
        }
        check_length("list of areas", self.areas.len(), count)
    }
}

/// What one hologram took, and how near it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Iterations.
    pub iterations: usize,
    /// Field at the microphones against the pressures there: relative error (l2), with the density weights.
    pub misfit: f64,
}

/// The way from one set of microphones to one grid, at some wavenumbers.
pub struct Plan {
    at_microphones: cpu::Plan<f64>,
    at_grid: cpu::Plan<f64>,
    weights: Vec<f64>,
    /// Wavenumbers of the modes along y and x, rad/m.
    ky: Vec<f64>,
    kx: Vec<f64>,
    standoff: f64,
    /// k of each hologram, rad/m.
    wavenumbers: Vec<f64>,
    /// s of the hologram in work.
    prior: Vec<f64>,
    /// S times some coefficients.
    modes: Vec<C>,
    scratch: cpu::Scratch<f64>,
    points: usize,
}

impl Plan {
    /// A plan for the points of `aperture`, whose middle is at `centre`, and one hologram at each of `wavenumbers`.
    pub fn new(
        microphones: Microphones<'_>,
        aperture: &Aperture,
        centre: [f64; 2],
        standoff: f64,
        wavenumbers: &[f64],
    ) -> Result<Self, Error> {
        microphones.check()?;
        let [cols, rows] = [0, 1].map(|axis| waves(&microphones, aperture, centre, axis));
        if cols * rows > MOST_WAVES {
            return Err(Error::Waves { rows, cols, most: MOST_WAVES });
        }
        let (rows, cols) = (rows as usize, cols as usize);
        let (step_y, step_x) = (TAU / (rows as f64 * aperture.pitch), TAU / (cols as f64 * aperture.pitch));
        let without_points = cpu::Plan::new(&[cols, rows], &Settings::new(TOLERANCE, Sign::Positive))?;
        let plan = |positions: &[[f64; 2]]| {
            let x: Vec<f64> = positions.iter().map(|p| (p[0] - centre[0]) * step_x).collect();
            let y: Vec<f64> = positions.iter().map(|p| (p[1] - centre[1]) * step_y).collect();
            let mut plan = without_points.clone();
            plan.set_points(&[&x, &y])?;
            Ok::<_, Error>(plan)
        };
        let Aperture { rows: y, cols: x, pitch: pitch_m } = *aperture;
        let regular = array::Grid { rows: y, cols: x, pitch_m, centre_m: centre };
        let grid: Vec<[f64; 2]> = (0..regular.len()).map(|i| regular.point(i)).collect();
        let mean = microphones.areas.iter().sum::<f64>() / microphones.areas.len() as f64;
        let axis = |n: usize, step: f64| (0..n).map(|i| (i as f64 - (n / 2) as f64) * step).collect();
        Ok(Self {
            at_microphones: plan(microphones.positions)?,
            at_grid: plan(&grid)?,
            weights: microphones.areas.iter().map(|area| area / mean).collect(),
            ky: axis(rows, step_y),
            kx: axis(cols, step_x),
            standoff,
            wavenumbers: wavenumbers.to_vec(),
            prior: vec![0.0; rows * cols],
            modes: vec![C::default(); rows * cols],
            scratch: without_points.scratch(),
            points: grid.len(),
        })
    }

    /// Pressures at the microphones, at wavenumber number `index`, to the hologram `[y][x]`.
    pub fn execute(&mut self, index: usize, pressures: &[C], hologram: &mut [C]) -> Result<Fit, Error> {
        let count = self.wavenumbers.len();
        let k = *self.wavenumbers.get(index).ok_or(Error::Hologram { index, count })?;
        check_length("list of pressures", pressures.len(), self.weights.len())?;
        check_length("hologram", hologram.len(), self.points)?;
        if let Some(microphone) = pressures.iter().position(|p| !p.is_finite()) {
            return Err(Error::MicrophoneNotFinite { hologram: index, microphone });
        }
        self.set_prior(k);
        let (coefficients, fit) = self.solve(index, pressures)?;
        self.weigh(&coefficients);
        self.at_grid.execute(Type::Two, &self.modes, hologram, &mut self.scratch)?;
        Ok(fit)
    }

    /// s at wavenumber `k`.
    fn set_prior(&mut self, k: f64) {
        for (row, ky) in self.prior.chunks_exact_mut(self.kx.len()).zip(&self.ky) {
            for (s, kx) in row.iter_mut().zip(&self.kx) {
                let evanescent = (kx * kx + ky * ky - k * k).max(0.0);
                *s = (-self.standoff * evanescent.sqrt()).exp();
            }
        }
        let total = self.prior.iter().map(|s| s * s).sum::<f64>().sqrt();
        self.prior.iter_mut().for_each(|s| *s /= total);
    }

    /// S g into the modes.
    fn weigh(&mut self, coefficients: &[C]) {
        for ((mode, s), g) in self.modes.iter_mut().zip(&self.prior).zip(coefficients) {
            *mode = g * s;
        }
    }

    /// A S g.
    fn forward(&mut self, coefficients: &[C], values: &mut [C]) -> Result<(), Error> {
        self.weigh(coefficients);
        Ok(self.at_microphones.execute(Type::Two, &self.modes, values, &mut self.scratch)?)
    }

    /// S A^H W v.
    fn backward(&mut self, values: &[C], coefficients: &mut [C]) -> Result<(), Error> {
        let weighted: Vec<C> = values.iter().zip(&self.weights).map(|(v, w)| v * w).collect();
        self.at_microphones.execute(
            Sum::from(Type::Two).adjoint(),
            &weighted,
            coefficients,
            &mut self.scratch,
        )?;
        coefficients.iter_mut().zip(&self.prior).for_each(|(g, s)| *g *= s);
        Ok(())
    }

    /// sum w |v|^2.
    fn power(&self, values: &[C]) -> f64 {
        values.iter().zip(&self.weights).map(|(v, w)| w * v.norm_sqr()).sum()
    }

    /// Conjugate gradients on the normal equations, until |r| is at most mu times the norm of the pressures.
    fn solve(&mut self, hologram: usize, pressures: &[C]) -> Result<(Vec<C>, Fit), Error> {
        let zeros = vec![C::default(); self.prior.len()];
        let (mut g, mut residual, mut image) = (zeros.clone(), zeros.clone(), zeros);
        let mut rest = pressures.to_vec();
        let mut values = vec![C::default(); rest.len()];
        let measured = self.power(pressures);
        self.backward(pressures, &mut residual)?;
        let mut direction = residual.clone();
        let mut square = norm_sqr(&residual);
        for iterations in 0..MOST_ITERATIONS {
            if square <= NUGGET * NUGGET * measured {
                let misfit = if measured > 0.0 { (self.power(&rest) / measured).sqrt() } else { 0.0 };
                return Ok((g, Fit { iterations, misfit }));
            }
            self.forward(&direction, &mut values)?;
            self.backward(&values, &mut image)?;
            let step = square / (self.power(&values) + NUGGET * norm_sqr(&direction));
            rest.iter_mut().zip(&values).for_each(|(r, v)| *r -= v * step);
            for (((g, r), q), i) in g.iter_mut().zip(&mut residual).zip(&direction).zip(&image) {
                *g += q * step;
                *r -= (i + q * NUGGET) * step;
            }
            let before = std::mem::replace(&mut square, norm_sqr(&residual));
            direction.iter_mut().zip(&residual).for_each(|(q, r)| *q = r + *q * (square / before));
        }
        Err(Error::NotConverged { hologram, iterations: MOST_ITERATIONS })
    }
}

fn norm_sqr(values: &[C]) -> f64 {
    values.iter().map(C::norm_sqr).sum()
}

/// Waves along an axis: [`PERIOD`] times what grid and microphones span, in pitches.
fn waves(microphones: &Microphones<'_>, aperture: &Aperture, centre: [f64; 2], axis: usize) -> f64 {
    let half = [aperture.cols, aperture.rows][axis] as f64 / 2.0;
    let reach = |p: &[f64; 2]| (p[axis] - centre[axis]).abs() / aperture.pitch + 0.5;
    // Twice the half.
    (2.0 * PERIOD * microphones.positions.iter().map(reach).fold(half, f64::max)).ceil()
}

#[cfg(test)]
mod tests;
