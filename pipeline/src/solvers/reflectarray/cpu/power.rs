//! The radiated power P = a^H S a, and S a, from which its gradient follows.
//!
//! On a lattice with even pitches S is a convolution: two FFTs. Anywhere else it is a Fourier series (`design::Spectrum`): a NUFFT of type
//! 1 and its adjoint.

use super::super::design::{self, Lattice, Spectrum};
use super::super::{Error, Model};
use super::dense::padded;
use super::series::Split;
use crate::solvers::nufft::{self, Sign, Type};
use num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use std::f64::consts::TAU;
use std::sync::Arc;

type C = Complex<f64>;

/// What does not depend on positions.
pub enum Power {
    /// Elements on an even lattice.
    Convolution(Convolution),
    /// Elements anywhere.
    Series(Series),
}

/// S as a convolution.
pub struct Convolution {
    columns: usize,
    rows: usize,
    /// Points of the FFTs along x and y.
    n: [usize; 2],
    forward: [Arc<dyn Fft<f64>>; 2],
    inverse: [Arc<dyn Fft<f64>>; 2],
    /// Transform of the kernel, `[kx][ky]`, over n_x n_y.
    weights: Vec<f64>,
}

/// S as a Fourier series.
pub struct Series {
    spectrum: Spectrum,
    plan: nufft::cpu::Plan<f64>,
}

/// Memory of a run.
#[derive(Default)]
pub struct Room {
    grid: Vec<C>,
    turned: Vec<C>,
    fft: Vec<C>,
    points: Vec<C>,
    scratch: Option<nufft::cpu::Scratch<f64>>,
}

impl Convolution {
    /// For a lattice with pitches.
    pub fn new(model: &Model, lattice: &Lattice, pitch: [f64; 2]) -> Self {
        let (columns, rows) = (lattice.x.len(), lattice.y.len());
        let design::Convolution { n, weights } = design::Convolution::new(model, lattice, pitch);
        let mut planner = FftPlanner::new();
        let forward = n.map(|n| planner.plan_fft_forward(n));
        let inverse = n.map(|n| planner.plan_fft_inverse(n));
        Self { columns, rows, n, forward, inverse, weights }
    }

    /// P of a, `[row][column]` with padded rows, and S a in the same order.
    fn run(&self, a: &Split, sa: &mut Split, room: &mut Room) -> f64 {
        let ([nx, ny], wide) = (self.n, padded(self.columns));
        let Room { grid, turned, fft, .. } = room;
        grid.resize(self.rows * nx, C::default());
        turned.resize(nx * ny, C::default());
        let plans = self.forward.iter().chain(&self.inverse);
        fft.resize(plans.map(|plan| plan.get_inplace_scratch_len()).max().unwrap_or(0), C::default());
        for (row, to) in grid.chunks_exact_mut(nx).enumerate() {
            let (re, im) = (&a.re[row * wide..][..self.columns], &a.im[row * wide..][..self.columns]);
            to[self.columns..].fill(C::default());
            to.iter_mut().zip(re).zip(im).for_each(|((to, re), im)| *to = C::new(*re, *im));
        }
        self.forward[0].process_with_scratch(grid, fft);
        turned.chunks_exact_mut(ny).for_each(|line| line[self.rows..].fill(C::default()));
        transpose(grid, turned, [self.rows, nx], [nx, ny]);
        self.forward[1].process_with_scratch(turned, fft);
        let mut power = 0.0;
        for (value, weight) in turned.iter_mut().zip(&self.weights) {
            power += weight * value.norm_sqr();
            *value *= weight;
        }
        self.inverse[1].process_with_scratch(turned, fft);
        transpose(turned, grid, [nx, self.rows], [ny, nx]);
        self.inverse[0].process_with_scratch(grid, fft);
        for (row, from) in grid.chunks_exact(nx).enumerate() {
            for (column, value) in from[..self.columns].iter().enumerate() {
                (sa.re[row * wide + column], sa.im[row * wide + column]) = (value.re, value.im);
            }
        }
        power
    }
}

/// Side of the squares in which arrays are transposed, so that both stay in the cache.
const SQUARE: usize = 8;

/// `to[c][r] = from[r][c]` for as many r and c as `lines` says; lines of `from` and `to` are as long as `wide` says.
fn transpose(from: &[C], to: &mut [C], lines: [usize; 2], wide: [usize; 2]) {
    for top in (0..lines[0]).step_by(SQUARE) {
        let rows = top..(top + SQUARE).min(lines[0]);
        for left in (0..lines[1]).step_by(SQUARE) {
            for c in left..(left + SQUARE).min(lines[1]) {
                for r in rows.clone() {
                    to[c * wide[1] + r] = from[r * wide[0] + c];
                }
            }
        }
    }
}

impl Series {
    /// For elements within `reach` (m) of the centre, right to `tolerance`.
    pub fn new(model: &Model, count: usize, reach: [f64; 2], tolerance: f64) -> Result<Self, Error> {
        let spectrum = Spectrum::new(model.wavelength(), reach, model.pattern.exponent(), tolerance);
        let settings =
            nufft::Settings::new(tolerance, Sign::Positive).tuned::<f64>(&spectrum.modes, count)?;
        let plan = nufft::cpu::Plan::new(&spectrum.modes, &settings)?;
        Ok(Self { spectrum, plan })
    }

    /// The plan with the elements' positions.
    pub fn points(&self, x: &[f64], y: &[f64]) -> Result<nufft::cpu::Plan<f64>, Error> {
        let [along, down] = [0, 1].map(|axis: usize| TAU / self.spectrum.period[axis]);
        let scaled =
            [(x, along), (y, down)].map(|(x, scale)| x.iter().map(|x| x * scale).collect::<Vec<_>>());
        let mut plan = self.plan.clone();
        plan.set_points(&[&scaled[0], &scaled[1]])?;
        Ok(plan)
    }

    fn run(
        &self,
        plan: &nufft::cpu::Plan<f64>,
        a: &Split,
        sa: &mut Split,
        slopes: Option<&mut [Split; 2]>,
        room: &mut Room,
    ) -> Result<f64, Error> {
        let Room { grid, points, scratch, .. } = room;
        let scratch = scratch.get_or_insert_with(|| plan.scratch());
        points.clear();
        points.extend(a.re.iter().zip(&a.im).take(plan.points()).map(|(re, im)| C::new(*re, *im)));
        grid.resize(plan.modes(), C::default());
        plan.execute(Type::One, points, grid, scratch)?;
        let mut power = 0.0;
        for (value, weight) in grid.iter_mut().zip(&self.spectrum.weights) {
            power += weight * value.norm_sqr();
            *value *= weight;
        }
        plan.execute_adjoint(Type::One, grid, points, scratch)?;
        store(points, 1.0, sa);
        for (axis, to) in slopes.into_iter().flatten().enumerate() {
            plan.execute_derivative_adjoint(Type::One, axis, grid, points, scratch)?;
            store(points, TAU / self.spectrum.period[axis], to);
        }
        Ok(power)
    }
}

fn store(values: &[C], scale: f64, to: &mut Split) {
    for ((value, re), im) in values.iter().zip(&mut to.re).zip(&mut to.im) {
        (*re, *im) = (scale * value.re, scale * value.im);
    }
}

impl Power {
    /// P, S a, and for elements that can move its slopes: what P changes by is 2 Re conj(a_n) (S a)_n' for a step of element n.
    pub fn run(
        &self,
        plan: Option<&nufft::cpu::Plan<f64>>,
        a: &Split,
        sa: &mut Split,
        slopes: Option<&mut [Split; 2]>,
        room: &mut Room,
    ) -> Result<f64, Error> {
        match (self, plan) {
            (Self::Convolution(convolution), _) => Ok(convolution.run(a, sa, room)),
            (Self::Series(series), Some(plan)) => series.run(plan, a, sa, slopes, room),
            (Self::Series(series), None) => series.run(&series.plan, a, sa, slopes, room),
        }
    }
}
