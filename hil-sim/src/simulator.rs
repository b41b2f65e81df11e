//! All channels through their modulators: the rows of packed bits that the camera sends.
//!
//! A row is one time sample: bit `position % 32` of little-endian word `position / 32` is the channel at that
//! stream position. Arrays whose last word is not full send its used bytes only.
//!
//! # What is computed when
//! `new` evaluates the lines at every microphone once. Time then goes in blocks of [`BLOCK`] samples: the
//! phasor of every term at every sample, shared by all channels, and for every channel two multiply-adds a
//! term, noise, and one modulator step. A line or a field is one term, a moving source four, a broadband
//! noise eight; the amplitudes of the latter two change at knots. Words of 32 channels run in parallel. A row
//! depends on its sample number, the modulators' states and the generators only, so the bits do not depend on
//! how the calls are cut or on the number of threads.
//!
//! The modulators run [`WARM_UP`] samples before sample 0, with the scene already sounding, so that no
//! start-up is recorded.
//!
//! # Range
//! The modulators follow inputs up to [`OVERLOAD_FS`] of full scale and bit rate / 32 (see
//! `dsp_core::modulator`). A channel's peak is taken as |offset| plus the largest noise value plus the
//! smallest of three: the sum of its tones' amplitudes and 6 times the rms of its broadband noises; 6 times
//! the rms value of all, which a sum of many tones without a common phase passes in two of 1e9 samples; the
//! overload point, if there is one. What passes all the same is clipped.
//!
//! # Cost
//! Per channel and sample about 40 integer operations, 20 more for the noise, and 4 flops a term.

mod settings;
mod wiring;

pub use settings::{BLOCK, OVERLOAD_FS, Settings, WARM_UP};

use rayon::prelude::*;

use crate::bank::Block;
use crate::bench::Bench;
use crate::microphones::{Array, Channel};
use crate::{Error, Scene};
use wiring::Wired;

/// A scene in front of an array, and the bits that come out of it.
#[derive(Clone, Debug)]
pub struct Simulator {
    array: Array,
    settings: Settings,
    wired: Wired,
    next_sample: u64,
}

impl Simulator {
    /// Sets up stationary tones before an array. Refuses scenes and settings that mean nothing and scenes
    /// that are too loud.
    pub fn new(scene: &Scene, array: &Array, settings: &Settings) -> Result<Self, Error> {
        Self::of(&Bench::new(scene.clone(), *array, *settings))
    }

    /// Sets a whole bench up. Its restarts and its link are not the simulator's: see
    /// [`FrameSource`](crate::FrameSource) and [`Link`](crate::link::Link).
    pub fn of(bench: &Bench) -> Result<Self, Error> {
        bench.check()?;
        let (array, settings, wired) = (bench.array, bench.settings, wiring::wire(bench)?);
        let mut simulator = Self { array, settings, wired, next_sample: WARM_UP.wrapping_neg() };
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
                for (bytes, bank) in row.chunks_mut(size_of::<u32>()).zip(&self.wired.banks) {
                    bytes.copy_from_slice(&bank.words[t].to_le_bytes()[..bytes.len()]);
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
        &self.wired.channels
    }

    /// Makes the words of the next `count` samples, at most [`BLOCK`], in all banks.
    fn advance(&mut self, count: usize) {
        let first = self.next_sample.cast_signed();
        let Wired { terms, signals, reaches, banks, .. } = &mut self.wired;
        for (signal, reach) in signals.iter_mut().zip(reaches) {
            let (from, last) = reach.knots(first, count);
            signal.cover(from, last);
        }
        let phasors = terms.write(first, count);
        let block = Block { first, count, phasors, signals };
        banks.par_iter_mut().for_each(|bank| bank.run(&block));
        self.next_sample = self.next_sample.wrapping_add(count as u64);
    }
}

#[cfg(test)]
mod tests;
