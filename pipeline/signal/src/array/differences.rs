//! The noise of microphones that lie on no grid: what each says beyond its neighbours.
//!
//! A field from sources at the standoff is smooth; the errors of microphones are not. The difference of a microphone from the kriging
//! estimate of its neighbours without itself ([`super::kriging`]) therefore drops the field and keeps the noise, as fourth differences do
//! on a grid:
//!
//! ```text
//! r_m     = (p_m - sum_j w_j p_j)/sqrt(1 + sum_j w_j^2)           gain 1 for white noise
//! E|r|^2  = (v_m + sum_j w_j^2 v_j)/(1 + sum_j w_j^2)             v: variance of a microphone's bin
//! ```
//!
//! Microphones at the border or beside a hole are estimated badly, and their differences hold field too: the half of the array with the
//! smaller variances is used. Cost: a solution of [`NEIGHBOURS`] unknowns for every microphone, once.

use super::Error;
use super::interpolator::Field;
use super::kriging::{Covariance, NEIGHBOURS};
use super::neighbours::Neighbours;
use num_complex::Complex;
use numerics::parallel;

/// Differences of one array at one frequency.
#[derive(Debug, Clone)]
pub struct Differences {
    stencils: Vec<Stencil>,
}

/// One microphone and its neighbours.
#[derive(Debug, Clone)]
struct Stencil {
    /// Channels and weights, that of the microphone itself first; the squares of the weights sum to 1.
    weights: Vec<(usize, f64)>,
    /// Relative variance of the estimate.
    variance: f64,
}

impl Differences {
    pub(super) fn new(positions: &[[f64; 2]], live: &[bool], field: &Field) -> Result<Self, Error> {
        let covariance = field.covariance()?;
        let neighbours = Neighbours::new(positions);
        let one = |channel: usize| stencil(&covariance, &neighbours, positions, live, channel);
        let live: Vec<usize> = (0..positions.len()).filter(|&channel| live[channel]).collect();
        let mut stencils: Vec<Stencil> = parallel::map(live.len(), &|at| one(live[at]));
        stencils.sort_by(|a, b| a.variance.total_cmp(&b.variance));
        stencils.truncate(stencils.len().div_ceil(2));
        Ok(Self { stencils })
    }

    /// |r|^2 of every microphone that is used, and the |p|^2 that its variance is to be judged by; of pressures by channel.
    pub fn of<'a>(&'a self, pressures: &'a [Complex<f64>]) -> impl Iterator<Item = (f64, f64)> + 'a {
        self.stencils.iter().map(|stencil| {
            let terms = || stencil.weights.iter().map(|&(channel, weight)| (pressures[channel], weight));
            let difference: Complex<f64> = terms().map(|(p, weight)| p * weight).sum();
            let power = terms().map(|(p, weight)| p.norm_sqr() * weight * weight).sum();
            (difference.norm_sqr(), power)
        })
    }
}

fn stencil(
    covariance: &Covariance,
    neighbours: &Neighbours<'_>,
    positions: &[[f64; 2]],
    live: &[bool],
    channel: usize,
) -> Stencil {
    let target = positions[channel];
    let near = neighbours.nearest(target, NEIGHBOURS, |other| other != channel && live[other]);
    let places: Vec<_> = near.iter().map(|&(_, other)| positions[other]).collect();
    let estimate = covariance.estimate(&places, target);
    let norm = (1.0 + estimate.weights.iter().map(|w| w * w).sum::<f64>()).sqrt();
    let others = near.iter().zip(estimate.weights).map(|(&(_, other), weight)| (other, -weight / norm));
    Stencil {
        weights: std::iter::once((channel, 1.0 / norm)).chain(others).collect(),
        variance: estimate.variance,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{field, monopole, pressure};
    use super::super::{Array, Geometry};
    use super::*;
    use numerics::random::SplitMix64;

    /// Sums over half of 1024 microphones; differences of neighbours share microphones. An exponential variable deviates by its mean:
    /// with 32 sharing each, the sum of 512/32 independent ones would deviate by 25 %, and it is far more than 16.
    #[test]
    fn noise_stays_and_the_field_goes() {
        let mut random = SplitMix64::new(5);
        let pitch = 0.02;
        let mut place = |i: usize| pitch * (i as f64 + 0.6 * (random.uniform() - 0.5));
        let places: Vec<[f64; 3]> = (0..1024).map(|i| [place(i % 32), place(i / 32), 0.0]).collect();
        let array = Array::new(Geometry::new(&places, None).unwrap());
        let positions = array.geometry().positions().to_vec();
        for frequency in [300.0, 1000.0, 3000.0] {
            let differences = Differences::new(&positions, &array.live(), &field(frequency)).unwrap();
            let clean = pressure(&monopole(0.3, 0.25), frequency, &positions);
            let (left, power) = differences.of(&clean).fold((0.0, 0.0), |s, d| (s.0 + d.0, s.1 + d.1));
            // A third of the error of a channel, 1 %.
            assert!(left < 1e-5 * power, "{frequency} Hz: {:e}", left / power);
            let mut normal = || Complex::new(random.normal(), random.normal()) * 0.5f64.sqrt();
            let noise: Vec<Complex<f64>> = clean.iter().map(|_| normal()).collect();
            let total: f64 = differences.of(&noise).map(|d| d.0).sum();
            assert!((total / 512.0 - 1.0).abs() < 0.5, "{frequency} Hz: {}", total / 512.0);
        }
    }
}
