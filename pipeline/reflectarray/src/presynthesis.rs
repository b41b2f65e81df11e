//! The phase of a continuous aperture, before there are elements: rays.
//!
//! Where the phase of a large aperture is smooth, what lights x is sent to u(x) = -(1/beta) grad phi. Two ways to give every part of the
//! coverage its share of the power:
//!
//! - optimal transport (`transport.rs`): the map is the gradient of a convex potential, or of a concave one. It fills coverages of any
//!   shape, and nothing but diffraction sends power elsewhere;
//! - quantiles of the light to quantiles of the coverage, along x and along y by themselves, each rising or falling: four kinds, which fill the
//!   rectangle around the coverage.
//!
//! None of the kinds leads to another one downhill.

mod transport;

use super::{Elements, Mask, Model};

/// Phases at the elements on top of what brings them all in phase, rad: `count` starts. The first four are the kinds by quantiles, then two by
/// transport; then all of them with the coverage shrunk and stretched.
pub fn starts(model: &Model, elements: &Elements, mask: &Mask, count: usize) -> Vec<Vec<f64>> {
    let beta = model.wavenumber();
    let light: Vec<f64> = model.light(&elements.x, &elements.y).map(|light| light.f.norm_sqr()).collect();
    let sky = mask.covered();
    let [along, down] = [0, 1].map(|axis: usize| {
        let mut angles: Vec<f64> = sky.iter().map(|direction| direction[axis]).collect();
        angles.sort_by(f64::total_cmp);
        let places = if axis == 0 { &elements.x } else { &elements.y };
        Rays { places, light: &light, angles, beta }
    });
    let transport = |kind| transport::phase(beta, elements, &light, &sky, kind);
    let transports = <[_; 2]>::from(rayon::join(|| transport(1.0), || transport(-1.0)));
    let signs = [(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)];
    let round = |round: usize| {
        let stretch = stretch(round);
        let carried = transports.iter().map(move |phase| phase.stretched(stretch));
        let quantiles = signs.iter().map(|(x, y)| sum(&along.phase(x * stretch), &down.phase(y * stretch)));
        quantiles.chain(carried).collect::<Vec<_>>()
    };
    (0..).flat_map(round).take(count).collect()
}

/// 1, 0.75, 1.25, 0.5, 1.5, ... and then closer ones.
fn stretch(round: usize) -> f64 {
    let step = round.div_ceil(2) as f64 * if round.is_multiple_of(2) { 0.25 } else { -0.25 };
    (1.0 + step).clamp(0.2, 1.8) + 0.01 * (round / 7) as f64
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

struct Rays<'a> {
    places: &'a [f64],
    light: &'a [f64],
    /// Rising.
    angles: Vec<f64>,
    beta: f64,
}

impl Rays<'_> {
    /// The phase of the map that rises (or falls, where `stretch` is negative), stretched about the middle of the coverage.
    fn phase(&self, stretch: f64) -> Vec<f64> {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by(|a, b| self.places[*a].total_cmp(&self.places[*b]));
        let all: f64 = self.light.iter().sum();
        let middle = self.angles.iter().sum::<f64>() / self.angles.len().max(1) as f64;
        let (mut below, mut phase, mut last) = (0.0, 0.0, None);
        let mut phases = vec![0.0; order.len()];
        for &n in &order {
            let part = (below + 0.5 * self.light[n]) / all;
            below += self.light[n];
            let part = if stretch < 0.0 { 1.0 - part } else { part };
            let at = ((part * self.angles.len() as f64) as usize).min(self.angles.len().saturating_sub(1));
            let angle = self.angles.get(at).map_or(0.0, |angle| middle + stretch.abs() * (angle - middle));
            if let Some((x, before)) = last {
                phase -= self.beta * 0.5 * (before + angle) * (self.places[n] - x);
            }
            last = Some((self.places[n], angle));
            phases[n] = phase;
        }
        phases
    }
}

#[cfg(test)]
mod tests {
    use super::super::score;
    use super::super::testing::{model, sky};
    use super::super::{Elements, Mask, Region};
    use super::*;

    /// A large aperture lights its coverage evenly: every kind has at least half of the power that the bound allows.
    #[test]
    fn rays_light_the_coverage() {
        let model = model();
        let mut elements = Elements::grid(60, 60, 0.01);
        let (u, v) = sky(21, 0.1, -0.05, 0.15);
        let interior = u.len();
        let region = Region { u, v, interior, lower_dbi: Some(0.0), weight: 1.0, ..Region::default() };
        let mask = Mask { regions: vec![region], solid_angle: 0.09 };
        let starts = starts(&model, &elements, &mask, 12);
        assert_eq!(starts.len(), 12);
        for (kind, phase) in starts[..6].iter().enumerate() {
            let beta = model.wavenumber();
            let paths = elements.x.iter().zip(&elements.y).map(|(x, y)| model.feed.light(beta, *x, *y).path);
            elements.phase = paths.zip(phase).map(|(path, phase)| path + phase).collect();
            let dbi = score::directivities(&model, &elements, &mask).unwrap();
            let (_, all) = score::scores(&mask, &dbi);
            assert!(all.d_mean_db > mask.bound_dbi() - 3.0, "{kind}: {all:?} of {}", mask.bound_dbi());
        }
        assert!(starts.iter().enumerate().all(|(i, a)| starts[..i].iter().all(|b| a != b)));
    }
}
