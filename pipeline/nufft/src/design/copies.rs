//! The error of many windows of one width: cosines are the same for all of them.

use numerics::quadrature;
use std::f64::consts::PI;

/// Copies on either side that are summed one by one; of the rest, the steps at the ends of the window are all there is.
pub const COPIES: i32 = 3;
/// Places from mode 0 to N/2 at which windows are compared: nodes of a quadrature.
pub const PLACES: usize = 10;

/// Cosines of the modes and of their copies.
pub struct Copies {
    /// Nodes and weights of the transforms' quadrature.
    pub rule: (Vec<f64>, Vec<f64>),
    /// Shares of the places in the mean.
    shares: Vec<f64>,
    /// xi of the places.
    places: Vec<f64>,
    /// `[place][copy, 0 first][node]`: cos((xi + pi m w) u).
    cosines: Vec<f64>,
}

impl Copies {
    /// For windows of `width`.
    pub fn new(width: usize, oversampling: f64) -> Self {
        let w = width as f64;
        // Enough for a cosine of (COPIES + 1/2) pi w and for the window.
        let rule = quadrature::half_line(20 + 2 * (COPIES as usize + 1) * width);
        let (places, shares) = quadrature::half_line(PLACES);
        let places: Vec<f64> = places.iter().map(|k| k * PI * w / (2.0 * oversampling)).collect();
        let copies = || std::iter::once(0).chain((1..=COPIES).flat_map(|m| [m, -m]));
        let at = |xi: &f64| copies().map(|m| xi + PI * f64::from(m) * w).collect::<Vec<f64>>();
        let waves = places.iter().flat_map(at);
        let cosines = waves.flat_map(|xi| rule.0.iter().map(move |u| (xi * u).cos())).collect();
        Self { rule, shares, places, cosines }
    }

    /// Root mean square of A over many modes, as an integral, which rises steeply towards the last modes; of a window with these
    /// `nodes`, the power `far` of the copies beyond and a transform that is known in closed form, or none.
    pub fn error(&self, nodes: &[(f64, f64)], far: f64, endless: impl Fn(f64) -> Option<f64>) -> f64 {
        let count = nodes.len();
        let transform = |cosines: &[f64]| -> f64 {
            nodes.iter().zip(cosines).map(|((_, phi), cosine)| phi * cosine).sum()
        };
        let places =
            self.cosines.chunks(count * (2 * COPIES as usize + 1)).zip(&self.shares).zip(&self.places);
        let power = places.map(|((cosines, share), xi)| {
            let (own, copies) = cosines.split_at(count);
            let near: f64 = copies.chunks(count).map(|copy| transform(copy).powi(2)).sum();
            let divisor = endless(*xi).unwrap_or_else(|| transform(own));
            share * (near + far) / divisor.powi(2)
        });
        power.sum::<f64>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Window};
    use super::*;

    /// The same sum, place by place.
    #[test]
    fn the_error_is_the_mean_of_the_copies() {
        for kind in [Kind::Prolate, Kind::Semicircle, Kind::Kaiser(5)] {
            let window = Window::new(kind, 1e-6, 1.75, &[100]).unwrap();
            let copies = Copies::new(window.width, 1.75);
            let powers =
                copies.places.iter().zip(&copies.shares).map(|(xi, share)| share * window.power(*xi));
            let expected = powers.sum::<f64>().sqrt();
            // Sums in another order, of copies that are 1e-6 of what cancels in them.
            assert!((window.error / expected - 1.0).abs() < 1e-6, "{kind}: {:e} {expected:e}", window.error);
        }
    }
}
