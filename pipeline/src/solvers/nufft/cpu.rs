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
//! the sum at a fine point is always in the same order: results are the same bits with any number of threads. Points are sorted and
//! interpolated by one.

mod points;
mod spread;
mod transform;

use super::design::{Window, smooth};
use super::{Error, Settings};
use crate::real::Real;
use num_complex::Complex;
use points::{BIN, Place, margin, sort};
use rayon::prelude::*;
use rustfft::FftPlanner;
use spread::{Lanes, Pitch, interpolate, spread};
use transform::{Axis, BLOCK, turned};

/// A plan for one set of modes.
pub struct Plan<T: Real> {
    settings: Settings,
    window: Window,
    lanes: Lanes<T>,
    axes: Vec<Axis<T>>,
    /// Padded points of every axis, x first.
    padded: Vec<usize>,
    pitch: Pitch,
    places: Vec<Place<T>>,
    unsorted: Vec<Place<T>>,
    /// Padded fine grid.
    grid: Vec<[T; 2]>,
    /// Results of the stages in turn.
    stages: [Vec<Complex<T>>; 2],
}

impl<T: Real> Plan<T> {
    /// A plan for modes -N/2 .. (N-1)/2 along every axis, x first.
    pub fn new(modes: &[usize], settings: &Settings) -> Result<Self, Error> {
        if !(1..=3).contains(&modes.len()) {
            return Err(Error::Axes(modes.len()));
        }
        if let Some(axis) = modes.iter().position(|&n| n == 0) {
            return Err(Error::Modes { axis });
        }
        let window = Window::new(settings.window, settings.tolerance, settings.oversampling, modes)?;
        let width = window.width;
        let fine = |modes: &usize| ((settings.oversampling * *modes as f64).ceil() as usize).max(2 * width);
        let least: Vec<usize> = modes.iter().map(fine).collect();
        // Before anything is done with large numbers.
        settings.check_memory(&least, &least, modes, size_of::<Complex<T>>())?;
        let n: Vec<usize> = least.into_iter().map(smooth).collect();
        let lanes = Lanes::new(&window.polynomials, width);
        // A window begins at most at n of the padded points, and its vector is `lanes` long.
        let padded: Vec<usize> =
            n.iter().enumerate().map(|(a, n)| n + if a == 0 { lanes.lanes } else { width }).collect();
        settings.check_memory(&n, &padded, modes, size_of::<Complex<T>>())?;
        let mut planner = FftPlanner::new();
        let axes = n.iter().zip(modes);
        let axes: Vec<_> =
            axes.map(|(&n, &modes)| Axis::new(&mut planner, n, &window.factors(modes, n))).collect();
        let row = padded[0];
        let pitch = Pitch { row, plane: row * padded.get(1).unwrap_or(&1), axes: n.len() };
        // The longest array of a stage, in both directions: N modes of x at all fine points of the others; of one axis, all modes. In whole
        // blocks.
        let first = n[1..].iter().product::<usize>().next_multiple_of(BLOCK) * modes[0];
        let last = modes.iter().product::<usize>() + BLOCK * modes.iter().max().unwrap_or(&1);
        let longest = first.max(last);
        let stages = [vec![Complex::default(); longest], vec![Complex::default(); longest]];
        let grid = vec![[T::zero(); 2]; padded.iter().product()];
        let settings = settings.clone();
        Ok(Self {
            settings,
            window,
            lanes,
            axes,
            padded,
            pitch,
            places: Vec::new(),
            unsorted: Vec::new(),
            grid,
            stages,
        })
    }

    /// The window.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Fine points of every axis, x first.
    pub fn fine_grid(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.n).collect()
    }

    /// Number of modes.
    pub fn modes(&self) -> usize {
        self.axes.iter().map(|axis| axis.modes).product()
    }

    /// Takes points, radians, an array for each axis, x first; all of them are reduced to one period.
    pub fn set_points(&mut self, points: &[&[f64]]) -> Result<(), Error> {
        if points.len() != self.axes.len() {
            return Err(Error::Length {
                what: "list of coordinates",
                given: points.len(),
                needed: self.axes.len(),
            });
        }
        for coordinates in points {
            let (given, needed) = (coordinates.len(), points[0].len());
            if given != needed {
                return Err(Error::Length { what: "array of coordinates", given, needed });
            }
        }
        let n = self.fine_grid();
        let result = sort(points, &n, self.window.width, &mut self.unsorted, &mut self.places);
        // Half a set of points is none.
        result.inspect_err(|_| self.places.clear())
    }

    /// Type 1, `f[k] = sum_j c_j exp(i s k . x_j)`, with the sign of the settings.
    pub fn type_1(&mut self, strengths: &[Complex<T>], f: &mut [Complex<T>]) -> Result<(), Error> {
        self.modes_of(self.settings.sign.is_positive(), strengths, f)
    }

    /// Type 2, `c_j = sum_k f[k] exp(i s k . x_j)`, with the sign of the settings.
    pub fn type_2(&mut self, f: &[Complex<T>], values: &mut [Complex<T>]) -> Result<(), Error> {
        self.values_of(self.settings.sign.is_positive(), f, values)
    }

    /// Adjoint of [`type_1`](Self::type_1): type 2 with the other sign.
    pub fn adjoint_1(&mut self, f: &[Complex<T>], values: &mut [Complex<T>]) -> Result<(), Error> {
        self.values_of(!self.settings.sign.is_positive(), f, values)
    }

    /// Adjoint of [`type_2`](Self::type_2): type 1 with the other sign.
    pub fn adjoint_2(&mut self, values: &[Complex<T>], f: &mut [Complex<T>]) -> Result<(), Error> {
        self.modes_of(!self.settings.sign.is_positive(), values, f)
    }

    fn check(&self, values: usize, f: usize) -> Result<(), Error> {
        let count = self.places.len();
        if values != count {
            return Err(Error::Length {
                what: "array of values at the points",
                given: values,
                needed: count,
            });
        }
        if f != self.modes() {
            return Err(Error::Length { what: "array of modes", given: f, needed: self.modes() });
        }
        Ok(())
    }

    fn modes_of(
        &mut self,
        positive: bool,
        strengths: &[Complex<T>],
        f: &mut [Complex<T>],
    ) -> Result<(), Error> {
        self.check(strengths.len(), f.len())?;
        self.spread(strengths);
        let margins = margin(self.window.width);
        let (padded, grid) = (&self.padded, &self.grid);
        let n: Vec<usize> = self.axes.iter().map(|axis| axis.n).collect();
        let mut lines: usize = n[1..].iter().product();
        let [from, to] = &mut self.stages;
        let x = &self.axes[0];
        let fill = |line: usize, out: &mut [Complex<T>]| fold(grid, padded, &n, margins, line, out);
        x.to_modes(positive, lines, &mut to[..lines.next_multiple_of(BLOCK) * x.modes], fill);
        std::mem::swap(from, to);
        for (before, axis) in self.axes.iter().zip(&self.axes[1..]) {
            let outer = lines / axis.n;
            lines = before.modes * outer;
            let fill = |line: usize, out: &mut [Complex<T>]| {
                turned(from, before.modes, line / outer, line % outer * axis.n, out)
            };
            axis.to_modes(positive, lines, &mut to[..lines.next_multiple_of(BLOCK) * axis.modes], fill);
            std::mem::swap(from, to);
        }
        let last = self.axes.last().map_or(1, |axis| axis.modes);
        for (mode, row) in f.chunks_exact_mut(lines).enumerate() {
            turned(from, last, mode, 0, row);
        }
        Ok(())
    }

    fn values_of(
        &mut self,
        positive: bool,
        f: &[Complex<T>],
        values: &mut [Complex<T>],
    ) -> Result<(), Error> {
        self.check(values.len(), f.len())?;
        let [from, to] = &mut self.stages;
        let mut input = f;
        for axis in self.axes[1..].iter().rev() {
            let length = input.len() / axis.modes * axis.n;
            axis.to_points(positive, input, &mut to[..length]);
            std::mem::swap(from, to);
            input = &from[..length];
        }
        let n: Vec<usize> = self.axes.iter().map(|axis| axis.n).collect();
        let margins = margin(self.window.width);
        let x = &self.axes[0];
        let rows = self.padded.get(1).copied().unwrap_or(1);
        let wrapped = |padded: usize, n: usize| (padded + n - margins) % n;
        let line_of = |row: usize| match n[1..] {
            [] => 0,
            [y] => wrapped(row, y),
            [y, z, ..] => wrapped(row / rows, z) * y + wrapped(row % rows, y),
        };
        let put = |line: &[Complex<T>], out: &mut [[T; 2]]| {
            let ends = line[x.n - margins..].iter().chain(line.iter().cycle());
            for (to, from) in out.iter_mut().zip(ends) {
                *to = [from.re, from.im];
            }
        };
        x.each_line(positive, input, &mut self.grid, self.pitch.row, line_of, put);
        self.interpolate(values);
        Ok(())
    }

    fn spread(&mut self, strengths: &[Complex<T>]) {
        self.grid.fill([T::zero(); 2]);
        let axis = self.axes.len() - 1;
        // Whole bins, no narrower than a window.
        let steps = self.padded[axis].div_ceil(BANDS).max(self.lanes.lanes).next_multiple_of(BIN[axis]);
        let size = steps * [1, self.pitch.row, self.pitch.plane][axis];
        let (lanes, places, pitch) = (&self.lanes, &self.places, self.pitch);
        let band = |band: usize| {
            let bound = |band: usize| places.partition_point(|p| p.cell[axis] as usize / steps < band);
            &places[bound(band)..bound(band + 1)]
        };
        for parity in 0..2 {
            let begin = (parity * size).min(self.grid.len());
            let work = |(i, part): (usize, &mut [[T; 2]])| {
                let number = 2 * i + parity;
                spread(lanes, band(number), strengths, part, number * size, pitch);
            };
            let parts = &mut self.grid[begin..];
            if places.len() < PARALLEL || rayon::current_num_threads() == 1 {
                parts.chunks_mut(2 * size).enumerate().for_each(work);
            } else {
                parts.par_chunks_mut(2 * size).enumerate().for_each(work);
            }
        }
    }

    fn interpolate(&self, values: &mut [Complex<T>]) {
        interpolate(&self.lanes, &self.places, &self.grid, self.pitch, values);
    }
}

/// Bands of the outermost axis, at most: even and odd ones of eight threads.
const BANDS: usize = 16;
/// Points below which threads cost more than they save.
const PARALLEL: usize = 10_000;

/// Sums the padded rows that belong to a line, with their ends.
fn fold<T: Real>(
    grid: &[[T; 2]],
    padded: &[usize],
    n: &[usize],
    margin: usize,
    line: usize,
    out: &mut [Complex<T>],
) {
    out.fill(Complex::default());
    let row = padded[0];
    let copies = |at: usize, n: usize, padded: usize| {
        // Padded places of fine point `at`.
        let first = (at + margin) % n;
        (first..padded).step_by(n)
    };
    let mut add = |from: &[[T; 2]]| {
        let mut rest = from;
        let mut at = n[0] - margin;
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.len().min(n[0] - at));
            for (to, [re, im]) in out[at..].iter_mut().zip(part) {
                *to = Complex::new(to.re + *re, to.im + *im);
            }
            (rest, at) = (after, 0);
        }
    };
    match n[1..] {
        [] => add(&grid[..row]),
        [y] => copies(line, y, padded[1]).for_each(|y| add(&grid[y * row..][..row])),
        [y, z, ..] => {
            for zp in copies(line / y, z, padded[2]) {
                for yp in copies(line % y, y, padded[1]) {
                    add(&grid[(zp * padded[1] + yp) * row..][..row]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
