//! The default chain measured with tones and noise, against theory and against what the README promises.

use dsp_core::cic::Cic;
use dsp_core::decimator::{
    self, CIC_RATE, DELAY_BITS, Decimator, FIR_RATE, FULL_SCALE, RATE, SETTLING, TAP_BITS, TAPS,
};
use dsp_core::fir::{Delay, Direct, Fir};
use dsp_core::modulator::{self, Dither, SecondOrder};
use dsp_core::pdm::TimeWord;
use pipeline::signal::filter_design::{Design, Specification, rust_source};
use std::f64::consts::TAU;
use tests::tone_amplitude;

const BIT_RATE: f64 = 1.5e6;
const PASS_HZ: f64 = 18e3;
/// Outputs of a measurement; a tone must fit a whole number of times: multiples of 46875 / 2048 Hz at the output.
const OUTPUTS: usize = 2048;

fn design() -> Design {
    Design::with_taps(Specification::DEFAULT, TAPS.to_vec())
}

/// The nearest frequency to `f` that fits the measurement, Hz.
fn fitting(f: f64) -> f64 {
    let step = BIT_RATE / (RATE * OUTPUTS) as f64;
    (f / step).round() * step
}

/// Gain of the chain for a tone at `f`, measured: 25-bit samples through the very CIC and the very taps.
///
/// The tone is rounded to integers of amplitude 2^24, an error of 0.29 / 2^24 rms: -155 dB. The FIR runs in f64.
fn measured_gain(f: f64) -> f64 {
    let settled = OUTPUTS + SETTLING;
    let input: Vec<i32> = (0..RATE * settled)
        .map(|t| ((TAU * (f * t as f64 / BIT_RATE).fract()).cos() * f64::from(1 << 24)).round() as i32)
        .collect();
    let mut middle = vec![0i64; input.len() / CIC_RATE];
    let _ = Cic::<i64, 5, CIC_RATE, 1>::new().process(&input, &mut middle);
    let scale = Cic::<i64, 5, CIC_RATE, 1>::GAIN as f64 * f64::from(1 << 24);
    let middle: Vec<f64> = middle.iter().map(|&x| x as f64 / scale).collect();
    let taps = TAPS.map(|h| f64::from(h) / f64::from(1 << TAP_BITS));
    let fir = Fir::<f64, Direct, { TAPS.len() }>::new(taps, FIR_RATE, 0).unwrap();
    let mut samples = vec![f64::NAN; settled];
    let _ = fir.process(&mut Delay::new(), &middle, &mut samples);
    // Whatever it folds to, the tone's frequency in cycles an output is the same modulo 1.
    tone_amplitude(&samples[SETTLING..], f * RATE as f64 / BIT_RATE).norm()
}

fn db(x: f64) -> f64 {
    20.0 * x.log10()
}

#[test]
fn flat_to_a_hundredth_of_a_decibel_up_to_18_khz() {
    let design = design();
    assert!(design.ripple_db() <= 0.01, "theory: {} dB", design.ripple_db());
    for f in (1..=36).map(|i| fitting(f64::from(i) * PASS_HZ / 36.0)) {
        let gain = measured_gain(f);
        assert!(db(gain).abs() <= 0.01, "{f} Hz: {} dB", db(gain));
        // The input's rounding is 155 dB down: 1e-7 relative at a gain of 1 leaves a factor of five.
        assert!((gain - design.response(f).abs()).abs() < 1e-7, "{f} Hz");
    }
}

#[test]
fn everything_that_folds_below_18_khz_is_95_db_down() {
    let design = design();
    assert!(design.alias_rejection_db() >= 95.0, "theory: {} dB", design.alias_rejection_db());
    let output_rate = BIT_RATE / RATE as f64;
    let mut worst = 0.0f64;
    for image in 1..=RATE / 2 {
        for offset in [-PASS_HZ, -0.6 * PASS_HZ, 0.3 * PASS_HZ, PASS_HZ] {
            let f = fitting(image as f64 * output_rate + offset);
            if f < BIT_RATE / 2.0 {
                let gain = measured_gain(f);
                assert!((gain - design.response(f).abs()).abs() < 1e-7, "{f} Hz");
                worst = worst.max(gain);
            }
        }
    }
    assert!(db(worst) <= -95.0, "measured: {} dB", db(worst));
}

/// Why the default is not a CIC of order 4 by 16: its first fold-over into the band is only 52 dB down.
#[test]
fn order_4_by_16_would_not_do() {
    let s = Specification { cic_order: 4, cic_rate: 16, fir_rate: 2, ..Specification::DEFAULT };
    let rejection = -db(s.cic_response(BIT_RATE / 16.0 - PASS_HZ).abs());
    assert!((51.0..53.0).contains(&rejection), "{rejection} dB");
}

/// Bits of a tone from the second-order modulator, and the variance of its quantisation error (full scale 1).
fn modulated(f: f64, amplitude: f64, words: usize) -> (Vec<TimeWord>, f64) {
    let mut modulator = SecondOrder::default();
    let mut dither = Dither::new(12345, modulator::DITHER_BITS);
    let full_scale = f64::from(modulator::FULL_SCALE);
    let (mut errors, mut t) = (0.0, 0);
    let bits = (0..words)
        .map(|_| {
            TimeWord((0..32).fold(0, |word, bit| {
                let x = amplitude * full_scale * (TAU * (f * f64::from(t) / BIT_RATE).fract()).cos();
                t += 1;
                let one = modulator.step(x.round() as i32, dither.step());
                errors += (f64::from(modulator.errors().0) / full_scale).powi(2);
                word | u32::from(one) << bit
            }))
        })
        .collect();
    (bits, errors / f64::from(t))
}

/// The bits' own tone and noise come through as linear theory says.
#[test]
fn one_bit_tone_and_in_band_noise() {
    const SAMPLES: usize = 16384;
    let step = BIT_RATE / (RATE * SAMPLES) as f64;
    let f = (1000.0 / step).round() * step;
    let (words, error_variance) = modulated(f, 0.5, SAMPLES + SETTLING);
    let mut codes = vec![0; words.len()];
    let _ = Decimator::new().process(&words, &mut codes);
    let x: Vec<f64> = codes[SETTLING..].iter().map(|&c| f64::from(c) / f64::from(FULL_SCALE)).collect();

    // Tone: amplitude and phase, referred to the instant that output n stands for.
    let amplitude = tone_amplitude(&x, f * RATE as f64 / BIT_RATE);
    let first = (RATE * SETTLING + RATE - 1) as f64 - DELAY_BITS;
    let response = design().response(f);
    let expected = num_complex::Complex::from_polar(0.5 * response, TAU * (f * first / BIT_RATE).fract());

    // Noise: error of variance v, shaped by |1 - z^-1|^4 and by the chain; one-sided density 2 v |..|^4 / f_s.
    let design = design();
    let density = |f: f64| {
        let shaping = (2.0 * (TAU * f / BIT_RATE / 2.0).sin()).powi(4);
        2.0 * error_variance / BIT_RATE * shaping * design.response(f).powi(2)
    };
    let (mut predicted, mut measured, mut bins) = (0.0, 0.0, 0.0f64);
    // The tone and its neighbours stay out; the window passes 1.5 bins of noise, and a sine's power is half its amplitude squared.
    for k in (800..(PASS_HZ / step) as usize).step_by(5) {
        let f = k as f64 * step;
        predicted += density(f) * 1.5 * step;
        measured += tone_amplitude(&x, f * RATE as f64 / BIT_RATE).norm_sqr() / 2.0;
        bins += 1.0;
    }
    // A bin's power is exponentially distributed, with a deviation equal to its mean. The density rises as f^4, so the
    // sum is that of about n/4 equal bins: a relative deviation of 1/sqrt(n/4), of which 4 are allowed. An error that
    // follows the tone is not white; 0.5 dB is what its lines may add.
    let clearance = 10.0 * (1.0 + 4.0 / (bins / 4.0).sqrt()).log10() + 0.5;
    let off = 10.0 * (measured / predicted).log10();
    assert!(off.abs() < clearance, "noise {off:.2} dB off theory, allowed {clearance:.2}");
    // The tone's own bin holds noise of density(f), 5 sigma, and whatever part of the error follows the tone: at most
    // all of its power in one line, shaped by |1 - z^-1|^2.
    let sigma = (density(f) * 1.5 * step).sqrt();
    let coherent = (2.0 * (TAU * f / BIT_RATE / 2.0).sin()).powi(2) * (2.0 * error_variance).sqrt();
    let difference = (amplitude - expected).norm();
    assert!(difference < 5.0 * sigma + coherent, "tone {amplitude} instead of {expected}");
}

#[test]
fn the_taps_in_dsp_core_are_those_of_the_designer() {
    let design = Design::new(Specification::DEFAULT).unwrap();
    let source = include_str!("../../../dsp-core/src/decimator/default_taps.rs");
    assert_eq!(rust_source(&design, "nearfield filter"), source, "run `nearfield filter` and copy filter.rs");
    assert_eq!(design.delay_bits(), DELAY_BITS);
    assert_eq!(decimator::TAPS.to_vec(), design.taps);
}
