//! The sliding DFT in integers: exact sums, no drift.

use super::plan::{FRACTION_BITS, Plan};
use num_complex::Complex;

/// Sliding DFT of one channel in integers; the history starts at zero. Exactly free of drift.
///
/// # Range
/// N X <= 2^38: 24-bit samples and N up to 32768, or full `i32` and N up to 128. A component of an
/// accumulator is then at most 2^62. Beyond it sums wrap without a panic, and the bins are right
/// again as soon as the window is back in range.
///
/// # Error
/// |bins() - X_k| <= N X 2^-23 in units of the input, for N >= 2: each twiddle component is rounded
/// by at most 2^-25, which gives sqrt(2) 2^-25 N X from the sum and as much from the rotation; the
/// rest covers the last rounding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlidingFixed<const N: usize, const BINS: usize> {
    history: [i32; N],
    position: usize,
    sums: [Complex<i64>; BINS],
}

impl<const N: usize, const BINS: usize> Default for SlidingFixed<N, BINS> {
    fn default() -> Self {
        Self { history: [0; N], position: 0, sums: [Complex::ZERO; BINS] }
    }
}

impl<const N: usize, const BINS: usize> SlidingFixed<N, BINS> {
    /// Takes samples.
    pub fn push(&mut self, plan: &Plan<i32, N, BINS>, mut input: &[i32]) {
        while !input.is_empty() {
            let (now, later) = input.split_at(input.len().min(N.saturating_sub(self.position)));
            self.accumulate(plan, now);
            self.position += now.len();
            if self.position >= N {
                self.position = 0;
            }
            input = later;
        }
    }

    /// Takes samples that do not reach beyond the end of the history.
    #[inline(always)]
    fn accumulate(&mut self, plan: &Plan<i32, N, BINS>, input: &[i32]) {
        let slots = self.history.iter_mut().zip(&plan.rows).skip(self.position);
        let mut sums = self.sums;
        for (&x, (old, row)) in input.iter().zip(slots) {
            // At most 2^32 times 2^24: the product fits.
            let change = i64::from(x) - i64::from(*old);
            for (sum, w) in sums.iter_mut().zip(row) {
                sum.re = sum.re.wrapping_add(change * i64::from(w.re));
                sum.im = sum.im.wrapping_add(change * i64::from(w.im));
            }
            *old = x;
        }
        self.sums = sums;
    }

    /// The bins of the last N samples, phase zero at the oldest, with [`FRACTION_BITS`].
    pub fn bins(&self, plan: &Plan<i32, N, BINS>) -> [Complex<i64>; BINS] {
        let mut out = [Complex::ZERO; BINS];
        if let Some(row) = plan.rows.get(self.position) {
            for (out, (sum, w)) in out.iter_mut().zip(self.sums.iter().zip(row)) {
                *out = rotate_back(*sum, *w);
            }
        }
        out
    }
}

/// `sum` times the conjugate of `w`, rounded half up.
fn rotate_back(sum: Complex<i64>, w: Complex<i32>) -> Complex<i64> {
    let wide = |a: i64, b: i32| i128::from(a) * i128::from(b);
    let round = |x: i128| ((x + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS) as i64;
    Complex {
        re: round(wide(sum.re, w.re) + wide(sum.im, w.im)),
        im: round(wide(sum.im, w.re) - wide(sum.re, w.im)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modulator::Dither;
    use proptest::prelude::*;
    use std::vec::Vec;

    const N: usize = 100;
    const BINS: [usize; 4] = [0, 1, 33, 50];

    #[test]
    fn no_drift_at_all_after_ten_million_samples() {
        let plan = Plan::<i32, N, 4>::new(BINS);
        let mut noise = Dither::new(1, 31);
        let mut sliding = SlidingFixed::default();
        let samples: Vec<i32> = (0..10_000_037).map(|_| noise.step()).collect();
        for hop in samples.chunks(4999) {
            sliding.push(&plan, hop);
        }
        // A fresh state that saw the last N samples at the same positions, and nothing else.
        let mut fresh = SlidingFixed { position: (samples.len() - N) % N, ..SlidingFixed::default() };
        fresh.push(&plan, &samples[samples.len() - N..]);
        assert_eq!(sliding, fresh);
    }

    proptest! {
        #[test]
        fn bins_are_within_the_bound_of_the_definition(
            x in prop::collection::vec(prop_oneof![any::<i32>(), Just(i32::MIN)], N..3 * N),
            hop in 1usize..200,
        ) {
            let plan = Plan::<i32, N, 4>::new(BINS);
            let mut sliding = SlidingFixed::default();
            x.chunks(hop).for_each(|c| sliding.push(&plan, c));
            for (got, k) in sliding.bins(&plan).into_iter().zip(BINS) {
                let expected = x[x.len() - N..].iter().enumerate().fold(Complex::ZERO, |sum, (i, &x)| {
                    let turns = (k * i % N) as f64 / N as f64;
                    sum + Complex::cis(-core::f64::consts::TAU * turns) * f64::from(x)
                });
                let scale = f64::from(1 << FRACTION_BITS);
                let got: Complex<f64> = Complex::new(got.re as f64, got.im as f64) / scale;
                // N X 2^-23 with X = 2^31.
                prop_assert!((got - expected).norm() <= N as f64 * 256.0);
            }
        }

        #[test]
        fn hop_does_not_matter(x in prop::collection::vec(any::<i32>(), 1..500), hop in 1usize..300) {
            let plan = Plan::<i32, N, 4>::new(BINS);
            let (mut whole, mut hops) = (SlidingFixed::default(), SlidingFixed::default());
            whole.push(&plan, &x);
            x.chunks(hop).for_each(|c| hops.push(&plan, c));
            prop_assert_eq!(whole, hops);
        }
    }
}
