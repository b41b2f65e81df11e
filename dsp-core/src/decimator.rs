//! The default chain: one bit at f_s to 24-bit samples at f_s / 32, one channel, for a soft-core or a host.
//!
//! A CIC of order 5 by 8 as a byte table in half units ([`crate::lut`]), then a symmetric FIR by 4 in exact integers.
//! At f_s = 1.5 MHz the output rate is 46.875 kHz, flat up to 18 kHz; what folds into that band is rejected by 96 dB
//! (`default_taps.rs` says how the taps were made and what they reach).
//!
//! Before its first bit a channel has been idle ([`TimeWord::IDLE`]) for ever. Output n is complete with bit
//! 32 n + 31 and stands for the instant [`DELAY_BITS`] bits before the end of that bit.
//!
//! Every implementation (soft-core, simulator, host, GPU) gives these very integers: nothing is rounded but once,
//! at the output.

#[path = "decimator/default_taps.rs"]
mod default_taps;

pub use default_taps::{CIC_ORDER, CIC_RATE, FIR_RATE, TAP_BITS, TAPS};

use crate::Progress;
use crate::cic::Cic;
use crate::fixed::{round_shift, saturate_i32};
use crate::lut::Lut;
use crate::pdm::TimeWord;

/// Bits for one output sample.
pub const RATE: usize = CIC_RATE * FIR_RATE;

/// The output code of a full-scale input (all bits 1): 24-bit audio, every code exact in `f32`.
pub const FULL_SCALE: i32 = 1 << 23;

/// Length of the chain's impulse response in bits.
pub const LENGTH_BITS: usize = CIC_TAPS + CIC_RATE * (TAPS.len() - 1);

/// Group delay of the chain in bits.
pub const DELAY_BITS: f64 = (LENGTH_BITS - 1) as f64 / 2.0;

/// Outputs that still depend on the idle history.
pub const SETTLING: usize = LENGTH_BITS.div_ceil(RATE) - 1;

/// Fractional bits dropped at the output: half-unit CIC codes have full scale `GAIN / 2`.
pub const SHIFT: u32 = (Stage::GAIN / 2).trailing_zeros() + TAP_BITS - FULL_SCALE.trailing_zeros();

type Stage = Cic<i32, CIC_ORDER, CIC_RATE, 1>;
const CIC_TAPS: usize = Stage::TAPS;
const LANES: usize = crate::lut::lanes(CIC_TAPS, CIC_RATE, 1);

/// The CIC's taps.
pub const CIC_IMPULSE: [i64; CIC_TAPS] = Stage::taps();

static TABLE: Lut<i16, 1, LANES, 1> = match Lut::<i16, 1, LANES, 1>::halved(&CIC_IMPULSE) {
    Ok(table) => table,
    Err(_) => panic!("the default CIC fits half units"),
};

/// CIC samples that a channel remembers: those under the taps, in whole groups of an output.
const SLOTS: usize = TAPS.len().next_multiple_of(FIR_RATE);

/// Taps before the middle one, each of which serves two samples.
const PAIRS: usize = TAPS.len() / 2;

/// State of one channel.
///
/// ```
/// use dsp_core::{decimator::{Decimator, FULL_SCALE, SETTLING}, pdm::TimeWord};
/// let mut channel = Decimator::new();
/// let mut samples = [0; 64];
/// let _ = channel.process(&[TimeWord(u32::MAX); 64], &mut samples);
/// assert_eq!(samples[SETTLING..], [FULL_SCALE; 64 - SETTLING]);
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Decimator {
    cic: [i16; LANES],
    /// The last CIC samples, kept twice so that a window is always one slice.
    line: [[i16; SLOTS]; 2],
    /// Where the oldest of them stands.
    at: usize,
}

impl Decimator {
    /// A channel that has been idle for ever.
    pub const fn new() -> Self {
        // Idle bits leave the CIC as exact zeros, so zeros are the FIR's idle history.
        Self { cic: TABLE.initial(), line: [[0; SLOTS]; 2], at: 0 }
    }

    /// 32 bits in, one sample out.
    #[inline]
    pub fn push(&mut self, word: TimeWord) -> i32 {
        let group = word.to_bytes().map(|byte| {
            let [half] = TABLE.step(&mut self.cic, [byte]);
            half
        });
        for half in &mut self.line {
            if let Some(slots) = half.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut()) {
                *slots = group;
            }
        }
        self.at = if self.at + FIR_RATE >= SLOTS { 0 } else { self.at + FIR_RATE };
        let newest = self.line.as_flattened().get(self.at..self.at + SLOTS);
        let window = newest.and_then(<[i16]>::last_chunk).unwrap_or(&[0; TAPS.len()]);
        saturate_i32(round_shift(dot(window), SHIFT))
    }

    /// One sample for each word, while both last.
    pub fn process(&mut self, words: &[TimeWord], output: &mut [i32]) -> Progress {
        let mut count = 0;
        for (word, sample) in words.iter().zip(output) {
            *sample = self.push(*word);
            count += 1;
        }
        Progress { consumed: count, produced: count }
    }
}

/// The FIR's exact sum. A soft-core multiplies and adds 32 bits in two instructions and 64 in six, so as much as possible is summed
/// in `i32`: groups of pairs that cannot overflow it. Only the largest taps need 64 bits each.
#[inline(always)]
fn dot(window: &[i16; TAPS.len()]) -> i64 {
    let outer = i64::from(group::<0, 29>(window)) + i64::from(group::<29, 35>(window));
    let middle = i64::from(group::<35, 37>(window)) + i64::from(group::<37, 40>(window));
    let inner = i64::from(group::<40, 41>(window)) + i64::from(group::<41, 43>(window));
    let largest: i64 = pairs::<43, PAIRS>(window).map(|(h, x)| i64::from(h) * i64::from(x)).sum();
    outer + middle + inner + largest + i64::from(TAPS[PAIRS]) * i64::from(window[PAIRS])
}

/// Taps `FROM..TO`, each with the sum of the two samples that share it. Samples have at most 15 bits and a sign.
#[inline(always)]
fn pairs<const FROM: usize, const TO: usize>(window: &[i16; TAPS.len()]) -> impl Iterator<Item = (i32, i32)> {
    // By index, which compilers unroll where they may be large; `get`, since they keep checks where they must be small.
    let sample = |i: usize| window.get(i).map_or(0, |x| i32::from(*x));
    (FROM..TO).map(move |i| (TAPS.get(i).copied().unwrap_or(0), sample(i) + sample(TAPS.len() - 1 - i)))
}

/// The sum of the products of pairs `FROM..TO`.
#[inline(always)]
fn group<const FROM: usize, const TO: usize>(window: &[i16; TAPS.len()]) -> i32 {
    const {
        let (mut i, mut sum) = (FROM, 0);
        while i < TO {
            sum += TAPS[i].unsigned_abs() as i64;
            i += 1;
        }
        // A CIC sample in half units is at most half the gain, a pair of them the gain.
        assert!(sum * Stage::GAIN <= i32::MAX as i64, "the pairs of this group could overflow");
    }
    pairs::<FROM, TO>(window).map(|(h, x)| h * x).sum()
}

impl Default for Decimator {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fir::{Fir, Symmetric};
    use proptest::prelude::*;
    use std::vec::Vec;

    /// The definition: both filters as one convolution over the bits, idle before the first, rounded once.
    fn direct(words: &[TimeWord]) -> Vec<i32> {
        let mut h = std::vec![0i64; LENGTH_BITS];
        for (i, tap) in TAPS.iter().enumerate() {
            for (j, c) in CIC_IMPULSE.iter().enumerate() {
                h[CIC_RATE * i + j] += i64::from(*tap) * c;
            }
        }
        let x = |t: i64| match t {
            t if t < 0 => 1 - 2 * t.rem_euclid(2),
            t => words[t as usize / 32].value((t % 32) as u32).into(),
        };
        (0..words.len() as i64)
            .map(|n| {
                let sum: i64 = h.iter().zip(0..).map(|(h, j)| h * x(32 * n + 31 - j)).sum();
                // The sum is in full units: one bit more than the half units of SHIFT.
                ((sum + (1 << SHIFT)) >> (SHIFT + 1)) as i32
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn equals_one_convolution(bits in prop::collection::vec(any::<u32>(), 0..60)) {
            let words: Vec<TimeWord> = bits.into_iter().map(TimeWord).collect();
            let mut out = std::vec![i32::MIN; words.len()];
            let progress = Decimator::new().process(&words, &mut out);
            prop_assert_eq!(progress, Progress { consumed: words.len(), produced: words.len() });
            prop_assert_eq!(out, direct(&words));
        }
    }

    #[test]
    fn idle_gives_exact_zeros() {
        let mut out = [1; 50];
        let _ = Decimator::new().process(&[TimeWord::IDLE; 50], &mut out);
        assert_eq!(out, [0; 50]);
    }

    #[test]
    fn constants_are_consistent() {
        assert!(Fir::<i32, Symmetric, { TAPS.len() }>::new(TAPS, FIR_RATE, SHIFT).is_ok());
        assert_eq!(TAPS.iter().sum::<i32>(), 1 << TAP_BITS);
        // No input exceeds twice full scale: sum |h| < 2 sum h, so a sample always fits 25 bits and an f32.
        assert!(TAPS.iter().map(|h| h.abs()).sum::<i32>() < 2 << TAP_BITS);
    }
}
