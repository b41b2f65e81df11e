//! Pressure of a circular piston in a rigid baffle, near and far.
//!
//! Rayleigh's integral over the disc, p = j f rho V integral of exp(-jkR)/R, is taken along its rim (McGough,
//! 2004). With D^2 = a^2 + r^2 - 2 a r cos(psi) + z^2 the distance from the field point to the rim,
//!
//! ```text
//! p = (rho c V a / pi)  integral 0 .. pi of  (a - r cos psi) / (D^2 - z^2)  (exp(-jkz) - exp(-jkD))  d psi
//! ```
//!
//! The difference of exponentials cancels near the rim. Written as
//!
//! ```text
//! (exp(-jkz) - exp(-jkD)) / (D^2 - z^2) = j k exp(-jk(D + z)/2) sinc(k(D - z)/2) / (D + z)
//! ```
//!
//! nothing cancels, and the integrand is a smooth, even, periodic function of psi, for which the trapezoidal
//! rule converges exponentially.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | a | radius of the piston | m |
//! | V | velocity along +z, peak | m/s |
//! | r, z | distance of the field point from the axis, and from the piston's plane | m |
//! | sinc(x) | sin(x)/x | |
//!
//! # Accuracy and cost
//! The number of steps is doubled until the last doubling changed the sum by less than [`TOLERANCE`] of
//! rho c V; the error is then far below that, because each doubling squares it. The steps needed grow with ka
//! and with a/z; [`MAX_STEPS`] is enough for a/z up to [`MAX_FLATNESS`].

use num_complex::Complex;
use serde::Deserialize;
use std::f64::consts::PI;

use crate::air::{AIR_DENSITY, SPEED_OF_SOUND, wave_number};
use crate::phase::{from_turns, phasor};
use crate::units::complex;

/// Change of the sum, over rho c V, at which the doubling ends.
pub const TOLERANCE: f64 = 1e-9;

/// Steps over half the rim at which the doubling ends in any case.
pub const MAX_STEPS: u32 = 1 << 16;

/// Largest radius over distance from the microphones' side of the plane z = 0.
pub const MAX_FLATNESS: f64 = 1000.0;

/// A circular piston parallel to the array, moving as one along +z.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piston {
    /// Its centre.
    #[serde(rename = "centre_m")]
    pub centre: [f64; 3],
    /// Its radius in metres.
    #[serde(rename = "radius_m")]
    pub radius: f64,
    /// Its velocity along +z in metres a second, peak.
    #[serde(rename = "velocity_m_s", deserialize_with = "complex")]
    pub velocity: Complex<f64>,
}

impl Piston {
    /// Pressure in pascal, peak, at a point in front of the piston's plane.
    pub(super) fn pressure(&self, frequency_hz: f64, point: [f64; 3]) -> Complex<f64> {
        let [x, y, z] = [0, 1, 2].map(|i| point[i] - self.centre[i]);
        let rim = Rim { k: wave_number(frequency_hz), a: self.radius, r: (x * x + y * y).sqrt(), z };
        let impedance = AIR_DENSITY * SPEED_OF_SOUND;
        self.velocity * impedance * rim.integral()
    }
}

/// The integral along the rim for one field point.
struct Rim {
    k: f64,
    a: f64,
    r: f64,
    z: f64,
}

impl Rim {
    /// p / (rho c V).
    fn integral(&self) -> Complex<f64> {
        // Fewer would not sample the phase along the rim, and two wrong sums might agree.
        let mut steps = 8 + (self.k * self.a.min(self.r)) as u32;
        let mut sum = self.sum(steps, 0.0) + (self.at(PI) - self.at(0.0)) * 0.5;
        loop {
            // The nodes halfway between the present ones.
            let mean = sum / f64::from(steps);
            sum += self.sum(steps, 0.5);
            steps *= 2;
            let change = sum / f64::from(steps) - mean;
            if change.norm_sqr() < TOLERANCE * TOLERANCE || steps >= MAX_STEPS {
                return sum / f64::from(steps);
            }
        }
    }

    /// Sum over `steps` nodes from `shift` of a step on.
    fn sum(&self, steps: u32, shift: f64) -> Complex<f64> {
        (0..steps).map(|i| self.at(PI * (f64::from(i) + shift) / f64::from(steps))).sum()
    }

    fn at(&self, psi: f64) -> Complex<f64> {
        let &Self { k, a, r, z } = self;
        let cos = phasor(from_turns(psi / (2.0 * PI))).re;
        let beside = (a - r) * (a - r) + 2.0 * a * r * (1.0 - cos);
        let d = (beside + z * z).sqrt();
        let phase = phasor(from_turns(-k * (d + z) / (4.0 * PI)));
        let x = 0.5 * k * beside / (d + z);
        phase * Complex::new(0.0, k * a * (a - r * cos) * sinc(x) / (d + z))
    }
}

/// sin(x)/x; below 1e-4 the next term of its series, x^4/120, is under the rounding.
fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { phasor(from_turns(x / (2.0 * PI))).im / x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cis, magnitude};

    fn piston(radius: f64) -> Piston {
        Piston { centre: [0.01, -0.02, -0.03], radius, velocity: Complex::new(0.3, 0.4) }
    }

    #[test]
    fn on_the_axis_it_is_the_exact_formula() {
        for radius in [0.001, 0.05, 0.5, 5.0] {
            for frequency in [20.0, 1000.0, 40_000.0] {
                for z in [0.005f64, 0.07, 2.0] {
                    let found = piston(radius).pressure(frequency, [0.01, -0.02, z - 0.03]);
                    let k = wave_number(frequency);
                    let far = (z * z + radius * radius).sqrt();
                    // p = rho c V (exp(-jkz) - exp(-jk sqrt(z^2 + a^2))).
                    let expected = Complex::new(0.3, 0.4) * 411.6 * (cis(-k * z) - cis(-k * far));
                    // Rounding of the expected value's own difference: 2e-16 of k times the path.
                    let error = magnitude(found - expected) / (0.5 * 411.6);
                    assert!(
                        error < TOLERANCE.min(1e-12) + 1e-15 * k * far,
                        "{radius} {frequency} {z}: {error:e}"
                    );
                }
            }
        }
    }

    /// Rayleigh's integral as a midpoint sum over rings and angles.
    fn rayleigh(p: &Piston, frequency: f64, point: [f64; 3]) -> Complex<f64> {
        let (rings, angles) = (400, 800);
        let k = wave_number(frequency);
        let mut sum = Complex::ZERO;
        for i in 0..rings {
            let s = p.radius * (f64::from(i) + 0.5) / f64::from(rings);
            let area = s * p.radius / f64::from(rings) * 2.0 * PI / f64::from(angles);
            for j in 0..angles {
                let (sin, cos) = (2.0 * PI * (f64::from(j) + 0.5) / f64::from(angles)).sin_cos();
                let d = [point[0] - p.centre[0] - s * cos, point[1] - p.centre[1] - s * sin];
                let r = (d[0] * d[0] + d[1] * d[1] + (point[2] - p.centre[2]).powi(2)).sqrt();
                sum += cis(-k * r) / r * area;
            }
        }
        p.velocity * Complex::new(0.0, frequency * AIR_DENSITY) * sum
    }

    #[test]
    fn off_the_axis_it_is_rayleighs_integral() {
        let p = piston(0.1);
        // Above the piston, at its rim, beside it, and far to the side.
        for x in [0.05, 0.11, 0.2, 1.0] {
            for frequency in [500.0, 5000.0] {
                let point = [x, 0.0, 0.04];
                let (found, expected) = (p.pressure(frequency, point), rayleigh(&p, frequency, point));
                // The midpoint sum with steps h = a/400 is off by (k^2 + 2/z^2) h^2 / 24 of rho c V at most:
                // 5.3e-8 / 24 * (8400 + 408).
                let error = magnitude(found - expected) / (0.5 * 411.6);
                assert!(error < 2.4e-5, "{x} {frequency}: {error:e}");
            }
        }
    }

    #[test]
    fn the_flattest_accepted_piston_converges() {
        let p = Piston { centre: [0.0, 0.0, -0.001], radius: 1.0, velocity: Complex::ONE };
        let rim = |steps: u32| {
            let rim = Rim { k: wave_number(1000.0), a: 1.0, r: 1.0, z: 0.001 };
            (rim.sum(steps, 0.0) + (rim.at(PI) - rim.at(0.0)) * 0.5) / f64::from(steps) * 411.6
        };
        let error = magnitude(p.pressure(1000.0, [1.0, 0.0, 0.0]) - rim(4 * MAX_STEPS)) / 411.6;
        assert!(error < TOLERANCE, "{error:e}");
    }
}
