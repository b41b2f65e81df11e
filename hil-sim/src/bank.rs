//! 32 channels: the pressure lines, the offset and the noise into their modulators, one word a time sample.
//!
//! Inputs are summed in `f32` in units of 2^-20 of full scale, always in the same order, and rounded to whole
//! units. The sum's own rounding is below 2^-24 of the peak and line: far below the rounding, and that far
//! below the modulator's noise.

use dsp_core::modulator::{DITHER_BITS, DitherBank, FULL_SCALE, LANES, SecondOrderBank};
use num_complex::Complex;

use crate::random::NoiseBank;

/// Adding this to a number of magnitude below 2^22 leaves its nearest integer in the low bits (ties to even).
const ROUNDER: f32 = 12_582_912.0;

/// The channels of one stream word.
#[derive(Clone, Debug)]
pub struct Bank {
    modulators: SecondOrderBank,
    dither: DitherBank,
    noise: Option<(NoiseBank, f32)>,
    offset: [f32; LANES],
    /// For every line what multiplies its cosine and its sine.
    lines: Vec<[[f32; LANES]; 2]>,
    /// The words made last.
    words: Vec<u32>,
}

impl Bank {
    /// A bank that hears nothing yet; `noise` comes with its rms value as a fraction of full scale.
    pub fn new(lines: usize, dither_seed: u32, noise: Option<(NoiseBank, f64)>) -> Self {
        let scale = |rms_fs: f64| (rms_fs * f64::from(FULL_SCALE) / NoiseBank::VARIANCE.sqrt()) as f32;
        Self {
            modulators: SecondOrderBank::default(),
            dither: DitherBank::new(dither_seed, DITHER_BITS),
            noise: noise.map(|(bank, rms_fs)| (bank, scale(rms_fs))),
            offset: [0.0; LANES],
            lines: vec![[[0.0; LANES]; 2]; lines],
            words: Vec::new(),
        }
    }

    /// Sets the input of one channel: its offset and the complex amplitude of every line, as fractions of
    /// full scale.
    pub fn connect(
        &mut self,
        lane: usize,
        offset_fs: f64,
        amplitudes_fs: impl Iterator<Item = Complex<f64>>,
    ) {
        let unit = f64::from(FULL_SCALE);
        self.offset[lane] = (offset_fs * unit) as f32;
        for ([cosine, sine], amplitude) in self.lines.iter_mut().zip(amplitudes_fs) {
            cosine[lane] = (amplitude.re * unit) as f32;
            sine[lane] = (-amplitude.im * unit) as f32;
        }
    }

    /// Makes the next `count` words; `phasors` holds the lines' phasors, sample after sample.
    pub fn run(&mut self, count: usize, phasors: &[[f32; 2]]) {
        // Compiled once for each instruction set. The bits are the same on all: floating-point sums are neither
        // reordered nor fused.
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || self.make_words(count, phasors),
        );
    }

    #[inline(always)]
    fn make_words(&mut self, count: usize, phasors: &[[f32; 2]]) {
        let lines = self.lines.len();
        self.words.clear();
        for t in 0..count {
            let x = self.input(&phasors[t * lines..(t + 1) * lines]);
            let mut dither = [0; LANES];
            self.dither.step(&mut dither);
            let word = self.modulators.step(&x, &dither);
            self.words.push(word);
        }
    }

    /// The words of the last run, earliest first.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The modulators' inputs at one instant, in units of 2^-20 of full scale.
    #[inline(always)]
    fn input(&mut self, phasors: &[[f32; 2]]) -> [i32; LANES] {
        let mut x = self.offset;
        for ([cosine, sine], [re, im]) in self.lines.iter().zip(phasors) {
            for lane in 0..LANES {
                x[lane] += re * cosine[lane] + im * sine[lane];
            }
        }
        if let Some((noise, scale)) = &mut self.noise {
            noise.add(*scale, &mut x);
        }
        // The modulator clips at full scale too; here it keeps the rounding in its range.
        let full = FULL_SCALE as f32;
        x.map(|x| (x.clamp(-full, full) + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits()).cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_the_rounded_sum() {
        let mut bank = Bank::new(2, 0, None);
        bank.connect(5, 0.01, [Complex::new(0.3, 0.0), Complex::new(0.0, -0.25)].into_iter());
        let x = bank.input(&[[0.5, 0.1], [0.7, -0.5]]);
        // 0.01 + 0.3 * 0.5 + 0.25 * (-0.5) = 0.035 of 2^20 = 36700.16.
        assert_eq!(x[5], 36_700);
        assert!(x.iter().enumerate().all(|(lane, &x)| lane == 5 || x == 0));
        bank.connect(5, -0.01, [Complex::ZERO, Complex::new(0.0, 0.0)].into_iter());
        assert_eq!(bank.input(&[[0.5, 0.1], [0.7, -0.5]])[5], -10_486);
    }
}
