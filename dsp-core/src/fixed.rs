//! Q formats, rounding and saturation: the rules that every integer filter here follows.
//!
//! Formats are those of the `fixed` crate: [`Q15`] = `I1F15` is an `i16` b with the value b / 2^15,
//! [`Q31`] = `I1F31` an `i32` b with b / 2^31; both cover -1 <= value < 1. A value becomes `f64`
//! exactly with `f64::from`.
//!
//! 1. **Accumulate exactly.** Products and sums are formed in `i64` without rounding.
//! 2. **Round once, half up**: floor(a / 2^s + 1/2), the arithmetic shift (a + 2^(s-1)) >> s.
//!    Halves go towards plus infinity, also for negative a. Over uniform low bits the mean error is
//!    +2^-(s+1) output steps (half an input step): at s = 15 it lies 96 dB below the step. Rounding
//!    half to even would remove it for more code in the inner loop.
//! 3. **Saturate after rounding**: out of range becomes the nearest end of the format. So
//!    (-1) x (-1) = 1 - 2^-15 in Q15.
//!
//! From `f64` the same rule holds; infinities saturate and NaN becomes 0.
//! The operators `*` and `/` of the `fixed` crate round down and may overflow: use [`mul_q15`]
//! and [`mul_q31`].

use core::fmt;

/// 16-bit fraction, value = bits / 2^15.
pub type Q15 = ::fixed::types::I1F15;

/// 32-bit fraction, value = bits / 2^31.
pub type Q31 = ::fixed::types::I1F31;

/// floor(acc / 2^shift + 1/2), for every `acc` and every `shift`.
#[inline(always)]
pub const fn round_shift(acc: i64, shift: u32) -> i64 {
    match shift {
        0 => acc,
        // The last bit shifted out decides; adding 2^(shift-1) first could overflow.
        1..=63 => (acc >> shift) + ((acc >> (shift - 1)) & 1),
        // |acc / 2^shift| <= 1/2, and -1/2 rounds up to 0.
        _ => 0,
    }
}

/// The nearest `i16`.
#[inline(always)]
pub const fn saturate_i16(x: i64) -> i16 {
    if x > i16::MAX as i64 {
        i16::MAX
    } else if x < i16::MIN as i64 {
        i16::MIN
    } else {
        x as i16
    }
}

/// The nearest `i32`.
#[inline(always)]
pub const fn saturate_i32(x: i64) -> i32 {
    if x > i32::MAX as i64 {
        i32::MAX
    } else if x < i32::MIN as i64 {
        i32::MIN
    } else {
        x as i32
    }
}

/// a b, rounded and saturated.
#[inline(always)]
pub fn mul_q15(a: Q15, b: Q15) -> Q15 {
    let product = i64::from(a.to_bits()) * i64::from(b.to_bits());
    Q15::from_bits(saturate_i16(round_shift(product, 15)))
}

/// a b, rounded and saturated.
#[inline(always)]
pub fn mul_q31(a: Q31, b: Q31) -> Q31 {
    let product = i64::from(a.to_bits()) * i64::from(b.to_bits());
    Q31::from_bits(saturate_i32(round_shift(product, 31)))
}

/// floor(x + 1/2) without the rounding of that sum: 0.5 - 2^-54 becomes 0, not 1.
#[inline]
pub fn round_half_up(x: f64) -> f64 {
    let floor = libm::floor(x);
    if x - floor >= 0.5 { floor + 1.0 } else { floor }
}

/// The nearest Q15, saturated; NaN becomes 0.
#[inline]
pub fn to_q15(x: f64) -> Q15 {
    // A cast from float saturates and takes NaN to 0.
    Q15::from_bits(round_half_up(x * 32_768.0) as i16)
}

/// The nearest Q31, saturated; NaN becomes 0.
#[inline]
pub fn to_q31(x: f64) -> Q31 {
    Q31::from_bits(round_half_up(x * 2_147_483_648.0) as i32)
}

/// How [`quantise`] scaled its taps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Quantised {
    /// tap = out / 2^shift: the shift for [`round_shift`] after the sum of products.
    pub shift: u32,
    /// Largest |out / 2^shift - tap|; at most 2^-(shift+1).
    pub max_error: f64,
}

/// Why taps cannot be quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum QuantiseError {
    /// The word length is not within 2..=32.
    Bits {
        /// Bits asked for.
        found: u32,
    },
    /// Input and output differ in length.
    Length {
        /// Number of taps.
        taps: usize,
        /// Room for taps.
        out: usize,
    },
    /// A tap is not finite, or so large that its scale would be below 1.
    OutOfRange {
        /// Its index.
        index: usize,
    },
}

impl fmt::Display for QuantiseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bits { found } => write!(f, "words of {found} bits, expected 2 to 32"),
            Self::Length { taps, out } => write!(f, "{taps} taps for an output of {out}"),
            Self::OutOfRange { index } => write!(f, "tap {index} is too large or not finite"),
        }
    }
}

impl core::error::Error for QuantiseError {}

/// Rounds taps to signed words of `bits` bits with the largest common power-of-two scale, at most
/// 2^62, at which none saturates.
pub fn quantise(taps: &[f64], bits: u32, out: &mut [i32]) -> Result<Quantised, QuantiseError> {
    if !(2..=32).contains(&bits) {
        return Err(QuantiseError::Bits { found: bits });
    }
    if taps.len() != out.len() {
        return Err(QuantiseError::Length { taps: taps.len(), out: out.len() });
    }
    let full = libm::ldexp(1.0, bits as i32 - 1);
    if let Some(index) = taps.iter().position(|t| t.is_nan() || round_half_up(t.abs()) >= full) {
        return Err(QuantiseError::OutOfRange { index });
    }
    let peak = taps.iter().fold(0.0, |m: f64, t| m.max(t.abs()));
    let fits = |shift: &u32| round_half_up(libm::ldexp(peak, *shift as i32)) < full;
    // Shift 0 fits, as just checked.
    let shift = (1..=62).take_while(fits).last().unwrap_or(0);
    let mut max_error: f64 = 0.0;
    for (tap, word) in taps.iter().zip(out) {
        let rounded = round_half_up(libm::ldexp(*tap, shift as i32));
        max_error = max_error.max((libm::ldexp(rounded, -(shift as i32)) - tap).abs());
        *word = rounded as i32;
    }
    Ok(Quantised { shift, max_error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    /// The rule in integers wide enough never to overflow.
    fn round_shift_by_definition(acc: i64, shift: u32) -> i64 {
        let half = if shift == 0 { 0 } else { 1i128 << (shift - 1) };
        ((i128::from(acc) + half) >> shift) as i64
    }

    #[test]
    fn halves_round_up() {
        for (acc, expected) in [(-6, -1), (-5, -1), (-2, 0), (-1, 0), (1, 0), (2, 1), (5, 1), (6, 2)] {
            assert_eq!(round_shift(acc, 2), expected, "{acc}");
        }
        assert_eq!(round_shift(i64::MAX, 1), 1 << 62);
        assert_eq!(round_shift(i64::MIN, 63), -1);
        assert_eq!(round_shift(i64::MIN, 64), 0);
    }

    #[test]
    fn bias_is_half_an_input_step() {
        for shift in 1..16 {
            let inputs = 0..1i64 << shift;
            // Sum of (round(a / 2^s) 2^s - a) over one period; mean 1/2, in input steps.
            let error: i64 = inputs.map(|a| (round_shift(a, shift) << shift) - a).sum();
            assert_eq!(2 * error, 1 << shift);
        }
    }

    #[test]
    fn conversions_saturate_and_define_nan() {
        assert_eq!(to_q15(1.0), Q15::MAX);
        assert_eq!(to_q15(f64::NEG_INFINITY), Q15::MIN);
        assert_eq!(to_q31(f64::INFINITY), Q31::MAX);
        assert_eq!(to_q31(-1.0), Q31::MIN);
        assert_eq!((to_q15(f64::NAN), to_q31(f64::NAN)), (Q15::ZERO, Q31::ZERO));
        assert_eq!(to_q15(-1.5 / 32_768.0).to_bits(), -1);
        assert_eq!(round_half_up(0.5f64.next_down()), 0.0);
        assert_eq!(round_half_up(-0.5), 0.0);
        assert_eq!(round_half_up((-0.5f64).next_down()), -1.0);
        assert_eq!(mul_q15(Q15::MIN, Q15::MIN), Q15::MAX);
        assert_eq!(mul_q31(Q31::MIN, Q31::MIN), Q31::MAX);
    }

    #[test]
    fn quantise_names_what_is_wrong() {
        let mut out = [0; 2];
        assert_eq!(quantise(&[0.0; 2], 33, &mut out), Err(QuantiseError::Bits { found: 33 }));
        let length = QuantiseError::Length { taps: 1, out: 2 };
        assert_eq!(quantise(&[0.0], 16, &mut out), Err(length));
        for bad in [f64::NAN, f64::INFINITY, 32_767.5] {
            let range = QuantiseError::OutOfRange { index: 1 };
            assert_eq!(quantise(&[0.0, bad], 16, &mut out), Err(range));
        }
        assert_eq!(quantise(&[0.0, -32_767.0], 16, &mut out).map(|q| q.shift), Ok(0));
    }

    proptest! {
        #[test]
        fn round_shift_is_its_definition(acc: i64, shift in 0u32..100) {
            prop_assert_eq!(round_shift(acc, shift), round_shift_by_definition(acc, shift));
        }

        #[test]
        fn saturation_is_the_nearest_value(x: i64, small in -70_000i64..70_000) {
            for x in [x, small, x >> 31] {
                prop_assert_eq!(i64::from(saturate_i16(x)), x.clamp(-32_768, 32_767));
                prop_assert_eq!(i64::from(saturate_i32(x)), x.clamp(i32::MIN.into(), i32::MAX.into()));
            }
        }

        #[test]
        fn conversions_round_trip_and_are_nearest(a: i16, b: i32, x in -1.0..0.99996) {
            prop_assert_eq!(to_q15(f64::from(Q15::from_bits(a))).to_bits(), a);
            prop_assert_eq!(to_q31(f64::from(Q31::from_bits(b))).to_bits(), b);
            prop_assert!((f64::from(to_q15(x)) - x).abs() <= 0.5 / 32_768.0);
            prop_assert!((f64::from(to_q31(x)) - x).abs() <= 0.5 / 2_147_483_648.0);
        }

        #[test]
        fn products_are_within_half_a_step(a: i16, b: i16, c: i32, d: i32) {
            // Both factors at -1 saturate; every other product is representable to half a step.
            prop_assume!((a, b) != (i16::MIN, i16::MIN) && (c, d) != (i32::MIN, i32::MIN));
            let got = i64::from(mul_q15(Q15::from_bits(a), Q15::from_bits(b)).to_bits());
            let error = (got << 15) - i64::from(a) * i64::from(b);
            prop_assert!((-(1 << 14) < error && error <= 1 << 14) || got == 32_767);
            let got = i128::from(mul_q31(Q31::from_bits(c), Q31::from_bits(d)).to_bits());
            let error = (got << 31) - i128::from(c) * i128::from(d);
            prop_assert!((-(1 << 30) < error && error <= 1 << 30) || got == i128::from(i32::MAX));
        }

        #[test]
        fn quantised_taps_use_the_word_and_are_nearest(
            taps in prop::collection::vec(-1.5..1.5f64, 1..40),
            bits in 3u32..=32,
        ) {
            let mut words = std::vec![0; taps.len()];
            let q = quantise(&taps, bits, &mut words).unwrap();
            let half_step = libm::ldexp(0.5, -(q.shift as i32));
            let errors: Vec<f64> = taps.iter().zip(&words)
                .map(|(t, &w)| (f64::from(w) * 2.0 * half_step - t).abs())
                .collect();
            prop_assert!(errors.iter().all(|&e| e <= half_step));
            prop_assert_eq!(errors.iter().copied().fold(0.0, f64::max), q.max_error);
            // Nothing saturates, and one shift more would: peak 2^(shift+1) reaches the end.
            let peak = words.iter().map(|w| i64::from(*w).abs()).max().unwrap_or(0);
            prop_assert!(peak < 1 << (bits - 1));
            prop_assert!(q.shift == 62 || 2 * peak + 1 >= (1 << (bits - 1)) - 1);
        }
    }
}
