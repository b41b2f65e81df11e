//! Microphones that look broken. Nothing is left out here: the caller decides.
//!
//! **Stuck.** A one-bit channel that never changes ([`stuck_bits`]), or a bin that is exactly zero or not
//! finite at every frequency.
//!
//! **Outliers.** Each microphone is estimated from its neighbours without itself ([`super::kriging`]). Under
//! the model the difference e has mean zero and variance P (s^2 + n), with the power P of the field there, the
//! relative variance s^2 of the estimate and n of a channel. The disagreement over the F holograms given is
//!
//! ```text
//! d = sqrt( 1/F sum over f of |e_f|^2 / (P_f (s_f^2 + n)) )
//! ```
//!
//! P is the mean of |p|^2 over the neighbours or |estimate|^2, whichever is larger, so that a peak is not
//! judged by its slopes nor a nodal line by its bottom, and at least the median of |p|^2 over the array,
//! because additive noise is the same everywhere and would stand out where the field is weak. The suspect's
//! own value is not in it.
//!
//! For one hologram of a Gaussian field d^2 is exponential with mean 1, so that P(d > t) = exp(-t^2): among N
//! sound microphones one is wrongly accused with probability [`FALSE_ALARM`] for t = sqrt(ln(N/FALSE_ALARM)),
//! 3.7 for 1024; more holograms make it rarer. The scale of d is 1 if channels err by 1 %, as kriging assumes,
//! and otherwise follows from the median and the median absolute deviation of d over the array, which do not
//! feel up to half the microphones. These are 0.8326 = sqrt(ln 2) and 0.3171 for scale 1, hence
//!
//! ```text
//! threshold = max(t, median + MAD (t - 0.8326) / 0.3171)
//! ```
//!
//! A broken microphone spoils the estimates of its neighbours, but its own d is the largest: with covariance C
//! of all channels d_i is |(C^-1 p)_i| / sqrt((C^-1)_ii), an error at i gives d_j proportional to
//! |(C^-1)_ji| / sqrt((C^-1)_jj), and for a positive matrix this is largest for j = i. So the search goes in
//! two passes. The first takes out the worst, judges its neighbours again without it, and so on; as one
//! broken microphone in twenty spoils most estimates, hence the median, the scale of this pass is the lower
//! decile of d over its value for scale 1, where d^2 is chi-squared with 2F degrees of freedom over 2F; by
//! Wilson and Hilferty that is (1 - 1/(9F) - 1.2816/sqrt(9F))^3. The second pass judges those taken out by the microphones
//! that remain, with the threshold above, and takes back, best first, all that agree: a sound microphone
//! between two broken ones. Two neighbours that are broken alike support each other and may be missed.
//!
//! Use bins of windowed data: without a window the offsets of the channels leak into the bins, and that is a
//! true disagreement.
//!
//! Cost: N solutions of m unknowns a frequency, and about m more for each step.

use dsp_core::pdm::TileLayout;
use num_complex::Complex;
use numerics::parallel;

use super::Error;
use super::interpolator::{Field, same_length};
use super::kriging::{Covariance, NEIGHBOURS, NUGGET};
use super::neighbours::Neighbours;

/// Probability that one of the sound microphones of a whole array is accused.
pub const FALSE_ALARM: f64 = 1e-3;

/// Median of the square root of an exponential variable of mean 1.
const MEDIAN: f64 = 0.832_554_611_157_697_8;
/// Its median absolute deviation: x with exp(-(m-x)^2) - exp(-(m+x)^2) = 1/2, m the median.
const DEVIATION: f64 = 0.317_104_218_098_003_9;
/// Part of the live microphones that may be broken before the model is to blame.
const MOST: usize = 4;

/// A microphone that looks broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspect {
    /// Its channel.
    pub channel: usize,
    /// Why.
    pub reason: Reason,
}

/// Why a microphone looks broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// Its value is exactly zero at every frequency.
    Zero,
    /// A value is NaN or infinite.
    NotFinite,
    /// It disagrees with its neighbours.
    Outlier {
        /// The difference over the one expected of a sound microphone.
        disagreement: f64,
        /// What would have been accepted.
        threshold: f64,
    },
}

/// Grid indices of the channels whose bit is the same in all time samples of `rows`, packed as in a recording.
/// An incomplete time sample at the end is not looked at.
pub fn stuck_bits(rows: &[u8], layout: &TileLayout) -> Vec<usize> {
    let mut changed = vec![0u8; layout.row_bytes()];
    let mut samples = rows.chunks_exact(layout.row_bytes());
    let Some(first) = samples.next() else { return Vec::new() };
    for row in samples {
        for ((changed, byte), first) in changed.iter_mut().zip(row).zip(first) {
            *changed |= byte ^ first;
        }
    }
    let stuck = |position: &u32| changed[*position as usize / 8] >> (position % 8) & 1 == 0;
    let index = |position| layout.index_of(position).map(|index| index as usize);
    let mut channels: Vec<_> = (0..layout.channels()).filter(stuck).filter_map(index).collect();
    channels.sort_unstable();
    channels
}

/// The live microphones that look broken, by channel. `holograms` has the calibrated channels of each field,
/// one field after the other.
pub fn suspects(
    positions: &[[f64; 2]],
    live: &[bool],
    fields: &[Field],
    holograms: &[Complex<f64>],
) -> Result<Vec<Suspect>, Error> {
    let channels = positions.len();
    same_length("the list of live channels", live.len(), channels)?;
    same_length("the holograms", holograms.len(), channels * fields.len())?;
    let covariances = fields.iter().map(Field::covariance).collect::<Result<Vec<_>, _>>()?;
    let count = live.iter().filter(|&&live| live).count();
    if count == 0 || fields.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = stuck(live, holograms);
    let mut used = live.to_vec();
    found.iter().for_each(|suspect| used[suspect.channel] = false);
    let usual = holograms.chunks_exact(channels).map(|hologram| usual_power(hologram, &used)).collect();
    let neighbours = Neighbours::new(positions);
    let mut jury = Jury { positions, neighbours, covariances, holograms, used, usual };
    found.extend(jury.outliers(count / MOST));
    if found.len() > count / MOST {
        return Err(Error::TooManySuspects { found: found.len(), live: count });
    }
    found.sort_by_key(|suspect| suspect.channel);
    Ok(found)
}

/// Channels with values that no microphone gives.
fn stuck(live: &[bool], holograms: &[Complex<f64>]) -> Vec<Suspect> {
    let channels = live.len();
    let values = |channel: usize| holograms.iter().skip(channel).step_by(channels);
    let reason = |channel| {
        if values(channel).any(|value| !value.is_finite()) {
            Some(Reason::NotFinite)
        } else if values(channel).all(|value| *value == Complex::ZERO) {
            Some(Reason::Zero)
        } else {
            None
        }
    };
    let live = (0..channels).filter(|&channel| live[channel]);
    live.filter_map(|channel| Some(Suspect { channel, reason: reason(channel)? })).collect()
}

fn usual_power(hologram: &[Complex<f64>], used: &[bool]) -> f64 {
    let used = hologram.iter().zip(used).filter(|(_, used)| **used);
    let mut powers: Vec<_> = used.map(|(value, _)| value.norm_sqr()).collect();
    quantile(&mut powers, 0.5).unwrap_or(0.0)
}

/// What the neighbours say of a microphone.
#[derive(Clone, Copy)]
struct Verdict {
    channel: usize,
    disagreement: f64,
    /// Squared distance of the farthest neighbour that was asked.
    reach: f64,
}

fn by_disagreement(a: &&Verdict, b: &&Verdict) -> std::cmp::Ordering {
    a.disagreement.total_cmp(&b.disagreement)
}

/// The disagreement that N = `all.len()` sound microphones do not reach, if the scale is 1.
fn unit_threshold(all: &[f64]) -> f64 {
    (all.len() as f64 / FALSE_ALARM).ln().sqrt()
}

fn first_threshold(all: &mut [f64], holograms: usize) -> f64 {
    let ninth = 1.0 / (9.0 * holograms as f64);
    let decile = (1.0 - ninth - 1.2816 * ninth.sqrt()).powf(1.5);
    let t = unit_threshold(all);
    t.max(t * quantile(all, 0.1).unwrap_or(0.0) / decile)
}

fn second_threshold(all: &mut [f64]) -> f64 {
    let t = unit_threshold(all);
    let middle = quantile(all, 0.5).unwrap_or(0.0);
    let mut deviations: Vec<_> = all.iter().map(|d| (d - middle).abs()).collect();
    let deviation = quantile(&mut deviations, 0.5).unwrap_or(0.0);
    t.max(middle + deviation * (t - MEDIAN) / DEVIATION)
}

/// The value that a part of the values lies below; none of none.
fn quantile(values: &mut [f64], part: f64) -> Option<f64> {
    let place = (part * values.len() as f64) as usize;
    (place < values.len()).then(|| *values.select_nth_unstable_by(place, f64::total_cmp).1)
}

/// The neighbours, who judge.
struct Jury<'a> {
    positions: &'a [[f64; 2]],
    neighbours: Neighbours<'a>,
    covariances: Vec<Covariance>,
    holograms: &'a [Complex<f64>],
    used: Vec<bool>,
    /// Median power by hologram.
    usual: Vec<f64>,
}

impl Jury<'_> {
    /// The outliers among the microphones in use, which are then no longer in use; about `most` at most.
    fn outliers(&mut self, most: usize) -> Vec<Suspect> {
        let candidates: Vec<_> = (0..self.used.len()).filter(|&channel| self.used[channel]).collect();
        let mut verdicts: Vec<_> = parallel::map(candidates.len(), &|at| self.judge(candidates[at]));
        let mut accused = Vec::new();
        while accused.len() <= most {
            let threshold = first_threshold(&mut self.agreed(&verdicts), self.covariances.len());
            let used = verdicts.iter().filter(|verdict| self.used[verdict.channel]);
            let Some(worst) = used.max_by(by_disagreement).copied() else { break };
            if worst.disagreement <= threshold {
                break;
            }
            accused.push(worst.channel);
            self.change(&mut verdicts, worst.channel, false);
        }
        loop {
            let threshold = second_threshold(&mut self.agreed(&verdicts));
            let out = verdicts.iter().filter(|verdict| !self.used[verdict.channel]);
            match out.clone().min_by(by_disagreement).copied() {
                Some(best) if best.disagreement <= threshold => {
                    self.change(&mut verdicts, best.channel, true)
                }
                _ => {
                    let suspect = |&Verdict { channel, disagreement, .. }: &Verdict| Suspect {
                        channel,
                        reason: Reason::Outlier { disagreement, threshold },
                    };
                    return out.map(suspect).collect();
                }
            }
        }
    }

    fn agreed(&self, verdicts: &[Verdict]) -> Vec<f64> {
        verdicts.iter().filter(|v| self.used[v.channel]).map(|v| v.disagreement).collect()
    }

    /// Takes a microphone out or back, and judges those again who ask it.
    fn change(&mut self, verdicts: &mut [Verdict], channel: usize, used: bool) {
        self.used[channel] = used;
        let here = self.positions[channel];
        parallel::parts(verdicts, 1, &|_, verdicts| {
            let [verdict] = verdicts else { return };
            let [x, y] = self.positions[verdict.channel];
            let distance = (x - here[0]).powi(2) + (y - here[1]).powi(2);
            if verdict.channel != channel && distance <= verdict.reach {
                *verdict = self.judge(verdict.channel);
            }
        });
    }

    /// Compares a microphone with its neighbours in use.
    fn judge(&self, channel: usize) -> Verdict {
        let here = self.positions[channel];
        let near = self.neighbours.nearest(here, NEIGHBOURS, |other| other != channel && self.used[other]);
        let places: Vec<_> = near.iter().map(|&(_, other)| self.positions[other]).collect();
        let holograms = self.holograms.chunks_exact(self.positions.len());
        let mut sum = 0.0;
        for ((covariance, hologram), usual) in self.covariances.iter().zip(holograms).zip(&self.usual) {
            let estimate = covariance.estimate(&places, here);
            let (mut value, mut power) = (Complex::ZERO, 0.0);
            for (&(_, other), weight) in near.iter().zip(estimate.weights) {
                value += hologram[other] * weight;
                power += hologram[other].norm_sqr() / near.len() as f64;
            }
            let power = power.max(value.norm_sqr()).max(*usual);
            let expected = power * (estimate.variance + NUGGET);
            sum += if expected > 0.0 { (hologram[channel] - value).norm_sqr() / expected } else { 0.0 };
        }
        let disagreement = (sum / self.covariances.len() as f64).sqrt();
        Verdict { channel, disagreement, reach: near.last().map_or(f64::INFINITY, |far| far.0) }
    }
}

#[cfg(test)]
mod tests;
