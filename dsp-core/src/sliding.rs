//! Sliding DFT of a few bins at any hop, and Goertzel's algorithm for one bin of a block.
//!
//! ```text
//! X_k = sum over i = 0 .. N-1 of x[m0 + i] exp(-j 2 pi k i / N)
//! ```
//!
//! over the last N samples, whose oldest is m0. Push any number of samples, then read the bins:
//! that number is the hop, and it may change from call to call.
//!
//! | symbol | meaning |
//! |---|---|
//! | N | window length in samples |
//! | k | bin: frequency k / N cycles a sample |
//! | m, p | sample counter, and its position p = m mod N in the history |
//! | W | exp(-j 2 pi / N) |
//! | A_k | accumulator, sum of x(m) W^(k m) over the window |
//! | X | largest \|x\| |
//! | u | unit roundoff of `f32`, 2^-24 |
//!
//! # Why it does not drift
//! The textbook sliding DFT multiplies its state by a rounded W^-k every sample: the pole leaves
//! the unit circle and the error grows or the answer leaks. Here the input is modulated instead:
//!
//! ```text
//! A_k += (x[m] - x[m - N]) W^(k p)          X_k = A_k W^(-k m0)
//! ```
//!
//! W^(k p) has period N, so a sample leaves with the very twiddle it came with.
//! - [`SlidingFixed`] adds integers: what was added is subtracted bit for bit, and the state equals
//!   a fresh sum over the window for ever.
//! - [`Sliding`] adds in `f32` and keeps two sums: samples of the current block of N (fresh) and
//!   those left of the block before (stale). After N samples the stale sum, which holds nothing
//!   but rounding by then, is thrown away. Its bound is in its documentation.
//!
//! # Cost
//! A sample costs 4 multiplications a bin in `f32`, 2 in integers; a read 4 a bin. The plan holds
//! N x BINS twiddles in the order of use and is shared by all channels; a channel holds N samples.

mod float;
mod goertzel;
mod integer;

pub use float::Sliding;
pub use goertzel::Goertzel;
pub use integer::{FRACTION_BITS, SlidingFixed};

use crate::fixed::round_half_up;
use num_complex::Complex;

/// Twiddles W^(k p) of chosen bins, `f32` for [`Sliding`] and `i32` for [`SlidingFixed`].
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<T, const N: usize, const BINS: usize> {
    /// Row p: the twiddles of all bins for a sample at position p.
    rows: [[Complex<T>; BINS]; N],
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

/// One bin under a periodic Hann window, from the bin and its two neighbours without a window.
#[inline]
pub fn hann(below: Complex<f32>, bin: Complex<f32>, above: Complex<f32>) -> Complex<f32> {
    bin.scale(0.5) - (below + above).scale(0.25)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::Window;

    #[test]
    fn hann_by_three_bins_is_the_window() {
        const N: usize = 64;
        let x: [f32; N] = core::array::from_fn(|i| ((i * i) % 23) as f32 - 11.0);
        let mut weights = [0f32; N];
        Window::Hann.periodic(&mut weights);
        let windowed: [f32; N] = core::array::from_fn(|i| x[i] * weights[i]);
        let plan = Plan::<f32, N, 3>::new([6, 7, 8]);
        let bins = |x: &[f32; N]| {
            let mut sliding = Sliding::default();
            sliding.push(&plan, x);
            sliding.bins(&plan)
        };
        let [below, bin, above] = bins(&x);
        let [_, expected, _] = bins(&windowed);
        // Both sides within the bound of `Sliding`, 3 N^2 u X, and one rounding of each product.
        let bound = (2.0 * 3.0 * (N * N) as f32 + N as f32) * f32::EPSILON / 2.0 * 11.0;
        assert!((hann(below, bin, above) - expected).norm() <= bound);
    }

    #[test]
    fn bins_repeat_with_period_n() {
        assert_eq!(Plan::<i32, 12, 2>::new([5, 5 + 12 * 1000]).rows.map(|r| r[0] == r[1]), [true; 12]);
    }
}
