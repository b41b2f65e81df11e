//! What the tests of this room share: a monopole's field and reproducible noise.

use super::design::{Aperture, Medium};
use num_complex::Complex;
use std::f64::consts::TAU;

/// Field of a monopole of strength 1 (p = exp(-j k r)/r) at `source` (x, y, z) on the microphones at height `z`.
pub fn monopole(aperture: &Aperture, frequency: f64, source: [f64; 3], z: f64) -> Vec<Complex<f64>> {
    let k = Medium::default().wavenumber(frequency);
    let place = |i: usize, n: usize| (i as f64 - (n as f64 - 1.0) / 2.0) * aperture.pitch;
    let value = |index: usize| {
        let dx = place(index % aperture.cols, aperture.cols) - source[0];
        let dy = place(index / aperture.cols, aperture.rows) - source[1];
        let r = dx.hypot(dy).hypot(z - source[2]);
        Complex::from_polar(1.0 / r, -k * r)
    };
    (0..aperture.len()).map(value).collect()
}

/// Numbers from a xorshift generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Even over [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Even over `from`..`to`.
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.uniform()
    }

    /// Circular normal, E|z|^2 = 1 (Box and Muller).
    pub fn complex(&mut self) -> Complex<f64> {
        Complex::from_polar((-(1.0 - self.uniform()).ln()).sqrt(), TAU * self.uniform())
    }
}
