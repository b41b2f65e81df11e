//! Legendre polynomials and Gauss's rule.

/// P_0 .. of `values.len()` degrees at x.
pub fn legendre(x: f64, values: &mut [f64]) {
    let (mut before, mut present) = (0.0, 1.0);
    for (degree, value) in values.iter_mut().enumerate() {
        *value = present;
        let k = degree as f64;
        (before, present) = (present, ((2.0 * k + 1.0) * x * present - k * before) / (k + 1.0));
    }
}

/// Derivatives of the polynomials whose values are given: P'_{k+1} = P'_{k-1} + (2k + 1) P_k.
pub fn legendre_slopes(values: &[f64], slopes: &mut [f64]) {
    for k in 0..slopes.len() {
        slopes[k] = match k {
            0 => 0.0,
            1 => 1.0,
            _ => slopes[k - 2] + (2.0 * k as f64 - 1.0) * values[k - 1],
        };
    }
}

/// Nodes on (-1, 1) in rising order, and weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Gauss {
    /// Where.
    pub nodes: Vec<f64>,
    /// How much; they add up to 2.
    pub weights: Vec<f64>,
}

/// Steps of Newton's iteration from Tricomi's estimate: errors of 1e-2 for one node, then 1e-4, 1e-8, 1e-16.
const NEWTON: usize = 5;

impl Gauss {
    /// The rule that is exact to degree 2 `count` - 1.
    pub fn new(count: usize) -> Self {
        let mut values = vec![0.0; count + 1];
        let node = |i: usize| {
            let order = count as f64;
            let mut x = -(std::f64::consts::PI * (i as f64 + 0.75) / (order + 0.5)).cos();
            let mut slope = 0.0;
            for _ in 0..NEWTON {
                legendre(x, &mut values);
                slope = order * (x * values[count] - values[count - 1]) / (x * x - 1.0);
                x -= values[count] / slope;
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        };
        let (nodes, weights) = (0..count).map(node).unzip();
        Self { nodes, weights }
    }

    /// Pairs of node and weight.
    pub fn pairs(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.nodes.iter().copied().zip(self.weights.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_integrated_to_the_degree() {
        for count in [1, 2, 3, 8, 16, 40] {
            let rule = Gauss::new(count);
            for power in 0..2 * count {
                let sum: f64 = rule.pairs().map(|(x, w)| w * x.powi(power as i32)).sum();
                let exact = if power % 2 == 0 { 2.0 / (power as f64 + 1.0) } else { 0.0 };
                assert!((sum - exact).abs() < 1e-14, "{count} nodes, power {power}: {sum} {exact}");
            }
        }
    }

    #[test]
    fn slopes_are_those_of_the_polynomials() {
        let (x, step) = (0.3, 1e-5);
        let at = |x: f64| {
            let mut values = [0.0; 9];
            legendre(x, &mut values);
            values
        };
        let mut slopes = [f64::NAN; 9];
        legendre_slopes(&at(x), &mut slopes);
        for (k, slope) in slopes.into_iter().enumerate() {
            let difference = (at(x + step)[k] - at(x - step)[k]) / (2.0 * step);
            assert!((difference - slope).abs() < 1e-7, "{k}");
        }
    }
}
