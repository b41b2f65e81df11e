//! 32 channels: the pressure terms, the offset and the noise into their modulators, one word a time sample.
//!
//! Inputs are summed in `f32` in units of 2^-20 of full scale, always in the same order, and rounded to whole
//! units. The sum's own rounding is below 2^-24 of the peak and term: far below the rounding, and that far
//! below the modulator's noise.
//!
//! Time goes in runs over which nothing changes: no knot of a moving source or a noise, no begin or end of a
//! fault.

use dsp_core::modulator::{DITHER_BITS, DitherBank, FULL_SCALE, LANES, SecondOrderBank};
use num_complex::Complex;
use numerics::simd::vectorised;
use std::ops::Range;

use crate::decibel::amplitude_ratio;
use crate::faults::Trouble;
use crate::noise::Signal;
use crate::random::NoiseBank;
use crate::simulator::OVERLOAD_FS;
use crate::track::{Coefficients, Track};

/// Adding this to a number of magnitude below 2^22 leaves its nearest integer in the low bits (ties to even).
const ROUNDER: f32 = 12_582_912.0;

/// What all banks share of a block of samples.
pub struct Block<'a> {
    /// Number of the first sample.
    pub first: i64,
    pub count: usize,
    /// Phasors of all terms, sample after sample.
    pub phasors: &'a [[f32; 2]],
    /// The signals of the point noises.
    pub signals: &'a [Signal],
}

/// A fault of some lanes.
#[derive(Clone, Debug)]
pub struct LaneFault {
    /// One bit a lane.
    pub lanes: u32,
    pub trouble: Trouble,
    pub samples: Range<i64>,
}

/// What the faults of the moment do to the lanes.
#[derive(Clone, Debug)]
struct Condition {
    /// Constant offsets.
    offset: [f32; LANES],
    /// Amplification of the sound, and the largest magnitude that leaves the microphone.
    shape: Option<[[f32; LANES]; 2]>,
    /// Scale of the added noise.
    noisy: Option<[f32; LANES]>,
    /// Lanes that do not send their modulator's bit; among them those that send 1, and 1 in odd samples.
    dead: u32,
    ones: u32,
    idle: u32,
}

impl Condition {
    fn new(offset: [f32; LANES]) -> Self {
        Self { offset, shape: None, noisy: None, dead: 0, ones: 0, idle: 0 }
    }
}

/// The channels of one stream word.
#[derive(Clone, Debug)]
pub struct Bank {
    modulators: SecondOrderBank,
    dither: DitherBank,
    noise: Option<(NoiseBank, f32)>,
    offset: [f32; LANES],
    /// Largest magnitude of the sound, where there is an overload point.
    limit: Option<[f32; LANES]>,
    /// For every term what multiplies its cosine and its sine.
    terms: Vec<Coefficients>,
    tracks: Vec<Track>,
    faults: Vec<LaneFault>,
    /// Noise of noisy microphones.
    fault_noise: Option<NoiseBank>,
    now: Condition,
    /// The words of the last block, earliest first.
    pub words: Vec<u32>,
}

/// Scale of a noise bank's values for an rms value of full scale.
fn noise_scale(rms_fs: f64) -> f32 {
    (rms_fs * f64::from(FULL_SCALE) / NoiseBank::VARIANCE.sqrt()) as f32
}

impl Bank {
    /// A bank that hears nothing yet; `noise` comes with its rms value as a fraction of full scale.
    pub fn new(terms: usize, dither_seed: u32, noise: Option<(NoiseBank, f64)>) -> Self {
        let offset = [0.0; LANES];
        Self {
            modulators: SecondOrderBank::default(),
            dither: DitherBank::new(dither_seed, DITHER_BITS),
            noise: noise.map(|(bank, rms_fs)| (bank, noise_scale(rms_fs))),
            offset,
            limit: None,
            terms: vec![[[0.0; LANES]; 2]; terms],
            tracks: Vec::new(),
            faults: Vec::new(),
            fault_noise: None,
            now: Condition::new(offset),
            words: Vec::new(),
        }
    }

    /// Sets the input of one channel: its offset and the complex amplitude of every constant term, as
    /// fractions of full scale.
    pub fn connect(
        &mut self,
        lane: usize,
        offset_fs: f64,
        amplitudes_fs: impl Iterator<Item = Complex<f64>>,
    ) {
        let unit = f64::from(FULL_SCALE);
        self.offset[lane] = (offset_fs * unit) as f32;
        self.now.offset = self.offset;
        for ([cosine, sine], amplitude) in self.terms.iter_mut().zip(amplitudes_fs) {
            cosine[lane] = (amplitude.re * unit) as f32;
            sine[lane] = (-amplitude.im * unit) as f32;
        }
    }

    /// Clips the sound of every lane at a fraction of full scale.
    pub fn clip(&mut self, limit_fs: [f64; LANES]) {
        self.limit = Some(limit_fs.map(|l| (l * f64::from(FULL_SCALE)) as f32));
        self.judge(i64::MIN);
    }

    /// Terms that change from knot to knot.
    pub fn follow(&mut self, track: Track) {
        self.tracks.push(track);
    }

    /// Lanes that fail; `noise` is for the noisy ones.
    pub fn fail(&mut self, faults: Vec<LaneFault>, noise: NoiseBank) {
        self.fault_noise = faults.iter().any(|f| f.trouble.noise_rms_fs() > 0.0).then_some(noise);
        self.faults = faults;
    }

    /// Makes the words of a block.
    pub fn run(&mut self, block: &Block<'_>) {
        // The same bits with all instruction sets: floating-point sums are neither reordered nor fused.
        vectorised(
            #[inline(always)]
            || {
                self.words.clear();
                let mut t = 0;
                while t < block.count {
                    let until = self.change(block.first + t as i64, block.signals);
                    let end = usize::try_from(until).map_or(block.count, |n| block.count.min(t + n));
                    self.make_words(block, t..end);
                    t = end;
                }
            },
        );
    }

    /// Makes the changes that are due at sample `n`; returns the samples until the next one.
    #[inline(always)]
    fn change(&mut self, n: i64, signals: &[Signal]) -> i64 {
        let mut until = i64::MAX;
        for track in &mut self.tracks {
            let within = n.rem_euclid(track.spacing);
            if within == 0 {
                let last = track.first_term + track.knots();
                track.roll(n / track.spacing, signals, &mut self.terms[track.first_term..last]);
            }
            until = until.min(track.spacing - within);
        }
        let bounds = || self.faults.iter().flat_map(|f| [f.samples.start, f.samples.end]);
        until = bounds().filter(|&at| at > n).fold(until, |until, at| until.min(at.saturating_sub(n)));
        if bounds().any(|at| at == n) {
            self.judge(n);
        }
        until
    }

    /// Collects what the faults of sample `n` do.
    fn judge(&mut self, n: i64) {
        let mut now = Condition::new(self.offset);
        now.shape = self.limit.map(|limit| [[1.0; LANES], limit]);
        let mut variance = [0.0f64; LANES];
        for LaneFault { lanes, trouble, .. } in self.faults.iter().filter(|f| f.samples.contains(&n)) {
            let stuck = |word: u32, set: bool| (word & !lanes) | if set { *lanes } else { 0 };
            match trouble {
                Trouble::Idle | Trouble::Zero | Trouble::One => {
                    now.dead |= lanes;
                    now.ones = stuck(now.ones, matches!(trouble, Trouble::One));
                    now.idle = stuck(now.idle, matches!(trouble, Trouble::Idle));
                }
                Trouble::Saturated { gain_db } => {
                    let plain = || [[1.0; LANES], [(OVERLOAD_FS * f64::from(FULL_SCALE)) as f32; LANES]];
                    let [drive, _] = now.shape.get_or_insert_with(plain);
                    each(*lanes, drive, |d| *d = d.max(amplitude_ratio(*gain_db) as f32));
                }
                Trouble::Noisy { .. } => {
                    each(*lanes, &mut variance, |v| *v += trouble.noise_rms_fs() * trouble.noise_rms_fs());
                }
                Trouble::Offset { offset_fs } => {
                    let offset = (offset_fs * f64::from(FULL_SCALE)) as f32;
                    each(*lanes, &mut now.offset, |o| *o += offset);
                }
            }
        }
        now.noisy = variance.iter().any(|v| *v > 0.0).then(|| variance.map(|v| noise_scale(v.sqrt())));
        self.now = now;
    }

    #[inline(always)]
    fn make_words(&mut self, block: &Block<'_>, samples: Range<usize>) {
        let terms = self.terms.len();
        for t in samples {
            let x = self.input(&block.phasors[t * terms..(t + 1) * terms]);
            let mut dither = [0; LANES];
            self.dither.step(&mut dither);
            let word = self.modulators.step(&x, &dither);
            let Condition { dead, ones, idle, .. } = self.now;
            let odd = if (block.first + t as i64) & 1 == 0 { 0 } else { u32::MAX };
            self.words.push((word & !dead) | ones | (idle & odd));
        }
    }

    /// The modulators' inputs at one instant, in units of 2^-20 of full scale.
    #[inline(always)]
    fn input(&mut self, phasors: &[[f32; 2]]) -> [i32; LANES] {
        let mut x = if self.now.shape.is_some() { [0.0; LANES] } else { self.now.offset };
        for ([cosine, sine], [re, im]) in self.terms.iter().zip(phasors) {
            for lane in 0..LANES {
                x[lane] += re * cosine[lane] + im * sine[lane];
            }
        }
        if let Some([drive, limit]) = &self.now.shape {
            for lane in 0..LANES {
                let sound = (x[lane] * drive[lane]).max(-limit[lane]).min(limit[lane]);
                x[lane] = sound + self.now.offset[lane];
            }
        }
        if let Some((noise, scale)) = &mut self.noise {
            noise.add(*scale, &mut x);
        }
        if let (Some(scale), Some(noise)) = (&self.now.noisy, &mut self.fault_noise) {
            let mut white = [0.0; LANES];
            noise.add(1.0, &mut white);
            for lane in 0..LANES {
                x[lane] += scale[lane] * white[lane];
            }
        }
        // The modulator clips at full scale too; here it keeps the rounding in its range.
        let full = FULL_SCALE as f32;
        x.map(|x| (x.clamp(-full, full) + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits()).cast_signed())
    }
}

/// Does `what` to the values of the lanes in a mask.
fn each<T>(lanes: u32, values: &mut [T; LANES], mut what: impl FnMut(&mut T)) {
    for (lane, value) in values.iter_mut().enumerate() {
        if lanes >> lane & 1 == 1 {
            what(value);
        }
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

    #[test]
    fn clipping_holds_the_sound_and_not_the_offset() {
        let mut bank = Bank::new(1, 0, None);
        bank.connect(5, 0.01, [Complex::new(0.5, 0.0)].into_iter());
        bank.clip([0.25; LANES]);
        // 0.26 and 0.01 + 0.1 and -0.24 of 2^20, rounded.
        for (cosine, expected) in [(1.0, 272_630), (0.2, 115_343), (-1.0, -251_658)] {
            assert_eq!(bank.input(&[[cosine, 0.0]])[5], expected);
        }
    }
}
