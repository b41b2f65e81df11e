//! The radiated power P = a^H S a, and S a, from which its gradient follows.
//!
//! On a lattice with even pitches S is a convolution: two FFTs. Elsewhere it is a Fourier series (`design::Spectrum`): elements are spread to an
//! even lattice that is fine enough (`gridding.rs`), and there it is a convolution again, whose transform are the series' coefficients
//! over those of the window.

use super::super::design::{self, Lattice, Spectrum};
use super::super::{Model, Result};
use super::dense::padded;
use super::gridding::{Gridding, Spot};
use super::series::Split;
use nufft::design::{Window, smooth};
use nufft::{self, Sign};
use num_complex::Complex;
use numerics::real::Real;
use rustfft::Fft;
use std::sync::Arc;

type C = Complex<f64>;

/// What does not depend on positions.
pub enum Power {
    /// Elements on an even lattice.
    Convolution(Convolution),
    /// Elements anywhere.
    Series(Series),
}

/// S of elements on a lattice.
pub struct Convolution {
    columns: usize,
    rows: usize,
    transform: Transform,
}

/// S of elements anywhere.
pub struct Series {
    gridding: Gridding,
    transform: Transform,
}

/// A convolution by FFTs, of lines that begin with numbers and end with zeros.
struct Transform {
    /// Points of the FFTs along x and y.
    n: [usize; 2],
    /// Along x and y; forward and inverse.
    fft: Vec<[Arc<dyn Fft<f64>>; 2]>,
    /// Transform of the kernel, `[kx][ky]`.
    weights: Vec<f64>,
    /// kx from 0 on, and the same from the end, that have weights.
    kept: [usize; 2],
}

/// Memory of a run.
#[derive(Default)]
pub struct Room {
    grid: Vec<C>,
    turned: Vec<C>,
    fft: Vec<C>,
}

impl Convolution {
    /// For a lattice with pitches.
    pub fn new(model: &Model, lattice: &Lattice, pitch: [f64; 2]) -> Self {
        let (columns, rows) = (lattice.x.len(), lattice.y.len());
        let design::Convolution { n, weights } = design::Convolution::new(model, lattice, pitch);
        Self { columns, rows, transform: Transform { weights, ..Transform::new(n) } }
    }

    /// P of a, `[row][column]` with padded rows, and S a in the same order.
    fn run(&self, a: &Split, sa: &mut Split, room: &mut Room) -> f64 {
        let (nx, wide) = (self.transform.n[0], padded(self.columns));
        room.grid.resize(self.rows * nx, C::default());
        for (row, to) in room.grid.chunks_exact_mut(nx).enumerate() {
            let (re, im) = (&a.re[row * wide..][..self.columns], &a.im[row * wide..][..self.columns]);
            to[self.columns..].fill(C::default());
            to.iter_mut().zip(re).zip(im).for_each(|((to, re), im)| *to = C::new(*re, *im));
        }
        let power = self.transform.run(self.rows, room);
        for (row, from) in room.grid.chunks_exact(nx).enumerate() {
            for (column, value) in from[..self.columns].iter().enumerate() {
                sa.set(row * wide + column, *value);
            }
        }
        power
    }
}

impl Transform {
    /// Without weights.
    fn new(n: [usize; 2]) -> Self {
        Self { n, fft: f64::transforms(&n), weights: vec![0.0; n[0] * n[1]], kept: [n[0], 0] }
    }

    /// The sum of weights times the squared spectrum of the grid's `rows`, which become the convolution.
    fn run(&self, rows: usize, room: &mut Room) -> f64 {
        let [nx, ny] = self.n;
        let Room { grid, turned, fft } = room;
        turned.resize(nx * ny, C::default());
        let [[forward_x, inverse_x], [forward_y, inverse_y]] = [&self.fft[0], &self.fft[1]];
        let plans = self.fft.iter().flatten();
        fft.resize(plans.map(|plan| plan.get_inplace_scratch_len()).max().unwrap_or(0), C::default());
        forward_x.process_with_scratch(grid, fft);
        turned.chunks_exact_mut(ny).for_each(|line| line[rows..].fill(C::default()));
        transpose(grid, turned, [rows, nx], [nx, ny]);
        let (mut power, [low, high]) = (0.0, self.kept);
        let (first, rest) = turned.split_at_mut(low * ny);
        let (none, last) = rest.split_at_mut((nx - low - high) * ny);
        none.fill(C::default());
        for (part, weights) in [(first, &self.weights[..]), (last, &self.weights[(nx - high) * ny..])] {
            forward_y.process_with_scratch(part, fft);
            for (value, weight) in part.iter_mut().zip(weights) {
                power += weight * value.norm_sqr();
                *value *= weight;
            }
            inverse_y.process_with_scratch(part, fft);
        }
        transpose(turned, grid, [nx, rows], [ny, nx]);
        inverse_x.process_with_scratch(grid, fft);
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
    pub fn new(model: &Model, count: usize, reach: [f64; 2], tolerance: f64) -> Result<Self> {
        let Spectrum { period, modes, weights } =
            Spectrum::new(model.wavelength(), reach, model.pattern.exponent(), tolerance);
        let settings = nufft::Settings::new(tolerance, Sign::Positive).tuned::<f64>(&modes, count)?;
        let window = Window::new(settings.window, tolerance, settings.oversampling, &modes)?;
        let fine = |modes: usize| {
            smooth(((window.oversampling * modes as f64).ceil() as usize).max(2 * window.width))
        };
        let n = modes.map(fine);
        let step = [0, 1].map(|axis: usize| period[axis] / n[axis] as f64);
        let mut transform = Transform::new(n);
        transform.kept = [modes[0] / 2 + 1, modes[0] / 2];
        // Both ways through the window.
        let [along, down] = [0, 1].map(|axis: usize| {
            window.factors(modes[axis], n[axis]).into_iter().map(|factor| factor * factor).collect::<Vec<_>>()
        });
        for (ky, (down, weights)) in down.iter().zip(weights.chunks_exact(modes[0])).enumerate() {
            for (kx, (along, weight)) in along.iter().zip(weights).enumerate() {
                let index = |k: usize, axis: usize| (k + n[axis] - modes[axis] / 2) % n[axis];
                transform.weights[index(kx, 0) * n[1] + index(ky, 1)] = along * down * weight;
            }
        }
        Ok(Self { gridding: Gridding::new(&window, reach, step), transform })
    }

    /// Where elements are.
    pub fn spots(&self, x: &[f64], y: &[f64]) -> Vec<Spot> {
        self.gridding.spots(x, y)
    }

    fn run(
        &self,
        spots: &[Spot],
        a: &Split,
        sa: &mut Split,
        slopes: Option<&mut [Split; 2]>,
        room: &mut Room,
    ) -> f64 {
        let (nx, rows) = (self.transform.n[0], self.gridding.lines[1]);
        room.grid.resize(rows * nx, C::default());
        self.gridding.spread(spots, a, &mut room.grid, nx);
        let power = self.transform.run(rows, room);
        self.gridding.interpolate(spots, &room.grid, nx, sa, slopes);
        power
    }
}

impl Power {
    /// P, S a, and for elements that can move its slopes: what P changes by is 2 Re conj(a_n) (S a)_n' for a step of element n.
    pub fn run(
        &self,
        spots: &[Spot],
        a: &Split,
        sa: &mut Split,
        slopes: Option<&mut [Split; 2]>,
        room: &mut Room,
    ) -> f64 {
        match self {
            Self::Convolution(convolution) => convolution.run(a, sa, room),
            Self::Series(series) => series.run(spots, a, sa, slopes, room),
        }
    }
}
