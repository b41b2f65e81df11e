//! From strengths to modes and from modes to values, stage by stage.

use super::super::precision::Precision;
use super::super::settings::Exponent;
use super::bands::{interpolate_all, spread_all};
use super::parts::{Design, Scratch};
use super::points::{Places, margin};
use super::transform::{Way, in_blocks, turned};
use num_complex::Complex;
use numerics::real::Real;

impl Exponent {
    fn along(self, axis: usize) -> Way {
        Way { positive: self.positive, derivative: self.derivative == Some(axis) }
    }

    /// The factor i s of a derivative; k is with the factors of the axis.
    fn turn<T: Real>(self, values: &mut [Complex<T>]) {
        if self.derivative.is_some() {
            let s = if self.positive { T::one() } else { -T::one() };
            values.iter_mut().for_each(|v| *v = Complex::new(-s * v.im, s * v.re));
        }
    }
}

impl<T: Precision> Design<T> {
    /// The sum from points to modes.
    pub fn modes_of(
        &self,
        places: &Places<T>,
        exponent: Exponent,
        strengths: &[Complex<T>],
        f: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) {
        spread_all(&self.lanes, places, strengths, &mut scratch.grid, &self.padded);
        let margins = margin(self.window.width);
        let (padded, grid) = (&self.padded, &scratch.grid);
        let n: Vec<usize> = self.axes.iter().map(|axis| axis.n).collect();
        let mut lines: usize = n[1..].iter().product();
        let [from, to] = &mut scratch.stages;
        let x = &self.axes[0];
        let fill = |line: usize, out: &mut [Complex<T>]| fold(grid, padded, &n, margins, line, out);
        if self.axes.len() == 1 {
            // One line is a block by itself.
            x.to_modes(exponent.along(0), lines, f, fill);
            return exponent.turn(f);
        }
        x.to_modes(exponent.along(0), lines, &mut to[..in_blocks(lines) * x.modes], fill);
        std::mem::swap(from, to);
        for (before, pair) in self.axes.windows(2).enumerate() {
            let (shape, axis) = ((lines, pair[0].modes), &pair[1]);
            let outer = lines / axis.n;
            lines = shape.1 * outer;
            let fill = |line: usize, out: &mut [Complex<T>]| {
                turned(from, shape, line / outer, line % outer * axis.n, out)
            };
            let way = exponent.along(before + 1);
            axis.to_modes(way, lines, &mut to[..in_blocks(lines) * axis.modes], fill);
            std::mem::swap(from, to);
        }
        let last = self.axes.last().map_or(1, |axis| axis.modes);
        for (mode, row) in f.chunks_exact_mut(lines).enumerate() {
            turned(from, (lines, last), mode, 0, row);
        }
        exponent.turn(f);
    }

    /// The sum from modes to points.
    pub fn values_of(
        &self,
        places: &Places<T>,
        exponent: Exponent,
        f: &[Complex<T>],
        values: &mut [Complex<T>],
        scratch: &mut Scratch<T>,
    ) {
        let [from, to] = &mut scratch.stages;
        let mut input = f;
        for (number, axis) in self.axes.iter().enumerate().skip(1).rev() {
            let length = input.len() / axis.modes * axis.n;
            axis.to_points(exponent.along(number), input, &mut to[..length]);
            std::mem::swap(from, to);
            input = &from[..length];
        }
        let margins = margin(self.window.width);
        let x = &self.axes[0];
        let rows = self.padded.get(1).copied().unwrap_or(1);
        let wrapped = |padded: usize, n: usize| (padded + n - margins) % n;
        let line_of = |row: usize| match &self.axes[1..] {
            [] => 0,
            [y] => wrapped(row, y.n),
            [y, z, ..] => wrapped(row / rows, z.n) * y.n + wrapped(row % rows, y.n),
        };
        let put = |line: &[Complex<T>], out: &mut [[T; 2]]| unfold(line, margins, out);
        x.each_line(exponent.along(0), input, &mut scratch.grid, self.padded[0], line_of, put);
        interpolate_all(&self.lanes, places, &scratch.grid, &self.padded, values);
        exponent.turn(values);
    }
}

/// A padded row: the last `margin` values of a line, the line, and as much of it again as there is room for.
fn unfold<T: Real>(line: &[Complex<T>], margin: usize, out: &mut [[T; 2]]) {
    let (mut rest, mut at) = (out, line.len() - margin);
    while !rest.is_empty() {
        let (part, after) = rest.split_at_mut(rest.len().min(line.len() - at));
        for (to, from) in part.iter_mut().zip(&line[at..]) {
            *to = [from.re, from.im];
        }
        (rest, at) = (after, 0);
    }
}

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
