//! What all byte tables need to know of their taps, and why a table cannot be made.

/// Why a table cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum LutError {
    /// 8 W is not a multiple of E, or E is 0 or more than L.
    Shape {
        /// Bytes consumed in a step.
        bytes: usize,
        /// Outputs emitted in a step.
        outputs: usize,
        /// Outputs touched by a step.
        lanes: usize,
    },
    /// The taps reach over more outputs than the table has lanes.
    TooManyTaps {
        /// Number of taps.
        taps: usize,
        /// Lanes that they need.
        needed: usize,
        /// Lanes that there are.
        lanes: usize,
    },
    /// Taps with this sum of absolute values could exceed the accumulator.
    Overflow(i128),
    /// Half units need an even sum of taps, not this one.
    OddSum(i128),
}

texts! {
    LutError:
    Self::Shape { bytes, outputs, lanes } =>
        "{bytes} bytes a step cannot give {outputs} outputs with {lanes} lanes",
    Self::TooManyTaps { taps, needed, lanes } => "{taps} taps need {needed} lanes, the table has {lanes}",
    Self::Overflow(sum) => "taps of absolute sum {sum} overflow the accumulator",
    Self::OddSum(sum) => "taps of odd sum {sum} have no half units",
}

/// Lanes needed by `taps` taps at `rate`, `bytes` a step.
pub const fn lanes(taps: usize, rate: usize, bytes: usize) -> usize {
    (taps + 8 * bytes - 1).saturating_sub(rate) / rate + 1
}

/// The tap that a bit of the step puts into output `lane`: index R lane + R - 1 - bit, if there is one.
pub(super) const fn tap(taps: &[i64], rate: usize, lane: usize, bit: usize) -> i64 {
    let newest = rate * lane + rate - 1;
    if newest >= bit && newest - bit < taps.len() { taps[newest - bit] } else { 0 }
}

/// The sum of the taps and of their absolute values.
pub(super) const fn sums(taps: &[i64]) -> (i128, i128) {
    let (mut sum, mut absolute, mut j) = (0i128, 0i128, 0);
    while j < taps.len() {
        sum += taps[j] as i128;
        absolute += taps[j].unsigned_abs() as i128;
        j += 1;
    }
    (sum, absolute)
}
