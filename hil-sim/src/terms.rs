//! The phasors of all terms, sample after sample: what the channels of all banks share.
//!
//! | term | phasor at sample n |
//! |---|---|
//! | line or field | exp(jw t_n) |
//! | knot i of a moving source | weight of the cubic, times exp(jw t_n) |
//! | knot i of a noise | weight of the kernel |
//!
//! The clock's drift is in the oscillators' frequencies, its jitter turns every phasor and shifts every
//! weight.

use num_complex::Complex;

use crate::bench::Bench;
use crate::clock::Jitter;
use crate::interpolation::{Kernel, TAPS, cubic};
use crate::moving::KNOTS;
use crate::oscillator::Oscillator;
use crate::phase::{from_turns, phasor};

/// An oscillator with its frequency in hertz.
#[derive(Clone, Debug)]
struct Tone {
    oscillator: Oscillator,
    frequency_hz: f64,
}

/// All terms of a bench.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Lines, then fields.
    constant: Vec<Tone>,
    /// Moving sources with their knots' spacing.
    moving: Vec<(Tone, i64)>,
    /// Spacing of the noises' knots.
    noises: Vec<i64>,
    kernel: Kernel,
    jitter: Option<Jitter>,
    rate_hz: f64,
    /// Jitter of the block, in seconds.
    late: Vec<f64>,
    phasors: Vec<[f32; 2]>,
}

impl Terms {
    /// The terms of a checked bench; `spacings` are those of its moving sources and its noises.
    pub fn new(bench: &Bench, moving: &[u64], noises: &[u64], kernel: Kernel, seed: u64) -> Self {
        let rate_hz = bench.rate_hz();
        let tone =
            |frequency_hz: f64| Tone { oscillator: Oscillator::new(frequency_hz / rate_hz), frequency_hz };
        let lines = bench.scene.lines.iter().map(|line| line.frequency_hz);
        let constant = lines.chain(bench.fields.iter().map(|field| field.frequency_hz)).map(tone).collect();
        let sources = bench.moving.iter().zip(moving);
        Self {
            constant,
            moving: sources.map(|(m, &spacing)| (tone(m.frequency_hz), spacing.cast_signed())).collect(),
            noises: noises.iter().map(|s| s.cast_signed()).collect(),
            kernel,
            jitter: Jitter::new(bench.clock.jitter_s, seed),
            rate_hz,
            late: Vec::new(),
            phasors: Vec::new(),
        }
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.first_noise() + TAPS * self.noises.len()
    }

    /// The first term of moving source 0.
    pub fn first_moving(&self) -> usize {
        self.constant.len()
    }

    /// The first term of noise 0.
    pub fn first_noise(&self) -> usize {
        self.constant.len() + KNOTS * self.moving.len()
    }

    /// The phasors of `count` samples from `first` on, sample after sample.
    pub fn write(&mut self, first: i64, count: usize) -> &[[f32; 2]] {
        let terms = self.len();
        self.phasors.resize(count * terms, [0.0; 2]);
        if let Some(jitter) = &mut self.jitter {
            jitter.draw(count, &mut self.late);
        }
        let Self { late, phasors, .. } = self;
        for (term, tone) in self.constant.iter().enumerate() {
            let slots = phasors.iter_mut().skip(term).step_by(terms);
            for (slot, value) in slots.zip(tone.phasors(first, late)) {
                *slot = [value.re as f32, value.im as f32];
            }
        }
        let samples = || phasors_at(first, late, self.rate_hz).take(count);
        for (i, (tone, spacing)) in self.moving.iter().enumerate() {
            let term = self.constant.len() + KNOTS * i;
            let rows = phasors.chunks_exact_mut(terms).zip(samples());
            for ((row, (n, shift)), value) in rows.zip(tone.phasors(first, late)) {
                for (slot, w) in row[term..].iter_mut().zip(cubic(place(n, shift, *spacing))) {
                    *slot = [(value.re * w) as f32, (value.im * w) as f32];
                }
            }
        }
        for (i, spacing) in self.noises.iter().enumerate() {
            let term = self.constant.len() + KNOTS * self.moving.len() + TAPS * i;
            for (row, (n, shift)) in phasors.chunks_exact_mut(terms).zip(samples()) {
                for (slot, w) in row[term..].iter_mut().zip(self.kernel.weights(place(n, shift, *spacing))) {
                    *slot = [w as f32, 0.0];
                }
            }
        }
        &self.phasors
    }
}

/// Sample numbers with their jitter in samples.
fn phasors_at(first: i64, late: &[f64], rate_hz: f64) -> impl Iterator<Item = (i64, f64)> {
    (first..).zip(late.iter().map(move |j| j * rate_hz).chain(std::iter::repeat(0.0)))
}

/// Place between two knots, 0 .. 1, of a shifted sample.
fn place(n: i64, shift: f64, spacing: i64) -> f64 {
    (n.rem_euclid(spacing) as f64 + shift) / spacing as f64
}

impl Tone {
    /// Phasors from sample `first` on, turned by the jitter; `late` is empty or has one value a sample.
    fn phasors<'a>(&'a self, first: i64, late: &'a [f64]) -> impl Iterator<Item = Complex<f64>> {
        let turns = late.iter().map(|j| Some(phasor(from_turns(self.frequency_hz * j))));
        let plain = self.oscillator.phasors(first.cast_unsigned());
        plain.zip(turns.chain(std::iter::repeat(None))).map(|(value, turn)| turn.map_or(value, |t| value * t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::source::Source;
    use crate::{Array, Line, Scene, Settings};

    #[test]
    fn jitter_turns_the_phasors_by_its_rms() {
        let source = Source::Monopole { position: [0.0, 0.0, -1.0], amplitude: 1.0.into() };
        let scene = Scene { lines: vec![Line { frequency_hz: 40_000.0, sources: vec![source] }] };
        let plain = Bench::new(scene, Array::CAMERA, Settings::default());
        let clock = Clock { jitter_s: 1e-8, ..Clock::default() };
        let jittery = Bench { clock, ..plain.clone() };
        let [plain, jittery] = [plain, jittery].map(|bench| {
            let mut terms = Terms::new(&bench, &[], &[], Kernel::new(), 5);
            terms.write(-1000, 50_000).to_vec()
        });
        let turn = |([a, b], [c, d]): (&[f32; 2], &[f32; 2])| f64::from(a * d - b * c);
        let power = plain.iter().zip(&jittery).map(turn).map(|x| x * x).sum::<f64>() / 50_000.0;
        // 2 pi 40 kHz 10 ns; six standard deviations of an rms estimate, 6 / sqrt(2 n) = 1.9 %.
        let expected = std::f64::consts::TAU * 40_000.0 * 1e-8;
        assert!((power.sqrt() / expected - 1.0).abs() < 0.019, "{} {expected}", power.sqrt());
    }
}
