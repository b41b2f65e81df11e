//! The definition of planar holography, in `f64`, by direct sums and without a guard: what the plans are judged by.
//!
//! Formulas and symbols are those of the [parent](super), of [`lpbp`](super::lpbp) and of [`plpbp`](super::plpbp).
//! The predictor is the textbook one (a_m from the reflection coefficients, then the direct recursion), so that it
//! shares no step with the lattice of the plans. Cost: O(n^3) for a grid of n x n.

use super::design::{Field, Grid, KFilter, propagator, vertical_wavenumber};
use super::error::check_length;
use super::{Error, Padding, Settings};
use num_complex::Complex;
use std::f64::consts::TAU;

type C = Complex<f64>;

/// An array of complex numbers, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// `values[y * cols + x]`.
    pub values: Vec<C>,
}

impl Array {
    /// The array of f(y, x).
    pub fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> C) -> Self {
        let values = (0..rows * cols).map(|i| f(i / cols, i % cols)).collect();
        Self { rows, cols, values }
    }

    /// Value at row y and column x.
    pub fn at(&self, y: usize, x: usize) -> C {
        self.values[y * self.cols + x]
    }

    /// Rows and columns exchanged.
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |y, x| self.at(x, y))
    }

    /// Every row replaced by a line of `length` that `f` makes of it.
    fn map_rows(&self, length: usize, f: impl Fn(&[C]) -> Vec<C>) -> Self {
        let values = self.values.chunks(self.cols).flat_map(f).collect();
        Self { rows: self.rows, cols: length, values }
    }
}

/// Burg's predictor: x\[n\] is about -sum a_m x\[n-m\], m = 1..=order.
pub fn burg(x: &[C], order: usize) -> Vec<C> {
    let (mut f, mut b) = (x[1..].to_vec(), x[..x.len() - 1].to_vec());
    let mut a: Vec<C> = Vec::new();
    for _ in 0..order {
        let product: C = f.iter().zip(&b).map(|(f, b)| f * b.conj()).sum();
        let energy: f64 = f.iter().chain(&b).map(C::norm_sqr).sum();
        let k = if energy > 0.0 { -2.0 * product / energy } else { C::ZERO };
        let reversed: Vec<C> = a.iter().rev().map(C::conj).collect();
        a = a.iter().zip(&reversed).map(|(a, r)| a + k * r).chain([k]).collect();
        let next_f = f.iter().zip(&b).map(|(f, b)| f + k * b).skip(1).collect();
        let next_b = f.iter().zip(&b).map(|(f, b)| b + k.conj() * f).take(f.len() - 1).collect();
        (f, b) = (next_f, next_b);
    }
    a
}

/// A line continued by `before` and `after` samples.
pub fn continued(x: &[C], before: usize, after: usize, order: usize) -> Vec<C> {
    let a = burg(x, order);
    let backwards: Vec<C> = x.iter().rev().copied().collect();
    let conjugate: Vec<C> = a.iter().map(C::conj).collect();
    let left = response(&backwards, &conjugate, before);
    left.into_iter().rev().chain(x.iter().copied()).chain(response(x, &a, after)).collect()
}

/// `count` samples of the zero-input response after x.
fn response(x: &[C], a: &[C], count: usize) -> Vec<C> {
    let mut y = x.to_vec();
    for _ in 0..count {
        let next: C = a.iter().zip(y.iter().rev()).map(|(a, y)| a * y).sum();
        y.push(-next);
    }
    y.split_off(x.len())
}

/// The hologram on the padded grid, without a window.
pub fn padded(hologram: &Array, grid: &Grid, padding: Padding) -> Array {
    match padding {
        Padding::Zero => {
            let inside = |y: usize, x: usize| {
                let (y, x) = (y.checked_sub(grid.top())?, x.checked_sub(grid.left())?);
                (y < hologram.rows && x < hologram.cols).then(|| hologram.at(y, x))
            };
            Array::from_fn(grid.rows, grid.cols, |y, x| inside(y, x).unwrap_or(C::ZERO))
        }
        Padding::Lpbp { order } => rows_then_columns(hologram, (grid.rows, grid.cols), order),
        Padding::Plpbp { order } => {
            let a = rows_then_columns(hologram, (grid.rows, grid.cols), order);
            let b = rows_then_columns(&hologram.transposed(), (grid.cols, grid.rows), order).transposed();
            Array::from_fn(grid.rows, grid.cols, |y, x| 0.5 * (a.at(y, x) + b.at(y, x)))
        }
    }
}

fn rows_then_columns(hologram: &Array, (rows, cols): (usize, usize), order: usize) -> Array {
    let widened = |array: &Array, to: usize| {
        let before = (to - array.cols) / 2;
        let after = to - array.cols - before;
        array.map_rows(to, |row| continued(row, before, after, order))
    };
    widened(&widened(hologram, cols).transposed(), rows).transposed()
}

/// The padded array times the window.
pub fn windowed(padded: &Array, grid: &Grid) -> Array {
    let (rows, cols) = grid.windows();
    Array::from_fn(grid.rows, grid.cols, |y, x| padded.at(y, x) * (rows[y] * cols[x]))
}

/// The two-dimensional DFT, exp(-j ..), no scale.
pub fn spectrum(field: &Array) -> Array {
    let dft = |line: &[C]| -> Vec<C> {
        let n = line.len();
        let bin = |k: usize| {
            line.iter().enumerate().map(|(i, x)| x * C::cis(-TAU * (k * i % n) as f64 / n as f64)).sum()
        };
        (0..n).map(bin).collect()
    };
    let along_x = field.map_rows(field.cols, dft);
    along_x.transposed().map_rows(field.rows, dft).transposed()
}

/// k-filter x propagator, and x k_z/(rho c k) for the velocity, of one frequency.
pub fn operator(settings: &Settings, frequency: f64, filter: &KFilter, field: Field) -> Array {
    let (ky, kx) = settings.grid.wavenumbers();
    let (k, medium) = (settings.medium.wavenumber(frequency), &settings.medium);
    Array::from_fn(settings.grid.rows, settings.grid.cols, |y, x| {
        let radial = kx[x].hypot(ky[y]);
        let pressure = filter.gain(radial) * propagator(k, radial, settings.distance());
        match field {
            Field::Pressure => pressure,
            Field::NormalVelocity => {
                pressure * vertical_wavenumber(k, radial) / (medium.density * medium.speed_of_sound * k)
            }
        }
    })
}

/// The sum of the waves of a spectrum at the output's points: inverse DFT, refinement and crop in one.
pub fn result(spectrum: &Array, settings: &Settings) -> Array {
    let (grid, u) = (&settings.grid, settings.refinement);
    let sum = |line: &[C], first: usize, count: usize| -> Vec<C> {
        let n = line.len();
        let at = |i: usize| {
            let position = first as f64 + i as f64 / u as f64;
            line.iter().enumerate().map(|(k, s)| s * wave(k, n, position)).sum::<C>() / n as f64
        };
        (0..count * u).map(at).collect()
    };
    let (rows, cols) = (grid.aperture.rows, grid.aperture.cols);
    let along_x = spectrum.map_rows(cols * u, |line| sum(line, grid.left(), cols));
    along_x.transposed().map_rows(rows * u, |line| sum(line, grid.top(), rows)).transposed()
}

/// Wave k of n at a position in samples: k up to n/2 runs one way, above it the other, and k = n/2 both ways.
fn wave(k: usize, n: usize, position: f64) -> C {
    let phase = |k: f64| TAU * (k * position / n as f64).fract();
    if 2 * k == n {
        C::from(phase(k as f64).cos())
    } else if 2 * k < n {
        C::cis(phase(k as f64))
    } else {
        C::cis(phase(k as f64 - n as f64))
    }
}

/// The whole chain for one hologram, row by row.
pub fn execute(
    settings: &Settings,
    frequency: f64,
    filter: &KFilter,
    field: Field,
    hologram: &[C],
) -> Result<Vec<C>, Error> {
    settings.check()?;
    let aperture = settings.grid.aperture;
    check_length("hologram", hologram.len(), aperture.len())?;
    let hologram = Array { rows: aperture.rows, cols: aperture.cols, values: hologram.to_vec() };
    let mut waves = spectrum(&windowed(&padded(&hologram, &settings.grid, settings.padding), &settings.grid));
    let operator = operator(settings, frequency, filter, field);
    for (wave, h) in waves.values.iter_mut().zip(&operator.values) {
        *wave *= h;
    }
    Ok(result(&waves, settings).values)
}
