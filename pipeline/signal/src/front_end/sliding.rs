//! Bins of a stream that slides on: a frame adds what it brings and takes away what leaves, in exact integers.
//!
//! ```text
//! A_k = sum_(t in window) x[t] z^(k t),    z = exp(-j 2 pi/N),    t counted from the beginning of the stream
//! a new frame t:  A_k += (x[t] - x[t - N]) z^(k t)                z^(k N) = 1
//! R_k = z^(-k t0) A_k                                              t0: first frame of the window
//! no taper:  X[k] = 2/N R_k        Hann:  X[k] = 4/N (R_k/2 - (R_(k-1) + R_(k+1))/4)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `N` | samples of the window |
//! | `x` | the decimator's codes, full scale [`FULL_SCALE`] |
//! | `A_k` | sums in 64 bits; `z` is rounded to integers of [`turn_bits`] bits |
//!
//! Because the sums are integers, what was added is taken away to the last bit: they do not depend on anything before the window,
//! and a stream may run for years. |x| stays below 2^24 (the decimator overshoots by less than a factor 2), so |A_k| < 2^62.
//!
//! Rounding z costs X at most 2^(-`turn_bits`) of full scale for each part of the taper, 4e-9 for 1024 samples. A frame costs 4 operations for each channel
//! and A_k, of which Hann has three for a bin; a window costs nothing. `Dot` has N multiply-adds for each bin and window, with lanes of half the
//! size: see [`Sliding::pays`].

use super::error::{FrontEndError, check_length, check_window};
use super::lanes::{LANES, Line, share, workers};
use super::settings::Taper;
use crate::decimate::FULL_SCALE;
use num_complex::Complex;
use numerics::real::{Real, rounded};
use numerics::simd::{Kernel, dispatch};
use std::f64::consts::TAU;

/// Frames whose differences are made at a time: 8 KiB of a block.
const TILE: usize = 64;

/// Fractional bits of the turns: a sum of `n` codes of 24 bits stays within 62, a turn within 31.
fn turn_bits(n: usize) -> u32 {
    38u32.saturating_sub(n.next_power_of_two().ilog2()).min(30)
}

/// Real and imaginary part of one A_k of a block.
type Sum = [Line<i64>; 2];

/// The plan of some bins, and the stream's last window.
pub struct Sliding {
    samples: usize,
    channels: usize,
    bins: Vec<usize>,
    taper: Taper,
    /// k of every sum, ascending.
    sums: Vec<usize>,
    /// z^i, i < N.
    turns: Vec<[i32; 2]>,
    blocks: Vec<Block>,
    /// Where the oldest frame is and the next one goes; a frame's place is its t modulo N.
    start: usize,
    workers: Vec<()>,
}

/// 32 channels.
struct Block {
    /// The last N frames.
    codes: Vec<Line<i32>>,
    sums: Vec<Sum>,
}

numerics::compiled! { T: Real => Sliding::newest::<T> }

impl Sliding {
    /// For `bins` of `samples` samples (a multiple of 4) of `channels` channels; zeros before the first frame.
    pub fn new(samples: usize, channels: usize, bins: &[usize], taper: Taper) -> Result<Self, FrontEndError> {
        check_window(samples, bins)?;
        let sums = sums_of(bins, taper);
        let scale = f64::from(1u32 << turn_bits(samples));
        let turn = |i: usize| {
            let (sine, cosine) = (TAU * i as f64 / samples as f64).sin_cos();
            [cosine, -sine].map(|x| (scale * x).round() as i32)
        };
        let block = || Block {
            codes: vec![Line([0; LANES]); samples],
            sums: vec![[Line([0; LANES]); 2]; sums.len()],
        };
        let blocks: Vec<Block> = std::iter::repeat_with(block).take(channels.div_ceil(LANES)).collect();
        Ok(Self {
            samples,
            channels,
            bins: bins.to_vec(),
            taper,
            turns: (0..samples).map(turn).collect(),
            workers: workers(blocks.len(), ()),
            blocks,
            sums,
            start: 0,
        })
    }

    /// Whether sums that slide by `hop` frames are less work than dot products of whole windows: for each channel 2 products a sum
    /// and frame in lanes of 64 bits, against N a bin in lanes of 32.
    pub fn pays(samples: usize, bins: &[usize], taper: Taper, hop: u64) -> bool {
        let sliding = 4 * sums_of(bins, taper).len() as u64;
        sliding.saturating_mul(hop) < (bins.len() * samples) as u64
    }

    /// Takes frames of the decimator's codes, `[frame][channel]`.
    pub fn push(&mut self, frames: &[i32]) {
        let Self { samples, channels, sums, turns, start, .. } = self;
        let (samples, channels, start, sums, turns) = (*samples, *channels, *start, &sums[..], &turns[..]);
        share(&mut self.workers, &mut self.blocks, 1, |(), number, block| {
            for block in block {
                dispatch(Push { block, number, frames, channels, start, sums, turns });
            }
        });
        self.start = (start + frames.len() / channels) % samples;
    }

    /// Peak amplitudes `2 X[k]/sum(w)` of all channels in the newest window, full scale 1, `[bin][channel]`.
    #[inline(never)]
    pub fn newest<T: Real>(&self, out: &mut [Complex<T>]) -> Result<(), FrontEndError> {
        check_length("results", self.bins.len() * self.channels, out.len())?;
        self.amplitudes(out);
        Ok(())
    }

    fn amplitudes<T: Real>(&self, out: &mut [Complex<T>]) {
        for (&k, image) in self.bins.iter().zip(out.chunks_exact_mut(self.channels)) {
            let parts = self.parts(k);
            for (block, values) in self.blocks.iter().zip(image.chunks_mut(LANES)) {
                for (lane, value) in values.iter_mut().enumerate() {
                    let part = |(slot, factor): &(usize, Complex<f64>)| {
                        let [re, im] = &block.sums[*slot];
                        factor * Complex::new(re.0[lane] as f64, im.0[lane] as f64)
                    };
                    let x: Complex<f64> = parts.iter().map(part).sum();
                    *value = rounded(x);
                }
            }
        }
    }

    /// The sums that make bin `k`, and what each is multiplied by.
    fn parts(&self, k: usize) -> Vec<(usize, Complex<f64>)> {
        let n = self.samples as f64;
        let unit = 2.0 / n / f64::from(FULL_SCALE) / f64::from(1u32 << turn_bits(self.samples));
        let turned = |k: usize, factor: f64| {
            let slot = self.sums.partition_point(|&sum| sum < k);
            (slot, Complex::from_polar(factor * unit, TAU * (k * self.start % self.samples) as f64 / n))
        };
        match self.taper {
            Taper::None => vec![turned(k, 1.0)],
            Taper::Hann => vec![turned(k - 1, -0.5), turned(k, 1.0), turned(k + 1, -0.5)],
        }
    }
}

/// k of the sums that `bins` are made of, ascending.
fn sums_of(bins: &[usize], taper: Taper) -> Vec<usize> {
    let reach = usize::from(taper == Taper::Hann);
    let mut sums: Vec<usize> = bins.iter().flat_map(|&k| k.saturating_sub(reach)..=k + reach).collect();
    sums.sort_unstable();
    sums.dedup();
    sums
}

struct Push<'a> {
    block: &'a mut Block,
    number: usize,
    frames: &'a [i32],
    channels: usize,
    start: usize,
    sums: &'a [usize],
    turns: &'a [[i32; 2]],
}

impl Kernel for Push<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let Self { block, number, frames, channels, start, sums, turns } = self;
        let n = turns.len();
        let mut position = start;
        let mut changes = [Line([0; LANES]); TILE];
        for tile in frames.chunks(TILE * channels) {
            let first = position;
            let count = tile.len() / channels;
            for (frame, change) in tile.chunks_exact(channels).zip(&mut changes) {
                let codes = &mut block.codes[position];
                let own = frame.get(number * LANES..).unwrap_or_default();
                for ((code, change), new) in codes.0.iter_mut().zip(&mut change.0).zip(own) {
                    *change = new - *code;
                    *code = *new;
                }
                position = if position + 1 == n { 0 } else { position + 1 };
            }
            for (&k, sum) in sums.iter().zip(&mut block.sums) {
                add(sum, &changes[..count], turns, k * first % n, k);
            }
        }
    }
}

/// Adds changes times turns `i`, `i + k` and so on.
#[inline(always)]
fn add(sum: &mut Sum, changes: &[Line<i32>], turns: &[[i32; 2]], mut i: usize, k: usize) {
    let [mut re, mut im] = *sum;
    for change in changes {
        let [cosine, sine] = turns[i].map(i64::from);
        for lane in 0..LANES {
            let change = i64::from(change.0[lane]);
            re.0[lane] += change * cosine;
            im.0[lane] += change * sine;
        }
        i += k;
        i -= if i >= turns.len() { turns.len() } else { 0 };
    }
    *sum = [re, im];
}

#[cfg(test)]
mod tests {
    use super::super::dot::Dot;
    use super::super::samples::Samples;
    use super::*;
    use numerics::simd;

    const CHANNELS: usize = 40;

    fn codes(seed: u32, frames: usize) -> Vec<i32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as i32 - (1 << 23)
        };
        (0..frames * CHANNELS).map(|_| next()).collect()
    }

    fn archs() -> impl Iterator<Item = pulp::Arch> {
        let best = pulp::Arch::new();
        [pulp::Arch::Scalar, best].into_iter()
    }

    #[test]
    fn windows_are_those_of_dot_products() {
        let (n, bins) = (64, [1, 5, 6, 31]);
        for (arch, taper) in archs().flat_map(|arch| [(arch, Taper::None), (arch, Taper::Hann)]) {
            simd::choose(Some(arch));
            let mut sliding = Sliding::new(n, CHANNELS, &bins, taper).unwrap();
            let mut samples = Samples::<f64>::new(n, CHANNELS);
            let mut dot = Dot::new(n, CHANNELS, &bins, taper).unwrap();
            let mut ours = vec![Complex::new(f64::NAN, f64::NAN); bins.len() * CHANNELS];
            let mut expected = ours.clone();
            for (i, frames) in [1, 63, 64, 7, 200, 0, 31, 129].into_iter().enumerate() {
                let codes = codes(i as u32, frames);
                sliding.push(&codes);
                samples.push(&codes);
                sliding.newest(&mut ours).unwrap();
                dot.execute(&samples, &mut expected).unwrap();
                // Each of three sums has N products of at most full scale with a turn that is off by half a unit in each part.
                let bound = 4.0 * 2.0 * 0.5f64.powi(turn_bits(n) as i32 + 1) * 2.0;
                for (ours, expected) in ours.iter().zip(&expected) {
                    assert!((ours - expected).norm() < bound, "{taper}, push {i}: {ours} {expected}");
                }
            }
        }
        simd::choose(None);
    }

    #[test]
    fn nothing_remains_of_what_left_the_window() {
        let (n, bins) = (64, [3, 10]);
        let newest = codes(7, n);
        let [old, fresh] = [1000, 0].map(|frames| {
            let mut sliding = Sliding::new(n, CHANNELS, &bins, Taper::Hann).unwrap();
            // A whole number of windows, so that the turns are the same.
            sliding.push(&codes(1, frames / n * n));
            sliding.push(&newest);
            sliding
                .blocks
                .into_iter()
                .flat_map(|block| block.sums)
                .map(|[re, im]| (re.0, im.0))
                .collect::<Vec<_>>()
        });
        assert_eq!(old, fresh);
    }

    #[test]
    fn short_hops_slide_and_long_ones_do_not() {
        // The instrument's hop; a bin has three sums with Hann, and neighbours share two.
        assert!(Sliding::pays(1024, &[22], Taper::Hann, 46));
        assert!(!Sliding::pays(1024, &[22], Taper::Hann, 86) && Sliding::pays(1024, &[22], Taper::None, 86));
        assert!(Sliding::pays(1024, &[22, 23], Taper::Hann, 86));
        assert!(!Sliding::pays(1024, &[22], Taper::None, u64::MAX));
    }

    #[test]
    fn the_largest_codes_fit() {
        for n in [64, 1024, 4096] {
            let mut sliding = Sliding::new(n, 1, &[1], Taper::None).unwrap();
            // The largest sum: codes with the signs of the turns, twice full scale.
            let codes: Vec<i32> = (0..n)
                .map(|t| if (TAU * t as f64 / n as f64).cos() < 0.0 { -(1 << 24) } else { 1 << 24 })
                .collect();
            sliding.push(&codes);
            let mut out = [Complex::<f64>::default()];
            sliding.newest(&mut out).unwrap();
            // A square wave of amplitude 2 has a fundamental of 8/pi.
            assert!((out[0].re - 8.0 / std::f64::consts::PI).abs() < 0.01, "{n}: {}", out[0]);
        }
    }
}
