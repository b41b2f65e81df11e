//! Sixteen pairs of 16-bit products added to sixteen 32-bit sums: one instruction on AVX-512, two on AVX2.

/// Eight channels of four successive samples.
pub type Quad = [i16; 32];
/// Two partial sums for each of eight channels.
pub type Sums = [i32; 16];

/// An instruction set that multiplies and adds pairs: `sums[i] += x[2i] w[2i] + x[2i+1] w[2i+1]`; sums wrap, and `x`
/// never holds -2^15, so that a pair does not overflow.
pub trait MultiplyAdd: Copy {
    /// One row.
    fn multiply_add(self, sums: Sums, x: &Quad, w: &Quad) -> Sums;
}

/// Plain Rust, the definition; what other processors run.
#[derive(Clone, Copy)]
pub struct Portable;

impl MultiplyAdd for Portable {
    #[inline(always)]
    fn multiply_add(self, mut sums: Sums, x: &Quad, w: &Quad) -> Sums {
        for ((sum, x), w) in sums.iter_mut().zip(x.as_chunks::<2>().0).zip(w.as_chunks::<2>().0) {
            let pair = i32::from(x[0]) * i32::from(w[0]) + i32::from(x[1]) * i32::from(w[1]);
            *sum = sum.wrapping_add(pair);
        }
        sums
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::decimate::multiply_add::{MultiplyAdd, Quad, Sums};
    use pulp::x86::{V3, V4};
    use pulp::{cast, i16x16, i16x32, i32x8, i32x16};

    impl MultiplyAdd for V3 {
        #[inline(always)]
        fn multiply_add(self, sums: Sums, x: &Quad, w: &Quad) -> Sums {
            let (x, w): ([i16x16; 2], [i16x16; 2]) = (cast(*x), cast(*w));
            let sums: [i32x8; 2] = cast(sums);
            let add = |i: usize| {
                self.wrapping_add_i32x8(sums[i], self.multiply_wrapping_add_adjacent_i16x16(x[i], w[i]))
            };
            cast([add(0), add(1)])
        }
    }

    impl MultiplyAdd for V4 {
        #[inline(always)]
        fn multiply_add(self, sums: Sums, x: &Quad, w: &Quad) -> Sums {
            let (x, w): (i16x32, i16x32) = (cast(*x), cast(*w));
            let sums: i32x16 = cast(sums);
            cast(self.wrapping_add_i32x16(sums, self.multiply_wrapping_add_adjacent_i16x32(x, w)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quad() -> impl Strategy<Value = Quad> {
        prop::collection::vec(any::<i16>(), 32).prop_map(|v| v.try_into().unwrap())
    }

    proptest! {
        #[test]
        #[cfg(target_arch = "x86_64")]
        fn instruction_sets_agree(x in quad(), w in quad(), start: i32) {
            // -2^15 * -2^15 twice is the one pair that overflows 32 bits; samples never reach -2^15.
            prop_assume!(!x.contains(&i16::MIN) && !w.contains(&i16::MIN));
            let expected = Portable.multiply_add([start; 16], &x, &w);
            if let Some(simd) = pulp::x86::V3::try_new() {
                prop_assert_eq!(simd.multiply_add([start; 16], &x, &w), expected);
            }
            if let Some(simd) = pulp::x86::V4::try_new() {
                prop_assert_eq!(simd.multiply_add([start; 16], &x, &w), expected);
            }
        }
    }
}
