//! Hankel functions of the second kind, orders 0 and 1, of a real argument: H_n(x) = J_n(x) - j Y_n(x).
//!
//! # Formulas
//! ```text
//! x < 2    J_0 = 1 + sum_{k>0} (-t)^k/k!^2           t = x^2/4, h_k = 1 + 1/2 + ... + 1/k
//!          Y_0 = 2/pi [(ln(x/2) + gamma) J_0 - sum h_k (-t)^k/k!^2]
//!          J_1 = x/2 sum (-t)^k/(k! (k + 1)!)
//!          Y_1 = -2/(pi x) + 2/pi (ln(x/2) + gamma) J_1 - x/(2 pi) sum (h_k + h_{k+1}) (-t)^k/(k! (k + 1)!)
//! x >= 2   H_n = sqrt(2/(pi x)) exp(-j (x - n pi/2 - pi/4)) (P_n - j Q_n)
//! ```
//! P_n - 1 and x Q_n are small, smooth in 1/x^2 and come from polynomials on four intervals (`tables.rs`, made by `tables.py`). The
//! phase is never subtracted: sine and cosine of x itself, which the system's library reduces with all digits of pi, are
//! turned by multiples of pi/4, and what rounding takes from their sum is kept.
//!
//! # Validity
//! Any positive x. Errors are at most [`ERROR`] times |H_n| for x from 1e-8 to 1e5 (`tests`, against double-double sums of
//! the power series and of the asymptotic series, which share nothing with the polynomials). At x = 0 and below the result
//! is not finite.

mod tables;
#[cfg(test)]
mod tests;

use kernels::abi::MomInterval;
use num_complex::Complex;
use std::array;
use std::f64::consts::{FRAC_1_PI, FRAC_2_PI};
pub(super) use tables::INTERVALS;

/// A complex number.
pub type C = Complex<f64>;

/// Most error of a value, in parts of its magnitude: two units in the last place.
pub const ERROR: f64 = 2.0 * f64::EPSILON;

/// Euler's constant, gamma.
pub const EULER: f64 = 0.577_215_664_901_532_9;

/// gamma - ln 2.
const EULER_LESS_LN_2: f64 = -0.115_931_515_658_412_45;

/// Terms of the power series: the next one is below 2^-60 for x < 2.
pub const TERMS: usize = 13;

/// 1/(k! (k + n)!) for n = 0, less the 1 of k = 0, and n = 1, and the same times h_k or h_k + h_{k+1}; each with the sign of (-1)^k.
pub const SERIES: [[f64; TERMS]; 4] = series();

const fn series() -> [[f64; TERMS]; 4] {
    let mut out = [[0.0; TERMS]; 4];
    let (mut k, mut factorial, mut h, mut sign) = (0, 1.0, 0.0, 1.0);
    while k < TERMS {
        let next = (k + 1) as f64;
        out[0][k] = sign / (factorial * factorial);
        out[1][k] = sign / (factorial * factorial * next);
        out[2][k] = h * out[0][k];
        out[3][k] = (h + h + 1.0 / next) * out[1][k];
        (h, factorial, sign, k) = (h + 1.0 / next, factorial * next, -sign, k + 1);
    }
    out[0][0] = 0.0;
    out
}

/// H_0 and H_1 of the second kind.
#[inline]
pub fn hankel(x: f64) -> [Complex<f64>; 2] {
    let [first, second, third, last] = &INTERVALS;
    match x {
        _ if x >= last.from => modulated(x, last),
        _ if x >= third.from => modulated(x, third),
        _ if x >= second.from => modulated(x, second),
        _ if x >= first.from => modulated(x, first),
        _ => near_zero(x),
    }
}

/// Four polynomials side by side.
#[inline]
fn horner<const N: usize>(polynomials: &[[f64; N]; 4], x: f64) -> [f64; 4] {
    (0..N).rev().fold([0.0; 4], |sums, k| array::from_fn(|i| sums[i] * x + polynomials[i][k]))
}

fn near_zero(x: f64) -> [Complex<f64>; 2] {
    let half = 0.5 * x;
    // ln(x/2) + gamma, with what rounding takes from it.
    let [log, rest] = exact_sum(x.ln(), EULER_LESS_LN_2);
    let [j0_less_1, j1, y0, y1] = horner(&SERIES, half * half);
    let j1 = half * j1;
    let y0 = FRAC_2_PI * (log + (rest + log * j0_less_1 - y0));
    let y1 = FRAC_2_PI * log * j1 - FRAC_1_PI * half * y1 - FRAC_2_PI / x;
    [Complex::new(1.0 + j0_less_1, -y0), Complex::new(j1, -y1)]
}

#[inline]
fn modulated(x: f64, interval: &MomInterval) -> [Complex<f64>; 2] {
    let inverse = 1.0 / x;
    let w = inverse * inverse * interval.scale - interval.shift;
    let [p0, q0, p1, q1] = horner(&interval.powers, w);
    let (q0, q1) = (q0 * inverse, q1 * inverse);
    let (sin, cos) = x.sin_cos();
    // sqrt(2) exp(-j(x - pi/4)) = sum + j difference, with what rounding takes from both; a quarter turn more for order 1.
    let ([sum, sum_rest], [difference, rest]) = (exact_sum(cos, sin), exact_sum(cos, -sin));
    let amplitude = (FRAC_1_PI / x).sqrt();
    // All but the first term of each is small, and so is its rounding.
    let along = |p: f64, q: f64| amplitude * (sum + (sum_rest + sum * p + difference * q));
    let across = |p: f64, q: f64| amplitude * (difference + (rest + difference * p - sum * q));
    [Complex::new(along(p0, q0), across(p0, q0)), Complex::new(-across(p1, q1), along(p1, q1))]
}

/// a + b, rounded, and the rest (Knuth).
#[inline]
fn exact_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let part = sum - a;
    [sum, (a - (sum - part)) + (b - part)]
}
