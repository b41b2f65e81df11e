//! The sliding DFT in `f32`: two sums, so that rounding is thrown away every N samples.

use super::plan::Plan;
use num_complex::Complex;

/// Sliding DFT of one channel in `f32`; the history starts at zero.
///
/// # Error
/// For 64 <= N <= 2^14, whatever the number of samples pushed,
///
/// ```text
/// |bins() - X_k| <= 3 N^2 u X
/// ```
///
/// A sum rounds by u times its value, at most u X times its number of terms. At position p the fresh
/// sum took p additions (p^2 / 2 in all), the stale one N additions (N^2 / 2) and p subtractions
/// (p N), at most 2 N^2 u X for each of the two components, 2.83 N^2 in modulus. The twiddle's and
/// the product's rounding, the last sum and the rotation add at most 9 N u X: a product leaves as
/// it came, so only N of them count. The rest covers terms of order u^2.
/// This is the worst case: roundings of random sign stay below it by a factor of the order of
/// sqrt(N).
#[derive(Clone, Debug, PartialEq)]
pub struct Sliding<const N: usize, const BINS: usize> {
    history: [f32; N],
    position: usize,
    fresh: [Complex<f32>; BINS],
    stale: [Complex<f32>; BINS],
}

impl<const N: usize, const BINS: usize> Default for Sliding<N, BINS> {
    fn default() -> Self {
        let (fresh, stale) = ([Complex::ZERO; BINS], [Complex::ZERO; BINS]);
        Self { history: [0.0; N], position: 0, fresh, stale }
    }
}

impl<const N: usize, const BINS: usize> Sliding<N, BINS> {
    /// Takes samples. A NaN or an infinity disturbs the bins for at most 2 N samples.
    #[inline(always)]
    pub fn push(&mut self, plan: &Plan<f32, N, BINS>, mut input: &[f32]) {
        while !input.is_empty() {
            let (now, later) = input.split_at(input.len().min(N.saturating_sub(self.position)));
            self.accumulate(plan, now);
            self.position += now.len();
            if self.position >= N {
                self.position = 0;
                self.stale = self.fresh;
                self.fresh = [Complex::ZERO; BINS];
            }
            input = later;
        }
    }

    /// Takes samples that do not reach beyond the end of the history.
    #[inline(always)]
    fn accumulate(&mut self, plan: &Plan<f32, N, BINS>, input: &[f32]) {
        let slots = self.history.iter_mut().zip(&plan.rows).skip(self.position);
        let (mut fresh, mut stale) = (self.fresh, self.stale);
        for (&x, (old, row)) in input.iter().zip(slots) {
            for ((fresh, stale), w) in fresh.iter_mut().zip(&mut stale).zip(row) {
                *fresh += w.scale(x);
                *stale -= w.scale(*old);
            }
            *old = x;
        }
        (self.fresh, self.stale) = (fresh, stale);
    }

    /// The bins of the last N samples, phase zero at the oldest.
    pub fn bins(&self, plan: &Plan<f32, N, BINS>) -> [Complex<f32>; BINS] {
        let mut out = [Complex::ZERO; BINS];
        if let Some(row) = plan.rows.get(self.position) {
            let sums = self.fresh.iter().zip(&self.stale).zip(row);
            for (out, ((fresh, stale), w)) in out.iter_mut().zip(sums) {
                *out = (fresh + stale) * w.conj();
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modulator::Dither;
    use std::vec::Vec;

    const N: usize = 96;
    const BINS: [usize; 4] = [0, 1, 17, 48];

    /// Largest |bins - definition| in units of the documented bound.
    fn worst_ratio(sliding: &Sliding<N, 4>, plan: &Plan<f32, N, 4>, last: &[f32]) -> f64 {
        let bound = 3.0 * (N * N) as f64 * f64::from(f32::EPSILON) / 2.0;
        let ratios = sliding.bins(plan).into_iter().zip(BINS).map(|(got, k)| {
            let expected: Complex<f64> = last.iter().enumerate().fold(Complex::ZERO, |sum, (i, &x)| {
                let turns = (k * i % N) as f64 / N as f64;
                sum + Complex::cis(-core::f64::consts::TAU * turns) * f64::from(x)
            });
            (Complex::new(f64::from(got.re), f64::from(got.im)) - expected).norm() / bound
        });
        ratios.fold(0.0, f64::max)
    }

    #[test]
    fn error_stays_below_its_bound_over_ten_million_samples() {
        let plan = Plan::<f32, N, 4>::new(BINS);
        let mut sliding = Sliding::<N, 4>::default();
        let mut noise = Dither::new(1, 31);
        // A constant plus noise, within +-1: the constant keeps the partial sums large.
        let mut next = || 0.5 + noise.step() as f32 / 2f32.powi(32);
        let mut recent = std::vec![0f32; N];
        let (mut pushed, mut worst) = (0, 0.0f64);
        for hop in (0..).map(|i| [1, 37, 5000, 96, 250][i % 5]) {
            let samples: Vec<f32> = (0..hop).map(|_| next()).collect();
            sliding.push(&plan, &samples);
            recent.extend(&samples);
            recent.drain(..recent.len() - N);
            worst = worst.max(worst_ratio(&sliding, &plan, &recent));
            pushed += hop;
            if pushed >= 10_000_000 {
                break;
            }
        }
        std::println!("largest error: {worst:.4} of the bound after {pushed} samples");
        assert!(worst <= 1.0);
    }

    #[test]
    fn a_nan_is_forgotten() {
        let plan = Plan::<f32, N, 4>::new(BINS);
        let mut sliding = Sliding::<N, 4>::default();
        sliding.push(&plan, &[1.0, f32::NAN]);
        assert!(sliding.bins(&plan).iter().all(|x| x.is_nan()));
        sliding.push(&plan, &[0.25; 2 * N]);
        assert!(worst_ratio(&sliding, &plan, &[0.25; N]) <= 1.0);
    }
}
