//! Phases by few numbers: Zernike's polynomials on the circle around the aperture.
//!
//! ```text
//! Z_n^m = R_n^m(rho) cos(m phi), Z_n^-m = R_n^m(rho) sin(m phi),   n = 0..order, m = n, n - 2, ..
//! R_n^m = sum_k (-1)^k (n - k)!/(k! ((n + m)/2 - k)! ((n - m)/2 - k)!) rho^(n - 2k)
//! ```

use super::Elements;
use super::vector::{add, dot};

/// Polynomials at the elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Zernike {
    /// `[polynomial][element]`, by rising n, without the constant one, which changes nothing.
    table: Vec<Vec<f64>>,
}

impl Zernike {
    /// All polynomials up to an order, at elements within a circle about the centre.
    pub fn new(elements: &Elements, order: usize) -> Self {
        let squares = elements.x.iter().zip(&elements.y).map(|(x, y)| x * x + y * y);
        let radius = squares.fold(0.0, f64::max).sqrt().max(f64::MIN_POSITIVE);
        let all = (1..=order).flat_map(|n| (0..=n).map(move |i| (n, n.abs_diff(2 * i), 2 * i > n)));
        let value = |x: f64, y: f64, (n, m, odd): (usize, usize, bool)| {
            let (rho, phi) = (x.hypot(y) / radius, y.atan2(x));
            let angle = m as f64 * phi;
            radial(n, m, rho) * if odd { angle.sin() } else { angle.cos() }
        };
        let table =
            all.map(|which| elements.x.iter().zip(&elements.y).map(|(x, y)| value(*x, *y, which)).collect());
        Self { table: table.collect() }
    }

    /// Number of polynomials.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// All values, `[polynomial][element]`.
    pub fn values(&self) -> Vec<f64> {
        self.table.concat()
    }

    /// Adds the sum of polynomials to phases.
    pub fn expand(&self, coefficients: &[f64], phase: &mut [f64]) {
        for (coefficient, values) in coefficients.iter().zip(&self.table) {
            add(phase, *coefficient, values);
        }
    }

    /// The transpose: from a gradient by phases to one by coefficients.
    pub fn collect(&self, by: &[f64], to: &mut [f64]) {
        for (to, values) in to.iter_mut().zip(&self.table) {
            *to = dot(by, values);
        }
    }
}

fn radial(n: usize, m: usize, rho: f64) -> f64 {
    let factorial = |k: usize| (1..=k).map(|i| i as f64).product::<f64>();
    let term = |k: usize| {
        let sign = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        let below = factorial(k) * factorial((n + m) / 2 - k) * factorial((n - m) / 2 - k);
        sign * factorial(n - k) / below * rho.powi((n - 2 * k) as i32)
    };
    (0..=(n - m) / 2).map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a fine grid over the disc, polynomials are orthogonal, with the norm pi (1 + [m = 0])/(2 n + 2).
    #[test]
    fn polynomials_are_orthogonal_on_the_disc() {
        let mut elements = Elements::grid(401, 401, 0.005);
        let inside: Vec<bool> = elements.x.iter().zip(&elements.y).map(|(x, y)| x.hypot(*y) <= 1.0).collect();
        let keep =
            |values: &[f64]| values.iter().zip(&inside).filter(|(_, i)| **i).map(|(v, _)| *v).collect();
        (elements.x, elements.y) = (keep(&elements.x), keep(&elements.y));
        let zernike = Zernike::new(&elements, 4);
        assert_eq!(zernike.len(), 14);
        for (i, a) in zernike.table.iter().enumerate() {
            let order = [1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4][i];
            for (j, b) in zernike.table.iter().enumerate() {
                let product = dot(a, b) * 0.005 * 0.005;
                let round = [3, 11].contains(&i);
                let norm =
                    if round { 2.0 } else { 1.0 } * std::f64::consts::PI / (2.0 * f64::from(order) + 2.0);
                // The edge of the disc is a staircase of half a step.
                assert!((product - if i == j { norm } else { 0.0 }).abs() < 0.01, "{i} {j}: {product}");
            }
        }
    }

    #[test]
    fn collecting_is_the_transpose() {
        let elements = Elements::grid(5, 4, 1.0);
        let zernike = Zernike::new(&elements, 3);
        let coefficients: Vec<f64> = (0..9).map(|i| f64::from(i).cos()).collect();
        let by: Vec<f64> = (0..20).map(|i| f64::from(i).sin()).collect();
        let (mut phase, mut collected) = ([0.0; 20], [f64::NAN; 9]);
        zernike.expand(&coefficients, &mut phase);
        zernike.collect(&by, &mut collected);
        assert!((dot(&phase, &by) - dot(&coefficients, &collected)).abs() < 1e-12);
    }
}
