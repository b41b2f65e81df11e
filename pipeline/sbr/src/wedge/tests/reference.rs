//! The definition of `fringe`: the exact field of an infinite wedge as a series of Bessel functions,
//! less that of physical optics, integrated over the strip numerically.
//! ```text
//! H_z = 2/n sum over m of e_m j^(m/n) J_(m/n)(xi) cos(m phi'/n),   e_0 = 1, e_m = 2        on the face
//! dE_z/dy = 4/n sum over m of m/n j^(m/n) J_(m/n)(xi)/xi sin(m phi'/n)
//! optical: 2 exp(j xi cos phi'),  2j sin phi' exp(j xi cos phi')        where phi' < pi
//! ```
//! Power series of the Bessel functions lose digits as exp(xi): strips of up to two wavelengths, xi = 4 pi,
//! are right to 1e-9.

use super::super::fringe::Coefficients;
use num_complex::Complex;
use std::f64::consts::PI;

type C = Complex<f64>;

/// Abscissas of the numerical integral, on each side of the middle, and their step: tanh-sinh, with which
/// singular ends do no harm.
const ABSCISSAS: i32 = 160;
const STEP: f64 = 4.2 / 160.0;

/// A strip that ends at `reach`, in 1/kappa.
pub fn strip(n: f64, azimuth: f64, mu: f64, reach: f64) -> Coefficients {
    let (mut a, mut b) = (C::default(), C::default());
    for i in -ABSCISSAS..=ABSCISSAS {
        let u = STEP * f64::from(i);
        let decay = (-PI * u.sinh()).exp();
        let xi = reach / (1.0 + decay);
        let weight = STEP * reach * PI * u.cosh() * decay / (1.0 + decay).powi(2);
        let [e, h] = fringe(n, azimuth, xi);
        let wave = C::from_polar(weight, mu * xi);
        a += e * wave;
        b += h * wave;
    }
    let end = fringe(n, azimuth, reach)[1] * C::from_polar(1.0, mu * reach);
    Coefficients { a, b, tip: fringe(n, azimuth, 0.0)[1] - end }
}

/// dE_z/dy and H_z on the face, exact less optical.
fn fringe(n: f64, azimuth: f64, xi: f64) -> [C; 2] {
    let (mut e, mut h) = (C::default(), C::default());
    // Orders beyond the argument decay faster than any power.
    let orders = (n * (xi + 40.0)).ceil() as u32;
    for m in 0..=orders {
        let order = f64::from(m) / n;
        let (sin, cos) = (order * azimuth).sin_cos();
        let turn = C::from_polar(1.0, 0.5 * PI * order);
        let over = bessel_over_power(order, xi);
        h += turn * (over * xi.powf(order) * cos * if m == 0 { 1.0 } else { 2.0 });
        if m > 0 {
            e += turn * (over * xi.powf(order - 1.0) * sin * order);
        }
    }
    let optical = if azimuth < PI { C::from_polar(2.0, xi * azimuth.cos()) } else { C::default() };
    [e * (4.0 / n) - optical * C::new(0.0, azimuth.sin()), h * (2.0 / n) - optical]
}

/// J of an order over xi to that power.
fn bessel_over_power(order: f64, xi: f64) -> f64 {
    let quarter = -0.25 * xi * xi;
    let mut term = (-order * 2f64.ln() - ln_gamma(order + 1.0)).exp();
    let mut sum = 0.0;
    for k in 1..100 {
        sum += term;
        term *= quarter / (f64::from(k) * (f64::from(k) + order));
    }
    sum
}

/// ln of the gamma function of x >= 1: Lanczos with g = 7 and 9 coefficients.
fn ln_gamma(x: f64) -> f64 {
    const LANCZOS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let sum: f64 = (1..9).map(|i| LANCZOS[i] / (x + i as f64)).sum::<f64>() + LANCZOS[0];
    let t = x + 7.5;
    0.5 * (2.0 * PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bessel_functions_have_their_known_values() {
        // J_1/2 = sqrt(2/(pi x)) sin x, J_0 and J_1 from Abramowitz and Stegun, table 9.1.
        for x in [0.3f64, 2.0, 7.0] {
            let half = (2.0 / (PI * x)).sqrt() * x.sin();
            assert!((bessel_over_power(0.5, x) * x.sqrt() - half).abs() < 1e-12);
        }
        assert!((bessel_over_power(0.0, 2.0) - 0.223_890_779_141_235_7).abs() < 1e-13);
        assert!((bessel_over_power(1.0, 5.0) * 5.0 + 0.327_579_137_591_465).abs() < 1e-12);
        assert!((ln_gamma(6.0) - 120f64.ln()).abs() < 1e-13 && ln_gamma(1.0).abs() < 1e-14);
    }

    #[test]
    fn a_plane_has_no_fringe() {
        for azimuth in [0.4, 1.7, 3.0] {
            for xi in [0.1, 1.0, 9.0] {
                let [e, h] = fringe(1.0, azimuth, xi);
                assert!(e.norm() < 1e-9 && h.norm() < 1e-9, "{azimuth} {xi}: {e} {h}");
            }
        }
    }
}
