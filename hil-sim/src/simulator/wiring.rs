//! From a checked bench to the banks: which term feeds which lane, and from which seed.
//!
//! Seeds are drawn in a fixed order, those of the newer features last, so that a bench that does not use them
//! has the bits that it always had.

use dsp_core::modulator::LANES;
use num_complex::Complex;
use numerics::random::SplitMix64;
use rayon::prelude::*;

use super::settings::{OVERLOAD_FS, WARM_UP};
use crate::bank::{Bank, LaneFault};
use crate::bench::Bench;
use crate::interpolation::{Kernel, TAPS};
use crate::microphones::{Channel, SENSITIVITY};
use crate::moving::KNOTS;
use crate::noise::{Delay, FlowBank, Noise, Origin, Signal};
use crate::random::NoiseBank;
use crate::source::offset;
use crate::terms::Terms;
use crate::track::{Feed, Track};
use crate::{Error, SPEED_OF_SOUND};

/// Which low-rate samples of a point noise a block needs.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    spacing: i64,
    /// Longest delay in knots, rounded up.
    delay: i64,
}

impl Reach {
    /// The first and the last.
    pub fn knots(&self, first: i64, count: usize) -> (i64, i64) {
        let taps = TAPS as i64;
        let begin = first.div_euclid(self.spacing);
        let end = (first + count as i64).div_euclid(self.spacing);
        (begin - 2 * taps - self.delay, end + 2 * taps)
    }
}

/// The parts of a simulator.
#[derive(Clone, Debug)]
pub struct Wired {
    /// What is peculiar to every microphone.
    pub channels: Vec<Channel>,
    /// Phasors of all terms.
    pub terms: Terms,
    /// Signals of the point noises.
    pub signals: Vec<Signal>,
    /// Their knots' spacing and longest delay in knots.
    pub reaches: Vec<Reach>,
    /// The modulators, 32 channels each.
    pub banks: Vec<Bank>,
}

/// Sets all parts up, before the first sample.
pub fn wire(bench: &Bench) -> Result<Wired, Error> {
    let mut seeds = SplitMix64::new(bench.settings.seed);
    let count = bench.array.layout.channels();
    let channels = bench.settings.imperfections.draw(count, &mut SplitMix64::new(seeds.integer()));
    let amplitudes = amplitudes(bench, &channels);
    check_level(bench, &amplitudes, &channels)?;

    let rate = bench.rate_hz();
    let moving: Vec<u64> = bench.moving.iter().map(|m| m.spacing(rate, nearest(bench, m.path.z()))).collect();
    let noises: Vec<u64> = bench.noises.iter().map(|noise| noise.spacing(rate)).collect();
    let kernel = Kernel::new();
    let dither_seed = seeds.integer() as u32;
    let mut noise_seeds = SplitMix64::new(seeds.integer());
    let terms = Terms::new(bench, &moving, &noises, kernel.clone(), seeds.integer());
    let mut banks: Vec<Bank> = (0..count)
        .step_by(LANES)
        .map(|first| {
            plain_bank(bench, &channels, &amplitudes, terms.len(), dither_seed, &mut noise_seeds, first)
        })
        .collect();

    let mut wiring = Wiring { bench, channels: &channels, banks: &mut banks, seeds };
    wiring.clip();
    for (i, &spacing) in moving.iter().enumerate() {
        wiring.connect_moving(i, terms.first_moving() + KNOTS * i, spacing);
    }
    let (mut signals, mut reaches) = (Vec::new(), Vec::new());
    for ((i, noise), &spacing) in bench.noises.iter().enumerate().zip(&noises) {
        let first_term = terms.first_noise() + TAPS * i;
        let point = wiring.connect_noise(noise, first_term, spacing, &kernel, signals.len());
        if let Some((signal, reach)) = point {
            signals.push(signal);
            reaches.push(reach);
        }
    }
    wiring.fail();
    Ok(Wired { channels, terms, signals, reaches, banks })
}

/// Distance of the microphones from the plane at `z`.
fn nearest(bench: &Bench, z: f64) -> f64 {
    bench.array.standoff - z
}

/// Complex amplitude of every line and field at every microphone, by grid index, as a fraction of full scale.
fn amplitudes(bench: &Bench, channels: &[Channel]) -> Vec<Vec<Complex<f64>>> {
    let at = |(index, channel): (usize, &Channel)| {
        let position = bench.array.position(index as u32);
        let gain = channel.gain * SENSITIVITY;
        let lines = bench.scene.lines.iter().map(|line| line.pressure(position) * gain);
        lines.chain(bench.fields.iter().map(|field| field.pressure[index] * gain)).collect()
    };
    channels.par_iter().enumerate().map(at).collect()
}

/// Refuses the bench if the loudest channel would overload its modulator.
fn check_level(bench: &Bench, amplitudes: &[Vec<Complex<f64>>], channels: &[Channel]) -> Result<(), Error> {
    let own_noise =
        bench.settings.imperfections.noise_rms_fs() * NoiseBank::PEAK / NoiseBank::VARIANCE.sqrt();
    for (index, (lines, channel)) in amplitudes.iter().zip(channels).enumerate() {
        let gain = channel.gain.norm_sqr().sqrt() * SENSITIVITY;
        let place = bench.array.position(index as u32);
        let moving = bench.moving.iter().map(|m| m.peak(nearest(bench, m.path.z())) * gain);
        let tones: Vec<f64> = lines.iter().map(|a| a.norm_sqr().sqrt()).chain(moving).collect();
        let variance: f64 = bench.noises.iter().map(|n| (rms_at(n, place) * gain).powi(2)).sum();
        let sum = tones.iter().sum::<f64>() + 6.0 * variance.sqrt();
        let rms = (tones.iter().map(|a| a * a).sum::<f64>() / 2.0 + variance).sqrt();
        let clip = bench.overload_pa.map_or(f64::INFINITY, |pa| pa * gain);
        let sound = sum.min(6.0 * rms);
        let peak_fs = channel.offset_fs.abs() + own_noise + if sound > clip { clip } else { sound };
        // Amplitudes near the largest number can become NaN.
        if peak_fs > OVERLOAD_FS || peak_fs.is_nan() {
            return Err(Error::Overload { index, peak_fs, limit_fs: OVERLOAD_FS });
        }
    }
    Ok(())
}

/// rms pressure of a noise at a place.
fn rms_at(noise: &Noise, place: [f64; 3]) -> f64 {
    match noise.origin {
        Origin::Point { position, rms_pa_m } => rms_pa_m / offset(position, place).1,
        Origin::Flow { rms_pa } => rms_pa,
    }
}

/// The bank of the stream positions from `first` on, with its constant terms.
fn plain_bank(
    bench: &Bench,
    channels: &[Channel],
    amplitudes: &[Vec<Complex<f64>>],
    terms: usize,
    dither_seed: u32,
    noise_seeds: &mut SplitMix64,
    first: u32,
) -> Bank {
    let rms_fs = bench.settings.imperfections.noise_rms_fs();
    let noise = (rms_fs > 0.0).then(|| (NoiseBank::new(noise_seeds), rms_fs));
    let mut bank = Bank::new(terms, dither_seed.wrapping_add(first), noise);
    for (lane, index) in lanes(bench, first as usize / LANES).enumerate() {
        let (channel, lines) = (&channels[index], &amplitudes[index]);
        bank.connect(lane, channel.offset_fs, lines.iter().copied());
    }
    bank
}

/// Grid indices of a bank's lanes.
fn lanes(bench: &Bench, bank: usize) -> impl Iterator<Item = usize> {
    let layout = bench.array.layout;
    let first = (bank * LANES) as u32;
    (first..layout.channels()).take(LANES).filter_map(move |p| layout.index_of(p)).map(|index| index as usize)
}

/// The banks while what is not constant is connected.
struct Wiring<'a> {
    bench: &'a Bench,
    channels: &'a [Channel],
    banks: &'a mut [Bank],
    seeds: SplitMix64,
}

impl Wiring<'_> {
    /// Place and complex gain of every lane of a bank.
    fn ears(&self, bank: usize) -> Vec<([f64; 3], Complex<f64>)> {
        let ear =
            |index: usize| (self.bench.array.position(index as u32), self.channels[index].gain * SENSITIVITY);
        lanes(self.bench, bank).map(ear).collect()
    }

    fn clip(&mut self) {
        let Some(overload_pa) = self.bench.overload_pa else { return };
        for bank in 0..self.banks.len() {
            let mut limit = [OVERLOAD_FS; LANES];
            for (limit, (_, gain)) in limit.iter_mut().zip(self.ears(bank)) {
                *limit = overload_pa * gain.norm_sqr().sqrt();
            }
            self.banks[bank].clip(limit);
        }
    }

    fn connect_moving(&mut self, index: usize, first_term: usize, spacing: u64) {
        for bank in 0..self.banks.len() {
            let lanes = self.ears(bank);
            let feed =
                Feed::Moving { source: self.bench.moving[index], rate_hz: self.bench.rate_hz(), lanes };
            self.banks[bank].follow(Track::new(first_term, spacing, feed));
        }
    }

    /// Connects a noise; a point noise comes back as a signal, the `next` of all.
    fn connect_noise(
        &mut self,
        noise: &Noise,
        first_term: usize,
        spacing: u64,
        kernel: &Kernel,
        next: usize,
    ) -> Option<(Signal, Reach)> {
        let filter = noise.filter(self.bench.rate_hz());
        let seed = self.seeds.integer();
        match noise.origin {
            Origin::Flow { rms_pa } => {
                let mut seeds = SplitMix64::new(seed);
                for bank in 0..self.banks.len() {
                    let mut gains = Box::new([0.0; LANES]);
                    for (gain, (_, ear)) in gains.iter_mut().zip(self.ears(bank)) {
                        *gain = ear.norm_sqr().sqrt() as f32;
                    }
                    let feed =
                        Feed::Flow { bank: Box::new(FlowBank::new(&filter, rms_pa, &mut seeds)), gains };
                    self.banks[bank].follow(Track::new(first_term, spacing, feed));
                }
                None
            }
            Origin::Point { position, rms_pa_m } => {
                let delay = self.connect_point(position, rms_pa_m, first_term, spacing, kernel, next);
                let reach = Reach { spacing: spacing.cast_signed(), delay };
                let (first, _) = reach.knots(WARM_UP.wrapping_neg().cast_signed(), 0);
                Some((Signal::new(filter, seed, first), reach))
            }
        }
    }

    /// Connects all lanes to a point noise; returns the longest delay in knots.
    fn connect_point(
        &mut self,
        position: [f64; 3],
        rms_pa_m: f64,
        first_term: usize,
        spacing: u64,
        kernel: &Kernel,
        signal: usize,
    ) -> i64 {
        let low_rate = self.bench.rate_hz() / spacing as f64;
        let mut longest = 0.0f64;
        for bank in 0..self.banks.len() {
            let mut delay = |(place, gain): &([f64; 3], Complex<f64>)| {
                let (_, r) = offset(position, *place);
                let delay = r / SPEED_OF_SOUND * low_rate;
                longest = longest.max(delay);
                Delay::new(kernel, delay, rms_pa_m * gain.norm_sqr().sqrt() / r)
            };
            let lanes = self.ears(bank).iter().map(&mut delay).collect();
            self.banks[bank].follow(Track::new(first_term, spacing, Feed::Point { signal, lanes }));
        }
        longest.ceil() as i64
    }

    fn fail(&mut self) {
        let mut seeds = SplitMix64::new(self.seeds.integer());
        let faulty = self.bench.faulty();
        let rate = self.bench.rate_hz();
        for (bank, index) in self.banks.iter_mut().zip(0..) {
            let mask = |chosen: &[u32]| {
                let hit = |i: usize| u32::from(chosen.binary_search(&(i as u32)).is_ok());
                lanes(self.bench, index).enumerate().fold(0, |mask, (lane, i)| mask | hit(i) << lane)
            };
            let faults = self.bench.faults.iter().zip(&faulty).map(|(fault, chosen)| LaneFault {
                lanes: mask(chosen),
                trouble: fault.trouble,
                samples: fault.samples(rate),
            });
            let faults: Vec<LaneFault> = faults.filter(|f| f.lanes != 0).collect();
            bank.fail(faults, NoiseBank::new(&mut seeds));
        }
    }
}
