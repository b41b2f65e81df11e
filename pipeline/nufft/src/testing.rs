//! What the tests of this room share: reproducible points and values, and errors.

use num_complex::Complex;
use numerics::real::Real;
use std::f64::consts::PI;

pub type C = Complex<f64>;

/// Numbers from a linear congruential generator.
pub struct Random(pub u64);

impl Random {
    /// Even over [-1, 1).
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / 2f64.powi(52) - 1.0
    }

    /// In one period along every axis.
    pub fn points(&mut self, axes: usize, count: usize) -> Vec<Vec<f64>> {
        (0..axes).map(|_| (0..count).map(|_| PI * self.next()).collect()).collect()
    }

    pub fn values(&mut self, count: usize) -> Vec<C> {
        (0..count).map(|_| C::new(self.next(), self.next())).collect()
    }
}

/// Points as plans take them.
pub fn slices(points: &[Vec<f64>]) -> Vec<&[f64]> {
    points.iter().map(Vec::as_slice).collect()
}

fn power(values: &[C]) -> f64 {
    values.iter().map(|c| c.norm_sqr()).sum()
}

fn apart(found: &[C], expected: &[C]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(a, b)| (a - b).norm_sqr()).sum()
}

/// Relative l2 error of what was made of `given`.
pub fn error(found: &[C], expected: &[C], given: &[C]) -> f64 {
    // What random data make on average, where a few values may be small by chance.
    (apart(found, expected) / power(expected).max(power(given) * found.len() as f64)).sqrt()
}

pub fn dot(a: &[C], b: &[C]) -> C {
    a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
}

pub fn rounded<T: Real>(values: &[C]) -> Vec<Complex<T>> {
    values.iter().map(|c| Complex::new(T::of(c.re), T::of(c.im))).collect()
}

pub fn exact<T: Real>(values: &[Complex<T>]) -> Vec<C> {
    values.iter().map(|c| C::new(c.re.to_f64(), c.im.to_f64())).collect()
}

/// What outputs begin with.
pub fn poison<T: Real>(count: usize) -> Vec<Complex<T>> {
    vec![Complex::new(T::nan(), T::nan()); count]
}

/// The number of every mode along `axis`: what derivatives multiply it by, beside i s.
pub fn wavenumbers(modes: &[usize], axis: usize) -> Vec<f64> {
    let inner: usize = modes[..axis].iter().product();
    let number = |i: usize| (i / inner % modes[axis]) as f64 - (modes[axis] / 2) as f64;
    (0..modes.iter().product()).map(number).collect()
}
