//! The integers that a CIC can be built on: wrapping two's complement of 32 or 64 bits.

use core::fmt::Debug;

/// Accumulator of a CIC: `i32` or `i64`.
pub trait Register: Copy + Debug + Eq + Into<i64> {
    /// Zero.
    const ZERO: Self;

    /// Width `W`, bits.
    const BITS: u32;

    /// The value of one input sample.
    fn from_i32(x: i32) -> Self;

    /// Sum modulo `2^W`.
    fn wrapping_add(self, other: Self) -> Self;

    /// Difference modulo `2^W`.
    fn wrapping_sub(self, other: Self) -> Self;

    /// Largest multiple of `2^bits` that is not above `self`.
    fn clear_low(self, bits: u32) -> Self;

    /// `floor(self / 2^bits)`.
    fn shift_right(self, bits: u32) -> Self;
}

macro_rules! register {
    ($($t:ty),*) => {$(
        impl Register for $t {
            const ZERO: Self = 0;
            const BITS: u32 = <$t>::BITS;

            #[inline(always)]
            fn from_i32(x: i32) -> Self {
                x.into()
            }

            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn clear_low(self, bits: u32) -> Self {
                self & <$t>::unbounded_shl(-1, bits)
            }

            #[inline(always)]
            fn shift_right(self, bits: u32) -> Self {
                self.unbounded_shr(bits)
            }
        }
    )*};
}
register!(i32, i64);
