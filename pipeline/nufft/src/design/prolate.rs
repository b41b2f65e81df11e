//! The prolate spheroidal wave function of order zero: of all functions on [-1, 1], the one whose Fourier transform has the
//! largest share of its energy within [-c, c].
//!
//! It is the eigenfunction of the smallest eigenvalue of Slepian's differential operator, which commutes with the finite Fourier
//! transform. In normalised Legendre polynomials the operator is a symmetric matrix with two diagonals (Xiao, Rokhlin and Yarvin,
//! Inverse Problems 17, 805 (2001)); even functions have even terms only.

use numerics::quadrature::LEGENDRE;

/// Terms beyond which coefficients are below rounding: they fall faster than any power behind 2 c/pi.
fn terms(c: f64) -> usize {
    25 + c as usize / 2
}

/// Coefficients of P_0, P_2, .. of the function with bandwidth `c`, 1 at 0.
pub fn coefficients(c: f64) -> Vec<f64> {
    let count = terms(c);
    let degree = |i: usize| 2.0 * i as f64;
    let diagonal =
        |k: f64| k * (k + 1.0) + (2.0 * k * (k + 1.0) - 1.0) / ((2.0 * k + 3.0) * (2.0 * k - 1.0)) * c * c;
    let beside = |k: f64| {
        (k + 2.0) * (k + 1.0) / ((2.0 * k + 3.0) * ((2.0 * k + 1.0) * (2.0 * k + 5.0)).sqrt()) * c * c
    };
    // Inverse iteration: the matrix is positive definite, and its second eigenvalue is several times the first.
    let mut x = vec![0.0; count];
    x[0] = 1.0;
    let mut pivots = vec![0.0; count];
    for i in 0..count {
        let before = if i == 0 { 0.0 } else { beside(degree(i - 1)).powi(2) / pivots[i - 1] };
        pivots[i] = diagonal(degree(i)) - before;
    }
    let ratios: Vec<f64> = (0..count).map(|i| beside(degree(i)) / pivots[i]).collect();
    for _ in 0..ITERATIONS {
        for i in 1..count {
            x[i] -= ratios[i - 1] * x[i - 1];
        }
        x[count - 1] /= pivots[count - 1];
        for i in (0..count - 1).rev() {
            x[i] = x[i] / pivots[i] - ratios[i] * x[i + 1];
        }
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        x.iter_mut().for_each(|x| *x /= norm);
    }
    for (i, x) in x.iter_mut().enumerate() {
        *x *= (degree(i) + 0.5).sqrt();
    }
    let middle = value(&x, 0.0);
    x.iter_mut().for_each(|x| *x /= middle);
    x
}

/// Steps of the inverse iteration; the ratio of the two eigenvalues is below 0.5.
const ITERATIONS: usize = 60;

/// Sum of the even Legendre series at `u` in [-1, 1].
pub fn value(coefficients: &[f64], u: f64) -> f64 {
    let (mut before, mut present, mut sum) = (0.0, 1.0, 0.0);
    for (i, a) in coefficients.iter().enumerate() {
        sum += a * present;
        for [a, b] in &LEGENDRE[2 * i..2 * i + 2] {
            (before, present) = (present, a * u * present - b * before);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The function is its own finite Fourier transform: the integral of psi(u) cos(c x u) is a multiple of psi(x).
    #[test]
    fn it_is_its_own_finite_fourier_transform() {
        for c in [1.0, 5.0, 16.5, 37.0, 60.0] {
            let a = coefficients(c);
            let (nodes, weights) = numerics::quadrature::half_line(200);
            let transform = |x: f64| -> f64 {
                nodes.iter().zip(&weights).map(|(u, w)| w * value(&a, *u) * (c * x * u).cos()).sum()
            };
            let ratio = transform(0.0) / value(&a, 0.0);
            for x in [0.1, 0.35, 0.6, 0.85, 1.0] {
                let (found, expected) = (transform(x), ratio * value(&a, x));
                assert!((found - expected).abs() < 1e-14 * ratio, "c {c} x {x}: {found} {expected}");
            }
        }
    }
}
