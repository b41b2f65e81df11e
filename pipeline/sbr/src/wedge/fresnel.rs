//! exp(j y^2) erfc(exp(j pi/4) y) for y >= 0: Fresnel's integral without its wave, from 1 at 0 down to exp(-j
//! pi/4)/(sqrt(pi) y) far away.
//!
//! It is w(exp(3 j pi/4) y) of w(z) = exp(-z^2) erfc(-jz), by Weideman's series, SIAM J. Numer. Anal. 31,
//! 1497 (1994): w(z) = 2 p(Z)/(L - jz)^2 + 1/(sqrt(pi) (L - jz)), Z = (L + jz)/(L - jz), p a polynomial.

use crate::field::C;
use std::f64::consts::PI;
use std::sync::LazyLock;

/// Terms of the series; with 32 it is right to 1e-11.
const TERMS: usize = 32;

/// L and the coefficients of p, the lowest power first.
static SERIES: LazyLock<(f64, [f64; TERMS])> = LazyLock::new(|| {
    let length = (TERMS as f64 / 2f64.sqrt()).sqrt();
    // Fourier coefficients of exp(-t^2) (L^2 + t^2) with t = L tan(theta/2); even in theta.
    let samples = 4 * TERMS;
    let sample = |j: usize| {
        let theta = PI * j as f64 / samples as f64;
        let t = length * (0.5 * theta).tan();
        (theta, (-t * t).exp() * (length * length + t * t))
    };
    let coefficient = |m: usize| {
        let end = 0.5 * sample(0).1;
        let inside: f64 = (1..samples).map(sample).map(|(theta, f)| f * (m as f64 * theta).cos()).sum();
        (end + inside) / samples as f64
    };
    (length, std::array::from_fn(|m| coefficient(m + 1)))
});

/// L and the coefficients of p, as a card has them.
pub fn series() -> [f64; TERMS + 1] {
    let (length, series) = &*SERIES;
    std::array::from_fn(|i| if i == 0 { *length } else { series[i - 1] })
}

/// exp(j y^2) erfc(exp(j pi/4) y), y >= 0.
pub fn fresnel(y: f64) -> C {
    let (length, series) = &*SERIES;
    let jz = C::from_polar(y, -0.75 * PI);
    let below = C::new(*length, 0.0) - jz;
    let ratio = (jz + *length) / below;
    let p = series.iter().rev().fold(C::default(), |sum, coefficient| sum * ratio + coefficient);
    2.0 * p / (below * below) + 1.0 / (below * PI.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// exp(q^2) (1 - 2/sqrt(pi) sum (-1)^m q^(2m+1)/(m! (2m+1))), q = exp(j pi/4) y.
    fn by_powers(y: f64) -> C {
        let square = C::new(0.0, y * y);
        let mut term = C::from_polar(y, 0.25 * PI);
        let mut sum = C::default();
        for m in 0..120 {
            sum += term / (2 * m + 1) as f64;
            term *= -square / (m + 1) as f64;
        }
        square.exp() * (1.0 - sum * (2.0 / PI.sqrt()))
    }

    #[test]
    fn it_is_the_power_series_near_zero_and_the_asymptotic_one_far_away() {
        for y in [0.0, 1e-9, 1e-3, 0.1, 0.5, 1.0, 1.7, 2.5, 3.0] {
            // Terms of the series are up to exp(y^2): 1e4, times 2^-52.
            assert!((fresnel(y) - by_powers(y)).norm() < 1e-10, "{y}: {}", fresnel(y) - by_powers(y));
        }
        for y in [30.0, 1e3, 1e8] {
            let q = C::from_polar(y, 0.25 * PI);
            let expected = (1.0 - 0.5 / (q * q) + 0.75 / (q * q * q * q)) / (q * PI.sqrt());
            // The next term is 15/8 y^-6, 2.6e-9 at 30.
            assert!((fresnel(y) / expected - 1.0).norm() < 3e-9, "{y}");
        }
    }
}
