//! Chebyshev series of the logarithm of an even function: the relative error is the same everywhere.

use std::f64::consts::PI;

/// Terms. Factors have their nearest poles where the window's transform has its first zeros, at 2 sigma - 1 of the highest frequency or
/// beyond: at sigma = 1.25 terms fall by 7 each, at 1.1 by 3.
const TERMS: usize = 32;

/// An even positive function on [-highest, highest].
#[derive(Debug, Clone)]
pub struct Series {
    highest: f64,
    coefficients: [f64; TERMS],
}

impl Series {
    /// Through Chebyshev's points in the square of the argument.
    pub fn new(highest: f64, function: impl Fn(f64) -> f64) -> Self {
        let angle = |i: usize| PI * (i as f64 + 0.5) / TERMS as f64;
        let values: [f64; TERMS] =
            std::array::from_fn(|i| function(highest * (0.5 * (1.0 + angle(i).cos())).sqrt()).ln());
        let coefficients = std::array::from_fn(|k| {
            let sum: f64 = values.iter().enumerate().map(|(i, v)| v * (k as f64 * angle(i)).cos()).sum();
            sum * if k == 0 { 1.0 } else { 2.0 } / TERMS as f64
        });
        Self { highest, coefficients }
    }

    /// By Clenshaw's recurrence.
    pub fn value(&self, x: f64) -> f64 {
        let t = 2.0 * (x / self.highest).powi(2) - 1.0;
        let step = |(one, two): (f64, f64), a: &f64| (a + 2.0 * t * one - two, one);
        let (one, two) = self.coefficients[1..].iter().rev().fold((0.0, 0.0), step);
        (self.coefficients[0] + t * one - two).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Window};
    use super::*;

    #[test]
    fn factors_are_followed_to_rounding() {
        for kind in [Kind::Prolate, Kind::Semicircle, Kind::Kaiser(4)] {
            for (oversampling, tolerance) in [(2.0, 1e-5), (1.25, 1e-3)] {
                let window = Window::new(kind, tolerance, oversampling, &[100]).unwrap();
                let series = window.series();
                for i in 0..=50 {
                    let frequency = f64::from(i) / 50.0 * PI / oversampling;
                    let (found, expected) = (series.value(-frequency), window.factor(frequency));
                    let apart = (found / expected - 1.0).abs();
                    // Rounding of as many terms of up to 3.
                    assert!(apart < 1e-14, "{kind} {oversampling} {frequency}: {apart:e}");
                }
            }
        }
    }
}
