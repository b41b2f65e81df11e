//! Values between equally spaced knots: a short kernel for band-limited signals and a cubic for slow ones.
//!
//! [`Kernel`] is a sinc under a Kaiser window (beta = 9.25) over [`TAPS`] knots. For a signal below
//! [`KERNEL_BAND`] of the knots' rate its error is below [`KERNEL_ERROR`] of the amplitude (tested). The
//! weights are tabulated at 1/1024 of the spacing; between, they are interpolated linearly, which adds 4e-7.
//!
//! [`cubic`] is Lagrange's polynomial through four knots, used between the middle two. Its error is at most
//! 3/128 h^4 times the fourth derivative.

use crate::phase::{from_turns, phasor};
use numerics::special::bessel_i0;

/// Knots of the kernel.
pub const TAPS: usize = 8;

/// Largest frequency, over the knots' rate, for which [`KERNEL_ERROR`] holds.
pub const KERNEL_BAND: f64 = 0.125;

/// Largest error of the kernel for an amplitude of 1.
#[cfg(test)]
pub const KERNEL_ERROR: f64 = 5e-5;

/// Shape of the Kaiser window.
const BETA: f64 = 9.25;

/// Rows of the table for one spacing.
const FINENESS: usize = 1024;

/// The interpolation kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    rows: Vec<[f64; TAPS]>,
}

impl Kernel {
    /// Tabulates the kernel.
    pub fn new() -> Self {
        let row = |i: usize| {
            let u = i as f64 / FINENESS as f64;
            // Knot t lies at t - 3; the wanted point at u in 0 .. 1.
            std::array::from_fn(|t| {
                let x = u - (t as f64 - (TAPS / 2 - 1) as f64);
                sinc(x) * kaiser(x / (TAPS / 2) as f64, BETA)
            })
        };
        Self { rows: (0..=FINENESS).map(row).collect() }
    }

    /// Weights of the knots -3 .. 4 for the point `u`, in spacings; 0 <= u <= 1, beyond it the ends' slope
    /// holds.
    pub fn weights(&self, u: f64) -> [f64; TAPS] {
        let place = u * FINENESS as f64;
        let row = (place.max(0.0) as usize).min(FINENESS - 1);
        let rest = place - row as f64;
        let (a, b) = (&self.rows[row], &self.rows[row + 1]);
        std::array::from_fn(|t| a[t] + rest * (b[t] - a[t]))
    }
}

/// Weights of the knots -1, 0, 1, 2 for the point `u` between knots 0 and 1.
pub fn cubic(u: f64) -> [f64; 4] {
    [
        -u * (u - 1.0) * (u - 2.0) / 6.0,
        (u + 1.0) * (u - 1.0) * (u - 2.0) / 2.0,
        -(u + 1.0) * u * (u - 2.0) / 2.0,
        (u + 1.0) * u * (u - 1.0) / 6.0,
    ]
}

/// sin(pi x) / (pi x).
fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { phasor(from_turns(0.5 * x)).im / (std::f64::consts::PI * x) }
}

/// Kaiser's window of shape `beta` at -1 <= x <= 1; 0 outside.
pub fn kaiser(x: f64, beta: f64) -> f64 {
    if x.abs() > 1.0 { 0.0 } else { bessel_i0(beta * (1.0 - x * x).sqrt()) / bessel_i0(beta) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cis, magnitude};
    use num_complex::Complex;
    use std::f64::consts::TAU;

    #[test]
    fn tones_in_the_band_come_through() {
        let kernel = Kernel::new();
        let mut worst = 0.0f64;
        for step in 0..=100 {
            let f = KERNEL_BAND * f64::from(step) / 100.0;
            for i in 0..=777 {
                let u = f64::from(i) / 777.0;
                let sum: Complex<f64> = kernel
                    .weights(u)
                    .iter()
                    .enumerate()
                    .map(|(t, w)| cis(TAU * f * (t as f64 - 3.0)) * w)
                    .sum();
                worst = worst.max(magnitude(sum - cis(TAU * f * u)));
            }
        }
        println!("kernel: {worst:e}");
        assert!(worst < KERNEL_ERROR, "{worst:e}");
    }

    #[test]
    fn cubic_is_exact_for_cubics() {
        let p = |x: f64| 2.0 - x + 3.0 * x * x - 0.5 * x * x * x;
        for i in 0..=10 {
            let u = f64::from(i) / 10.0;
            let found: f64 = cubic(u).iter().zip([-1.0, 0.0, 1.0, 2.0]).map(|(w, x)| w * p(x)).sum();
            assert!((found - p(u)).abs() < 1e-14);
        }
    }
}
