//! The twiddles of the sliding DFT, which all channels share.

use crate::fixed::round_half_up;
use num_complex::Complex;

/// Fractional bits of the twiddles and of the bins that [`SlidingFixed`](super::SlidingFixed) returns.
///
/// 24 bits give twiddles as fine as those in `f32` and leave room for N X <= 2^38.
pub const FRACTION_BITS: u32 = 24;

/// Twiddles W^(k p) of chosen bins, `f32` for [`Sliding`](super::Sliding) and `i32` for [`SlidingFixed`](super::SlidingFixed).
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<T, const N: usize, const BINS: usize> {
    /// Row p: the twiddles of all bins for a sample at position p.
    pub(super) rows: [[Complex<T>; BINS]; N],
}

impl<const N: usize, const BINS: usize> Plan<f32, N, BINS> {
    /// Twiddles for the bins k; k and k + N are the same bin.
    pub fn new(bins: [usize; BINS]) -> Self {
        Self::from_twiddles(bins, Complex::ZERO, |w| Complex::new(w.re as f32, w.im as f32))
    }
}

impl<const N: usize, const BINS: usize> Plan<i32, N, BINS> {
    /// Twiddles for the bins k with [`FRACTION_BITS`]; k and k + N are the same bin.
    pub fn new(bins: [usize; BINS]) -> Self {
        let scale = f64::from(1 << FRACTION_BITS);
        let quantise = |c: f64| round_half_up(scale * c) as i32;
        Self::from_twiddles(bins, Complex::ZERO, |w| Complex::new(quantise(w.re), quantise(w.im)))
    }
}

impl<T: Copy, const N: usize, const BINS: usize> Plan<T, N, BINS> {
    fn from_twiddles(
        bins: [usize; BINS],
        zero: Complex<T>,
        round: impl Fn(Complex<f64>) -> Complex<T>,
    ) -> Self {
        const { assert!(N > 0, "a window has at least one sample") };
        let mut rows = [[zero; BINS]; N];
        for (p, row) in rows.iter_mut().enumerate() {
            for (k, w) in bins.iter().zip(row) {
                // Reduced exactly first, so that large k p loses no phase.
                let turns = (*k as u128 * p as u128 % N as u128) as f64 / N as f64;
                let (sin, cos) = libm::sincos(core::f64::consts::TAU * turns);
                *w = round(Complex::new(cos, -sin));
            }
        }
        Self { rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_repeat_with_period_n() {
        assert_eq!(Plan::<i32, 12, 2>::new([5, 5 + 12 * 1000]).rows.map(|r| r[0] == r[1]), [true; 12]);
    }
}
