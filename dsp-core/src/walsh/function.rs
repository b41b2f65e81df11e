//! Packed Walsh functions.
//!
//! Sample `t` is negative where `popcount(h & t)` is odd (`h`: Hadamard index). With `t = 32 w + b` the
//! parity splits: word `w` is the pattern of `h mod 32` over `b`, inverted where `popcount((h / 32) & w)`
//! is odd. So a word costs one parity and one XOR, and there is no table.
//!
//! The thesis packs the Rademacher functions with bit 1 for +1, so that their XOR must be inverted for an **odd**
//! number of factors (it says even). Sign masks need no inversion.

use super::order::{Order, convert};

/// Bit `k` of the sample number, over 32 samples.
const SAMPLE_BIT: [u32; 5] = [0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0, 0xff00_ff00, 0xffff_0000];

/// One Walsh function, given as a sign mask: bit 1 where the function is -1.
///
/// ```
/// use dsp_core::walsh::{Order, Walsh};
/// // WAL(3) of 8 samples, the mask LSB first: + + - - + + - -
/// assert_eq!(Walsh::new(3, 3, Order::Sequency).word(0) & 0xff, 0b1100_1100);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Walsh {
    hadamard: usize,
    /// The first word.
    pattern: u32,
}

impl Walsh {
    /// The function of `2^m` samples with `index` in `order`; bits of `index` from `m` up are dropped.
    #[inline]
    pub const fn new(index: usize, m: u32, order: Order) -> Self {
        let hadamard = convert(index, m, order, Order::Hadamard);
        let (mut pattern, mut bit) = (0, 0);
        while bit < SAMPLE_BIT.len() {
            if hadamard >> bit & 1 == 1 {
                pattern ^= SAMPLE_BIT[bit];
            }
            bit += 1;
        }
        Self { hadamard, pattern }
    }

    /// Whether sample `t` is -1. Periodic in `t` with `2^m`.
    #[inline]
    pub const fn is_negative(&self, t: usize) -> bool {
        (self.hadamard & t).count_ones() & 1 == 1
    }

    /// Samples `32 w .. 32 w + 32`, LSB first. Periodic: also right for functions of fewer samples.
    #[inline(always)]
    pub const fn word(&self, w: usize) -> u32 {
        let odd = ((self.hadamard >> 5) & w).count_ones() & 1;
        self.pattern ^ 0u32.wrapping_sub(odd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn signs(walsh: Walsh, n: usize) -> Vec<i32> {
        (0..n).map(|t| if walsh.is_negative(t) { -1 } else { 1 }).collect()
    }

    /// Equation 5.9 of the thesis.
    const W_8: [[i32; 8]; 8] = [
        [1, 1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, -1, -1, -1, -1],
        [1, 1, -1, -1, -1, -1, 1, 1],
        [1, 1, -1, -1, 1, 1, -1, -1],
        [1, -1, -1, 1, 1, -1, -1, 1],
        [1, -1, -1, 1, -1, 1, 1, -1],
        [1, -1, 1, -1, -1, 1, -1, 1],
        [1, -1, 1, -1, 1, -1, 1, -1],
    ];

    #[test]
    fn w_8_of_the_thesis() {
        for (s, row) in W_8.iter().enumerate() {
            assert_eq!(signs(Walsh::new(s, 3, Order::Sequency), 8), row);
        }
    }

    #[test]
    fn row_s_changes_sign_s_times() {
        for m in 0..=10 {
            for s in 0..1 << m {
                let row = signs(Walsh::new(s, m, Order::Sequency), 1 << m);
                assert_eq!(row.windows(2).filter(|pair| pair[0] != pair[1]).count(), s);
            }
        }
    }

    #[test]
    fn words_hold_the_samples() {
        for m in [0, 1, 3, 5, 6, 9] {
            for order in [Order::Sequency, Order::Dyadic, Order::Hadamard] {
                for index in 0..1 << m {
                    let walsh = Walsh::new(index, m, order);
                    for w in 0..(1usize << m).div_ceil(32) {
                        let word = walsh.word(w);
                        assert!((0..32).all(|b| (word >> b & 1 == 1) == walsh.is_negative(32 * w + b)));
                    }
                }
            }
        }
    }
}
