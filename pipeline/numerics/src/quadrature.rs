//! Legendre polynomials and the Gauss-Legendre rule.

/// P_0 .. of `values.len()` degrees at x.
#[inline]
pub fn legendre(x: f64, values: &mut [f64]) {
    let (mut before, mut present) = (0.0, 1.0);
    for (degree, value) in values.iter_mut().enumerate() {
        *value = present;
        let k = degree as f64;
        (before, present) = (present, ((2.0 * k + 1.0) * x * present - k * before) / (k + 1.0));
    }
}

/// Derivatives of the polynomials whose values are given: P'_{k+1} = P'_{k-1} + (2k + 1) P_k.
#[inline]
pub fn legendre_slopes(values: &[f64], slopes: &mut [f64]) {
    for k in 0..slopes.len() {
        slopes[k] = match k {
            0 => 0.0,
            1 => 1.0,
            _ => slopes[k - 2] + (2.0 * k as f64 - 1.0) * values[k - 1],
        };
    }
}

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

/// Steps of Newton's iteration where Tricomi's estimate is right to 1e-4 already.
const NEWTON_OF_MANY: usize = 4;

/// Nodes in (0, 1) and weights of a rule for even functions: `sum w g(u)` is the integral of g from 0 to 1.
/// It is the right half of the rule of 2 `count` nodes on [-1, 1].
pub fn half_line(count: usize) -> (Vec<f64>, Vec<f64>) {
    let order = 2.0 * count as f64;
    let rule = (0..count).map(|i| {
        let mut u = (std::f64::consts::PI * (i as f64 + 0.75) / (order + 0.5)).cos();
        let mut slope = 0.0;
        for _ in 0..NEWTON_OF_MANY {
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
