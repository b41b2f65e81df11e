//! What follows from pressure and normal velocity on a plane: active intensity, radiated power, level.
//!
//! # Formulas
//! Amplitudes are peak values of exp(+j omega t), so that means over time carry a factor 1/2.
//! - active intensity along +z: I = Re(p conj(v))/2;
//! - power through the plane: W = sum I dA, over the output's points, dA = (d/u)^2;
//! - level: L = 20 log10(|p|/(sqrt(2) p_0)), p_0 = 20 micropascal.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | p, v | pressure, normal velocity | Pa, m/s |
//! | I, W | active intensity, power | W/m^2, W |
//! | d, u | pitch, refinement | m, 1 |

use super::Settings;
use num_complex::Complex;
use numerics::real::Real;

/// p_0: the reference pressure in air, Pa (rms).
pub const REFERENCE_PRESSURE: f64 = 20e-6;

/// Active intensity, W/m^2, positive away from the source.
pub fn intensity<T: Real>(pressure: &[Complex<T>], velocity: &[Complex<T>], out: &mut [T]) {
    let half = T::of(0.5);
    for ((i, p), v) in out.iter_mut().zip(pressure).zip(velocity) {
        *i = half * (p.re * v.re + p.im * v.im);
    }
}

/// Power through the output's points, W.
pub fn power<T: Real>(intensity: &[T], settings: &Settings) -> f64 {
    let edge = settings.grid.aperture.pitch / settings.refinement as f64;
    intensity.iter().map(|&i| Real::to_f64(i)).sum::<f64>() * edge * edge
}

/// Level of a pressure amplitude, dB re 20 micropascal; minus infinity for zero.
pub fn level<T: Real>(pressure: Complex<T>) -> f64 {
    let rms = Real::to_f64(pressure.re).hypot(Real::to_f64(pressure.im)) / std::f64::consts::SQRT_2;
    20.0 * (rms / REFERENCE_PRESSURE).log10()
}

#[cfg(test)]
mod tests;
