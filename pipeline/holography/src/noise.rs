//! The noise of a hologram, from the hologram alone.
//!
//! Microphones differ: each has noise of its own, and a gain of its own that is known to a percent or so. Both are
//! independent from one microphone to the next, whereas the field is smooth: it decays towards large wavenumbers at
//! least as exp(-k_r z_h). Fourth differences along both directions therefore leave the noise and drop the field:
//!
//! ```text
//! r(x, y)      = sum_ij c_i c_j p(x + i d, y + j d),   c = (1, -4, 6, -4, 1)/sqrt(70)
//! E |r|^2      = sum_ij c_i^2 c_j^2 v(x + i d, y + j d),   v = a + g |p|^2
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | v | variance of a microphone's bin, E|noise|^2 | p^2 |
//! | a | additive part, the same for all | p^2 |
//! | g | relative part: squared gain and phase error | 1 |
//!
//! White noise passes with gain 1, a wave of wavenumbers (k_x, k_y) with (4 sin(k_x d/2) sin(k_y d/2))^4/70: under 1e-3
//! for k_r < 50 rad/m at 2 cm. a and g are fitted by maximum likelihood: |r|^2 is exponentially distributed
//! about its mean, which makes it a regression with weights 1/mean^2, repeated until the weights stand. Several frames
//! of the same scene sharpen it.
//!
//! **Validity.** At least 5 x 5 microphones. Above about a third of the array's highest frequency, waves along the
//! diagonal leak into r and the noise is overestimated.

use super::Error;
use super::design::Aperture;
use num_complex::Complex;

/// Fourth difference, before its norm sqrt(70).
const DIFFERENCE: [f64; 5] = [1.0, -4.0, 6.0, -4.0, 1.0];
/// Sum of the squares of [`DIFFERENCE`].
const NORM: f64 = 70.0;
/// Repetitions of the weighted regression; it stands after a few.
const REPETITIONS: usize = 20;

/// Variance of a microphone's value against the value itself.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Noise {
    /// a: additive variance, square of the hologram's unit.
    pub additive: f64,
    /// g: variance relative to |p|^2.
    pub relative: f64,
}

impl Noise {
    /// Microphones needed along each edge.
    pub const SMALLEST: usize = DIFFERENCE.len();

    /// Fits a and g to one or several frames `[frame][y][x]` of the same scene.
    pub fn estimate(aperture: &Aperture, frames: &[Complex<f64>]) -> Result<Self, Error> {
        let Aperture { rows, cols, .. } = *aperture;
        if rows.min(cols) < Self::SMALLEST {
            return Err(Error::TooSmall { rows, cols, needed: Self::SMALLEST });
        }
        if frames.is_empty() || !frames.len().is_multiple_of(rows * cols) {
            return Err(Error::Length { what: "frames", given: frames.len(), needed: rows * cols });
        }
        let mut samples = Vec::new();
        for frame in frames.chunks_exact(rows * cols) {
            for y in 0..=rows - Self::SMALLEST {
                samples.extend((0..=cols - Self::SMALLEST).map(|x| residual(frame, cols, y, x)));
            }
        }
        Ok(Self::of_differences(&samples))
    }

    /// Fits a and g to differences of any kind that pass white noise with gain 1: |r|^2 of each, and the |p|^2 that its noise goes
    /// by. Regression of q = a + g p with weights 1/(a + g p)^2 and neither part negative.
    pub fn of_differences(samples: &[(f64, f64)]) -> Self {
        let (q, p) = samples.iter().fold((0.0, 0.0), |sum, s| (sum.0 + s.0, sum.1 + s.1));
        let mean = (q / samples.len() as f64, p / samples.len() as f64);
        if samples.is_empty() || mean.0 <= 0.0 || mean.1 <= 0.0 {
            return Self::default();
        }
        // A floor far below any noise keeps the weights finite where the field is zero.
        let floor = 1e-12 * mean.0;
        let mut noise = Self { additive: 0.0, relative: mean.0 / mean.1 };
        for _ in 0..REPETITIONS {
            let (mut s, mut sp, mut spp, mut sq, mut spq) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for &(q, p) in samples {
                let weight = (noise.additive + noise.relative * p + floor).powi(-2);
                s += weight;
                sp += weight * p;
                spp += weight * p * p;
                sq += weight * q;
                spq += weight * p * q;
            }
            let determinant = s * spp - sp * sp;
            let (a, g) = ((sq * spp - spq * sp) / determinant, (spq * s - sq * sp) / determinant);
            noise = if a >= 0.0 && g >= 0.0 {
                Self { additive: a, relative: g }
            } else if a < 0.0 && spp > 0.0 {
                Self { additive: 0.0, relative: spq / spp }
            } else {
                // Negative g, or a constant |p| that cannot tell the two apart.
                Self { additive: sq / s, relative: 0.0 }
            };
        }
        noise
    }

    /// v of a microphone that reads `value`.
    pub fn variance(&self, value: Complex<f64>) -> f64 {
        self.additive + self.relative * value.norm_sqr()
    }
}

/// |r|^2 of the 5 x 5 microphones from (y, x), and their |p|^2 averaged with the weights c_i^2 c_j^2.
fn residual(frame: &[Complex<f64>], cols: usize, y: usize, x: usize) -> (f64, f64) {
    let (mut difference, mut power) = (Complex::new(0.0, 0.0), 0.0);
    for (i, along_y) in DIFFERENCE.iter().enumerate() {
        let line = &frame[(y + i) * cols + x..][..DIFFERENCE.len()];
        for (value, along_x) in line.iter().zip(&DIFFERENCE) {
            let weight = along_x * along_y;
            difference += value * weight;
            power += value.norm_sqr() * weight * weight;
        }
    }
    (difference.norm_sqr() / (NORM * NORM), power / (NORM * NORM))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, monopole};
    use super::*;

    /// 28 x 28 residuals; neighbours share microphones: the squared correlations of c with itself, (70, -56, 28, -8, 1)/70,
    /// sum to 2.63 along a line and 6.9 over the plane, so that 113 are independent. An exponential variable deviates
    /// by its mean, the mean of 113 by 9.4 %. Four deviations.
    const FOUR_SIGMA: f64 = 0.375;

    fn total(noise: &Noise, field: &[Complex<f64>]) -> f64 {
        field.iter().map(|p| noise.variance(*p)).sum()
    }

    #[test]
    fn finds_additive_and_relative_noise_under_a_monopole() {
        let aperture = Aperture::CAMERA;
        for frequency in [300.0, 1000.0, 2000.0] {
            for truth in [Noise { additive: 1e-4, relative: 0.0 }, Noise { additive: 1e-5, relative: 4e-4 }] {
                let mut random = Random::new(7);
                let field = monopole(&aperture, frequency, [0.05, -0.08, -0.03], 0.04);
                let noisy: Vec<Complex<f64>> =
                    field.iter().map(|p| p + random.complex() * truth.variance(*p).sqrt()).collect();
                let found = Noise::estimate(&aperture, &noisy).unwrap();
                let ratio = total(&found, &field) / total(&truth, &field);
                assert!((ratio - 1.0).abs() < FOUR_SIGMA, "{frequency} Hz {truth:?}: {found:?}, {ratio}");
            }
        }
    }

    #[test]
    fn frames_sharpen_the_estimate_and_tell_the_parts_apart() {
        let aperture = Aperture::CAMERA;
        let truth = Noise { additive: 0.01, relative: 4e-4 };
        let field = monopole(&aperture, 800.0, [0.0, 0.0, -0.03], 0.04);
        let mut random = Random::new(3);
        let noisy: Vec<Complex<f64>> = (0..16)
            .flat_map(|_| field.clone())
            .map(|p| p + random.complex() * truth.variance(p).sqrt())
            .collect();
        let found = Noise::estimate(&aperture, &noisy).unwrap();
        // Sixteen frames: a quarter of the deviation for the sum. Each part is judged by the places where it leads, a
        // fraction of the array: twice that.
        let ratio = total(&found, &field) / total(&truth, &field);
        assert!((ratio - 1.0).abs() < 0.25 * FOUR_SIGMA, "{found:?}");
        assert!((found.additive / truth.additive - 1.0).abs() < 0.5 * FOUR_SIGMA, "{found:?}");
        assert!((found.relative / truth.relative - 1.0).abs() < 0.5 * FOUR_SIGMA, "{found:?}");
    }

    #[test]
    fn silence_constants_and_small_arrays() {
        let aperture = Aperture { rows: 5, cols: 9, pitch: 0.02 };
        let zero = vec![Complex::new(0.0, 0.0); 45];
        assert_eq!(Noise::estimate(&aperture, &zero).unwrap(), Noise::default());
        let constant = vec![Complex::new(3.0, -4.0); 45];
        let noise = Noise::estimate(&aperture, &constant).unwrap();
        // Differences of equal numbers cancel exactly.
        assert_eq!((noise.additive, noise.relative), (0.0, 0.0));
        let small = Aperture { rows: 4, ..aperture };
        assert!(matches!(Noise::estimate(&small, &zero[..36]), Err(Error::TooSmall { rows: 4, .. })));
        assert!(matches!(Noise::estimate(&aperture, &zero[..44]), Err(Error::Length { given: 44, .. })));
    }
}
