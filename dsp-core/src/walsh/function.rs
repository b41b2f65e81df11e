//! Packed Rademacher and Walsh functions.
//!
//! Sample `t` is negative where `popcount(h & t)` is odd (`h`: Hadamard index). With `t = 32 w + b` the
//! parity splits: word `w` is the pattern of `h mod 32` over `b`, inverted where `popcount((h / 32) & w)`
//! is odd. So a word costs one parity and one XOR, and there is no table.
//!
//! The thesis packs the Rademacher functions with bit 1 for +1, so that their XOR must be inverted for an **odd**
//! number of factors (it says even). Sign masks need no inversion.

use super::order::{Order, convert};
use bitvec::field::BitField;
use bitvec::order::Lsb0;
use bitvec::slice::BitSlice;

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
        Self::from_hadamard(convert(index, m, order, Order::Hadamard))
    }

    /// `RAD(i)` of `2^m` samples: `2^(i-1)` cycles, each positive first; `RAD(0)` is 1 throughout.
    ///
    /// `i` is at most `m`; faster functions than one change a sample do not exist and give `RAD(0)`.
    #[inline]
    pub const fn rademacher(i: u32, m: u32) -> Self {
        if i == 0 || i > m {
            return Self::from_hadamard(0);
        }
        Self::from_hadamard(1usize.unbounded_shl(m - i))
    }

    #[inline]
    const fn from_hadamard(hadamard: usize) -> Self {
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

    /// Writes samples `0..bits.len()`.
    pub fn fill(&self, bits: &mut BitSlice<u32, Lsb0>) {
        for (w, chunk) in bits.chunks_mut(32).enumerate() {
            chunk.store_le(self.word(w));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitvec::bitarr;
    use bitvec::view::BitView;
    use std::vec;
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
    fn rademacher_halves_its_period_with_every_index() {
        for m in 1..=10 {
            assert_eq!(signs(Walsh::rademacher(0, m), 1 << m), vec![1; 1 << m]);
            for i in 1..=m {
                let half = 1 << (m - i);
                let expected: Vec<i32> =
                    (0..1usize << m).map(|t| if (t / half).is_multiple_of(2) { 1 } else { -1 }).collect();
                assert_eq!(signs(Walsh::rademacher(i, m), 1 << m), expected);
            }
        }
    }

    #[test]
    fn words_and_bit_slices_hold_the_samples() {
        for m in [0, 1, 3, 5, 6, 9] {
            for order in [Order::Sequency, Order::Dyadic, Order::Hadamard] {
                for index in 0..1 << m {
                    let walsh = Walsh::new(index, m, order);
                    // An offset and a ragged end, so that chunks do not fall on whole words.
                    let mut bits = bitarr![u32, Lsb0; 0; 1024];
                    let window = &mut bits[7..7 + (1 << m)];
                    walsh.fill(window);
                    assert!(window.iter().enumerate().all(|(t, bit)| *bit == walsh.is_negative(t)));
                    assert_eq!(bits.count_ones(), (0..1 << m).filter(|&t| walsh.is_negative(t)).count());
                    for w in 0..(1usize << m).div_ceil(32) {
                        let word = walsh.word(w);
                        let view = word.view_bits::<Lsb0>();
                        assert!((0..32).all(|b| view[b] == walsh.is_negative(32 * w + b)));
                    }
                }
            }
        }
    }
}
