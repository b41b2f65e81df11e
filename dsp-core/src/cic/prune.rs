//! Hogenauer's register pruning: how many low bits each CIC stage may drop, and what that costs.
//!
//! If the output drops `B_out` low bits anyway, the stages before it may drop some too. Every stage gets
//! the same share of the error that the output's own truncation makes:
//!
//! ```text
//! B_j = floor( log2( 2^B_out / (F_j sqrt(2 N)) ) ),   F_j^2 = sum_k h_j[k]^2,   j = 1 .. 2N
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `j` | stage: 1..=N integrators, N+1..=2N combs, 2N+1 the output register |
//! | `B_j` | low bits dropped (floor) at the input of stage `j`; `B_out = B_2N+1` |
//! | `h_j` | impulse response from the input of stage `j` to the output; integers |
//! | `F_j` | its noise gain; `E_j = 2^B_j - 2^B_j-1` is the largest error made at stage `j` |
//!
//! `h_j[k] = sum_l (-1)^l C(N,l) C(N-j+k-RMl, N-j)` for integrators (`R M l <= k`, input rate) and
//! `(-1)^k C(2N+1-j, k)` for combs (output rate). `F_j` is exact here, and `B_j` is kept from falling
//! along the chain (the formula alone can let it fall for `R M < 4`).
//!
//! **Error** of the pruned output, in units of the unpruned output's LSB. The worst case is exact
//! interval arithmetic over all stages, whatever the input. Mean and RMS hold for truncation errors that are
//! uniform, white and independent: true for input with a few bits of noise, not for one-bit input,
//! whose first integrator moves by one step at a time. Truncation at stage 1 is seen with the full DC
//! gain, later stages have no DC gain.
//!
//! The registers here are as wide as `A`, with the dropped bits held at zero. They equal the
//! narrow registers of hardware, of [`Pruning::register_bits`] each, bit for bit: dropping low bits and
//! wrapping high bits do not touch each other. Limits: `N <= 8`, `R M <= 1024`.

use super::{GrowthError, Register, delay, gain, signs};
use crate::Progress;
use crate::pdm::TimeWord;

/// More low bits to drop than any register has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PruningError {
    /// Low bits asked to be dropped at the output.
    pub discarded: u32,
    /// Most that can be dropped.
    pub limit: u32,
}

texts! {
    PruningError:
    Self { discarded, limit } => "CIC pruning drops {discarded} output bits; the limit is {limit}",
}

/// Low bits dropped at the input of every stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Pruning<const N: usize, const R: usize, const M: usize> {
    integrators: [u32; N],
    combs: [u32; N],
    output: u32,
}

/// Error of a pruned filter, `unpruned - 2^B_out pruned`, in units of the unpruned output's LSB.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PruningErrors {
    /// Bound on the absolute value; holds for every input.
    pub worst: f64,
    /// Expected mean: truncation rounds down.
    pub mean: f64,
    /// Expected root mean square, the mean included.
    pub rms: f64,
}

/// Sums over the impulse response `h_j` of one stage.
struct StageGain {
    /// Sum of squares, `F_j^2`.
    square: u128,
    /// Sum of the positive taps.
    positive: i128,
    /// Sum of the negative taps, as a positive number.
    negative: i128,
}

const fn binomial(n: usize, k: usize) -> i128 {
    let (mut product, mut i) = (1, 0);
    while i < k {
        // Exact: a product of i + 1 consecutive integers is divisible by (i + 1)!.
        product = product * (n as i128 - i as i128) / (i as i128 + 1);
        i += 1;
    }
    product
}

impl<const N: usize, const R: usize, const M: usize> Pruning<N, R, M> {
    /// Most bits that may be dropped at the output; one less than `i64` has without its sign.
    pub const LIMIT: u32 = 62;

    /// The gain, asserted to be within the limits that keep all sums below 2^127.
    const GAIN: i64 = {
        assert!(N <= 8 && R * M <= 1024, "pruning: N <= 8 and R M <= 1024");
        gain::<i64>(N, R, M)
    };

    /// Hogenauer's rule for an output that drops `discarded` low bits. Usable in constants.
    pub const fn hogenauer(discarded: u32) -> Result<Self, PruningError> {
        const { assert!(Self::GAIN > 0) };
        if discarded > Self::LIMIT {
            return Err(PruningError { discarded, limit: Self::LIMIT });
        }
        let mut pruning = Self { integrators: [0; N], combs: [0; N], output: discarded };
        // From the output backwards, so that no stage drops more than the one after it.
        let (mut limit, mut stage) = (discarded, 2 * N);
        while stage > 0 {
            limit = Self::share(stage, discarded, limit);
            if stage > N {
                pruning.combs[stage - N - 1] = limit;
            } else {
                pruning.integrators[stage - 1] = limit;
            }
            stage -= 1;
        }
        Ok(pruning)
    }

    /// Largest `b <= limit` with `2 N F_j^2 4^b <= 4^B_out`, or 0.
    const fn share(stage: usize, discarded: u32, limit: u32) -> u32 {
        let noise = Self::stage_gain(stage).square.saturating_mul(2 * N as u128);
        let mut bits = limit;
        while bits > 0 && noise > 1u128 << (2 * (discarded - bits)) {
            bits -= 1;
        }
        bits
    }

    /// Tap `k` of `h_j`.
    const fn tap(stage: usize, k: usize) -> i128 {
        if stage > N {
            let sign = if k.is_multiple_of(2) { 1 } else { -1 };
            return sign * binomial(2 * N + 1 - stage, k);
        }
        let (mut sum, mut sign, mut l) = (0, 1, 0);
        while l <= N && R * M * l <= k {
            sum += sign * binomial(N, l) * binomial(N - stage + k - R * M * l, N - stage);
            sign = -sign;
            l += 1;
        }
        sum
    }

    const fn stage_gain(stage: usize) -> StageGain {
        let taps = if stage > N { 2 * N + 2 - stage } else { N * (R * M - 1) + stage };
        let mut sums = StageGain { square: 0, positive: 0, negative: 0 };
        let mut k = 0;
        while k < taps {
            let tap = Self::tap(stage, k);
            sums.square += (tap * tap) as u128;
            if tap > 0 {
                sums.positive += tap;
            } else {
                sums.negative -= tap;
            }
            k += 1;
        }
        sums
    }

    /// Low bits dropped at the inputs of the integrators, `B_1 .. B_N`.
    pub const fn integrators(&self) -> [u32; N] {
        self.integrators
    }

    /// Low bits dropped at the inputs of the combs, `B_N+1 .. B_2N`.
    pub const fn combs(&self) -> [u32; N] {
        self.combs
    }

    /// Low bits dropped at the output, `B_out`: one output step is worth `2^B_out`.
    pub const fn output(&self) -> u32 {
        self.output
    }

    /// Width of the hardware registers for `input_bits` of two's complement input (2 for one-bit input,
    /// which needs +1 and -1), bits: integrators, combs, output.
    pub fn register_bits(&self, input_bits: u32) -> ([u32; N], [u32; N], u32) {
        let growth = u64::BITS - (Self::GAIN as u64 - 1).leading_zeros();
        let width = |dropped: u32| (input_bits + growth).saturating_sub(dropped);
        (self.integrators.map(width), self.combs.map(width), width(self.output))
    }

    /// Worst-case, mean and RMS error. Walks all impulse responses: for design time.
    pub fn errors(&self) -> PruningErrors {
        let output = StageGain { square: 1, positive: 1, negative: 0 };
        let stages = self.integrators.iter().chain(&self.combs).zip(1..);
        let gains =
            stages.map(|(&bits, stage)| (bits, Self::stage_gain(stage))).chain([(self.output, output)]);
        let (mut high, mut low, mut mean, mut variance) = (0.0, 0.0, 0.0, 0.0);
        let mut step = 1.0;
        for (bits, gain) in gains {
            let coarser = libm::ldexp(1.0, bits as i32);
            let largest = coarser - step;
            high += largest * gain.positive as f64;
            low += largest * gain.negative as f64;
            mean += largest / 2.0 * (gain.positive - gain.negative) as f64;
            // A uniform choice of 0, step, .., coarser - step.
            variance += (coarser * coarser - step * step) / 12.0 * gain.square as f64;
            step = coarser;
        }
        PruningErrors { worst: high.max(low), mean, rms: libm::sqrt(mean * mean + variance) }
    }
}

/// A CIC decimator with pruned registers: the bit-true twin of a hardware filter.
///
/// Outputs are in units of `2^B_out`. With no dropped bits it equals [`super::Cic`].
///
/// ```
/// use dsp_core::cic::prune::{PrunedCic, Pruning};
/// let pruning = Pruning::<4, 32, 1>::hogenauer(8)?;
/// let mut cic = PrunedCic::<i32, 4, 32, 1>::new(pruning);
/// let last = (0..1024).filter_map(|_| cic.push(1)).last();
/// assert_eq!(last, Some(32i32.pow(4) >> 8));
/// # Ok::<(), dsp_core::cic::prune::PruningError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PrunedCic<A, const N: usize, const R: usize, const M: usize> {
    pruning: Pruning<N, R, M>,
    integrators: [A; N],
    combs: [[A; M]; N],
    phase: usize,
}

impl<A: Register, const N: usize, const R: usize, const M: usize> PrunedCic<A, N, R, M> {
    /// A filter at rest, for one-bit input; the growth rule is that of [`super::Cic::new`].
    pub const fn new(pruning: Pruning<N, R, M>) -> Self {
        const { assert!(gain::<A>(N, R, M) > 0) };
        Self { pruning, integrators: [A::ZERO; N], combs: [[A::ZERO; M]; N], phase: 0 }
    }

    /// A filter at rest for two's complement input of `input_bits`, checked against the growth rule.
    pub const fn for_input_bits(pruning: Pruning<N, R, M>, input_bits: u32) -> Result<Self, GrowthError> {
        match super::Cic::<A, N, R, M>::for_input_bits(input_bits) {
            Ok(_) => Ok(Self::new(pruning)),
            Err(error) => Err(error),
        }
    }

    /// Back to rest.
    pub const fn reset(&mut self) {
        *self = Self::new(self.pruning);
    }

    /// Takes one sample; every `R`-th gives an output, in units of `2^B_out`.
    #[inline]
    pub fn push(&mut self, x: i32) -> Option<A> {
        let mut value = A::from_i32(x);
        for (stage, &bits) in self.integrators.iter_mut().zip(&self.pruning.integrators) {
            *stage = stage.wrapping_add(value.clear_low(bits));
            value = *stage;
        }
        self.phase += 1;
        if self.phase < R {
            return None;
        }
        self.phase = 0;
        for (line, &bits) in self.combs.iter_mut().zip(&self.pruning.combs) {
            value = value.clear_low(bits);
            value = value.wrapping_sub(delay(line, value));
        }
        Some(value.shift_right(self.pruning.output))
    }

    /// Filters a slice of samples; stops before a sample whose output has no room.
    pub fn process(&mut self, input: &[i32], output: &mut [A]) -> Progress {
        let mut progress = Progress::default();
        for &x in input {
            if self.phase + 1 == R && progress.produced == output.len() {
                break;
            }
            progress.consumed += 1;
            if let Some(y) = self.push(x)
                && let Some(slot) = output.get_mut(progress.produced)
            {
                *slot = y;
                progress.produced += 1;
            }
        }
        progress
    }

    /// Filters packed one-bit samples; a word is taken only if all its outputs fit.
    pub fn process_bits(&mut self, words: &[TimeWord], output: &mut [A]) -> Progress {
        let room = output.len();
        let mut slots = output.iter_mut();
        let mut consumed = 0;
        for &word in words {
            if (self.phase + 32) / R > slots.len() {
                break;
            }
            for y in signs(word.0, 32).filter_map(|x| self.push(x)) {
                super::store(&mut slots, y);
            }
            consumed += 1;
        }
        Progress { consumed, produced: room - slots.len() }
    }
}

#[cfg(test)]
mod tests;
