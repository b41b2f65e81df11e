//! Edges against an independent solution: currents on an infinitely long strip by the method of moments, in
//! two dimensions.
//!
//! Integral equation with Hankel's function of order 0 on x = a cos theta: its logarithm against cosines is
//! known in closed form, the rest is smooth, so that the method converges faster than any power of the number
//! of nodes.

use crate::field::Receiver;
use crate::wedge::surface::Reach;
use crate::wedge::{Face, Wedge};
use num_complex::Complex;
use numerics::vec3::Vec3;
use std::f64::consts::PI;

type C = Complex<f64>;

const EULER: f64 = 0.577_215_664_901_532_9;

/// J_0 and Y_0 - 2/pi ln(z) J_0: power series up to 14, Hankel's asymptotic series beyond.
fn bessel(z: f64) -> [f64; 2] {
    let log = 2.0 / PI * z.max(1e-300).ln();
    if z < 14.0 {
        let (mut term, mut j, mut y, mut harmonic) = (1.0, 0.0, 0.0, 0.0);
        for m in 0..60 {
            j += term;
            y -= term * harmonic;
            harmonic += 1.0 / f64::from(m + 1);
            term *= -0.25 * z * z / f64::from((m + 1) * (m + 1));
        }
        return [j, 2.0 / PI * ((EULER - 2f64.ln()) * j + y)];
    }
    let (mut term, mut sum) = (C::new(1.0, 0.0), C::default());
    for m in 0..18 {
        sum += term;
        let odd = f64::from(2 * m + 1);
        term *= C::new(0.0, -1.0) * (odd * odd / (8.0 * f64::from(m + 1) * z));
    }
    // H of the first kind.
    let hankel = sum * C::from_polar((2.0 / (PI * z)).sqrt(), z - 0.25 * PI);
    [hankel.re, hankel.im - log * hankel.re]
}

/// Gauss's elimination of several right sides.
fn solve(mut matrix: Vec<Vec<C>>, mut right: Vec<Vec<C>>) -> Vec<Vec<C>> {
    let size = matrix.len();
    for i in 0..size {
        let pivot = (i..size).max_by(|a, b| matrix[*a][i].norm().total_cmp(&matrix[*b][i].norm())).unwrap();
        matrix.swap(i, pivot);
        right.iter_mut().for_each(|side| side.swap(i, pivot));
        for row in i + 1..size {
            let factor = matrix[row][i] / matrix[i][i];
            let (above, below) = matrix.split_at_mut(row);
            (i..size).for_each(|k| below[0][k] -= factor * above[i][k]);
            right.iter_mut().for_each(|side| {
                let from = side[i];
                side[row] -= factor * from;
            });
        }
    }
    for side in &mut right {
        for i in (0..size).rev() {
            let known: C = (i + 1..size).map(|k| matrix[i][k] * side[k]).sum();
            side[i] = (side[i] - known) / matrix[i][i];
        }
    }
    right
}

/// Nodes on a strip from -a to a: theta, and x = a cos theta.
struct Nodes {
    k: f64,
    a: f64,
    theta: Vec<f64>,
    x: Vec<f64>,
}

impl Nodes {
    fn new(k: f64, a: f64) -> Self {
        let count = 40 + (4.0 * k * a) as usize;
        let theta: Vec<f64> = (0..count).map(|i| PI * (i as f64 + 0.5) / count as f64).collect();
        let x = theta.iter().map(|theta| a * theta.cos()).collect();
        Self { k, a, theta, x }
    }

    fn weight(&self) -> f64 {
        PI / self.theta.len() as f64
    }

    /// Integral of Hankel's function of the second kind against a current, at node i: the part of node l.
    fn entry(&self, i: usize, l: usize) -> C {
        let weight = self.weight();
        let [j, rest] = bessel(self.k * (self.x[i] - self.x[l]).abs());
        // ln|cos theta - cos theta'| against cosines: -pi ln 2 and -pi/m cos(m theta).
        let term = |m: f64| (m * self.theta[i]).cos() * (m * self.theta[l]).cos() / m;
        let series: f64 = (1..self.theta.len()).map(|m| term(m as f64)).sum();
        let log = (self.k * self.a).ln() - 2f64.ln() - 2.0 * series;
        C::new(j, -2.0 / PI * j * log - rest) * weight
    }

    /// The currents that make these fields.
    fn currents(&self, fields: [&dyn Fn(f64) -> C; 3]) -> Vec<Vec<C>> {
        let count = self.theta.len();
        let matrix = (0..count).map(|i| (0..count).map(|l| self.entry(i, l)).collect()).collect();
        solve(matrix, fields.map(|field| self.x.iter().map(|x| field(*x)).collect()).to_vec())
    }

    /// A current at theta = 0 (sign 1) or pi (sign -1), by its series of cosines.
    fn end(&self, current: &[C], sign: f64) -> C {
        let part = |(l, current): (usize, &C)| {
            let term = |m: usize| (m as f64 * self.theta[l]).cos() * sign.powi(m as i32);
            current * ((1.0 + 2.0 * (1..self.theta.len()).map(term).sum::<f64>()) / self.theta.len() as f64)
        };
        current.iter().enumerate().map(part).sum()
    }

    /// What a current radiates towards an azimuth.
    fn radiates(&self, current: &[C], to: f64) -> C {
        let wave = |x: &f64| C::from_polar(self.weight(), self.k * x * to.cos());
        self.x.iter().zip(current).map(|(x, current)| current * wave(x)).sum()
    }
}

/// A strip from -a to a, lit by unit waves from the azimuth `from`, seen from `to`: integrals of eta J
/// exp(jkx cos to), E along the strip first, then H along it (E is eta H).
fn moments(k: f64, a: f64, from: f64, to: &[f64]) -> Vec<[C; 2]> {
    let nodes = Nodes::new(k, a);
    let wave = |x: f64| C::from_polar(1.0, k * x * from.cos());
    let found = nodes.currents([&wave, &|x| C::new((k * x).cos(), 0.0), &|x| C::new((k * x).sin(), 0.0)]);
    // Across the strip the equation has a second derivative, and its solution two waves more: the current
    // must vanish at both ends.
    let [w, c, s] = [0, 1, 2].map(|i| [1.0, -1.0].map(|sign| nodes.end(&found[i], sign)));
    let determinant = c[0] * s[1] - c[1] * s[0];
    let (p, q) = ((w[1] * s[0] - w[0] * s[1]) / determinant, (w[0] * c[1] - w[1] * c[0]) / determinant);
    let across: Vec<C> =
        (0..found[0].len()).map(|l| (found[0][l] + p * found[1][l] + q * found[2][l]) / from.sin()).collect();
    let both = |to: &f64| [&found[0], &across].map(|current| nodes.radiates(current, *to) * (4.0 / k));
    to.iter().map(both).collect()
}

/// What goes to the receiver, by physical optics of either way (`docs/math/sbr.md`, section 5), and what two
/// edges add to it, for faces that end where the strip does, or never.
fn optics(k: f64, a: f64, from: f64, to: f64, reach: Reach) -> [C; 2] {
    let direction = |angle: f64| Vec3::new(angle.cos(), angle.sin(), 0.0);
    let (sight, out) = (direction(from), direction(to));
    let z = Vec3::new(0.0, 0.0, 1.0);
    // E along z, and H along z with E = eta H x k_i.
    let transmitter = Receiver { sight, polarisations: [z, sight.cross(z)] };
    let receiver = Receiver { sight: out, polarisations: [z, out.cross(z)] };
    let phase = k * a * (from.cos() + to.cos());
    let sinc = if phase.abs() < 1e-9 { 1.0 } else { phase.sin() / phase };
    // Currents of E along the strip have the sine of where the wave comes from, fields of currents across it
    // that of where they are seen from.
    let mut sum = [C::new(2.0 * a * (from.sin() + to.sin()) * sinc, 0.0); 2];
    for side in [-1.0, 1.0] {
        let x = Vec3::new(-side, 0.0, 0.0);
        let y = Vec3::new(0.0, 1.0, 0.0);
        let at = Vec3::new(side * a, 0.0, 0.0);
        let faces = [Face { x, y, triangle: 0 }, Face { x, y: -y, triangle: 0 }];
        let wedge = Wedge { ends: [at - z * 0.5, at + z * 0.5], faces, n: 2.0 };
        let field = wedge.field(k, &transmitter, &receiver, &[reach; 2]);
        sum[0] += field[0][0];
        sum[1] += field[1][1];
    }
    sum
}

const ENDLESS: Reach = Reach { length: f64::INFINITY, ends: false };

#[test]
fn the_method_of_moments_is_reciprocal_and_has_the_peak_of_a_wide_strip() {
    let (k, a) = (2.0 * PI, 1.5);
    let [one, other] = [(0.7, 2.0), (2.0, 0.7)].map(|(from, to): (f64, f64)| {
        let [along, across] = moments(k, a, from, &[to])[0];
        [along, across * to.sin()]
    });
    assert!((one[0] - other[0]).norm() < 1e-9 * one[0].norm());
    // The field is the current's part across the line of sight, sin of the angle.
    assert!((one[1] - other[1]).norm() < 1e-9 * one[1].norm());
    let [along, across] = moments(k, 5.0, 0.5 * PI, &[0.5 * PI])[0];
    assert!(
        (along.norm() / 20.0 - 1.0).abs() < 0.02 && (across.norm() / 20.0 - 1.0).abs() < 0.05,
        "{along} {across}"
    );
}

/// Mean of |difference| over mean of |moments|, for waves along and across the strip.
fn errors(k: f64, a: f64, from: f64, to: &[f64], reach: Reach) -> [f64; 2] {
    let exact = moments(k, a, from, to);
    let (mut apart, mut whole) = ([0.0; 2], [0.0; 2]);
    for (to, exact) in to.iter().zip(exact) {
        let found = optics(k, a, from, *to, reach);
        // The field is the current's part across the line of sight.
        let exact = [exact[0], exact[1] * to.sin()];
        for i in 0..2 {
            apart[i] += (found[i] - exact[i]).norm();
            whole[i] += exact[i].norm();
        }
    }
    [0, 1].map(|i| apart[i] / whole[i])
}

#[test]
fn edges_of_a_strip_approach_the_method_of_moments_where_they_end() {
    let k = 2.0 * PI;
    let all: Vec<f64> = (0..60).map(|i| 0.02 + PI * f64::from(i) / 60.0).collect();
    let widths = [0.75, 1.5, 2.5];
    for from in [0.1, 0.35, 0.8, 1.4] {
        let found = widths.map(|a| {
            let reaches = [0.0, 2.0 * a].map(|length| Reach { length, ends: true });
            let [none, ended] = reaches.map(|reach| errors(k, a, from, &all, reach));
            let endless = errors(k, a, from, &all, ENDLESS);
            println!(
                "{} wide, from {from}: {none:.4?} optics, {endless:.4?} endless, {ended:.4?} ended",
                2.0 * a
            );
            for i in 0..2 {
                assert!(ended[i] < 0.3 * none[i].min(endless[i]), "{a} {from}");
            }
            ended
        });
        // What is left is diffracted twice: it falls with the root of the width at least, with waves of its
        // own.
        let falls = (widths[0] / widths[2]).sqrt();
        assert!((0..2).all(|i| found[2][i] < falls * found[0][i]), "{from}: {found:?}");
    }
}

#[test]
fn backscatter_of_a_strip_near_grazing_no_longer_grows_without_bound() {
    let k = 2.0 * PI;
    for (a, from) in [(0.75, 0.1), (0.75, 0.35), (1.5, 0.1), (1.5, 0.8), (2.5, 0.1), (2.5, 1.4)] {
        let ended = errors(k, a, from, &[from], Reach { length: 2.0 * a, ends: true });
        let endless = errors(k, a, from, &[from], ENDLESS);
        // With E along the strip, the far edge sees next to nothing of the near one's fringe. With H along
        // it, the second diffraction is as large as the first near grazing, and missing: what is left there
        // is not right, but a third to a sixth of what endless faces have.
        println!("{} wide, back to {from}: {endless:.4?} endless, {ended:.4?} ended", 2.0 * a);
        assert!(ended[0] < 0.1 && ended[1] < 0.5 * endless[1], "{a} {from}: {ended:?} {endless:?}");
    }
}
