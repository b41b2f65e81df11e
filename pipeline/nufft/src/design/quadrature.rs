//! Gauss-Legendre quadrature of even functions.

/// P_{k+1}(u) = a u P_k(u) - b P_{k-1}(u) for degrees up to 512.
pub static LEGENDRE: [[f64; 2]; 512] = {
    let mut steps = [[0.0; 2]; 512];
    let mut k = 0;
    while k < steps.len() {
        let degree = k as f64;
        steps[k] = [(2.0 * degree + 1.0) / (degree + 1.0), degree / (degree + 1.0)];
        k += 1;
    }
    steps
};

/// Nodes in (0, 1) and their weights, so that `sum w g(u)` is the integral of an even g from 0 to 1: the right half of the rule of
/// 2 `count` nodes on [-1, 1].
pub fn half_line(count: usize) -> (Vec<f64>, Vec<f64>) {
    let order = 2.0 * count as f64;
    let rule = (0..count).map(|i| {
        // Tricomi's estimate, then Newton.
        let mut u = (std::f64::consts::PI * (i as f64 + 0.75) / (order + 0.5)).cos();
        let mut slope = 0.0;
        for _ in 0..NEWTON {
            let (mut before, mut present) = (0.0, 1.0);
            for [a, b] in &LEGENDRE[..2 * count] {
                (before, present) = (present, a * u * present - b * before);
            }
            slope = order * (u * present - before) / (u * u - 1.0);
            u -= present / slope;
        }
        (u, 2.0 / ((1.0 - u * u) * slope * slope))
    });
    rule.unzip()
}

/// Steps of Newton's iteration: errors of 1e-4, 1e-8, 1e-16.
const NEWTON: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_and_cosines_are_integrated_exactly() {
        for count in [1, 2, 7, 64] {
            let (nodes, weights) = half_line(count);
            for power in (0..4 * count).step_by(2).take(20) {
                let sum: f64 = nodes.iter().zip(&weights).map(|(u, w)| w * u.powi(power as i32)).sum();
                assert!((sum * (power as f64 + 1.0) - 1.0).abs() < 1e-13, "{count} nodes, power {power}");
            }
        }
        let (nodes, weights) = half_line(100);
        let sum: f64 = nodes.iter().zip(&weights).map(|(u, w)| w * (90.0 * u).cos()).sum();
        assert!((sum - 90f64.sin() / 90.0).abs() < 1e-15);
    }
}
