//! The three orders of the Walsh functions and the maps between their indices.
//!
//! ```text
//! dyadic = gray(sequency),   hadamard = bitrev_m(dyadic)
//! ```
//!
//! A function is the parity of some bits of the sample number `t`: of `hadamard & t`, or, with the bits of
//! `t` read from the slowest, of `dyadic & bitrev_m(t)`. Sequency counts sign changes.

/// Order in which the `2^m` Walsh functions are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Order {
    /// By the number of sign changes (Walsh).
    Sequency,
    /// By the set of Rademacher factors, least significant bit for `RAD(1)` (Paley).
    Dyadic,
    /// By the rows of the Kronecker power of `[1 1; 1 -1]` (natural).
    Hadamard,
}

/// Gray code of `index`: the set of Rademacher factors of sequency `index`.
#[inline]
pub const fn gray(index: usize) -> usize {
    index ^ (index >> 1)
}

/// Inverse of [`gray`]: the prefix XOR from the top bit.
#[inline]
pub const fn gray_inverse(code: usize) -> usize {
    let (mut index, mut shift) = (code, 1);
    while shift < usize::BITS {
        index ^= index >> shift;
        shift *= 2;
    }
    index
}

/// The low `m` bits of `index` in reverse; higher bits are dropped.
#[inline]
pub const fn bit_reverse(index: usize, m: u32) -> usize {
    index.reverse_bits().unbounded_shr(usize::BITS.saturating_sub(m))
}

/// The index in order `to` of the function of `2^m` samples that has `index` in order `from`.
///
/// `index` is below `2^m`; higher bits are dropped.
#[inline]
pub const fn convert(index: usize, m: u32, from: Order, to: Order) -> usize {
    let index = index & !usize::MAX.unbounded_shl(m);
    let dyadic = match from {
        Order::Sequency => gray(index),
        Order::Dyadic => index,
        Order::Hadamard => bit_reverse(index, m),
    };
    match to {
        Order::Sequency => gray_inverse(dyadic),
        Order::Dyadic => dyadic,
        Order::Hadamard => bit_reverse(dyadic, m),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn rademacher(i: u32, t: usize, m: u32) -> i32 {
        if i == 0 { 1 } else { 1 - 2 * (t >> (m - i) & 1) as i32 }
    }

    /// Function number `dyadic` as the product of its Rademacher factors.
    fn paley(dyadic: usize, m: u32) -> Vec<i32> {
        let factors: Vec<u32> = (1..=m).filter(|i| dyadic >> (i - 1) & 1 == 1).collect();
        (0..1 << m).map(|t| factors.iter().map(|&i| rademacher(i, t, m)).product()).collect()
    }

    /// Rows of the Kronecker power, built by doubling.
    fn kronecker(m: u32) -> Vec<Vec<i32>> {
        (0..m).fold(Vec::from([Vec::from([1])]), |rows, _| {
            let join =
                |row: &Vec<i32>, sign: i32| row.iter().copied().chain(row.iter().map(|x| sign * x)).collect();
            let top = rows.iter().map(|row| join(row, 1));
            let bottom = rows.iter().map(|row| join(row, -1));
            top.chain(bottom).collect()
        })
    }

    #[test]
    fn every_map_agrees_with_the_definitions() {
        for m in 0..=10 {
            let hadamard = kronecker(m);
            for dyadic in 0..1 << m {
                let function = paley(dyadic, m);
                let changes = function.windows(2).filter(|pair| pair[0] != pair[1]).count();
                assert_eq!(convert(dyadic, m, Order::Dyadic, Order::Sequency), changes);
                assert_eq!(convert(changes, m, Order::Sequency, Order::Dyadic), dyadic);
                let natural = convert(dyadic, m, Order::Dyadic, Order::Hadamard);
                assert_eq!(hadamard[natural], function);
                assert_eq!(convert(natural, m, Order::Hadamard, Order::Dyadic), dyadic);
                assert_eq!(convert(changes, m, Order::Sequency, Order::Hadamard), natural);
                assert_eq!(convert(natural, m, Order::Hadamard, Order::Sequency), changes);
                for order in [Order::Sequency, Order::Dyadic, Order::Hadamard] {
                    assert_eq!(convert(dyadic, m, order, order), dyadic);
                }
            }
        }
    }

    #[test]
    fn full_width_and_high_bits() {
        assert_eq!(gray_inverse(gray(usize::MAX)), usize::MAX);
        assert_eq!(bit_reverse(1, usize::BITS), 1 << (usize::BITS - 1));
        assert_eq!(bit_reverse(usize::MAX, 0), 0);
        assert_eq!(convert(0b1_011, 3, Order::Hadamard, Order::Dyadic), 0b110);
    }
}
