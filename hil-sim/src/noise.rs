//! Broadband noise: from a point, coherent over the microphones, or of the flow at each microphone alone.
//!
//! ```text
//! point   p_c(t) = s(t - r_c/c) / r_c      one signal s, delayed and weakened by the distance r_c
//! flow    p_c(t) = s_c(t)                  independent signals
//! ```
//!
//! White noise at a low rate, bit rate / K, goes through a linear-phase band-pass filter; the signal between
//! its samples is what a short kernel makes of them. K is the largest power of two that leaves the band below
//! 1/8 of the low rate, so that every delay and every bit-rate sample is right to 1e-4 of the
//! signal (twice the kernel's error: once for the delay, once between the knots).
//!
//! The filter has [`FILTER_TAPS`] taps under a Kaiser window for 60 dB. Its edges are
//! [`FILTER_EDGE`] of the low rate wide, which is between 0.13 and 0.26 of the upper limit; the band's limits
//! lie in the middle of the edges, where the amplitude is half.
//!
//! A microphone's gain applies to noise by its magnitude; its phase spread does not.
//!
//! # Cost
//! Eight multiply-adds a channel and bit, and for flow noise [`FILTER_TAPS`] more a channel and low-rate
//! sample.

use dsp_core::modulator::LANES;
use std::collections::VecDeque;

use crate::interpolation::{KERNEL_BAND, Kernel, TAPS, kaiser};
use crate::phase::{from_turns, phasor};
use crate::random::NoiseBank;
use numerics::random::SplitMix64;

/// Taps of the band-pass filter.
pub const FILTER_TAPS: usize = 255;

/// Width of the filter's edges, over the low rate.
pub const FILTER_EDGE: f64 = 0.0143;

/// Kaiser's shape for 60 dB.
const FILTER_BETA: f64 = 5.65;

/// Largest K: a low rate of 1.5 kHz for the camera.
const MAX_SPACING: u64 = 1024;

/// One noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Lower and upper limit of the band in hertz.
    pub band_hz: [f64; 2],
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a noise comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Origin {
    /// A point source.
    Point {
        /// Where it is.
        position: [f64; 3],
        /// Pressure times distance, rms, in pascal metres.
        rms_pa_m: f64,
    },
    /// Turbulence at the microphones, independent from one to the next.
    Flow {
        /// Pressure, rms, in pascal.
        rms_pa: f64,
    },
}

impl Noise {
    /// Samples between two knots.
    pub fn spacing(&self, rate_hz: f64) -> u64 {
        // The upper edge's own half belongs to the band.
        let most = (KERNEL_BAND - 0.5 * FILTER_EDGE) * rate_hz / self.band_hz[1];
        1 << (most as u64).clamp(1, MAX_SPACING).ilog2()
    }

    /// The band-pass filter, scaled so that white noise of variance 1 comes out with variance 1.
    pub fn filter(&self, rate_hz: f64) -> Vec<f64> {
        let low_rate = rate_hz / self.spacing(rate_hz) as f64;
        let half = (FILTER_TAPS / 2) as f64;
        let tap = |i: usize| {
            let m = i as f64 - half;
            let [low, high] = self.band_hz.map(|f| low_pass(f / low_rate, m));
            (high - low) * kaiser(m / (half + 1.0), FILTER_BETA)
        };
        let taps: Vec<f64> = (0..FILTER_TAPS).map(tap).collect();
        let power = taps.iter().map(|h| h * h).sum::<f64>().sqrt();
        taps.iter().map(|h| h / power).collect()
    }
}

/// Impulse response of the ideal low-pass filter at `m`, for a limit of `f` cycles a sample.
fn low_pass(f: f64, m: f64) -> f64 {
    if m == 0.0 { 2.0 * f } else { phasor(from_turns(f * m)).im / (std::f64::consts::PI * m) }
}

/// The signal of a point noise at the low rate, as far as it is needed: variance 1.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    filter: Vec<f64>,
    random: SplitMix64,
    /// The last white values, earliest first.
    white: VecDeque<f64>,
    /// Number of the first sample kept.
    first: i64,
    samples: VecDeque<f64>,
}

impl Signal {
    /// A signal that begins with low-rate sample `first`.
    pub fn new(filter: Vec<f64>, seed: u64, first: i64) -> Self {
        let mut random = SplitMix64::new(seed);
        let white = (1..filter.len()).map(|_| random.normal()).collect();
        Self { filter, random, white, first, samples: VecDeque::new() }
    }

    /// Makes all samples up to and with `last`, and forgets those before `from`.
    pub fn cover(&mut self, from: i64, last: i64) {
        while self.first + (self.samples.len() as i64) <= last {
            self.white.push_back(self.random.normal());
            let sample = self.filter.iter().zip(&self.white).map(|(h, w)| h * w).sum();
            self.white.pop_front();
            self.samples.push_back(sample);
        }
        while self.first < from && !self.samples.is_empty() {
            self.samples.pop_front();
            self.first += 1;
        }
    }

    /// The samples from `first` on, weighted; samples that are not kept count as 0.
    pub fn weighted(&self, first: i64, weights: &[f64; TAPS]) -> f64 {
        let sample = |i: i64| usize::try_from(i - self.first).ok().and_then(|i| self.samples.get(i));
        weights.iter().zip(first..).map(|(w, i)| w * sample(i).copied().unwrap_or(0.0)).sum()
    }
}

/// How one microphone hears a point noise: a fixed delay and gain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delay {
    /// Low-rate samples from a knot back to the first one that is weighted.
    back: i64,
    weights: [f64; TAPS],
}

impl Delay {
    /// A delay in low-rate samples.
    pub fn new(kernel: &Kernel, delay: f64, gain: f64) -> Self {
        // knot - delay = knot - back + 3 + u.
        let whole = delay.ceil();
        let back = whole as i64 + (TAPS as i64 / 2 - 1);
        Self { back, weights: kernel.weights(whole - delay).map(|w| w * gain) }
    }

    /// The delayed signal at a knot.
    pub fn at(&self, signal: &Signal, knot: i64) -> f64 {
        signal.weighted(knot - self.back, &self.weights)
    }
}

/// Flow noise of 32 channels at the low rate.
#[derive(Clone, Debug)]
pub(crate) struct FlowBank {
    filter: Vec<f32>,
    random: NoiseBank,
    /// The last white values, a ring.
    white: Vec<[f32; LANES]>,
    oldest: usize,
}

impl FlowBank {
    /// Noise with the spectrum of `filter` and variance `rms` squared, of full scale.
    pub fn new(filter: &[f64], rms: f64, seeds: &mut SplitMix64) -> Self {
        let scale = rms / NoiseBank::VARIANCE.sqrt();
        let mut bank = Self {
            filter: filter.iter().map(|h| (h * scale) as f32).collect(),
            random: NoiseBank::new(seeds),
            white: vec![[0.0; LANES]; filter.len()],
            oldest: 0,
        };
        for row in &mut bank.white {
            bank.random.add(1.0, row);
        }
        bank
    }

    /// The next low-rate sample of all channels.
    #[inline(always)]
    pub fn step(&mut self, out: &mut [f32; LANES]) {
        if let Some(row) = self.white.get_mut(self.oldest) {
            *row = [0.0; LANES];
            self.random.add(1.0, row);
        }
        self.oldest = (self.oldest + 1) % self.white.len();
        let (newer, older) = self.white.split_at(self.oldest);
        *out = [0.0; LANES];
        for (h, row) in self.filter.iter().zip(older.iter().chain(newer)) {
            for (out, white) in out.iter_mut().zip(row) {
                *out += h * white;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cis, magnitude};
    use num_complex::Complex;
    use std::f64::consts::TAU;

    const RATE: f64 = 1.5e6;

    fn band(low: f64, high: f64) -> Noise {
        Noise { band_hz: [low, high], origin: Origin::Flow { rms_pa: 1.0 } }
    }

    #[test]
    fn filter_passes_the_band_and_stops_the_rest() {
        for noise in [band(0.0, 500.0), band(800.0, 3000.0), band(2000.0, 20_000.0)] {
            let spacing = noise.spacing(RATE);
            let low_rate = RATE / spacing as f64;
            assert!(noise.band_hz[1] / low_rate < KERNEL_BAND && spacing.is_power_of_two());
            let taps = noise.filter(RATE);
            let response = |f: f64| {
                let sum: Complex<f64> =
                    taps.iter().enumerate().map(|(i, h)| cis(-TAU * f / low_rate * i as f64) * h).sum();
                magnitude(sum)
            };
            let middle = response((noise.band_hz[0] + noise.band_hz[1]) / 2.0);
            let half_edge = 0.5 * FILTER_EDGE * low_rate;
            for i in 0..1000 {
                let f = low_rate / 2.0 * f64::from(i) / 1000.0;
                let [low, high] = noise.band_hz;
                let ratio = response(f) / middle;
                // 60 dB: a ripple of 1e-3, both edges' together 2e-3, the reference's own once more.
                if (low == 0.0 || f > low + half_edge) && f < high - half_edge {
                    assert!((ratio - 1.0).abs() < 4e-3, "{noise:?} {f}: {ratio}");
                } else if f > high + half_edge || f < low - half_edge {
                    assert!(ratio < 3e-3, "{noise:?} {f}: {ratio}");
                }
            }
        }
    }

    #[test]
    fn delays_are_right_to_the_kernels_error() {
        // A tone in place of the noise shows the delay itself.
        let kernel = Kernel::new();
        let f = 0.1;
        let mut signal = Signal::new(vec![1.0], 1, -40);
        signal.samples = (-40..40).map(|n| (TAU * f * f64::from(n)).cos()).collect();
        for i in 0..200 {
            let delay = 0.137 * f64::from(i);
            let found = Delay::new(&kernel, delay, 2.0).at(&signal, 3);
            let expected = 2.0 * (TAU * f * (3.0 - delay)).cos();
            assert!((found - expected).abs() < 2.0 * crate::interpolation::KERNEL_ERROR, "{delay}");
        }
    }

    #[test]
    fn signal_has_variance_1_and_does_not_depend_on_the_cuts() {
        let filter = band(500.0, 4000.0).filter(RATE);
        let make = || Signal::new(filter.clone(), 7, -100);
        let (mut a, mut b) = (make(), make());
        a.cover(-100, 60_000);
        b.cover(-100, 10);
        b.cover(-50, 60_000);
        assert_eq!(a.samples.range(50..).collect::<Vec<_>>(), b.samples.iter().collect::<Vec<_>>());
        let power = a.samples.iter().map(|s| s * s).sum::<f64>() / a.samples.len() as f64;
        // The band is 3500 Hz of 23.4 kHz: 60000 * 0.3 independent values; six standard deviations of the
        // estimate, sqrt(2/n).
        assert!((power - 1.0).abs() < 6.0 * (2.0f64 / 18_000.0).sqrt(), "{power}");
    }

    #[test]
    fn flow_noise_has_its_level_and_is_independent() {
        let filter = band(500.0, 4000.0).filter(RATE);
        let mut bank = FlowBank::new(&filter, 0.25, &mut SplitMix64::new(3));
        let (mut power, mut cross, n) = (0.0, 0.0, 20_000);
        for _ in 0..n {
            let mut row = [0.0; LANES];
            bank.step(&mut row);
            let row = row.map(f64::from);
            power += row.iter().map(|x| x * x).sum::<f64>() / LANES as f64;
            cross += row[3] * row[17];
        }
        let n = f64::from(n);
        // As above with 0.3 n independent values in each of 32 channels.
        assert!((power / n / 0.0625 - 1.0).abs() < 6.0 * (2.0 / (0.3 * n * 32.0)).sqrt(), "{}", power / n);
        assert!((cross / n / 0.0625).abs() < 6.0 / (0.3 * n).sqrt(), "{}", cross / n);
    }
}
