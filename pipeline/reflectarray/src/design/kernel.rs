//! The kernel of the radiated power.
//!
//! ```text
//! P    = sum_mn conj(a_m) a_n K(beta R_mn) = 1/(2 pi) integral over the hemisphere of |cos^q(theta) F|^2
//! K(z) = integral_0^1 J_0(z sqrt(1 - w^2)) w^(2q) dw = C integral_0^1 (1 - u^2)^q cos(z u) du
//! K(0) = 1/(2 q + 1), which gives C;   q = 0: K = sin(z)/z
//! ```

use numerics::quadrature::half_line;
use numerics::special::sinc;
use std::f64::consts::{FRAC_PI_2, TAU};

/// K for elements cos^q.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// K at z = (i - [`BEFORE`]) [`STEP`]; empty for q = 0.
    table: Vec<f64>,
}

/// Step of the table. Of [`POINTS`] values around z the polynomial is off by at most (7!!)^2 (STEP/2)^8/8! = 3e-12 of the eighth
/// derivative, and that is below K(0).
const STEP: f64 = 0.1;
const POINTS: usize = 8;
const BEFORE: usize = POINTS / 2 - 1;
/// Half the nodes of a panel; a panel has at most one period of the cosine.
const HALF: usize = 10;

impl Kernel {
    /// For arguments up to `largest`.
    pub fn new(exponent: f64, largest: f64) -> Self {
        if exponent == 0.0 {
            return Self { table: Vec::new() };
        }
        let count = (largest / STEP) as usize + POINTS + 1;
        let nodes = nodes(exponent, largest + POINTS as f64 * STEP);
        let value = |i: usize| {
            let z = (i as f64 - BEFORE as f64) * STEP;
            nodes.iter().map(|[u, weight]| weight * (z * u).cos()).sum()
        };
        Self { table: (0..count).map(value).collect() }
    }

    /// K(z), z >= 0.
    pub fn value(&self, z: f64) -> f64 {
        if self.table.is_empty() {
            return sinc(z);
        }
        let at = ((z / STEP) as usize).min(self.table.len() - POINTS);
        let t = z / STEP - at as f64 + BEFORE as f64;
        let weight = |i: usize| {
            let others = (0..POINTS).filter(|j| *j != i);
            others.map(|j| (t - j as f64) / (i as f64 - j as f64)).product::<f64>()
        };
        self.table[at..][..POINTS].iter().enumerate().map(|(i, value)| value * weight(i)).sum()
    }
}

/// u and weights of the integral, in panels of a Gauss rule over s: u = sin(pi/2 (3 s - s^3)/2), so that the end at u = 1 is
/// smooth enough for any q.
fn nodes(exponent: f64, largest: f64) -> Vec<[f64; 2]> {
    let panels = (1.5 * FRAC_PI_2 * largest / TAU).ceil() + 8.0;
    let (half, weights) = half_line(HALF);
    let rule = half.iter().zip(&weights).flat_map(|(x, w)| [[-x, *w], [*x, *w]]);
    let rule: Vec<[f64; 2]> = rule.collect();
    let node = |panel: usize, [x, w]: [f64; 2]| {
        let s = (panel as f64 + 0.5 + 0.5 * x) / panels;
        let t = FRAC_PI_2 * 0.5 * s * (3.0 - s * s);
        // sin(pi/2 - t) with the digits that cos(t) would lose.
        let rest = FRAC_PI_2 * 0.5 * (1.0 - s) * (1.0 - s) * (2.0 + s);
        [t.sin(), w * rest.sin().powf(2.0 * exponent + 1.0) * (1.0 - s * s)]
    };
    let mut nodes: Vec<[f64; 2]> =
        (0..panels as usize).flat_map(|panel| rule.iter().map(move |x| node(panel, *x))).collect();
    let all: f64 = nodes.iter().map(|[_, weight]| weight).sum();
    nodes.iter_mut().for_each(|[_, weight]| *weight /= all * (2.0 * exponent + 1.0));
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// q = 1: K = j_1(z)/z; q = 2: 3 j_2(z)/z^2; q = 1/2: J_1(z)/z (Sonine's integral).
    #[test]
    fn closed_forms_are_met() {
        let table = [0.5, 1.0, 2.0].map(|q| Kernel::new(q, 320.0));
        for z in (1..3200).map(|i| 0.0999 * f64::from(i)) {
            let (sine, cosine) = z.sin_cos();
            let one = (sine / z - cosine) / (z * z);
            let two = 3.0 * ((3.0 / (z * z) - 1.0) * sine / z - 3.0 * cosine / (z * z)) / (z * z);
            let half = numerics::special::bessel(z, 1)[1] / z;
            for (kernel, expected) in table.iter().zip([half, one, two]) {
                // The polynomial's error, and at small z the cancellation of the closed forms.
                let tolerance = 5e-12 + 1e-14 / z.powi(4);
                assert!(
                    (kernel.value(z) - expected).abs() < tolerance,
                    "{z}: {} {expected}",
                    kernel.value(z)
                );
            }
        }
        for (q, kernel) in [(0.0, Kernel::new(0.0, 1.0)), (0.37, Kernel::new(0.37, 1.0))] {
            assert!((kernel.value(0.0) * (2.0 * q + 1.0) - 1.0).abs() < 1e-14);
        }
        // At any q the nodes are enough: twice as many panels change nothing.
        let (few, many) = (Kernel::new(0.37, 10.0), Kernel::new(0.37, 600.0));
        for z in [0.05, 1.0, 3.3, 9.9] {
            assert!((few.value(z) - many.value(z)).abs() < 1e-12, "{z}");
        }
    }
}
