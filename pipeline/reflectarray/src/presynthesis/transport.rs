//! Optimal transport from the lit aperture to the coverage.
//!
//! ```text
//! Phi(x) = eps ln sum_j exp((x . u_j - p_j)/eps)         convex; its gradient is a mean of directions, those that x lights
//! ```
//! The prices p_j are those at which every direction gets the same share of the power: Sinkhorn's iteration, p_j += eps ln(what u_j gets/its
//! share), with eps that falls to a length over which the aperture cannot resolve directions: beta eps = 1. (Peyre and Cuturi, Found. Trends
//! Mach. Learn. 11, 355 (2019), chapter 4.) The light is taken together in cells first.

use super::super::Elements;

/// Cells along each axis that the light is taken together in.
const CELLS: usize = 16;
/// Iterations at each eps, and how many times eps is halved on the way to its last value.
const ITERATIONS: usize = 20;
const HALVINGS: i32 = 5;

/// Phi at the elements, and the plane through its middle.
pub struct Potential {
    beta: f64,
    kind: f64,
    values: Vec<f64>,
    /// Mean direction times place.
    plane: Vec<f64>,
}

impl Potential {
    /// The phase that sends rays so, with directions stretched about their mean.
    pub fn stretched(&self, stretch: f64) -> Vec<f64> {
        let phase =
            |(value, plane): (&f64, &f64)| -self.beta * (plane + stretch * (self.kind * value - plane));
        self.values.iter().zip(&self.plane).map(phase).collect()
    }
}

/// The potential of elements with so much light each, for directions with equal shares; convex where `kind` is 1, concave where it is -1.
pub fn phase(beta: f64, elements: &Elements, light: &[f64], sky: &[[f64; 2]], kind: f64) -> Potential {
    let sky: Vec<[f64; 2]> = sky.iter().map(|[u, v]| [kind * u, kind * v]).collect();
    let cells = cells(elements, light);
    let mut prices = vec![0.0; sky.len()];
    let last = 1.0 / beta;
    for halving in (0..=HALVINGS).rev() {
        let eps = last * 2f64.powi(halving);
        for _ in 0..ITERATIONS {
            let mut gets = vec![0.0; sky.len()];
            for ([x, y], light) in &cells {
                let (_, shares) = choice(*x, *y, &sky, &prices, eps);
                gets.iter_mut().zip(shares).for_each(|(gets, share)| *gets += light * share);
            }
            let least = 1e-12 / sky.len() as f64;
            prices
                .iter_mut()
                .zip(&gets)
                .for_each(|(price, gets)| *price += eps * (gets * sky.len() as f64).max(least).ln());
        }
    }
    let mean =
        |axis: usize| sky.iter().map(|direction| direction[axis]).sum::<f64>() / sky.len().max(1) as f64;
    let (u, v) = (mean(0), mean(1));
    let places = || elements.x.iter().zip(&elements.y);
    let values = places().map(|(x, y)| choice(*x, *y, &sky, &prices, last).0).collect();
    let plane = places().map(|(x, y)| kind * (x * u + y * v)).collect();
    Potential { beta, kind, values, plane }
}

/// Phi at a place, and what part of its light each direction gets.
fn choice(x: f64, y: f64, sky: &[[f64; 2]], prices: &[f64], eps: f64) -> (f64, Vec<f64>) {
    let mut values: Vec<f64> =
        sky.iter().zip(prices).map(|([u, v], price)| (x * u + y * v - price) / eps).collect();
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for value in &mut values {
        *value = (*value - most).exp();
        sum += *value;
    }
    values.iter_mut().for_each(|value| *value /= sum);
    (eps * (most + sum.ln()), values)
}

/// Places and shares of light of cells that have some.
fn cells(elements: &Elements, light: &[f64]) -> Vec<([f64; 2], f64)> {
    let far = |values: &[f64]| values.iter().fold(f64::MIN_POSITIVE, |far, x| far.max(x.abs()));
    let reach = [far(&elements.x), far(&elements.y)];
    let cell = |x: f64, reach: f64| (((x / reach + 1.0) * 0.5 * CELLS as f64) as usize).min(CELLS - 1);
    let mut sums = vec![[0.0; 3]; CELLS * CELLS];
    for ((x, y), light) in elements.x.iter().zip(&elements.y).zip(light) {
        let sum = &mut sums[cell(*y, reach[1]) * CELLS + cell(*x, reach[0])];
        *sum = [sum[0] + light * x, sum[1] + light * y, sum[2] + light];
    }
    let all: f64 = light.iter().sum();
    sums.iter()
        .filter(|sum| sum[2] > 0.0)
        .map(|[x, y, light]| ([x / light, y / light], light / all))
        .collect()
}
