//! Popcount averaging: one signed sample from every `D` one-bit samples.
//!
//! ```text
//! y[j] = sum_{i=0}^{D-1} x[D j + i] = 2 popcount(bits D j .. D j + D) - D,   x = +1 (bit 1), -1 (bit 0)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `D` | bits per output sample: 8, 16 or any multiple of 32 |
//! | `y` | unscaled integer, `-D..=D`; full scale is `D` |
//! | `f` | frequency over the bit rate, cycles per bit |
//!
//! It is a CIC of order 1 and rate `D`: the cheapest decimator there is (one popcount per word) and a
//! poor filter: side lobes of -13 dB fold quantisation noise into the band. It is good enough for pictures
//! of strong tones. A window on its output removes leakage as it should; the thesis leaves it out.
//!
//! Cost: one popcount and one add per 32 bits.

use crate::Progress;
use crate::pdm::TimeWord;
use core::f64::consts::PI;

/// Integer types that can hold an average: `i8` (`D` up to 127), `i16`, `i32`.
pub trait Sample: Copy {
    /// Largest value, which bounds `D`.
    const MAX: usize;

    /// The value itself; the caller knows that it fits.
    fn from_i32(value: i32) -> Self;
}

macro_rules! sample {
    ($($t:ty),*) => {$(
        impl Sample for $t {
            const MAX: usize = <$t>::MAX as usize;

            #[inline(always)]
            fn from_i32(value: i32) -> Self {
                value as Self
            }
        }
    )*};
}
sample!(i8, i16, i32);

/// Averages groups of `D` bits, LSB first in time: `output[j] = 2 popcount - D`.
///
/// Counts words in `consumed`. A word (for `D` over 32, a group of `D / 32` words) is taken only if
/// all its averages fit, so nothing is lost when `output` is short, and an incomplete last group stays
/// with the caller.
///
/// ```
/// let mut output = [0i8; 2];
/// let words = [0xffff_ffff, 0x0000_0001].map(dsp_core::pdm::TimeWord);
/// let progress = dsp_core::average::average::<32, _>(&words, &mut output);
/// assert_eq!((output, progress.consumed), ([32, -30], 2));
/// ```
///
/// `D` must be one of the widths above and must fit the output type:
///
/// ```compile_fail,E0080
/// dsp_core::average::average::<128, _>(&[dsp_core::pdm::TimeWord(0); 4], &mut [0i8; 1]);
/// ```
#[inline]
pub fn average<const D: usize, T: Sample>(words: &[TimeWord], output: &mut [T]) -> Progress {
    const {
        assert!(D == 8 || D == 16 || (D > 0 && D.is_multiple_of(32)));
        assert!(D <= T::MAX);
    }
    if D < 32 { average_parts::<D, T>(words, output) } else { average_groups::<D, T>(words, output) }
}

/// `D` below 32: every word gives `32 / D` averages.
#[inline(always)]
fn average_parts<const D: usize, T: Sample>(words: &[TimeWord], output: &mut [T]) -> Progress {
    let per_word = 32 / D;
    let mut consumed = 0;
    for (&word, averages) in words.iter().zip(output.chunks_exact_mut(per_word)) {
        let mut rest = word.0;
        for y in averages {
            let ones = (rest & (u32::MAX >> (32 - D))).count_ones();
            *y = T::from_i32(2 * ones as i32 - D as i32);
            rest >>= D;
        }
        consumed += 1;
    }
    Progress { consumed, produced: consumed * per_word }
}

/// `D` a multiple of 32: every `D / 32` words give one average.
#[inline(always)]
fn average_groups<const D: usize, T: Sample>(words: &[TimeWord], output: &mut [T]) -> Progress {
    let group = D / 32;
    let mut produced = 0;
    for (words, y) in words.chunks_exact(group).zip(output) {
        let ones: u32 = words.iter().map(|word| word.0.count_ones()).sum();
        *y = T::from_i32(2 * ones as i32 - D as i32);
        produced += 1;
    }
    Progress { consumed: produced * group, produced }
}

/// Zero-phase response of the mean of `length` samples (a Dirichlet kernel), 1 at DC.
///
/// `D(f) = sin(pi f L) / (L sin(pi f))`, `f` in cycles per input sample (frequency over input rate).
/// Real and signed; the causal filter adds a delay of `(L - 1) / 2` samples. Nulls at multiples of
/// `1 / L` are exact zeros where `f L` is an exact integer. Relative error a few units of 2^-53 plus
/// that of rounding `f L`.
pub fn response(f: f64, length: usize) -> f64 {
    let (denominator, l) = (sin_pi(f), length as f64);
    if denominator == 0.0 {
        // All terms of the sum are +1, or alternate in the phase reference for odd multiples of f = 1.
        let half_turns = (libm::rint(f) * (l - 1.0)) % 2.0;
        return if half_turns == 0.0 { 1.0 } else { -1.0 };
    }
    sin_pi(f * l) / (l * denominator)
}

/// sin(pi x), with the whole half-turns removed before the multiplication rounds.
fn sin_pi(x: f64) -> f64 {
    let turns = libm::rint(x);
    let sine = libm::sin(PI * (x - turns));
    if turns % 2.0 == 0.0 { sine } else { -sine }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec;
    use std::vec::Vec;

    fn direct(words: &[TimeWord], d: usize) -> Vec<i32> {
        let x: Vec<i32> = (0..32 * words.len()).map(|t| words[t / 32].value(t as u32)).collect();
        x.chunks_exact(d).map(|group| group.iter().sum()).collect()
    }

    fn check<const D: usize>(words: &[TimeWord]) {
        let expected = direct(words, D);
        let mut narrow = vec![0i16; expected.len()];
        let mut wide = vec![0i32; expected.len()];
        let taken = if D < 32 { words.len() } else { expected.len() * D / 32 };
        let whole = Progress { consumed: taken, produced: expected.len() };
        assert_eq!(average::<D, _>(words, &mut narrow), whole);
        assert_eq!(average::<D, _>(words, &mut wide), whole);
        assert_eq!(wide, expected);
        assert!(narrow.iter().zip(&wide).all(|(&n, &w)| i32::from(n) == w));
    }

    proptest! {
        #[test]
        fn equals_the_sum_of_the_samples(words in proptest::collection::vec(any::<u32>().prop_map(TimeWord), 0..40)) {
            check::<8>(&words);
            check::<16>(&words);
            check::<32>(&words);
            check::<64>(&words);
            check::<96>(&words);
            check::<1024>(&words);
        }

        #[test]
        fn is_the_first_order_cic(words in proptest::collection::vec(any::<u32>().prop_map(TimeWord), 1..20)) {
            let mut cic = crate::cic::Cic::<i32, 1, 16, 1>::new();
            let mut filtered = vec![0i32; 2 * words.len()];
            let mut averaged = filtered.clone();
            let expected = cic.process_bits(&words, &mut filtered);
            prop_assert_eq!(average::<16, _>(&words, &mut averaged), expected);
            prop_assert_eq!(filtered, averaged);
        }
    }

    #[test]
    fn full_scale_fits_the_narrow_types() {
        let (mut bytes, mut wide) = ([0i8; 2], [0i8; 2]);
        let _ = average::<32, _>(&[0, u32::MAX].map(TimeWord), &mut bytes);
        let _ = average::<96, _>(&[0, 0, 0, u32::MAX, u32::MAX, u32::MAX].map(TimeWord), &mut wide);
        assert_eq!((bytes, wide), ([-32, 32], [-96, 96]));
    }

    #[test]
    fn a_short_output_stops_before_the_word_that_does_not_fit() {
        let mut output = [0i8; 5];
        let progress = average::<8, _>(&[0, u32::MAX].map(TimeWord), &mut output);
        assert_eq!((progress.consumed, progress.produced), (1, 4));
        assert_eq!(output, [-8, -8, -8, -8, 0]);
        let progress = average::<64, _>(&[TimeWord(0); 3], &mut output);
        assert_eq!((progress.consumed, progress.produced), (2, 1));
    }

    /// The response is the DFT of the taps, turned back by the delay of (L - 1)/2 samples.
    #[test]
    fn response_equals_the_sum_over_the_taps() {
        for length in [1usize, 2, 8, 31, 32, 96] {
            for step in -700..700 {
                let f = f64::from(step) / 512.0;
                let middle = (length as f64 - 1.0) / 2.0;
                let sum: f64 = (0..length).map(|t| libm::cos(2.0 * PI * f * (t as f64 - middle))).sum();
                // Arguments below 2 pi * 1.4 * 48 < 512 are rounded to 512 * 2^-53 in the sum above,
                // and the mean of the cosines keeps that error.
                let tolerance = 512.0 * f64::EPSILON;
                let error = response(f, length) - sum / length as f64;
                assert!(error.abs() < tolerance, "f {f} length {length}: {error:e}");
            }
        }
    }

    #[test]
    fn response_has_exact_nulls_and_the_known_side_lobe() {
        for k in 1..32 {
            assert_eq!(response(f64::from(k) / 32.0, 32), 0.0);
        }
        assert_eq!(response(0.0, 32), 1.0);
        // First side lobe of a long Dirichlet kernel: -13.26 dB. At length 32 the sine in
        // the denominator, at f = 1.43 / 32, is 0.33 % below its argument: 0.03 dB more.
        let lobe =
            (0..1000).map(|i| response((1.0 + f64::from(i) / 1000.0) / 32.0, 32).abs()).fold(0.0, f64::max);
        let db = 20.0 * libm::log10(lobe);
        assert!((db + 13.23).abs() < 0.01, "{db}");
    }
}
