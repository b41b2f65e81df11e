//! What is minimised: functions of the levels |E|^2 at the directions and of the power P.
//!
//! ```text
//! functional    sum_i (|E_i|^2 - proj(|E_i|^2))^2                          eqs 17, 18 and A1 of the paper, absolute levels
//! masks         sum_i w_i (D_i/L_i - proj(D_i)/L_i)^2                      the same of directivities over the nearest level of their mask
//! soft minimum  -mu mean(ln D_i) - (1 - mu) smin_p(ln D_i - ln L_i) + quiet
//! smin_p(z)     = -ln(mean(exp(-p z_i)))/p                                 the least z for large p; never below it
//! quiet         = kappa mean over upper masks of max(0, ln D_i - ln M_i)^2
//! ```
//! With mu = 1 the mean of the decibels is maximised, with mu = 0 the least margin; between, every trade of one for the other. The soft
//! minimum exceeds the true one by at most ln(count)/p, and is smooth: p is raised on the way.

use super::decibels::{DECIBELS, linear};
use super::mask::Mask;

/// The metric projection of a level onto what lies between `lower` and `upper`: eq. 18.
pub fn project(level: f64, lower: f64, upper: f64) -> f64 {
    level.max(lower).min(upper)
}

/// A function of the levels.
pub trait Objective: Sync {
    /// Its value; writes its slopes by every level to `slopes` and gives back its slope by P.
    fn value(&self, levels: &[f64], power: f64, slopes: &mut [f64]) -> (f64, f64);
}

/// Least and greatest |E|^2 of every direction, absolute: eq. 17.
#[derive(Debug, Clone, PartialEq)]
pub struct Functional {
    /// m^2.
    pub lower: Vec<f64>,
    /// M^2.
    pub upper: Vec<f64>,
}

impl Objective for Functional {
    fn value(&self, levels: &[f64], _: f64, slopes: &mut [f64]) -> (f64, f64) {
        let masks = self.lower.iter().zip(&self.upper);
        let mut sum = 0.0;
        for ((level, slope), (lower, upper)) in levels.iter().zip(slopes).zip(masks) {
            let off = level - project(*level, *lower, *upper);
            sum += off * off;
            *slope = 2.0 * off;
        }
        (sum, 0.0)
    }
}

/// Eq. 17 of directivities.
#[derive(Debug, Clone, PartialEq)]
pub struct Masks {
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    weight: Vec<f64>,
}

impl Masks {
    /// Levels of a mask, raised by `raise` (dB) where they are lower ones.
    pub fn new(mask: &Mask, raise: f64) -> Self {
        let mut masks = Self { lower: Vec::new(), upper: Vec::new(), weight: Vec::new() };
        for region in &mask.regions {
            let lower = region.lower_dbi.map_or(0.0, |level| linear(level + raise));
            let upper = region.upper_dbi.map_or(f64::INFINITY, linear);
            for _ in 0..region.len() {
                masks.lower.push(lower);
                masks.upper.push(upper.max(lower));
                masks.weight.push(region.weight / region.len() as f64);
            }
        }
        masks
    }
}

impl Objective for Masks {
    fn value(&self, levels: &[f64], power: f64, slopes: &mut [f64]) -> (f64, f64) {
        let (mut sum, mut by_power) = (0.0, 0.0);
        for (i, (level, slope)) in levels.iter().zip(slopes).enumerate() {
            let directivity = 2.0 * level / power;
            let nearest = project(directivity, self.lower[i], self.upper[i]);
            let off = (directivity - nearest) / nearest;
            sum += self.weight[i] * off * off;
            let by_directivity = 2.0 * self.weight[i] * off / nearest;
            *slope = by_directivity * 2.0 / power;
            by_power -= by_directivity * directivity / power;
        }
        (sum, by_power)
    }
}

/// Another objective, over a power that does not depend on the design: of gains in place of directivities.
pub struct Over {
    /// Of levels and of a power.
    pub inner: Box<dyn Objective>,
    /// The power.
    pub power: f64,
}

impl Objective for Over {
    fn value(&self, levels: &[f64], _: f64, slopes: &mut [f64]) -> (f64, f64) {
        (self.inner.value(levels, self.power, slopes).0, 0.0)
    }
}

/// Mean against least margin.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftMinimum {
    /// mu, from 0 to 1.
    pub mean: f64,
    /// p.
    pub sharpness: f64,
    /// What a direction counts for in the mean: none but interior samples of coverages; their sum is 1.
    pub(super) shares: Vec<f64>,
    /// ln of the least directivity; not finite where there is none.
    pub(super) lower: Vec<f64>,
    /// ln of the greatest directivity, and kappa w/count; infinite where there is none.
    pub(super) upper: Vec<[f64; 2]>,
    /// Directions with a least directivity.
    covered: f64,
}

/// kappa: what side lobes count for beside the coverage, at a weight of 1. A decibel too much (0.23 in ln) everywhere costs as much as half
/// a decibel of directivity.
const QUIET: f64 = 2.0;

impl SoftMinimum {
    /// For a mask.
    pub fn new(mask: &Mask, mean: f64, sharpness: f64) -> Self {
        let all: f64 = mask.coverages().map(|region| region.weight * region.interior as f64).sum();
        let quiet: usize =
            mask.regions.iter().filter(|region| region.upper_dbi.is_some()).map(|r| r.len()).sum();
        let mut soft =
            Self { mean, sharpness, shares: Vec::new(), lower: Vec::new(), upper: Vec::new(), covered: 0.0 };
        for region in &mask.regions {
            let level = |dbi: f64| dbi / DECIBELS;
            let (lower, upper) = (region.lower_dbi.map(level), region.upper_dbi.map(level));
            for i in 0..region.len() {
                let inside = lower.is_some() && i < region.interior && all > 0.0;
                soft.shares.push(if inside { region.weight / all } else { 0.0 });
                soft.lower.push(lower.unwrap_or(f64::NEG_INFINITY));
                let kappa = QUIET * region.weight / quiet.max(1) as f64;
                soft.upper.push([upper.unwrap_or(f64::INFINITY), kappa]);
                soft.covered += if lower.is_some() { 1.0 } else { 0.0 };
            }
        }
        soft
    }
}

impl Objective for SoftMinimum {
    fn value(&self, levels: &[f64], power: f64, slopes: &mut [f64]) -> (f64, f64) {
        let ln: Vec<f64> = levels.iter().map(|level| (2.0 * level / power).ln()).collect();
        let margins = || ln.iter().zip(&self.lower).map(|(ln, lower)| ln - lower);
        let least = margins().fold(f64::INFINITY, f64::min);
        let mut all = 0.0;
        for (slope, margin) in slopes.iter_mut().zip(margins()) {
            *slope = (-self.sharpness * (margin - least)).exp();
            all += *slope;
        }
        let soft = least - (all / self.covered).ln() / self.sharpness;
        let (mut value, mut by_power) = (-(1.0 - self.mean) * soft, 0.0);
        for (i, slope) in slopes.iter_mut().enumerate() {
            let [upper, kappa] = self.upper[i];
            let over = (ln[i] - upper).max(0.0);
            value += kappa * over * over - self.mean * self.shares[i] * ln[i];
            // By ln D so far.
            *slope = 2.0 * kappa * over - self.mean * self.shares[i] - (1.0 - self.mean) * *slope / all;
            by_power -= *slope / power;
            *slope /= levels[i];
        }
        (value, by_power)
    }
}
