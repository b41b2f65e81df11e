//! Amplitude ratio of a level in decibels, 10^(dB/20), the same on every machine.
//!
//! The standard library's power function differs in its last bit between platforms (see [`crate::phase`]).
//! Here 10^(dB/20) = 2^n e^y with n whole and |y| <= ln(2)/2, and e^y is its Taylor series: the first term
//! left out is y^15/15!, below 1e-19.

use std::f64::consts::{LN_2, LOG2_10};

/// 10^(db/20). Levels beyond +-6000 dB count as +-6000 dB, which is still finite and above zero.
pub fn amplitude_ratio(db: f64) -> f64 {
    let octaves = db.clamp(-6000.0, 6000.0) * (LOG2_10 / 20.0);
    let whole = octaves.round();
    let y = (octaves - whole) * LN_2;
    let series = (1..=14).rev().fold(1.0, |inner, i| 1.0 + y / f64::from(i) * inner);
    // 2^n is exact, and written by its exponent because a library power need not be.
    series * f64::from_bits(((whole as i64 + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_ratios() {
        // Three roundings of 1.1e-16 of the |dB|/6 octaves, times ln 2, are an error of the ratio; a few more
        // in the series.
        for (db, ratio) in
            [(0.0, 1.0), (20.0, 10.0), (-26.0, 0.050_118_723_362_727_23), (-120.0, 1e-6), (200.0, 1e10)]
        {
            let error = (amplitude_ratio(db) / ratio - 1.0f64).abs();
            assert!(error < 4e-16 + 4e-17 * f64::abs(db), "{db}: {error:e}");
        }
        assert_eq!(amplitude_ratio(0.0), 1.0);
        assert!(amplitude_ratio(f64::MAX).is_finite());
        assert!(amplitude_ratio(f64::MIN) > 0.0);
    }
}
