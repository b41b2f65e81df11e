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
mod plan;

pub use float::Sliding;
pub use goertzel::Goertzel;
pub use integer::SlidingFixed;
pub use plan::{FRACTION_BITS, Plan};

use num_complex::Complex;

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
}
