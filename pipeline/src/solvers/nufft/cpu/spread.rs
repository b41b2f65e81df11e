//! Between points and the fine grid: spreading strengths, and interpolating values, through the window.
//!
//! The grid is padded: rows of `pitch` pairs (real, imaginary), margins all around, so that no window wraps. A window's row is a
//! vector of W pairs, w rounded up; the polynomials of the cells beyond w are zero, so that these pairs are touched and not changed.

use super::points::Place;
use crate::real::Real;
use crate::simd::{Kernel, dispatch, multiply_add};
use num_complex::Complex;

/// The window's polynomials, as wide as a vector.
#[derive(Debug)]
pub struct Lanes<T> {
    /// w.
    pub width: usize,
    /// W: 4, 8, 12 or 16.
    pub lanes: usize,
    /// `[power, highest first][W]`.
    polynomials: Vec<T>,
}

impl<T: Real> Lanes<T> {
    /// From `[power][width]`.
    pub fn new(polynomials: &[f64], width: usize) -> Self {
        let lanes = width.next_multiple_of(4);
        let row =
            |row: &[f64]| (0..lanes).map(|i| T::of(row.get(i).copied().unwrap_or(0.0))).collect::<Vec<_>>();
        Self { width, lanes, polynomials: polynomials.chunks(width).flat_map(row).collect() }
    }
}

/// Where rows and planes of the padded grid begin.
#[derive(Debug, Clone, Copy)]
pub struct Pitch {
    /// Pairs of a row.
    pub row: usize,
    /// Pairs of a plane; of a grid with fewer axes it does not count.
    pub plane: usize,
    /// Axes of the grid.
    pub axes: usize,
}

/// Adds the strengths of `places` to a part of the grid that begins with pair `first`.
pub fn spread<T: Real>(
    lanes: &Lanes<T>,
    places: &[Place<T>],
    strengths: &[Complex<T>],
    grid: &mut [[T; 2]],
    first: usize,
    pitch: Pitch,
) {
    dispatch(Spread { lanes, places, strengths, grid, first, pitch });
}

/// Puts the grid's values at `places` into `values`, by the places' own order.
pub fn interpolate<T: Real>(
    lanes: &Lanes<T>,
    places: &[Place<T>],
    grid: &[[T; 2]],
    pitch: Pitch,
    values: &mut [Complex<T>],
) {
    dispatch(Interpolate { lanes, places, grid, pitch, values });
}

struct Spread<'a, T> {
    lanes: &'a Lanes<T>,
    places: &'a [Place<T>],
    strengths: &'a [Complex<T>],
    grid: &'a mut [[T; 2]],
    first: usize,
    pitch: Pitch,
}

struct Interpolate<'a, T> {
    lanes: &'a Lanes<T>,
    places: &'a [Place<T>],
    grid: &'a [[T; 2]],
    pitch: Pitch,
    values: &'a mut [Complex<T>],
}

/// Calls `$method` compiled for the number of axes and lanes.
macro_rules! specialised {
    ($self:ident, $method:ident, $fma:ident) => {
        match ($self.pitch.axes, $self.lanes.lanes) {
            (1, 4) => $self.$method::<$fma, 1, 4>(),
            (1, 8) => $self.$method::<$fma, 1, 8>(),
            (1, 12) => $self.$method::<$fma, 1, 12>(),
            (1, _) => $self.$method::<$fma, 1, 16>(),
            (2, 4) => $self.$method::<$fma, 2, 4>(),
            (2, 8) => $self.$method::<$fma, 2, 8>(),
            (2, 12) => $self.$method::<$fma, 2, 12>(),
            (2, _) => $self.$method::<$fma, 2, 16>(),
            (_, 4) => $self.$method::<$fma, 3, 4>(),
            (_, 8) => $self.$method::<$fma, 3, 8>(),
            (_, 12) => $self.$method::<$fma, 3, 12>(),
            (_, _) => $self.$method::<$fma, 3, 16>(),
        }
    };
}

/// The window along all axes by Horner's rule, side by side.
#[inline(always)]
fn windows<T: Real, const FMA: bool, const AXES: usize, const W: usize>(
    polynomials: &[[T; W]],
    fraction: &[T; 3],
) -> [[T; W]; AXES] {
    let mut sums = [polynomials[0]; AXES];
    for row in &polynomials[1..] {
        for axis in 0..AXES {
            for (sum, a) in sums[axis].iter_mut().zip(row) {
                *sum = multiply_add::<T, FMA>(*sum, fraction[axis], *a);
            }
        }
    }
    sums
}

/// `row += factor line`.
#[inline(always)]
fn add<T: Real, const FMA: bool, const W: usize>(row: &mut [[T; 2]], factor: T, line: &[[T; 2]; W]) {
    let Some(row) = row.first_chunk_mut::<W>() else { return };
    for (x, y) in row.as_flattened_mut().iter_mut().zip(line.as_flattened()) {
        *x = multiply_add::<T, FMA>(factor, *y, *x);
    }
}

impl<T: Real> Spread<'_, T> {
    #[inline(always)]
    fn all<const FMA: bool, const AXES: usize, const W: usize>(self) {
        let (polynomials, _) = self.lanes.polynomials.as_chunks::<W>();
        let width = self.lanes.width;
        for place in self.places {
            let c = self.strengths[place.index as usize];
            let windows = windows::<T, FMA, AXES, W>(polynomials, &place.fraction);
            let line = windows[0].map(|x| [x * c.re, x * c.im]);
            let start = start::<T, AXES>(place, self.pitch) - self.first;
            match AXES {
                1 => add::<T, FMA, W>(&mut self.grid[start..], T::one(), &line),
                2 => {
                    for (r, y) in windows[1][..width].iter().enumerate() {
                        add::<T, FMA, W>(&mut self.grid[start + r * self.pitch.row..], *y, &line);
                    }
                }
                _ => {
                    for (s, z) in windows[2][..width].iter().enumerate() {
                        for (r, y) in windows[1][..width].iter().enumerate() {
                            let at = start + s * self.pitch.plane + r * self.pitch.row;
                            add::<T, FMA, W>(&mut self.grid[at..], *y * *z, &line);
                        }
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn start<T, const AXES: usize>(place: &Place<T>, pitch: Pitch) -> usize {
    let [x, y, z] = place.cell.map(|cell| cell as usize);
    match AXES {
        1 => x,
        2 => x + y * pitch.row,
        _ => x + y * pitch.row + z * pitch.plane,
    }
}

impl<T: Real> Interpolate<'_, T> {
    #[inline(always)]
    fn all<const FMA: bool, const AXES: usize, const W: usize>(self) {
        let (polynomials, _) = self.lanes.polynomials.as_chunks::<W>();
        let width = self.lanes.width;
        for place in self.places {
            let windows = windows::<T, FMA, AXES, W>(polynomials, &place.fraction);
            let start = start::<T, AXES>(place, self.pitch);
            let mut line = [[T::zero(); 2]; W];
            match AXES {
                1 => gather::<T, FMA, W>(&mut line, T::one(), &self.grid[start..]),
                2 => {
                    for (r, y) in windows[1][..width].iter().enumerate() {
                        gather::<T, FMA, W>(&mut line, *y, &self.grid[start + r * self.pitch.row..]);
                    }
                }
                _ => {
                    for (s, z) in windows[2][..width].iter().enumerate() {
                        for (r, y) in windows[1][..width].iter().enumerate() {
                            let at = start + s * self.pitch.plane + r * self.pitch.row;
                            gather::<T, FMA, W>(&mut line, *y * *z, &self.grid[at..]);
                        }
                    }
                }
            }
            let mut sum = [T::zero(); 2];
            for (pair, x) in line.iter().zip(&windows[0]) {
                sum = [
                    multiply_add::<T, FMA>(*x, pair[0], sum[0]),
                    multiply_add::<T, FMA>(*x, pair[1], sum[1]),
                ];
            }
            self.values[place.index as usize] = Complex::new(sum[0], sum[1]);
        }
    }
}

/// `line += factor row`.
#[inline(always)]
fn gather<T: Real, const FMA: bool, const W: usize>(line: &mut [[T; 2]; W], factor: T, row: &[[T; 2]]) {
    let Some(row) = row.first_chunk::<W>() else { return };
    for (x, y) in line.as_flattened_mut().iter_mut().zip(row.as_flattened()) {
        *x = multiply_add::<T, FMA>(factor, *y, *x);
    }
}

impl<T: Real> Kernel for Spread<'_, T> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        specialised!(self, all, FMA);
    }
}

impl<T: Real> Kernel for Interpolate<'_, T> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        specialised!(self, all, FMA);
    }
}
