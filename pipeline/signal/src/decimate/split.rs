//! Taps of up to 31 bits as two sets of 16-bit taps, so that 16-bit multiply-adds give the exact sum.
//!
//! h = 2^k hi + lo with |lo| <= 2^(k-1). The two sums stay within 32 bits, and if k is at least the number s of
//! dropped bits, the rounded output follows without a wider register:
//!
//! ```text
//! (2^k H + L + 2^(s-1)) >> s  =  2^(k-s) H + ((L + 2^(s-1)) >> s)      H = sum hi x,  L = sum lo x
//! ```

/// The two sets and the place where they are cut.
pub struct Split {
    /// Low parts.
    pub low: Vec<i16>,
    /// High parts.
    pub high: Vec<i16>,
    /// k - s: how far the high sum is shifted up.
    pub raise: u32,
}

impl Split {
    /// Cuts `taps` for inputs of magnitude up to `peak` and an output shift of `shift`, at least 1, if a cut keeps all sums in 32
    /// bits; the highest such cut leaves the fewest high parts.
    pub fn new(taps: &[i32], peak: i64, shift: u32) -> Option<Self> {
        (shift..=15).rev().find_map(|k| Self::at(taps, peak, shift, k))
    }

    fn at(taps: &[i32], peak: i64, shift: u32, k: u32) -> Option<Self> {
        let half = 1i32 << (k - 1);
        let low: Vec<i32> = taps.iter().map(|h| ((h + half) & ((1 << k) - 1)) - half).collect();
        let high: Vec<i32> = taps.iter().zip(&low).map(|(h, l)| (h - l) >> k).collect();
        let fits = |parts: &[i32], slack: i64| {
            parts.iter().map(|p| i64::from(p.abs())).sum::<i64>() * peak + slack <= i64::from(i32::MAX)
        };
        let output = (taps.iter().map(|h| i64::from(h.abs())).sum::<i64>() * peak) >> shift;
        let ok = fits(&low, 1 << shift) && fits(&high, 0) && output < i64::from(i32::MAX);
        let narrow =
            |parts: Vec<i32>| parts.into_iter().map(|p| i16::try_from(p).ok()).collect::<Option<Vec<_>>>();
        ok.then_some(())?;
        Some(Self { low: narrow(low)?, high: narrow(high)?, raise: k - shift })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn recombines_exactly(
            taps in prop::collection::vec(-300_000i32..300_000, 1..30),
            x in prop::collection::vec(-16384i32..=16384, 30),
            shift in 8u32..13,
        ) {
            // 29 low parts of up to 2^(13-1) and 29 high ones of up to 300 000 / 2^8 keep within 2^17: there is a cut.
            let split = Split::new(&taps, 16384, shift).expect("a cut");
            let sum = |parts: &[i16]| -> i32 { parts.iter().zip(&x).map(|(h, x)| i32::from(*h) * x).sum() };
            let exact: i64 = taps.iter().zip(&x).map(|(h, x)| i64::from(*h) * i64::from(*x)).sum();
            let joined = (sum(&split.high) << split.raise) + ((sum(&split.low) + (1 << (shift - 1))) >> shift);
            prop_assert_eq!(i64::from(joined), (exact + (1 << (shift - 1))) >> shift);
        }
    }

    #[test]
    fn the_default_taps_split() {
        use dsp_core::decimator::{SHIFT, TAPS};
        assert!(Split::new(&TAPS, 1 << 14, SHIFT).is_some());
    }
}
