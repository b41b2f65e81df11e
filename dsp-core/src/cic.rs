//! Cascaded integrator-comb (CIC) decimator in exact wrapping integers.
//!
//! ```text
//! H(z) = [ (1 - z^-RM) / (1 - z^-1) ]^N = [ sum_{k=0}^{RM-1} z^-k ]^N,   then every R-th sample
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `N` | order: number of integrators and of combs |
//! | `R` | rate: input samples per output sample |
//! | `M` | differential delay of the combs, output samples |
//! | `G = (R M)^N` | gain at DC; outputs are unscaled integers, full scale `G` times that of the input |
//! | `W` | width of the registers, bits (`A::BITS`) |
//! | `B` | width of the input as two's complement, bits |
//! | `f` | frequency over the input rate, cycles per input sample |
//!
//! Output `j` is the filter output at input index `R j + R - 1`, from a zero initial state. One-bit input
//! is packed LSB first in time, bit 1 for +1 and bit 0 for -1.
//!
//! **Growth rule.** The integrators overflow, and may: with wrapping arithmetic every register is right
//! modulo `2^W`, so the output is right if it fits. `|y| <= G max|x|`, hence one-bit input needs
//! `G < 2^(W-1)`, which is checked when the program is compiled, and `B`-bit input needs
//! `B + ceil(N log2(R M)) <= W`, Hogenauer's `B_max`, which [`Cic::for_input_bits`] checks. Larger input
//! gives wrapped output, never a panic.
//!
//! **Settling.** The first [`Cic::SETTLING`] outputs after a reset still depend on the zero history;
//! [`Cic::skip_settling`] swallows them.
//!
//! Cost: `N` additions per input sample, `N` subtractions per output sample, `N (1 + M)` registers.
//! [`prune`] narrows the registers for hardware.
//!
//! E. B. Hogenauer, "An economical class of digital filters for decimation and interpolation", IEEE
//! Trans. ASSP 29 (1981) 155-162. The thesis names a CIC but gives no order.

pub mod prune;
mod register;
#[cfg(test)]
mod tests;

pub use register::Register;

use crate::Progress;
use crate::pdm::TimeWord;
use core::slice::IterMut;

/// The input is too wide for the registers: `B + ceil(N log2(R M)) > W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct GrowthError {
    /// Width of the input asked for, bits.
    pub input_bits: u32,
    /// Widest input that these registers take, bits.
    pub max_input_bits: u32,
}

texts! {
    GrowthError:
    Self { input_bits, max_input_bits } =>
        "CIC input of {input_bits} bits; its registers take {max_input_bits} at most",
}

/// `(R M)^N`; fails to compile for a parameter of 0 and where a full-scale one-bit input does not fit.
const fn gain<A: Register>(n: usize, r: usize, m: usize) -> i64 {
    assert!(n > 0 && r > 0 && m > 0, "order, rate and delay are at least 1");
    let full_scale = i64::MAX >> (64 - A::BITS);
    let (mut gain, mut stage) = (1i64, 0);
    while stage < n {
        gain = match gain.checked_mul(r as i64 * m as i64) {
            Some(product) if product <= full_scale => product,
            _ => panic!("growth rule: (R M)^N does not fit the registers"),
        };
        stage += 1;
    }
    gain
}

/// A CIC decimator of order `N`, rate `R` and differential delay `M` with registers of type `A`.
///
/// ```
/// use dsp_core::{cic::Cic, pdm::TimeWord};
/// let mut cic = Cic::<i32, 4, 32, 1>::new().skip_settling();
/// let mut output = [0; 1];
/// let progress = cic.process_bits(&[TimeWord(u32::MAX); 4], &mut output);
/// assert_eq!((progress.consumed, output), (4, [32i32.pow(4)]));
/// ```
///
/// The growth rule is a compile-time error; 32^7 needs more than 32 bits:
///
/// ```compile_fail,E0080
/// let cic = dsp_core::cic::Cic::<i32, 7, 32, 1>::new();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Cic<A, const N: usize, const R: usize, const M: usize> {
    integrators: [A; N],
    /// Delay lines of the combs, newest first.
    combs: [[A; M]; N],
    /// Input samples since the last output, below `R`.
    phase: usize,
    /// Outputs still to swallow.
    unsettled: usize,
    /// Whether a reset starts by swallowing the unsettled outputs.
    skips: bool,
}

impl<A: Register, const N: usize, const R: usize, const M: usize> Default for Cic<A, N, R, M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: Register, const N: usize, const R: usize, const M: usize> Cic<A, N, R, M> {
    /// DC gain `(R M)^N`.
    pub const GAIN: i64 = gain::<A>(N, R, M);

    /// Length of the equivalent FIR at the input rate, `N (R M - 1) + 1`.
    pub const TAPS: usize = N * (R * M - 1) + 1;

    /// Outputs after a reset that still depend on samples before it: those with `R j + R < TAPS`.
    pub const SETTLING: usize = Self::TAPS.div_ceil(R) - 1;

    /// Widest two's complement input that can never overflow the output, bits.
    pub const MAX_INPUT_BITS: u32 = A::BITS - (u64::BITS - (Self::GAIN as u64 - 1).leading_zeros());

    /// A filter at rest, for one-bit input or any input up to [`Self::MAX_INPUT_BITS`].
    pub const fn new() -> Self {
        const { assert!(Self::GAIN > 0) };
        Self { integrators: [A::ZERO; N], combs: [[A::ZERO; M]; N], phase: 0, unsettled: 0, skips: false }
    }

    /// A filter at rest for two's complement input of `input_bits`, checked against the growth rule.
    pub const fn for_input_bits(input_bits: u32) -> Result<Self, GrowthError> {
        if input_bits > Self::MAX_INPUT_BITS {
            return Err(GrowthError { input_bits, max_input_bits: Self::MAX_INPUT_BITS });
        }
        Ok(Self::new())
    }

    /// Swallows the next [`Self::SETTLING`] outputs, now and after every reset.
    pub const fn skip_settling(mut self) -> Self {
        self.skips = true;
        self.unsettled = Self::SETTLING;
        self
    }

    /// Back to rest; keeps the choice of [`Self::skip_settling`].
    pub const fn reset(&mut self) {
        let rest = Self::new();
        *self = if self.skips { rest.skip_settling() } else { rest };
    }

    /// Takes one sample; every `R`-th gives an output.
    #[inline]
    pub fn push(&mut self, x: i32) -> Option<A> {
        self.integrate([x]);
        self.advance(1)
    }

    /// Filters a slice of samples. A run of samples whose output has no room is not begun.
    #[inline]
    pub fn process(&mut self, input: &[i32], output: &mut [A]) -> Progress {
        let room = output.len();
        let mut slots = output.iter_mut();
        let mut rest = input;
        while !rest.is_empty() {
            let (run, tail) = rest.split_at(rest.len().min(R - self.phase));
            if self.outputs_within(run.len()) > slots.len() {
                break;
            }
            self.integrate(run.iter().copied());
            if let Some(y) = self.advance(run.len()) {
                store(&mut slots, y);
            }
            rest = tail;
        }
        Progress { consumed: input.len() - rest.len(), produced: room - slots.len() }
    }

    /// Filters packed one-bit samples, 32 per word.
    ///
    /// Counts words in `consumed`; a word is taken only if all its outputs fit.
    #[inline]
    pub fn process_bits(&mut self, words: &[TimeWord], output: &mut [A]) -> Progress {
        let room = output.len();
        let mut slots = output.iter_mut();
        let mut consumed = 0;
        for &word in words {
            if self.outputs_within(32) > slots.len() {
                break;
            }
            self.take_word(word.0, &mut slots);
            consumed += 1;
        }
        Progress { consumed, produced: room - slots.len() }
    }

    /// Outputs that the next `samples` inputs will give.
    #[inline(always)]
    fn outputs_within(&self, samples: usize) -> usize {
        ((self.phase + samples) / R).saturating_sub(self.unsettled)
    }

    #[inline(always)]
    fn take_word(&mut self, mut word: u32, slots: &mut IterMut<'_, A>) {
        let mut left = 32;
        while left > 0 {
            let run = left.min(R - self.phase);
            // The usual runs have a constant length, so that the loop over the bits is unrolled.
            if run == 32 {
                self.integrate(signs(word, 32));
            } else if run == R {
                self.integrate(signs(word, R));
            } else {
                self.integrate(signs(word, run));
            }
            word = word.unbounded_shr(run as u32);
            left -= run;
            if let Some(y) = self.advance(run) {
                store(slots, y);
            }
        }
    }

    /// Runs the integrators; the caller counts the samples with `advance`.
    #[inline(always)]
    fn integrate(&mut self, samples: impl IntoIterator<Item = i32>) {
        let mut stages = self.integrators;
        for x in samples {
            let mut sum = A::from_i32(x);
            for stage in &mut stages {
                *stage = stage.wrapping_add(sum);
                sum = *stage;
            }
        }
        self.integrators = stages;
    }

    /// Counts `samples`, at most up to the next output, and gives that output if it is due and settled.
    #[inline(always)]
    fn advance(&mut self, samples: usize) -> Option<A> {
        self.phase += samples;
        if self.phase < R {
            return None;
        }
        self.phase = 0;
        let mut y = self.integrators.last().copied().unwrap_or(A::ZERO);
        for line in &mut self.combs {
            y = y.wrapping_sub(delay(line, y));
        }
        if self.unsettled > 0 {
            self.unsettled -= 1;
            return None;
        }
        Some(y)
    }

    /// Taps of the equivalent FIR at the input rate, usable in constants; `T` must be [`Self::TAPS`].
    ///
    /// ```
    /// const TAPS: [i64; 7] = dsp_core::cic::Cic::<i32, 2, 4, 1>::taps();
    /// assert_eq!(TAPS, [1, 2, 3, 4, 3, 2, 1]);
    /// ```
    pub const fn taps<const T: usize>() -> [i64; T] {
        const { assert!(T == Self::TAPS, "taps: T is N (R M - 1) + 1") };
        let mut taps = [0; T];
        taps[0] = 1;
        let mut stage = 0;
        while stage < N {
            let narrower = taps;
            let (mut sum, mut k) = (0, 0);
            while k < T {
                sum += narrower[k];
                if k >= R * M {
                    sum -= narrower[k - R * M];
                }
                taps[k] = sum;
                k += 1;
            }
            stage += 1;
        }
        taps
    }

    /// `|H(f)|` over the DC gain: `|sin(pi f R M) / (R M sin(pi f))|^N`, `f` in cycles per input sample.
    pub fn magnitude(f: f64) -> f64 {
        libm::pow(libm::fabs(crate::average::response(f, R * M)), N as f64)
    }
}

/// The first `count` bits of a word as +1 and -1.
///
/// Sign by an arithmetic shift: `2 b - 1` would have its constant folded into the sums that follow, at
/// three more instructions per bit.
#[inline(always)]
fn signs(word: u32, count: usize) -> impl Iterator<Item = i32> {
    let mut inverted = !word as i32;
    (0..count).map(move |_| {
        let x = (inverted << 31) >> 31 | 1;
        inverted >>= 1;
        x
    })
}

/// Shifts `newest` into a delay line and gives the sample that falls out.
#[inline(always)]
fn delay<A, const M: usize>(line: &mut [A; M], newest: A) -> A {
    line.iter_mut().fold(newest, |carried, slot| core::mem::replace(slot, carried))
}

/// Writes the next output; the callers have checked that there is room.
#[inline(always)]
fn store<A>(slots: &mut IterMut<'_, A>, y: A) {
    if let Some(slot) = slots.next() {
        *slot = y;
    }
}
