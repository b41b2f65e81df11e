//! Elements anywhere, brought to an even lattice and back through the window of a NUFFT.
//!
//! ```text
//! spread        g_ij  += a_n phi(i - x_n) phi(j - y_n)
//! interpolate   b_n    = sum_ij phi(i - x_n) phi(j - y_n) h_ij, and its slopes with phi'
//! ```
//! What the lattice radiates follows by FFTs (`power.rs`). Only the part of its period that elements can reach is stored, and slopes come from the same
//! lattice as values: two transforms are enough for the power and all of its gradient, which is that of the power as computed.

use super::series::Split;
use nufft::design::{WIDEST, Window};
use num_complex::Complex;
use numerics::simd::{Kernel, dispatch, multiply_add};

type C = Complex<f64>;

/// The window and the part of the lattice that is stored.
#[derive(Debug, Clone)]
pub struct Gridding {
    width: usize,
    /// `[power, highest first][lane]`: phi of each of the lattice's lines under the window at s in [-1, 1].
    polynomials: Vec<[f64; WIDEST]>,
    /// The same of its slope by s.
    slopes: Vec<[f64; WIDEST]>,
    /// Lines over metres, along x and y.
    scale: [f64; 2],
    /// Lines from the first one to the aperture's centre.
    centre: [f64; 2],
    /// Lines along x and y.
    pub lines: [usize; 2],
}

/// Where an element's window begins, and s along x and y.
#[derive(Debug, Clone, Copy)]
pub struct Spot {
    first: [usize; 2],
    s: [f64; 2],
}

impl Gridding {
    /// For elements within `reach` (m), with lines `step` (m) apart.
    pub fn new(window: &Window, reach: [f64; 2], step: [f64; 2]) -> Self {
        let width = window.width;
        let row = |row: &[f64]| std::array::from_fn(|i| row.get(i).copied().unwrap_or(0.0));
        let polynomials: Vec<[f64; WIDEST]> = window.polynomials.chunks_exact(width).map(row).collect();
        let degree = polynomials.len() - 1;
        let slope = |(i, row): (usize, &[f64; WIDEST])| row.map(|a| a * (degree - i) as f64);
        let slopes = polynomials[..degree].iter().enumerate().map(slope).collect();
        // A window begins half its width before the farthest element, and ends as far behind the other one.
        let half: [f64; 2] =
            [0, 1].map(|axis: usize| (reach[axis] * ROUNDING / step[axis] + 0.5 * width as f64).ceil());
        let lines = half.map(|half| 2 * half as usize + 1);
        Self { width, polynomials, slopes, scale: step.map(|step| 1.0 / step), centre: half, lines }
    }

    /// Where elements are, which lie within reach.
    pub fn spots(&self, x: &[f64], y: &[f64]) -> Vec<Spot> {
        let spot = |(x, y): (&f64, &f64)| {
            let [(i, s), (j, t)] = [(*x, 0), (*y, 1)].map(|(x, axis): (f64, usize)| {
                let start = x * self.scale[axis] + self.centre[axis] - 0.5 * self.width as f64;
                let first = start.ceil().max(0.0);
                let most = (self.lines[axis] - self.width) as f64;
                (first.min(most) as usize, 2.0 * (first - start) - 1.0)
            });
            Spot { first: [i, j], s: [s, t] }
        };
        x.iter().zip(y).map(spot).collect()
    }

    /// Sets the lattice, `[line along y][wide]`, to what elements a spread there.
    pub fn spread(&self, spots: &[Spot], a: &Split, lattice: &mut [C], wide: usize) {
        lattice.fill(C::default());
        dispatch(Spread { gridding: self, spots, a, lattice, wide });
    }

    /// Values of the lattice at the elements, and their slopes along x and y (1/m) where they are wanted.
    pub fn interpolate(
        &self,
        spots: &[Spot],
        lattice: &[C],
        wide: usize,
        values: &mut Split,
        slopes: Option<&mut [Split; 2]>,
    ) {
        dispatch(Interpolate { gridding: self, spots, lattice, wide, values, slopes });
    }
}

/// Positions on the edge of the reach may round beyond it, by what a plan allows.
const ROUNDING: f64 = 1.0 + 1e-11;

/// All lines of a window at s, by Horner's rule.
#[inline(always)]
fn horner<const FMA: bool>(rows: &[[f64; WIDEST]], s: f64) -> [f64; WIDEST] {
    let mut sums = [0.0; WIDEST];
    for row in rows {
        for lane in 0..WIDEST {
            sums[lane] = multiply_add::<_, FMA>(sums[lane], s, row[lane]);
        }
    }
    sums
}

struct Spread<'a> {
    gridding: &'a Gridding,
    spots: &'a [Spot],
    a: &'a Split,
    lattice: &'a mut [C],
    wide: usize,
}

impl Kernel for Spread<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let Self { gridding, spots, a, lattice, wide } = self;
        let width = gridding.width;
        for (spot, (re, im)) in spots.iter().zip(a.re.iter().zip(&a.im)) {
            let [along, down] = spot.s.map(|s| horner::<FMA>(&gridding.polynomials, s));
            let line = along.map(|phi| C::new(phi * re, phi * im));
            for (row, phi) in down[..width].iter().enumerate() {
                let to = &mut lattice[(spot.first[1] + row) * wide + spot.first[0]..][..width];
                for (to, from) in to.iter_mut().zip(&line) {
                    to.re = multiply_add::<_, FMA>(*phi, from.re, to.re);
                    to.im = multiply_add::<_, FMA>(*phi, from.im, to.im);
                }
            }
        }
    }
}

struct Interpolate<'a> {
    gridding: &'a Gridding,
    spots: &'a [Spot],
    lattice: &'a [C],
    wide: usize,
    values: &'a mut Split,
    slopes: Option<&'a mut [Split; 2]>,
}

impl Kernel for Interpolate<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let Self { gridding, spots, lattice, wide, values, mut slopes } = self;
        let width = gridding.width;
        // s falls by 2 where a coordinate rises by a line.
        let scale = gridding.scale.map(|scale| -2.0 * scale);
        for (n, spot) in spots.iter().enumerate() {
            let [along, down] = spot.s.map(|s| horner::<FMA>(&gridding.polynomials, s));
            let rows =
                (0..width).map(|row| &lattice[(spot.first[1] + row) * wide + spot.first[0]..][..width]);
            let value = columns::<FMA>(rows.clone(), &down);
            values.set(n, total(&value, &along));
            if let Some([x, y]) = slopes.as_deref_mut() {
                let [turned, bent] = spot.s.map(|s| horner::<FMA>(&gridding.slopes, s));
                x.set(n, scale[0] * total(&value, &turned));
                y.set(n, scale[1] * total(&columns::<FMA>(rows, &bent), &along));
            }
        }
    }
}

/// The sum of rows, each times its weight.
#[inline(always)]
fn columns<'a, const FMA: bool>(rows: impl Iterator<Item = &'a [C]>, weights: &[f64; WIDEST]) -> [C; WIDEST] {
    let mut sums = [C::new(0.0, 0.0); WIDEST];
    for (row, weight) in rows.zip(weights) {
        for (sum, value) in sums.iter_mut().zip(row) {
            sum.re = multiply_add::<_, FMA>(*weight, value.re, sum.re);
            sum.im = multiply_add::<_, FMA>(*weight, value.im, sum.im);
        }
    }
    sums
}

#[inline(always)]
fn total(values: &[C; WIDEST], weights: &[f64; WIDEST]) -> C {
    values.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::random;
    use super::*;
    use nufft::design::Kind;

    const REACH: [f64; 2] = [0.3, 0.2];
    const WIDE: usize = 64;

    fn gridding() -> Gridding {
        let window = Window::new(Kind::Prolate, 1e-9, 1.5, &[41, 41]).unwrap();
        Gridding::new(&window, REACH, [0.03, 0.02])
    }

    fn lattice(gridding: &Gridding) -> Vec<C> {
        let mut random = random(5);
        (0..gridding.lines[1] * WIDE).map(|_| C::new(random(), random())).collect()
    }

    /// Elements on the very edge of the reach too; sums of 1e4 products, each rounded.
    #[test]
    fn interpolating_is_the_transpose_of_spreading() {
        let (gridding, mut random) = (gridding(), random(2));
        let mut x: Vec<f64> = (0..30).map(|_| REACH[0] * random()).collect();
        let mut y: Vec<f64> = (0..30).map(|_| REACH[1] * random()).collect();
        (x[0], y[0], x[1], y[1]) = (REACH[0], -REACH[1], -REACH[0], REACH[1]);
        let spots = gridding.spots(&x, &y);
        let a = Split { re: (0..30).map(|_| random()).collect(), im: (0..30).map(|_| random()).collect() };
        let h = lattice(&gridding);
        for _ in 0..2 {
            let mut grid = vec![C::new(f64::NAN, f64::NAN); h.len()];
            gridding.spread(&spots, &a, &mut grid, WIDE);
            let mut b = Split { re: vec![f64::NAN; 30], im: vec![f64::NAN; 30] };
            gridding.interpolate(&spots, &h, WIDE, &mut b, None);
            let there: C = grid.iter().zip(&h).map(|(g, h)| g * h).sum();
            let back: C = (0..30).map(|n| C::new(a.re[n], a.im[n]) * C::new(b.re[n], b.im[n])).sum();
            assert!((there - back).norm() < 1e-12 * there.norm(), "{there} {back}");
        }
    }

    /// Central differences over 1e-6 lines, away from where a window takes another line in: rounding is 1e-10 of the values, which are below 10.
    #[test]
    fn slopes_are_those_of_differences() {
        let (gridding, h) = (gridding(), lattice(&gridding()));
        let value = |x: f64, y: f64, slopes: Option<&mut [Split; 2]>| {
            let mut b = Split { re: vec![f64::NAN], im: vec![f64::NAN] };
            gridding.interpolate(&gridding.spots(&[x], &[y]), &h, WIDE, &mut b, slopes);
            C::new(b.re[0], b.im[0])
        };
        for (x, y) in [(0.011, 0.153), (-0.287, 0.004), (0.107, -0.113)] {
            let mut slopes = [(); 2].map(|()| Split { re: vec![f64::NAN], im: vec![f64::NAN] });
            value(x, y, Some(&mut slopes));
            let steps = [(3e-8, 0.0), (0.0, 2e-8)];
            for (slope, (dx, dy)) in slopes.iter().zip(steps) {
                let difference =
                    (value(x + dx, y + dy, None) - value(x - dx, y - dy, None)) / (2.0 * f64::max(dx, dy));
                let apart = (C::new(slope.re[0], slope.im[0]) - difference).norm() * f64::max(dx, dy) * 1e6;
                assert!(apart < 1e-6, "{x} {y}: {difference} {slope:?}");
            }
        }
    }
}
