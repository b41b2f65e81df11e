//! Fast Walsh-Hadamard transforms in place.
//!
//! ```text
//! X[h] = sum_t (-1)^popcount(h & t) x[t]          Hadamard order, no scale
//! X[s] = sum_t WAL(s, t) x[t]                     sequency order, no scale
//! ```
//!
//! `N log2 N` additions and subtractions, nothing else. Integers grow by `log2 N` bits: `N max|x|` must
//! fit. Each transform is its own inverse up to a factor `N`.
//!
//! Passes of radix 4 go from long strides to short ones, first over the whole array, then block by block in
//! the first-level cache; the last 16 samples are transformed in registers. Sequency order costs a
//! bit reversal of the input and no more: the outputs are then in dyadic order, and to step from dyadic
//! to sequency (the inverse Gray code) is to exchange sum and difference in every butterfly of an
//! odd-numbered block. To read a few coefficients only, use [`fwht`] and [`super::convert`].
//!
//! Both are inlined where they are called, and so use the instruction set that the caller is compiled for.

use super::error::{WalshError, log2};
use super::order::bit_reverse;
use core::ops::{Add, Sub};

/// Samples per block that stays in the first-level cache: 16 KiB of `f64`.
const BLOCK: usize = 2048;

/// Samples transformed in registers.
const SHORT: usize = 16;

/// Index bits at either end that the bit reversal moves together.
const TILE: u32 = 3;

/// What can be transformed: `i32`, `i64`, `f32`, `f64` and all else that adds and subtracts.
pub trait Element: Copy + Add<Output = Self> + Sub<Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T>> Element for T {}

/// Transforms `data` in place, Hadamard (natural) order. Its length is a power of two.
#[inline(always)]
pub fn fwht<T: Element>(data: &mut [T]) -> Result<(), WalshError> {
    log2(data.len())?;
    transform::<T, false>(data);
    Ok(())
}

/// Transforms `data` in place, sequency order. Its length is a power of two.
#[inline(always)]
pub fn fwht_sequency<T: Element>(data: &mut [T]) -> Result<(), WalshError> {
    let m = log2(data.len())?;
    reverse_bits_of_index(data, m);
    transform::<T, true>(data);
    Ok(())
}

/// Exchanges every sample with the one at the reversed index.
///
/// The index is split in upper, middle and lower bits, `TILE` above and below. All samples with one middle
/// go to the reversed middle, so the branch on which of the two comes first is taken once per
/// tile and not once per sample, where it could not be predicted.
#[inline(always)]
fn reverse_bits_of_index<T>(data: &mut [T], m: u32) {
    let (tile, middle_bits) = if m >= 2 * TILE { (TILE, m - 2 * TILE) } else { (0, m) };
    for middle in 0..1 << middle_bits {
        let mirrored = bit_reverse(middle, middle_bits);
        if middle > mirrored {
            continue;
        }
        for upper in 0..1 << tile {
            for lower in 0..1 << tile {
                let i = upper << (m - tile) | middle << tile | lower;
                let (upper, lower) = (bit_reverse(lower, tile), bit_reverse(upper, tile));
                let j = upper << (m - tile) | mirrored << tile | lower;
                if (middle < mirrored || i < j)
                    && let Ok([a, b]) = data.get_disjoint_mut([i, j])
                {
                    core::mem::swap(a, b);
                }
            }
        }
    }
}

#[inline(always)]
fn transform<T: Element, const SEQUENCY: bool>(data: &mut [T]) {
    passes::<T, SEQUENCY>(data, 0, BLOCK);
    for (number, block) in data.chunks_mut(BLOCK).enumerate() {
        if block.len() < SHORT {
            passes::<T, SEQUENCY>(block, number, 1);
            continue;
        }
        passes::<T, SEQUENCY>(block, number, SHORT);
        // Even and odd in turn: a block of more than SHORT samples starts with an even one.
        let first = if block.len() > SHORT { 0 } else { number };
        for (i, x) in block.as_chunks_mut::<SHORT>().0.iter_mut().enumerate() {
            if SEQUENCY && !(first + i).is_multiple_of(2) {
                short::<T, SEQUENCY, true>(x);
            } else {
                short::<T, SEQUENCY, false>(x);
            }
            // A barrier: the compiler would work on many blocks at once, with a gather for every sample.
            core::hint::black_box(());
        }
    }
}

/// Butterflies of all strides from `data.len() / 2` down to `stop`, both powers of two.
///
/// `number` counts blocks of `data`'s length from the start of the whole array.
#[inline(always)]
fn passes<T: Element, const SEQUENCY: bool>(data: &mut [T], number: usize, stop: usize) {
    let (mut length, mut first) = (data.len(), number);
    while length >= 4 * stop {
        for (i, block) in data.chunks_exact_mut(length).enumerate() {
            if SEQUENCY && !(first + i).is_multiple_of(2) {
                radix4::<T, SEQUENCY, true>(block);
            } else {
                radix4::<T, SEQUENCY, false>(block);
            }
        }
        (length, first) = (length / 4, first * 4);
    }
    if length >= 2 * stop {
        for (i, block) in data.chunks_exact_mut(length).enumerate() {
            radix2(block, SEQUENCY && !(first + i).is_multiple_of(2));
        }
    }
}

/// Sum and difference, exchanged for an odd block in sequency order.
#[inline(always)]
fn butterfly<T: Element>(a: T, b: T, odd: bool) -> (T, T) {
    if odd { (a - b, a + b) } else { (a + b, a - b) }
}

#[inline(always)]
fn radix2<T: Element>(block: &mut [T], odd: bool) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    for (a, b) in low.iter_mut().zip(high) {
        (*a, *b) = butterfly(*a, *b, odd);
    }
}

#[inline(always)]
fn radix4<T: Element, const SEQUENCY: bool, const ODD: bool>(block: &mut [T]) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    let (a, b) = low.split_at_mut(low.len() / 2);
    let (c, d) = high.split_at_mut(high.len() / 2);
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        let (a_low, a_high) = butterfly(*a, *c, ODD);
        let (b_low, b_high) = butterfly(*b, *d, ODD);
        // Of the two halves the lower is an even block, the upper an odd one.
        (*a, *b) = butterfly(a_low, b_low, false);
        (*c, *d) = butterfly(a_high, b_high, SEQUENCY);
    }
}

#[inline(always)]
fn short<T: Element, const SEQUENCY: bool, const ODD: bool>(x: &mut [T; SHORT]) {
    stage::<T, SEQUENCY, ODD, 8>(x);
    stage::<T, SEQUENCY, ODD, 4>(x);
    stage::<T, SEQUENCY, ODD, 2>(x);
    stage::<T, SEQUENCY, ODD, 1>(x);
}

/// One stride of the 16 samples; a constant, so that this becomes vector code: every place is the sum or the
/// difference of its pair.
#[inline(always)]
fn stage<T: Element, const SEQUENCY: bool, const ODD: bool, const STRIDE: usize>(x: &mut [T; SHORT]) {
    *x = core::array::from_fn(|i| {
        let odd = if 2 * STRIDE == SHORT { ODD } else { SEQUENCY && i & (2 * STRIDE) != 0 };
        let (a, b) = (x[i & !STRIDE], x[i | STRIDE]);
        if (i & STRIDE == 0) != odd { a + b } else { a - b }
    });
}

#[cfg(test)]
mod tests {
    use super::super::{Order, Walsh};
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn direct(x: &[i32], order: Order) -> Vec<i32> {
        let m = x.len().trailing_zeros();
        let function = |index| Walsh::new(index, m, order);
        (0..x.len())
            .map(function)
            .map(|walsh| x.iter().enumerate().map(|(t, x)| if walsh.is_negative(t) { -x } else { *x }).sum())
            .collect()
    }

    fn signal(m: u32) -> impl Strategy<Value = Vec<i32>> {
        proptest::collection::vec(-1000i32..1000, 1 << m)
    }

    proptest! {
        #[test]
        fn equals_the_definition(x in (0u32..=8).prop_flat_map(signal)) {
            let mut natural = x.clone();
            fwht(&mut natural).unwrap();
            prop_assert_eq!(&natural, &direct(&x, Order::Hadamard));
            let mut sequency = x.clone();
            fwht_sequency(&mut sequency).unwrap();
            prop_assert_eq!(&sequency, &direct(&x, Order::Sequency));
            let mut real: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
            fwht_sequency(&mut real).unwrap();
            // Sums of integers below 2^53: exact.
            prop_assert!(real.iter().zip(&sequency).all(|(&r, &s)| r == f64::from(s)));
        }

        /// Beyond one block; the transform is its own inverse up to N.
        #[test]
        fn twice_is_n_times(x in (11u32..=15).prop_flat_map(signal)) {
            let mut data = x.clone();
            fwht(&mut data).unwrap();
            prop_assert_eq!(data[0], x.iter().sum::<i32>());
            fwht(&mut data).unwrap();
            prop_assert!(data.iter().zip(&x).all(|(&d, &x)| d == x * data.len() as i32));
        }

        /// Over several blocks: a Walsh function gives a single line of height N, in either order.
        #[test]
        fn a_walsh_function_is_one_line(m in 10u32..=15, index in any::<usize>()) {
            let (n, index) = (1usize << m, index % (1 << m));
            for order in [Order::Hadamard, Order::Sequency] {
                let walsh = Walsh::new(index, m, order);
                let sign = |t| if walsh.is_negative(t) { -1 } else { 1 };
                let mut x: Vec<i32> = (0..n).map(sign).collect();
                match order {
                    Order::Sequency => fwht_sequency(&mut x).unwrap(),
                    _ => fwht(&mut x).unwrap(),
                }
                let line = |i| if i == index { n as i32 } else { 0 };
                prop_assert!(x.iter().enumerate().all(|(i, &value)| value == line(i)));
            }
        }
    }

    #[test]
    fn other_lengths_are_refused() {
        for samples in [0, 3, 12] {
            let mut data = std::vec![1i32; samples];
            assert_eq!(fwht(&mut data), Err(WalshError::Length(samples)));
            assert_eq!(fwht_sequency(&mut data), Err(WalshError::Length(samples)));
            assert!(data.iter().all(|&x| x == 1));
        }
    }
}
