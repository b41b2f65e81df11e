//! What follows from pressure and normal velocity on a plane: active intensity, radiated power, level.
//!
//! # Formulas
//! Amplitudes are peak values of exp(+j omega t), so that means over time carry a factor 1/2.
//! - active intensity along +z: I = Re(p conj(v))/2;
//! - power through the plane: W = sum I dA, over the output's points, dA = (d/u)^2;
//! - the same in k-space, through the whole padded plane: W = d^2/(2 n_x n_y) sum |P G|^2 Re(k_z)/(rho c k), where only
//!   propagating waves carry power and exp(j k_z z) has modulus 1 for them (Parseval);
//! - level: L = 20 log10(|p|/(sqrt(2) p_0)), p_0 = 20 micropascal.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | p, v | pressure, normal velocity | Pa, m/s |
//! | I, W | active intensity, power | W/m^2, W |
//! | P, G | spectrum of the hologram, gain of the k-filter | Pa, 1 |
//! | d, u | pitch, refinement | m, 1 |

use super::Settings;
use super::design::{KFilter, Radii, vertical_wavenumber};
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

/// Power through the whole padded plane, W, from the spectrum of a hologram; the same at every distance.
pub fn power_in_k_space<T: Real>(
    spectrum: &[Complex<T>],
    settings: &Settings,
    frequency: f64,
    filter: &KFilter,
) -> f64 {
    let (grid, medium) = (&settings.grid, &settings.medium);
    let (k, radii) = (medium.wavenumber(frequency), Radii::new(grid));
    let weight = |&radial: &f64| filter.gain(radial).powi(2) * vertical_wavenumber(k, radial).re;
    let weights: Vec<f64> = radii.values().iter().map(weight).collect();
    let power = |(i, p): (usize, &Complex<T>)| {
        Real::to_f64(p.norm_sqr()) * weights[radii.at(i / grid.cols, i % grid.cols)]
    };
    let sum: f64 = spectrum.iter().enumerate().map(power).sum();
    let impedance = medium.density * medium.speed_of_sound * k;
    sum * grid.aperture.pitch.powi(2) / (2.0 * grid.len() as f64 * impedance)
}

/// Level of a pressure amplitude, dB re 20 micropascal; minus infinity for zero.
pub fn level<T: Real>(pressure: Complex<T>) -> f64 {
    let rms = Real::to_f64(pressure.re).hypot(Real::to_f64(pressure.im)) / std::f64::consts::SQRT_2;
    20.0 * (rms / REFERENCE_PRESSURE).log10()
}

#[cfg(test)]
mod tests;
