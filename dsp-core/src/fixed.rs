//! Rounding and saturation: the rules that every integer filter here follows.
//!
//! 1. **Accumulate exactly.** Products and sums are formed in `i64` without rounding.
//! 2. **Round once, half up**: floor(a / 2^s + 1/2), the arithmetic shift (a + 2^(s-1)) >> s.
//!    Halves go towards plus infinity, also for negative a. Over uniform low bits the mean error is
//!    +2^-(s+1) output steps (half an input step): at s = 15 it lies 96 dB below the step. Rounding
//!    half to even would remove it for more code in the inner loop.
//! 3. **Saturate after rounding**: out of range becomes the nearest end of the format. So
//!    (-1) x (-1) = 1 - 2^-15 in Q15.

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

/// floor(x + 1/2) without the rounding of that sum: 0.5 - 2^-54 becomes 0, not 1.
#[inline]
pub fn round_half_up(x: f64) -> f64 {
    let floor = libm::floor(x);
    if x - floor >= 0.5 { floor + 1.0 } else { floor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    fn halves_of_numbers_round_up_too() {
        assert_eq!(round_half_up(0.5f64.next_down()), 0.0);
        assert_eq!(round_half_up(-0.5), 0.0);
        assert_eq!(round_half_up((-0.5f64).next_down()), -1.0);
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
    }
}
