//! Orthonormal polynomials on the reference triangle and tetrahedron (Proriol, Koornwinder, Dubiner).
//!
//! ```text
//! psi_ijk = sqrt(8) P_i(a; 0) P_j(b; 2i + 1) (1 - b)^i P_k(c; 2(i + j) + 2) (1 - c)^(i + j)        i + j + k <= p
//! a = 2 (1 + r)/(-s - t) - 1,   b = 2 (1 + s)/(1 - t) - 1,   c = t
//! ```
//! P_n(x; alpha) is the Jacobi polynomial of weight (1 - x)^alpha with norm 1. The reference tetrahedron has the corners (-1, -1, -1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1); the
//! triangle is its face t = -1.

use numerics::jacobi::{derivative, polynomial};

/// Degrees (i, j, k) of all polynomials up to degree `order`.
pub fn degrees(order: usize) -> impl Iterator<Item = [usize; 3]> {
    let rest = move |i: usize, j: usize| (0..=order - i - j).map(move |k| [i, j, k]);
    (0..=order).flat_map(move |i| (0..=order - i).flat_map(move |j| rest(i, j)))
}

/// Degrees (i, j) of all polynomials of two variables up to degree `order`.
pub fn degrees_2(order: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..=order).flat_map(move |i| (0..=order - i).map(move |j| [i, j]))
}

/// 2 (1 + x)/width - 1; where the width is none, x is -1 and the value does not matter.
fn collapsed(x: f64, width: f64) -> f64 {
    if width == 0.0 { -1.0 } else { 2.0 * (1.0 + x) / width - 1.0 }
}

/// x^n, and zero for the powers below none that derivatives of constants ask for.
fn power(x: f64, n: usize, less: usize) -> f64 {
    n.checked_sub(less).map_or(0.0, |n| x.powi(n as i32))
}

/// psi_ij on the triangle at (r, s).
pub fn triangle([i, j]: [usize; 2], [r, s]: [f64; 2]) -> f64 {
    let a = collapsed(r, 1.0 - s);
    2f64.sqrt() * polynomial(i, 0, 0, a) * polynomial(j, 2 * i + 1, 0, s) * power(1.0 - s, i, 0)
}

/// psi_ijk at (r, s, t).
pub fn tetrahedron([i, j, k]: [usize; 3], [r, s, t]: [f64; 3]) -> f64 {
    let (a, b) = (collapsed(r, -s - t), collapsed(s, 1.0 - t));
    let (f, g, h) =
        (polynomial(i, 0, 0, a), polynomial(j, 2 * i + 1, 0, b), polynomial(k, 2 * (i + j) + 2, 0, t));
    8f64.sqrt() * f * g * power(1.0 - b, i, 0) * h * power(1.0 - t, i + j, 0)
}

/// Derivatives of psi_ijk with respect to r, s and t, free of divisions by what vanishes at corners.
pub fn gradient([i, j, k]: [usize; 3], [r, s, t]: [f64; 3]) -> [f64; 3] {
    let (a, b) = (collapsed(r, -s - t), collapsed(s, 1.0 - t));
    let (beta, gamma) = (2 * i + 1, 2 * (i + j) + 2);
    let (f, g, h) = (polynomial(i, 0, 0, a), polynomial(j, beta, 0, b), polynomial(k, gamma, 0, t));
    let (df, dg, dh) = (derivative(i, 0, 0, a), derivative(j, beta, 0, b), derivative(k, gamma, 0, t));
    let (v, w, m) = (0.5 * (1.0 - b), 0.5 * (1.0 - t), i + j);
    // Each power of v and w lost to a chain rule is taken from those of the polynomial. A factor without one has derivative zero.
    let lost = |n: usize, x: f64| if n > 0 { power(x, n, 1) } else { 1.0 };
    let by_r = df * lost(i, v) * lost(m, w) * g * h;
    let by_b = (dg * power(v, i, 0) - 0.5 * i as f64 * g * power(v, i, 1)) * lost(m, w) * f * h;
    let by_c = (dh * power(w, m, 0) - 0.5 * m as f64 * h * power(w, m, 1)) * f * g * power(v, i, 0);
    let by_s = 0.5 * (1.0 + a) * by_r + by_b;
    let by_t = 0.5 * (1.0 + a) * by_r + 0.5 * (1.0 + b) * by_b + by_c;
    let scale = 2f64.powf((2 * i + j) as f64 + 1.5);
    [by_r, by_s, by_t].map(|value| value * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_those_of_differences() {
        let step = 1e-5;
        for point in [[-0.3, -0.5, -0.4], [-0.9, 0.2, -0.7], [-0.6, -0.6, 0.1]] {
            for degree in degrees(6) {
                let found = gradient(degree, point);
                for axis in 0..3 {
                    let at = |by: f64| {
                        let mut moved = point;
                        moved[axis] += by;
                        tetrahedron(degree, moved)
                    };
                    let expected = (at(step) - at(-step)) / (2.0 * step);
                    // A third derivative of some 1e4 times step^2/6, and rounding over the step.
                    assert!((found[axis] - expected).abs() < 1e-5, "{degree:?} {point:?} {axis}");
                }
            }
        }
    }

    #[test]
    fn there_are_as_many_as_the_formula_says() {
        for p in 0..=8 {
            assert_eq!(degrees(p).count(), (p + 1) * (p + 2) * (p + 3) / 6);
            assert_eq!(degrees_2(p).count(), (p + 1) * (p + 2) / 2);
        }
    }
}
