//! Goertzel's algorithm: one bin of one block, without a history.

use num_complex::Complex;

/// One bin of a block by Goertzel's algorithm in Reinsch's form, `f32`.
///
/// With the angle t = 2 pi f a sample, s = +1 for cos t >= 0 and s = -1 otherwise:
///
/// ```text
/// d[n] = x[n] + c v[n-1] + s d[n-1]        c = 2 cos t - 2 s
/// v[n] = s v[n-1] + d[n]
/// sum of x[n] e^(-jtn) = e^(-jt(N-1)) (v (s j sin t - s c / 2) + s d e^(-jt))
/// ```
///
/// Goertzel's own recurrence v = x + 2 cos t z^-1 v - z^-2 v subtracts nearly equal numbers
/// near f = 0 and f = 1/2; d carries their difference (or sum) instead.
///
/// # Error
/// At most 6 N^2 u X for N >= 16, at every f. An error of d acts like one of the input; an error of
/// v is worth only 2 sin(t/2) of that (near 1/2: 2 cos(t/2)). With |d| <= sqrt(2) n X and
/// |c v| <= 2 n X a step adds at most 10.3 u n X, so a block 5.2 N^2 u X. The read-out is in `f64`.
///
/// Cost: one multiplication and three additions a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Goertzel {
    frequency: f64,
    sign: f32,
    c: f32,
}

impl Goertzel {
    /// `frequency` in cycles a sample; bin k of N points is k / N.
    pub fn new(frequency: f64) -> Self {
        let (sin, cos) = libm::sincos(core::f64::consts::PI * frequency);
        // 2 cos t - 2 = -4 sin^2(t/2) and 2 cos t + 2 = 4 cos^2(t/2), without cancellation.
        let near_zero = cos * cos >= sin * sin;
        let (sign, c) = if near_zero { (1.0, -4.0 * sin * sin) } else { (-1.0, 4.0 * cos * cos) };
        Self { frequency, sign, c: c as f32 }
    }

    /// Sum of x(n) exp(-j 2 pi f n) over the block; n starts at 0.
    pub fn dft(&self, block: &[f32]) -> Complex<f32> {
        let Some(last) = block.len().checked_sub(1) else {
            return Complex::ZERO;
        };
        let (mut v, mut d) = (0.0f32, 0.0f32);
        for x in block {
            d = (self.c * v + self.sign * d) + x;
            v = self.sign * v + d;
        }
        let turn = |samples: f64| {
            let turns = self.frequency * samples;
            let (sin, cos) = libm::sincos(core::f64::consts::TAU * (turns - libm::floor(turns)));
            Complex::new(cos, -sin)
        };
        let step = turn(1.0);
        let (v, d, s) = (f64::from(v), f64::from(d), f64::from(self.sign));
        let from_v = Complex::new(-0.5 * s * f64::from(self.c), -s * step.im);
        let sum = turn(last as f64) * (from_v.scale(v) + step.scale(s * d));
        Complex::new(sum.re as f32, sum.im as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modulator::Dither;
    use std::vec::Vec;

    #[test]
    fn error_is_below_its_bound_at_every_frequency() {
        let mut noise = Dither::new(2, 31);
        let mut worst = 0.0f64;
        for n in [16usize, 100, 1024] {
            let x: Vec<f32> = (0..n).map(|_| 0.5 + noise.step() as f32 / 2f32.powi(32)).collect();
            let bound = 6.0 * (n * n) as f64 * f64::from(f32::EPSILON) / 2.0;
            let near_ends = [1e-9, 1e-5, 0.499_99, 0.5, -0.125, 0.7];
            for f in (0..n).map(|k| k as f64 / n as f64).chain(near_ends) {
                let expected: Complex<f64> = x.iter().enumerate().fold(Complex::ZERO, |sum, (i, &x)| {
                    sum + Complex::cis(-core::f64::consts::TAU * f * i as f64) * f64::from(x)
                });
                let got = Goertzel::new(f).dft(&x);
                let error = (Complex::new(f64::from(got.re), f64::from(got.im)) - expected).norm();
                assert!(error <= bound, "n {n}, f {f}: {error} > {bound}");
                worst = worst.max(error / bound);
            }
        }
        std::println!("largest error: {worst:.4} of the bound");
        assert_eq!(Goertzel::new(0.1).dft(&[]), Complex::ZERO);
    }
}
