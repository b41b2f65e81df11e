//! All channels through their modulators: the rows of packed bits that the camera sends.
//!
//! A row is one time sample: bit `position % 32` of little-endian word `position / 32` is the channel at that
//! stream position. Arrays whose last word is not full send its used bytes only.
//!
//! # What is computed when
//! `new` evaluates the scene at every microphone once. Time then goes in blocks of [`BLOCK`] samples: the
//! phasor of every line at every sample, shared by all channels, and for every channel two multiply-adds a
//! line, noise, and one modulator step. Words of 32 channels run in parallel. A row depends on its sample
//! number, the modulators' states and the generators only, so the bits do not depend on how the calls are cut
//! or on the number of threads.
//!
//! The modulators run [`WARM_UP`] samples before sample 0, with the scene already sounding, so that no
//! start-up is recorded.
//!
//! # Range
//! The modulators follow inputs up to [`OVERLOAD_FS`] of full scale and bit rate / 32 (see
//! `dsp_core::modulator`). A channel's peak is taken as |offset| plus the largest noise value plus the
//! smaller of the sum of its lines' amplitudes, which is a bound, and 6 times their rms value, which a sum of
//! many lines without a common phase passes in two of 1e9 samples. What passes all the same is clipped.
//!
//! # Cost
//! Per channel and sample about 40 integer operations, 20 more for the noise, and 4 flops a line.

use dsp_core::modulator::LANES;
use num_complex::Complex;
use rayon::prelude::*;

use crate::bank::Bank;
use crate::microphones::{Array, Channel, Imperfections, SENSITIVITY};
use crate::oscillator::Oscillator;
use crate::random::{NoiseBank, SplitMix64};
use crate::{Error, Scene};

/// Time samples that are computed together: enough work for the threads, little enough for the cache.
pub const BLOCK: usize = 1024;

/// Samples that the modulators run before sample 0.
pub const WARM_UP: u64 = 4096;

/// Largest peak accepted at a modulator, as a fraction of full scale.
pub const OVERLOAD_FS: f64 = 0.7;

/// What belongs neither to the scene nor to the geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Bits a second and channel.
    pub bit_rate_hz: f64,
    /// How the microphones differ, and their noise.
    pub imperfections: Imperfections,
    /// All that is random follows from it.
    pub seed: u64,
}

impl Default for Settings {
    /// The camera's 1.5 MHz, [`Imperfections::TYPICAL`], seed 1.
    fn default() -> Self {
        Self { bit_rate_hz: 1.5e6, imperfections: Imperfections::TYPICAL, seed: 1 }
    }
}

/// A scene in front of an array, and the bits that come out of it.
#[derive(Clone, Debug)]
pub struct Simulator {
    array: Array,
    settings: Settings,
    channels: Vec<Channel>,
    oscillators: Vec<Oscillator>,
    banks: Vec<Bank>,
    /// Phasors of one block, sample after sample, line after line.
    phasors: Vec<[f32; 2]>,
    next_sample: u64,
}

impl Simulator {
    /// Sets the bench up. Refuses scenes and settings that mean nothing and scenes that are too loud.
    pub fn new(scene: &Scene, array: &Array, settings: &Settings) -> Result<Self, Error> {
        let Settings { bit_rate_hz, imperfections, seed } = *settings;
        let positive = bit_rate_hz > 0.0 && bit_rate_hz.is_finite();
        Error::unless(positive, "bit rate", bit_rate_hz, "it must be finite and above 0 Hz")?;
        scene.check(bit_rate_hz / 32.0)?;
        array.check()?;
        imperfections.check()?;

        let mut seeds = SplitMix64::new(seed);
        let channels = imperfections.draw(array.layout.channels(), &mut SplitMix64::new(seeds.integer()));
        let amplitudes = amplitudes(scene, array, &channels);
        check_level(&amplitudes, &channels, &imperfections)?;
        let mut simulator = Self {
            array: *array,
            settings: *settings,
            oscillators: scene
                .lines
                .iter()
                .map(|line| Oscillator::new(line.frequency_hz / bit_rate_hz))
                .collect(),
            banks: banks(array, &amplitudes, &channels, &imperfections, &mut seeds),
            channels,
            phasors: Vec::new(),
            next_sample: WARM_UP.wrapping_neg(),
        };
        for _ in 0..WARM_UP / BLOCK as u64 {
            simulator.advance(BLOCK);
        }
        Ok(simulator)
    }

    /// Writes the next `rows.len() / row_bytes` time samples; bytes after the last whole row stay as they
    /// are.
    pub fn fill(&mut self, rows: &mut [u8]) {
        let row_bytes = self.row_bytes();
        for block in rows.chunks_mut(BLOCK * row_bytes) {
            self.advance(block.len() / row_bytes);
            for (t, row) in block.chunks_exact_mut(row_bytes).enumerate() {
                for (bytes, bank) in row.chunks_mut(size_of::<u32>()).zip(&self.banks) {
                    bytes.copy_from_slice(&bank.words()[t].to_le_bytes()[..bytes.len()]);
                }
            }
        }
    }

    /// Number of the first sample that the next [`Simulator::fill`] writes.
    pub fn next_sample(&self) -> u64 {
        self.next_sample
    }

    /// Bytes of one time sample.
    pub fn row_bytes(&self) -> usize {
        self.array.layout.row_bytes()
    }

    /// The array on the bench.
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What is peculiar to every microphone, by grid index: the truth for a calibration.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Makes the words of the next `count` samples, at most [`BLOCK`], in all banks.
    fn advance(&mut self, count: usize) {
        let lines = self.oscillators.len();
        self.phasors.resize(count * lines, [0.0; 2]);
        for (line, oscillator) in self.oscillators.iter().enumerate() {
            oscillator.write(self.next_sample, self.phasors.iter_mut().skip(line).step_by(lines));
        }
        let phasors = &self.phasors;
        self.banks.par_iter_mut().for_each(|bank| bank.run(count, phasors));
        self.next_sample = self.next_sample.wrapping_add(count as u64);
    }
}

/// Complex amplitude of every line at every microphone, by grid index, as a fraction of full scale.
fn amplitudes(scene: &Scene, array: &Array, channels: &[Channel]) -> Vec<Vec<Complex<f64>>> {
    let at = |(index, channel): (usize, &Channel)| {
        let position = array.position(index as u32);
        let gain = channel.gain * SENSITIVITY;
        scene.lines.iter().map(|line| line.pressure(position) * gain).collect()
    };
    channels.par_iter().enumerate().map(at).collect()
}

/// Refuses the scene if the loudest channel would overload its modulator.
fn check_level(
    amplitudes: &[Vec<Complex<f64>>],
    channels: &[Channel],
    imperfections: &Imperfections,
) -> Result<(), Error> {
    let noise_peak = imperfections.noise_rms_fs() * NoiseBank::PEAK / NoiseBank::VARIANCE.sqrt();
    for (index, (lines, channel)) in amplitudes.iter().zip(channels).enumerate() {
        let sum: f64 = lines.iter().map(|a| a.norm_sqr().sqrt()).sum();
        let rms = (lines.iter().map(|a| a.norm_sqr()).sum::<f64>() / 2.0).sqrt();
        let peak_fs = channel.offset_fs.abs() + noise_peak + sum.min(6.0 * rms);
        // Amplitudes near the largest number can become NaN.
        if peak_fs > OVERLOAD_FS || peak_fs.is_nan() {
            return Err(Error::Overload { index, peak_fs, limit_fs: OVERLOAD_FS });
        }
    }
    Ok(())
}

/// One bank a stream word, every lane connected to the microphone at its stream position.
fn banks(
    array: &Array,
    amplitudes: &[Vec<Complex<f64>>],
    channels: &[Channel],
    imperfections: &Imperfections,
    seeds: &mut SplitMix64,
) -> Vec<Bank> {
    let lines = amplitudes.first().map_or(0, Vec::len);
    let dither_seed = seeds.integer() as u32;
    let mut noise_seeds = SplitMix64::new(seeds.integer());
    let rms_fs = imperfections.noise_rms_fs();
    let count = array.layout.channels();
    let bank = |first: u32| {
        let noise = (rms_fs > 0.0).then(|| (NoiseBank::new(&mut noise_seeds), rms_fs));
        let mut bank = Bank::new(lines, dither_seed.wrapping_add(first), noise);
        let lanes = (first..count).take(LANES).filter_map(|position| array.layout.index_of(position));
        for (lane, index) in lanes.enumerate() {
            let (channel, lines) = (&channels[index as usize], &amplitudes[index as usize]);
            bank.connect(lane, channel.offset_fs, lines.iter().copied());
        }
        bank
    };
    (0..count).step_by(LANES).map(bank).collect()
}

#[cfg(test)]
mod tests;
