//! What every device agrees on: medium, aperture, padded grid, window, k-filter and propagator, in `f64` on the host.
//!
//! # Formulas
//! - Wavenumbers of the padded grid: k_x = 2 pi i/(n_x d) for i = 0, 1, .., n_x/2, .., -1 in the order of the DFT,
//!   k_y likewise, k_r = sqrt(k_x^2 + k_y^2).
//! - [`vertical_wavenumber`]: k_z = sqrt(k^2 - k_r^2) inside the radiation circle (k_r <= k), -j sqrt(k_r^2 - k^2)
//!   outside.
//! - [`propagator`]: exp(+j k_z z). For z > 0 this goes back towards the source, where evanescent waves grow; for z <
//!   0 it goes forward, where they decay.
//! - [`KFilter::gain`]: with q = 1 - k_r/k_co, 1 - exp(-q/alpha)/2 for k_r <= k_co and exp(q/alpha)/2 above.
//! - [`window`]: tapered cosine over the border, exactly 1 on the measured samples.
//!
//! # Symbols
//! | symbol | meaning | unit |
//! |---|---|---|
//! | c, rho | speed of sound, density of the medium | m/s, kg/m^3 |
//! | f, k = 2 pi f/c | frequency, acoustic wavenumber | Hz, rad/m |
//! | d | pitch of the microphones, both ways | m |
//! | n_y, n_x | rows and columns of the padded grid | 1 |
//! | z | distance towards the source | m |
//! | k_co, alpha | cutoff and slope of the k-filter | rad/m, 1 |
//!
//! # Range of numbers
//! exp(kappa z) leaves the range of `f32` when kappa z > 88: a metre of standoff at the corner of a 2 cm grid gives
//! 222. Filter and propagator are therefore multiplied as one exponential, ln(gain) + kappa z, and a plan refuses a
//! product beyond the square root of the largest number of its precision ([`Error::Overflow`]): squares of the
//! result, which intensity and error measures need, then still exist. No value is clamped: a clamped propagator would
//! be a different, undocumented filter.

mod filter;
mod grid;
mod medium;
mod operator;

use super::error::Error;
pub use super::error::FINEST;
pub use filter::{KFilter, propagator, vertical_wavenumber};
pub use grid::{Aperture, Grid, wavenumbers, window};
pub use medium::Medium;
pub use operator::{Field, Operator, Radii, Wave, largest};
use std::f64::consts::PI;

/// Largest frequency whose half wavelength is not under the pitch, Hz.
pub fn highest_frequency(medium: &Medium, aperture: &Aperture) -> f64 {
    medium.speed_of_sound / (2.0 * aperture.pitch)
}

/// k of a frequency; refuses what is not positive, or has k >= pi/d and would alias.
pub fn checked_wavenumber(medium: &Medium, aperture: &Aperture, frequency: f64) -> Result<f64, Error> {
    if !(frequency > 0.0 && frequency.is_finite()) {
        return Err(Error::Frequency(frequency));
    }
    let k = medium.wavenumber(frequency);
    if k < PI / aperture.pitch {
        return Ok(k);
    }
    let (limit, pitch) = (highest_frequency(medium, aperture), aperture.pitch);
    Err(Error::SpatialAliasing { frequency, limit, pitch })
}

#[cfg(test)]
mod tests;
