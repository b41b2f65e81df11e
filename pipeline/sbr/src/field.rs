//! Scattering matrices: their scale, their phase, and sums of them.

use num_complex::Complex;
use numerics::constants::SPEED_OF_LIGHT;
use numerics::vec3::Vec3;

/// A complex number.
pub type C = Complex<f64>;

/// Square roots of radar cross-sections with phase, m: rows are the polarisation of the receiver, columns
/// that of the transmitter, v first.
pub type Matrix = [[C; 2]; 2];

/// A receiver, or a transmitter: where it is, and its polarisations.
#[derive(Debug, Clone, Copy)]
pub struct Receiver {
    /// Unit vector from the target.
    pub sight: Vec3,
    /// Unit vectors of v and h.
    pub polarisations: [Vec3; 2],
}

/// 2 pi f/c, rad/m.
pub fn wavenumber(frequency: f64) -> f64 {
    std::f64::consts::TAU * frequency / SPEED_OF_LIGHT
}

/// sqrt(4 pi) times the factor of the radiation integral.
pub fn scale(k: f64) -> C {
    let four_pi = 4.0 * std::f64::consts::PI;
    C::new(0.0, -k / four_pi.sqrt())
}

/// Radar cross-section of an entry of a scattering matrix, dBsm.
pub fn dbsm(entry: C) -> f64 {
    10.0 * entry.norm_sqr().log10()
}

/// to += pattern wave
pub fn add(to: &mut Matrix, pattern: &Matrix, wave: C) {
    for (to, from) in to.iter_mut().flatten().zip(pattern.iter().flatten()) {
        *to += from * wave;
    }
}

pub fn add_all(to: &mut [Matrix], from: &[Matrix]) {
    for (to, from) in to.iter_mut().zip(from) {
        add(to, from, C::new(1.0, 0.0));
    }
}

/// A sum over tubes as a scattering matrix; `ahead` is how far the origin of coordinates lies behind the
/// centre, there and back, m.
pub fn finished(sum: &Matrix, k: f64, ahead: f64) -> Matrix {
    let factor = scale(k) * C::from_polar(1.0, k * ahead);
    sum.map(|row| row.map(|entry| entry * factor))
}
