//! Between points and the fine grid: spreading strengths, and interpolating values, through the window.
//!
//! The grid is padded: rows of `pitch` pairs (real, imaginary), margins all around, so that no window wraps. A window's row is a
//! vector of W pairs, w rounded up; the polynomials of the cells beyond w are zero, so that these pairs are touched and not changed.

use super::points::{Pitch, Place};
use num_complex::Complex;
use numerics::real::Real;
use numerics::simd::{Kernel, dispatch, multiply_add};

/// The window's polynomials, as wide as a vector.
#[derive(Debug)]
pub struct Lanes<T> {
    /// w.
    pub width: usize,
    /// W: 4, 8, 12, 16 or, for the paper's K = 8, 20.
    pub lanes: usize,
    /// `[power, highest first][W]`.
    polynomials: Vec<T>,
    /// The same with every number twice, for real and imaginary parts, `[power][2 W]`: along x.
    doubled: Vec<T>,
}

impl<T: Real> Lanes<T> {
    /// From `[power][width]`.
    pub fn new(polynomials: &[f64], width: usize) -> Self {
        let lanes = width.next_multiple_of(4);
        let row = |row: &[f64]| {
            let padded = row.iter().copied().chain(std::iter::repeat(0.0));
            padded.take(lanes).map(T::of).collect::<Vec<_>>()
        };
        let polynomials: Vec<T> = polynomials.chunks(width).flat_map(row).collect();
        let doubled = polynomials.iter().flat_map(|a| [*a, *a]).collect();
        Self { width, lanes, polynomials, doubled }
    }
}

/// Points that are taken together.
const CHUNK: usize = 32;

/// Adds the strengths of `places` to a part of the grid that begins with pair `first`.
pub fn spread<T: Real, const AXES: usize>(
    lanes: &Lanes<T>,
    places: &[Place<T, AXES>],
    strengths: &[Complex<T>],
    grid: &mut [[T; 2]],
    first: usize,
    pitch: Pitch,
) {
    dispatch(Spread { lanes, places, strengths, grid, first, pitch });
}

/// The grid's values at `places`: in their order, or by their numbers.
pub fn interpolate<T: Real, const AXES: usize>(
    lanes: &Lanes<T>,
    places: &[Place<T, AXES>],
    grid: &[[T; 2]],
    pitch: Pitch,
    values: &mut [Complex<T>],
    in_order: bool,
) {
    dispatch(Interpolate { lanes, places, grid, pitch, values, in_order });
}

struct Spread<'a, T, const AXES: usize> {
    lanes: &'a Lanes<T>,
    places: &'a [Place<T, AXES>],
    strengths: &'a [Complex<T>],
    grid: &'a mut [[T; 2]],
    first: usize,
    pitch: Pitch,
}

struct Interpolate<'a, T, const AXES: usize> {
    lanes: &'a Lanes<T>,
    places: &'a [Place<T, AXES>],
    grid: &'a [[T; 2]],
    pitch: Pitch,
    values: &'a mut [Complex<T>],
    in_order: bool,
}

/// Calls `$method` compiled for the number of lanes.
macro_rules! specialised {
    ($self:ident, $method:ident, $fma:ident) => {
        match $self.lanes.lanes {
            4 => $self.$method::<$fma, 4>(),
            8 => $self.$method::<$fma, 8>(),
            12 => $self.$method::<$fma, 12>(),
            16 => $self.$method::<$fma, 16>(),
            _ => $self.$method::<$fma, 20>(),
        }
    };
}

/// The windows of a point: along x with every number twice, along y and z.
struct Windows<T, const W: usize> {
    x: Line<T, W>,
    y: [T; W],
    z: [T; W],
}

/// By Horner's rule, side by side.
#[inline(always)]
fn windows<T: Real, const FMA: bool, const AXES: usize, const W: usize>(
    lanes: &Lanes<T>,
    fraction: &[T; AXES],
) -> Windows<T, W> {
    let step = |sums: &mut [T; W], row: &[T; W], s: T| {
        for i in 0..W {
            sums[i] = multiply_add::<T, FMA>(sums[i], s, row[i]);
        }
    };
    let (doubled, _) = lanes.doubled.as_chunks::<W>();
    let (polynomials, _) = lanes.polynomials.as_chunks::<W>();
    let mut found = Windows { x: [doubled[0], doubled[1]], y: polynomials[0], z: polynomials[0] };
    for (row, both) in polynomials.iter().zip(doubled.as_chunks::<2>().0).skip(1) {
        step(&mut found.x[0], &both[0], fraction[0]);
        step(&mut found.x[1], &both[1], fraction[0]);
        if AXES > 1 {
            step(&mut found.y, row, fraction[1]);
        }
        if AXES > 2 {
            step(&mut found.z, row, fraction[2]);
        }
    }
    found
}

/// W pairs as two vectors of W numbers, real and imaginary parts in turn.
type Line<T, const W: usize> = [[T; W]; 2];

/// The two vectors of a row's first W pairs.
#[inline(always)]
fn row_of<T, const W: usize>(row: &mut [[T; 2]]) -> [&mut [T; W]; 2] {
    let (vectors, _) = row[..W].as_flattened_mut().as_chunks_mut::<W>();
    let [low, high] = vectors else { unreachable!("W pairs are two vectors of W") };
    [low, high]
}

/// `row += factor line`.
#[inline(always)]
fn add<T: Real, const FMA: bool, const W: usize>(row: &mut [[T; 2]], factor: T, line: &Line<T, W>) {
    for (row, line) in row_of::<T, W>(row).into_iter().zip(line) {
        for i in 0..W {
            row[i] = multiply_add::<T, FMA>(factor, line[i], row[i]);
        }
    }
}

impl<T: Real, const AXES: usize> Spread<'_, T, AXES> {
    #[inline(always)]
    fn all<const FMA: bool, const W: usize>(mut self) {
        // Strengths lie anywhere in memory: they are fetched side by side, not one after the other.
        let mut strengths = [Complex::default(); CHUNK];
        for places in self.places.chunks(CHUNK) {
            for (place, c) in places.iter().zip(&mut strengths) {
                *c = self.strengths[place.index as usize];
            }
            for (place, c) in places.iter().zip(&strengths) {
                self.one::<FMA, W>(place, *c);
            }
        }
    }

    #[inline(always)]
    fn one<const FMA: bool, const W: usize>(&mut self, place: &Place<T, AXES>, c: Complex<T>) {
        let width = self.lanes.width;
        let windows = windows::<T, FMA, AXES, W>(self.lanes, &place.fraction);
        let mut line = windows.x;
        for half in &mut line {
            for pair in half.as_chunks_mut::<2>().0 {
                *pair = [pair[0] * c.re, pair[1] * c.im];
            }
        }
        let start = place.start as usize - self.first;
        match AXES {
            1 => add::<T, FMA, W>(&mut self.grid[start..], T::one(), &line),
            2 => {
                for (r, y) in windows.y[..width].iter().enumerate() {
                    add::<T, FMA, W>(&mut self.grid[start + r * self.pitch.row..], *y, &line);
                }
            }
            _ => {
                for (s, z) in windows.z[..width].iter().enumerate() {
                    for (r, y) in windows.y[..width].iter().enumerate() {
                        let at = start + s * self.pitch.plane + r * self.pitch.row;
                        add::<T, FMA, W>(&mut self.grid[at..], *y * *z, &line);
                    }
                }
            }
        }
    }
}

impl<T: Real, const AXES: usize> Interpolate<'_, T, AXES> {
    #[inline(always)]
    fn all<const FMA: bool, const W: usize>(self) {
        // Products wait here: summed at once, they would tear the loops over rows into pairs.
        let mut products = [[T::zero(); W]; CHUNK];
        for (chunk, places) in self.places.chunks(CHUNK).enumerate() {
            for (place, products) in places.iter().zip(&mut products) {
                *products = self.products::<FMA, W>(place);
            }
            for (i, (place, products)) in places.iter().zip(&products).enumerate() {
                let mut sums = [T::zero(); 4];
                for four in products.as_chunks::<4>().0 {
                    for i in 0..4 {
                        sums[i] += four[i];
                    }
                }
                let to = if self.in_order { chunk * CHUNK + i } else { place.index as usize };
                self.values[to] = Complex::new(sums[0] + sums[2], sums[1] + sums[3]);
            }
        }
    }

    /// Sums over rows times the window along x, real and imaginary parts in turn.
    #[inline(always)]
    fn products<const FMA: bool, const W: usize>(&self, place: &Place<T, AXES>) -> [T; W] {
        let width = self.lanes.width;
        let windows = windows::<T, FMA, AXES, W>(self.lanes, &place.fraction);
        let start = place.start as usize;
        let mut line: Line<T, W> = [[T::zero(); W]; 2];
        match AXES {
            1 => gather::<T, FMA, W>(&mut line, T::one(), &self.grid[start..]),
            2 => {
                for (r, y) in windows.y[..width].iter().enumerate() {
                    gather::<T, FMA, W>(&mut line, *y, &self.grid[start + r * self.pitch.row..]);
                }
            }
            _ => {
                for (s, z) in windows.z[..width].iter().enumerate() {
                    for (r, y) in windows.y[..width].iter().enumerate() {
                        let at = start + s * self.pitch.plane + r * self.pitch.row;
                        gather::<T, FMA, W>(&mut line, *y * *z, &self.grid[at..]);
                    }
                }
            }
        }
        let [low, high] = windows.x;
        // A loop, and no call with a closure: one that is not inlined would keep the sums in memory.
        let mut products = [T::zero(); W];
        for i in 0..W {
            products[i] = multiply_add::<T, FMA>(line[1][i], high[i], line[0][i] * low[i]);
        }
        products
    }
}

/// `line += factor row`.
#[inline(always)]
fn gather<T: Real, const FMA: bool, const W: usize>(line: &mut Line<T, W>, factor: T, row: &[[T; 2]]) {
    let (vectors, _) = row[..W].as_flattened().as_chunks::<W>();
    for (line, row) in line.iter_mut().zip(vectors) {
        for i in 0..W {
            line[i] = multiply_add::<T, FMA>(factor, row[i], line[i]);
        }
    }
}

impl<T: Real, const AXES: usize> Kernel for Spread<'_, T, AXES> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        specialised!(self, all, FMA);
    }
}

impl<T: Real, const AXES: usize> Kernel for Interpolate<'_, T, AXES> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        specialised!(self, all, FMA);
    }
}
