//! White noise from one `u64` seed: integers and sums of integers only, so that every machine draws the same.
//!
//! [`SplitMix64`] draws what differs from microphone to microphone and seeds [`NoiseBank`]. The bank makes white
//! noise for 32 channels with Marsaglia's xorshift of 128 bits (2003) in every lane. Its period of 2^128 - 1
//! leaves no chance that two channels meet the same stretch, which would correlate them.
//!
//! Neither needs a logarithm, as Box and Muller's method would, and the library's logarithm differs between
//! platforms. Normal deviates are sums of uniform ones instead, with mean and variance exact and the tails cut:
//!
//! | deviate | sum of | cut at | excess kurtosis |
//! |---|---|---|---|
//! | [`SplitMix64::normal`] | 12 uniform in 0 .. 1, less 6 | 6 sigma | -0.1 |
//! | [`NoiseBank`] | 4 bytes of a draw, less 510; variance 4 (256^2 - 1)/12 | 3.45 sigma | -0.3 |

use dsp_core::modulator::LANES;
use numerics::random::SplitMix64;

/// White noise of 32 channels: integers of mean 0 and variance [`NoiseBank::VARIANCE`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct NoiseBank {
    state: [[u32; LANES]; 4],
}

impl NoiseBank {
    /// Variance of a value: four independent bytes.
    pub const VARIANCE: f64 = 21845.0;

    /// No value exceeds this magnitude.
    pub const PEAK: f64 = 510.0;

    /// Draws the states of all lanes. A state is never all zero: two draws in a row are not.
    pub fn new(seeds: &mut SplitMix64) -> Self {
        let mut state = [[0; LANES]; 4];
        for lane in 0..LANES {
            for pair in state.chunks_exact_mut(2) {
                let draw = seeds.integer();
                pair[0][lane] = draw as u32;
                pair[1][lane] = (draw >> 32) as u32;
            }
        }
        Self { state }
    }

    /// Adds `scale` times the next value of every lane to `out`.
    #[inline(always)]
    pub fn add(&mut self, scale: f32, out: &mut [f32; LANES]) {
        let [x, y, z, w] = &mut self.state;
        for ((((x, y), z), w), out) in x.iter_mut().zip(y).zip(z).zip(w).zip(out) {
            let t = *x ^ (*x << 11);
            (*x, *y, *z) = (*y, *z, *w);
            *w ^= (*w >> 19) ^ t ^ (t >> 8);
            let pairs = (*w & 0x00ff_00ff) + ((*w >> 8) & 0x00ff_00ff);
            let bytes = (pairs & 0xffff) + (pairs >> 16);
            *out += scale * (bytes.cast_signed() - 510) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and mean square of many values.
    fn moments(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        (values.iter().sum::<f64>() / n, values.iter().map(|v| v * v).sum::<f64>() / n)
    }

    #[test]
    fn noise_is_white_and_independent() {
        const N: usize = 1 << 16;
        let mut bank = NoiseBank::new(&mut SplitMix64::new(9));
        let mut lanes = vec![Vec::new(); LANES];
        for _ in 0..N {
            let mut row = [0.0; LANES];
            bank.add(1.0, &mut row);
            for (lane, value) in lanes.iter_mut().zip(row) {
                lane.push(f64::from(value));
            }
        }
        let all: Vec<f64> = lanes.concat();
        assert!(all.iter().all(|v| v.abs() <= NoiseBank::PEAK));
        let (mean, square) = moments(&all);
        let n = all.len() as f64;
        // Six standard deviations each; kurtosis 2.7.
        assert!(mean.abs() < 6.0 * (NoiseBank::VARIANCE / n).sqrt(), "{mean}");
        assert!((square / NoiseBank::VARIANCE - 1.0).abs() < 6.0 * (1.7 / n).sqrt(), "{square}");
        // Correlation coefficients of N independent pairs have standard deviation 1/sqrt(N).
        let bound = 6.0 / (N as f64).sqrt();
        let correlation = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / (N as f64 * NoiseBank::VARIANCE)
        };
        for lane in 1..LANES {
            assert!(correlation(&lanes[0], &lanes[lane]).abs() < bound, "lane {lane}");
            assert!(correlation(&lanes[lane][lane..], &lanes[lane]).abs() < bound, "lag {lane}");
        }
    }
}
