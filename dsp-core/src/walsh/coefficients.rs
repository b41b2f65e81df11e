//! Walsh coefficients of packed one-bit signals, exact and unscaled.
//!
//! ```text
//! W(s) = 2 popcount(x ^ wal_s) - N                                      one coefficient
//! W(s) = sum_q WAL_P(s, q) (2 popcount(block q) - N/P),   s < P = 2^p    all low coefficients
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `N` | samples, 32 per word |
//! | `P` | number of coefficients; `q` counts the blocks of `N/P` samples |
//!
//! The second form holds because functions of sequency below `P` are constant over such blocks, and their
//! `P` values are the Walsh functions of `P` samples. It costs one popcount per word plus `P log2 P`
//! additions for all `P` of them, where the first costs a popcount per word for each.
//! (`popcount(x ^ w)` itself does not follow from `popcount(x)` and `popcount(w)`.)

use crate::pdm::TimeWord;

use super::error::{WalshError, log2};
use super::{Order, Walsh, fwht_sequency};

/// Coefficient of sequency `index` of the packed signal, unscaled: `-N..=N`.
#[inline]
pub fn coefficient(bits: &[TimeWord], index: usize) -> Result<i32, WalshError> {
    let samples = bits.len() * 32;
    let m = log2(samples)?;
    if index >= samples {
        return Err(WalshError::Index { index, samples });
    }
    let walsh = Walsh::new(index, m, Order::Sequency);
    let ones: u32 = bits.iter().enumerate().map(|(w, x)| (x.0 ^ walsh.word(w)).count_ones()).sum();
    Ok(2 * ones as i32 - samples as i32)
}

/// All coefficients of sequency below `output.len()`, a power of two up to `N`, unscaled.
#[inline(always)]
pub fn low_coefficients(bits: &[TimeWord], output: &mut [i32]) -> Result<(), WalshError> {
    let samples = bits.len() * 32;
    let (m, p) = (log2(samples)?, log2(output.len())?);
    if p > m {
        return Err(WalshError::TooMany { coefficients: output.len(), samples });
    }
    block_sums(bits, m - p, output);
    fwht_sequency(output)
}

/// Signed sums of blocks of `2^exponent` samples.
#[inline(always)]
fn block_sums(bits: &[TimeWord], exponent: u32, output: &mut [i32]) {
    let block = 1 << exponent;
    if exponent >= 5 {
        for (words, sum) in bits.chunks_exact(1 << (exponent - 5)).zip(output) {
            let ones: u32 = words.iter().map(|word| word.0.count_ones()).sum();
            *sum = 2 * ones as i32 - block;
        }
        return;
    }
    let mask = !u32::MAX.unbounded_shl(1 << exponent);
    for (&word, sums) in bits.iter().zip(output.chunks_exact_mut(32 >> exponent)) {
        let mut rest = word.0;
        for sum in sums {
            *sum = 2 * (rest & mask).count_ones() as i32 - block;
            rest = rest.unbounded_shr(1 << exponent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec;
    use std::vec::Vec;

    fn packed() -> impl Strategy<Value = Vec<TimeWord>> {
        (0u32..=6).prop_flat_map(|m| proptest::collection::vec(any::<u32>().prop_map(TimeWord), 1 << m))
    }

    proptest! {
        #[test]
        fn popcount_transform_and_blocks_agree(bits in packed()) {
            let n = 32 * bits.len();
            let mut expected: Vec<i32> =
                (0..n).map(|t| bits[t / 32].value(t as u32)).collect();
            fwht_sequency(&mut expected).unwrap();
            for (s, &value) in expected.iter().enumerate() {
                prop_assert_eq!(coefficient(&bits, s).unwrap(), value);
            }
            // Blocks from the whole signal down to a single bit.
            for p in 0..=n.trailing_zeros() {
                let mut low = vec![i32::MIN; 1 << p];
                low_coefficients(&bits, &mut low).unwrap();
                prop_assert_eq!(&low[..], &expected[..1 << p]);
            }
        }
    }

    #[test]
    fn a_walsh_function_is_full_scale() {
        let walsh = Walsh::new(600, 10, Order::Sequency);
        let bits: Vec<TimeWord> = (0..32).map(|w| TimeWord(!walsh.word(w))).collect();
        assert_eq!(coefficient(&bits, 600), Ok(1024));
        assert_eq!(coefficient(&bits, 601), Ok(0));
    }

    #[test]
    fn bad_arguments_are_refused() {
        let samples = 96;
        assert_eq!(coefficient(&[TimeWord(0); 3], 0), Err(WalshError::Length(samples)));
        assert_eq!(coefficient(&[], 0), Err(WalshError::Length(0)));
        let index = WalshError::Index { index: 64, samples: 64 };
        assert_eq!(coefficient(&[TimeWord(0); 2], 64), Err(index));
        let many = WalshError::TooMany { coefficients: 128, samples: 64 };
        assert_eq!(low_coefficients(&[TimeWord(0); 2], &mut [0; 128]), Err(many));
        let length = WalshError::Length(3);
        assert_eq!(low_coefficients(&[TimeWord(0); 2], &mut [0; 3]), Err(length));
    }
}
