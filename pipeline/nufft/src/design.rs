//! What both devices must agree on: windows, their polynomials and transforms, widths, oversampling, grids. All in `f64`.
//!
//! # Window
//! phi(u) on [-1, 1] is spread over w points of the fine grid, u = 2 t/w at t points from the position. Its transform is
//! Phi(xi), the integral of phi(u) cos(xi u); mode k of n fine points has xi = pi k w/n and is divided by w/2 Phi.
//!
//! # Error
//! What is spread has copies of every mode at k + m n. Relative to the mode itself their power is
//! `A(k)^2 = sum over m != 0 of (Phi(xi + pi m w)/Phi(xi))^2`; for points and strengths without order the relative error of a
//! transform (l2) is the root mean square of A over the modes, for d axes sqrt(d) of it. Widths and bandwidths are chosen by this
//! sum, which has no free constants. Of an even number of modes the first has no partner, and the largest A.
//!
//! | symbol | meaning |
//! |---|---|
//! | N, n | modes and fine points of an axis |
//! | sigma = n/N | oversampling |
//! | w | width of the window, fine points |
//! | c | bandwidth of the prolate window, beta of the exponential of semicircle |

mod copies;
mod prolate;
mod series;

use super::{Error, Result};
use copies::{COPIES, Copies, PLACES};
use numerics::quadrature;
use numerics::special::bessel_i0;
pub use series::Series;
use std::f64::consts::PI;
use std::fmt;

/// Widest window.
pub const WIDEST: usize = 16;
/// Coordinates beyond have no digits left within a period.
pub const FARTHEST: f64 = 1e9;
/// Highest degree of its polynomials.
pub const HIGHEST: usize = 19;
/// Share of the tolerance that copies may take; the rest is for rounding and for data that is not without order.
const SHARE: f64 = 0.8;
/// Share of the error that polynomials may take.
const POLYNOMIALS: f64 = 0.1;
/// Modes that are summed one by one; of more, the sum is an integral.
const FEW: usize = 128;

/// A family of windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Prolate spheroidal wave function of order zero.
    #[default]
    Prolate,
    /// exp(beta (sqrt(1 - u^2) - 1)), of Barnett, Magland and af Klinteberg.
    Semicircle,
    /// The paper's: 2 K + 1 points, an approximation of the prolate one by Kaiser and Bessel.
    Kaiser(usize),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prolate => f.write_str("pswf"),
            Self::Semicircle => f.write_str("es"),
            Self::Kaiser(k) => write!(f, "kaiser:{k}"),
        }
    }
}

/// The function phi.
#[derive(Debug, Clone)]
enum Shape {
    /// Even Legendre coefficients.
    Prolate(Vec<f64>),
    /// beta.
    Semicircle(f64),
    /// K and the paper's alpha.
    Kaiser(f64, f64),
}

impl Shape {
    fn value(&self, u: f64) -> f64 {
        match self {
            Self::Prolate(coefficients) => prolate::value(coefficients, u),
            // The root less 1, without cancelling.
            Self::Semicircle(beta) => (-beta * u * u / (1.0 + (1.0 - u * u).max(0.0).sqrt())).exp(),
            Self::Kaiser(k, alpha) => {
                // Eq. 16 with its misprint mended, 1 at 0; x reaches half a point beyond K.
                let x = u * (k + 0.5);
                let root = (k * k - x * x).abs().sqrt();
                let form = if root < 1e-6 {
                    *alpha
                } else if x.abs() < *k {
                    (alpha * root).sinh() / root
                } else {
                    (alpha * root).sin() / root
                };
                form * k / (alpha * k).sinh()
            }
        }
    }

    /// The paper divides by the transform of its window without ends; other windows have ends.
    fn endless_transform(&self, xi: f64) -> Option<f64> {
        let Self::Kaiser(k, alpha) = self else { return None };
        // x = u (K + 1/2): the integral over x is pi I_0(K sqrt(alpha^2 - w^2)), w = xi/(K + 1/2).
        let w = xi / (k + 0.5);
        let scale = PI * k / (alpha * k).sinh() / (k + 0.5);
        Some(scale * bessel_i0(k * (alpha * alpha - w * w).max(0.0).sqrt()))
    }
}

/// A window for one tolerance and oversampling.
#[derive(Debug, Clone)]
pub struct Window {
    /// Which.
    pub kind: Kind,
    /// Fine points that it covers.
    pub width: usize,
    /// Fine grid over modes that it is made for.
    pub oversampling: f64,
    /// Degree of its polynomials.
    pub degree: usize,
    /// `[power, highest first][cell]`: phi of cell i at s in [-1, 1), u = (2 i + 1 + s)/w - 1.
    pub polynomials: Vec<f64>,
    /// Relative error that copies cause along one axis of many modes.
    pub error: f64,
    shape: Shape,
    /// phi at the nodes, times their weights, and the nodes.
    nodes: Vec<(f64, f64)>,
}

impl Window {
    /// The narrowest window of `kind` whose error for `modes` is within `tolerance`.
    pub fn new(kind: Kind, tolerance: f64, oversampling: f64, modes: &[usize]) -> Result<Self> {
        if !(1.1..=4.0).contains(&oversampling) {
            return Err(Error::Oversampling(oversampling));
        }
        if let Kind::Kaiser(k) = kind {
            // Its width is the user's; the tolerance decides the polynomials alone.
            if !(1..=8).contains(&k) {
                return Err(Error::Kaiser(k));
            }
            let alpha = PI * (2.0 - 1.0 / oversampling) - 0.01;
            let shape = Shape::Kaiser(k as f64, alpha);
            let window =
                Self::of(kind, 2 * k + 1, oversampling, shape, &Copies::new(2 * k + 1, oversampling));
            return Ok(window.with_polynomials(POLYNOMIALS_EXACT));
        }
        // The error of a few modes is a matter of luck: of one, two hundredths are above twice its root mean square.
        let total: f64 = modes.iter().map(|&n| n as f64).product();
        let share = SHARE / (1.0 + 2.0 / total.sqrt());
        let mut best = f64::INFINITY;
        // Errors fall by exp(-pi sqrt(1 - 1/sigma)) for every point of width; the search begins below.
        let fall = PI * (1.0 - 1.0 / oversampling).sqrt();
        let first = ((-tolerance.min(1.0).ln() / fall) as usize).clamp(2, WIDEST);
        for width in first..=WIDEST {
            let found = Self::best_of(kind, width, oversampling);
            let error = found.error_of(modes);
            if error <= share * tolerance {
                // What polynomials miss at w points is like rounding there, and multiplied by the factors.
                let gain = (width as f64).sqrt() * found.mean_factor();
                return Ok(found.with_polynomials(POLYNOMIALS * error.max(0.1 * tolerance) / gain));
            }
            best = best.min(error);
        }
        let reach = best / share;
        Err(Error::Tolerance { tolerance, window: kind.to_string(), oversampling, reach })
    }

    /// The bandwidth with the least error at this width.
    fn best_of(kind: Kind, width: usize, oversampling: f64) -> Self {
        let most = PI * width as f64 * (1.0 - 0.5 / oversampling);
        let copies = Copies::new(width, oversampling);
        let make = |share: f64| {
            let shape = match kind {
                Kind::Semicircle => Shape::Semicircle(share * most),
                _ => Shape::Prolate(prolate::coefficients(share * most)),
            };
            Self::of(kind, width, oversampling, shape, &copies)
        };
        // The error has one minimum near the band that is free of copies.
        let (mut low, mut high) = BANDS;
        let mut found = make(0.5 * (low + high));
        for _ in 0..STEPS {
            let third = (high - low) / 3.0;
            let (left, right) = (make(low + third), make(high - third));
            let better = if left.error < right.error {
                high -= third;
                left
            } else {
                low += third;
                right
            };
            if better.error < found.error {
                found = better;
            }
        }
        found
    }

    fn of(kind: Kind, width: usize, oversampling: f64, shape: Shape, copies: &Copies) -> Self {
        let (nodes, weights) = &copies.rule;
        let nodes: Vec<_> = nodes.iter().zip(weights).map(|(u, w)| (*u, 2.0 * w * shape.value(*u))).collect();
        let mut window =
            Self { kind, width, oversampling, degree: 0, polynomials: Vec::new(), error: 0.0, shape, nodes };
        window.error = copies.error(&window.nodes, window.far(), |xi| window.shape.endless_transform(xi));
        window
    }

    /// phi.
    pub fn value(&self, u: f64) -> f64 {
        self.shape.value(u)
    }

    /// Integral of phi(u) cos(xi u) over [-1, 1].
    pub fn transform(&self, xi: f64) -> f64 {
        self.nodes.iter().map(|(u, phi)| phi * (xi * u).cos()).sum()
    }

    /// Relative error that copies cause in a transform to or from `modes`.
    pub fn error_of(&self, modes: &[usize]) -> f64 {
        let highest = PI * self.width as f64 / (2.0 * self.oversampling);
        let axis = |&n: &usize| {
            if n > FEW {
                // Towards -N/2 the power rises by exp(kappa) a mode: what the sum has more than the integral there.
                let (last, before) = (self.power(highest), self.power(highest * (1.0 - 2.0 / n as f64)));
                let kappa = (last / before).ln().max(1e-6);
                let more = if n.is_multiple_of(2) { 1.0 / (0.5 * kappa).tanh() - 2.0 / kappa } else { 0.0 };
                return self.error.powi(2) + more * last / n as f64;
            }
            // The power is even in k: those from -N/2 on are those up to N/2, and again those before the last.
            let powers: Vec<f64> =
                (0..=n / 2).map(|k| self.power(2.0 * k as f64 / n as f64 * highest)).collect();
            let positive = &powers[1..n.div_ceil(2)];
            (powers.iter().sum::<f64>() + positive.iter().sum::<f64>()) / n as f64
        };
        // Axes are often alike.
        let first = axis(&modes[0]);
        modes.iter().map(|n| if *n == modes[0] { first } else { axis(n) }).sum::<f64>().sqrt()
    }

    /// A(k)^2 at xi.
    fn power(&self, xi: f64) -> f64 {
        let w = self.width as f64;
        let copies = (1..=COPIES).flat_map(|m| [m, -m]);
        let near: f64 = copies.map(|m| self.transform(xi + PI * f64::from(m) * w).powi(2)).sum();
        (near + self.far()) / self.divisor(xi).powi(2)
    }

    /// Power of the copies beyond: the window's ends, 2 phi(1) sin(xi)/xi, half of it squared in the mean, on both sides.
    fn far(&self) -> f64 {
        let sum: f64 = (COPIES + 1..1000).map(|m| 1.0 / f64::from(m).powi(2)).sum();
        (2.0 * self.value(1.0) / (PI * self.width as f64)).powi(2) * sum
    }

    /// What rounding of the fine grid is multiplied by along one axis: its power is the same at all frequencies, that of the modes is not.
    pub fn amplification(&self) -> f64 {
        // phi's energy, with the weights of the nodes found again.
        let energy: f64 = self.nodes.iter().map(|(u, phi)| phi * self.value(*u)).sum();
        (0.5 * self.width as f64 * energy).sqrt() * self.mean_factor()
    }

    /// Root mean square of the factors of many modes.
    fn mean_factor(&self) -> f64 {
        let (places, shares) = quadrature::half_line(PLACES);
        let square = |k: &f64| self.factor(k * PI / self.oversampling).powi(2);
        places.iter().zip(&shares).map(|(k, share)| share * square(k)).sum::<f64>().sqrt()
    }

    /// What a mode is divided by.
    fn divisor(&self, xi: f64) -> f64 {
        self.shape.endless_transform(xi).unwrap_or_else(|| self.transform(xi))
    }

    /// Factors of modes -N/2 .. (N-1)/2 for a fine grid of `n` points: 2/(w Phi).
    pub fn factors(&self, modes: usize, n: usize) -> Vec<f64> {
        // Few one by one; a series of many is as good.
        let series = (modes > FEW).then(|| self.series());
        let factor =
            |frequency| series.as_ref().map_or_else(|| self.factor(frequency), |s| s.value(frequency));
        let first = -((modes / 2) as f64);
        (0..modes).map(|i| factor(2.0 * PI * (first + i as f64) / n as f64)).collect()
    }

    /// The same of a frequency in radians a fine point.
    fn factor(&self, frequency: f64) -> f64 {
        let w = self.width as f64;
        2.0 / (w * self.divisor(0.5 * w * frequency))
    }

    /// Factors of many frequencies that are no modes, up to pi/sigma.
    pub fn series(&self) -> Series {
        Series::new(PI / self.oversampling, |frequency| self.factor(frequency))
    }

    /// The least degree whose polynomials differ from phi by less than `allowed` of its peak.
    fn with_polynomials(mut self, allowed: f64) -> Self {
        let exact = self.samples();
        // Half the width is never enough.
        for degree in (self.width / 2).max(2)..=HIGHEST {
            let polynomials = self.interpolated(degree);
            let worst = self.worst(&exact, &polynomials, degree);
            (self.degree, self.polynomials) = (degree, polynomials);
            if worst <= allowed.max(POLYNOMIALS_EXACT) {
                break;
            }
        }
        self
    }

    /// Polynomials through Chebyshev's points of every cell.
    fn interpolated(&self, degree: usize) -> Vec<f64> {
        let count = degree + 1;
        let mut polynomials = vec![0.0; count * self.width];
        for cell in 0..self.width {
            let node = |i: usize| (PI * (i as f64 + 0.5) / count as f64).cos();
            let values: Vec<f64> = (0..count).map(|i| self.value(self.place(cell, node(i)))).collect();
            // Chebyshev series, then powers of s by its recurrence.
            let (mut before, mut present) = (vec![0.0; count], vec![0.0; count]);
            present[0] = 1.0;
            for k in 0..count {
                let sum: f64 = (0..count)
                    .map(|i| values[i] * (PI * k as f64 * (i as f64 + 0.5) / count as f64).cos())
                    .sum();
                let a = sum * if k == 0 { 1.0 } else { 2.0 } / count as f64;
                for (power, t) in present.iter().enumerate() {
                    polynomials[(degree - power) * self.width + cell] += a * t;
                }
                let double = if k == 0 { 1.0 } else { 2.0 };
                let next = (0..count).map(|p| {
                    let up = if p == 0 { 0.0 } else { double * present[p - 1] };
                    up - if k == 0 { 0.0 } else { before[p] }
                });
                let next: Vec<f64> = next.collect();
                before = std::mem::replace(&mut present, next);
            }
        }
        polynomials
    }

    fn place(&self, cell: usize, s: f64) -> f64 {
        // Rounded once near 0, where phi is steep.
        let w = self.width as f64;
        ((2.0 * cell as f64 + 1.0 - w + s) / w).clamp(-1.0, 1.0)
    }

    /// phi at 41 places of every cell.
    fn samples(&self) -> Vec<f64> {
        let cell =
            |cell: usize| (0..=40).map(move |i| self.value(self.place(cell, f64::from(i) / 20.0 - 1.0)));
        (0..self.width).flat_map(cell).collect()
    }

    /// How far polynomials are from the samples.
    fn worst(&self, samples: &[f64], polynomials: &[f64], degree: usize) -> f64 {
        let mut worst: f64 = 0.0;
        for (cell, samples) in samples.chunks(41).enumerate() {
            for (i, sample) in samples.iter().enumerate() {
                let s = i as f64 / 20.0 - 1.0;
                let sum = (0..=degree).fold(0.0, |sum, p| sum * s + polynomials[p * self.width + cell]);
                worst = worst.max((sum - sample).abs());
            }
        }
        worst
    }
}

/// Rounding of phi itself, of its peak: a series of some twenty terms of up to 4.
const POLYNOMIALS_EXACT: f64 = 3e-15;
/// Bandwidths that are tried, shares of the band without copies, and steps of the search.
const BANDS: (f64, f64) = (0.9, 1.05);
const STEPS: usize = 7;

/// The least number from `least` on without prime factors above 7, for which FFTs are fast.
pub fn smooth(least: usize) -> usize {
    (least.max(1)..)
        .find(|&n| {
            let mut rest = n;
            for prime in [2, 3, 5, 7] {
                while rest.is_multiple_of(prime) {
                    rest /= prime;
                }
            }
            rest == 1
        })
        .unwrap_or(least)
}

#[cfg(test)]
mod tests;
