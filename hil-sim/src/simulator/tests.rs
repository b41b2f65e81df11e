//! The bits against the scene that made them.

use super::*;
use crate::Imperfections;
use crate::microphones::SENSITIVITY;
use crate::testing::{cis, magnitude};
use crate::{Line, Source};
use dsp_core::modulator::FULL_SCALE;
use dsp_core::pdm::TileLayout;
use num_complex::Complex;
use std::f64::consts::TAU;

mod features;

/// Largest modulator error inside its range, of full scale (tested in `dsp_core::modulator`).
const ERROR_FS: f64 = 9.0;

fn small_array() -> Array {
    Array { layout: TileLayout::new(8, 16, 8).unwrap(), ..Array::CAMERA }
}

fn tone(frequency_hz: f64, position: [f64; 3], amplitude: Complex<f64>) -> Scene {
    Scene { lines: vec![Line { frequency_hz, sources: vec![Source::Monopole { position, amplitude }] }] }
}

fn ideal() -> Settings {
    Settings { imperfections: Imperfections::default(), ..Settings::default() }
}

/// `samples` rows of a new simulator.
fn record(scene: &Scene, array: &Array, settings: &Settings, samples: usize) -> Vec<u8> {
    let mut simulator = Simulator::new(scene, array, settings).unwrap();
    let mut rows = vec![0; samples * simulator.row_bytes()];
    simulator.fill(&mut rows);
    assert_eq!(simulator.next_sample(), samples as u64);
    rows
}

/// The +-1 sequence at one stream position.
fn values(rows: &[u8], row_bytes: usize, position: usize) -> impl Iterator<Item = f64> {
    // Bit p % 32 of little-endian word p / 32 is bit p % 8 of byte p / 8.
    rows.chunks_exact(row_bytes)
        .map(move |row| f64::from(row[position / 8] >> (position % 8) & 1) * 2.0 - 1.0)
}

#[test]
fn bits_depend_on_the_seed_alone() {
    let array = small_array();
    let scene = Scene::demo();
    let settings = Settings::default();
    let whole = record(&scene, &array, &settings, 5000);
    assert_eq!(whole, record(&scene, &array, &settings, 5000));
    assert_ne!(whole, record(&scene, &array, &Settings { seed: 2, ..settings }, 5000));

    let mut simulator = Simulator::new(&scene, &array, &settings).unwrap();
    let mut cut = vec![0; whole.len()];
    let mut rest = &mut cut[..];
    for samples in [1, 0, 31, 700, 1024, 3, 2048, usize::MAX] {
        let (now, later) = rest.split_at_mut((samples.min(5000) * 16).min(rest.len()));
        simulator.fill(now);
        rest = later;
    }
    assert!(cut == whole, "the bits depend on how the calls are cut");

    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| record(&scene, &array, &settings, 5000)) == whole, "{threads} threads");
    }
}

#[test]
fn bits_are_the_same_on_every_machine() {
    // FNV-1a of 4096 rows; a change of any generator, of a sine's last bit or of the order of sums shows
    // here.
    let scene = tone(1234.5, [-0.05, 0.02, -0.03], Complex::new(0.06, 0.06));
    let rows = record(&scene, &small_array(), &Settings::default(), 4096);
    let hash =
        rows.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    assert_eq!(hash, 0xcc1d_f57b_cc42_0335, "{hash:#x}");
}

#[test]
fn mean_of_the_bits_is_the_offset() {
    let imperfections = Imperfections { offset_spread_fs: 0.05, ..Imperfections::default() };
    let settings = Settings { imperfections, ..Settings::default() };
    let array = small_array();
    let samples = 100_000;
    let simulator = Simulator::new(&Scene::default(), &array, &settings).unwrap();
    let rows = record(&Scene::default(), &array, &settings, samples);
    for position in 0..128 {
        let mean = values(&rows, 16, position).sum::<f64>() / samples as f64;
        let index = array.layout.index_of(position as u32).unwrap() as usize;
        // |mean y - mean x| <= 4 max|e| / T, and the input is rounded to 2^-20.
        let bound = 4.0 * ERROR_FS / samples as f64 + 0.5 / f64::from(FULL_SCALE);
        let error = (mean - simulator.channels()[index].offset_fs).abs();
        assert!(error < bound, "position {position}: {error:e}");
    }
}

/// Hann weights times exp(-j 2 pi f n), scaled so that a tone of f cycles a sample sums to its amplitude.
fn weights(samples: usize, frequency: f64) -> Vec<Complex<f64>> {
    let hann = |n: f64| 1.0 - (TAU * n / samples as f64).cos();
    let weight = |n: f64| cis(-TAU * frequency * n) * (hann(n) * 2.0 / samples as f64);
    (0..samples).map(|n| weight(n as f64)).collect()
}

fn amplitude(values: impl Iterator<Item = f64>, weights: &[Complex<f64>]) -> Complex<f64> {
    weights.iter().zip(values).map(|(w, y)| w * y).sum()
}

/// The most that a modulator can add to an amplitude: y - x is the second difference of e, so summed by parts
/// it is e against the second difference of the weights: |sum| <= max|e| * sum |w[n] - 2 w[n+1] + w[n+2]|.
fn error_bound(weights: &[Complex<f64>]) -> f64 {
    let zeros = &[Complex::ZERO; 2][..];
    let padded = [zeros, weights, zeros].concat();
    ERROR_FS * padded.windows(3).map(|w| magnitude(w[0] - w[1] * 2.0 + w[2])).sum::<f64>()
}

#[test]
fn tone_comes_back_with_amplitude_and_phase() {
    let (frequency_hz, samples) = (250.0, 60_000);
    let scene = tone(frequency_hz, [-0.05, 0.02, -0.03], Complex::new(0.06, 0.06));
    let array = small_array();
    let imperfections = Imperfections { gain_spread_db: 1.0, phase_spread: 0.1, ..Imperfections::default() };
    let settings = Settings { imperfections, ..Settings::default() };
    let simulator = Simulator::new(&scene, &array, &settings).unwrap();
    let rows = record(&scene, &array, &settings, samples);
    // Ten periods: the weights see neither the mean nor the mirror image. Rounding adds half a unit of 2^-20,
    // weighted by 2 at most, and f32 less than that.
    let weights = weights(samples, frequency_hz / 1.5e6);
    let bound = error_bound(&weights) + 2.0 / f64::from(FULL_SCALE);
    for position in [0, 31, 32, 77, 127] {
        let index = array.layout.index_of(position as u32).unwrap();
        let pressure = scene.lines[0].pressure(array.position(index));
        let expected = pressure * simulator.channels()[index as usize].gain * SENSITIVITY;
        let found = amplitude(values(&rows, 16, position), &weights);
        let error = magnitude(found - expected);
        println!("position {position}: {expected:.6} off by {error:.1e}, bound {bound:.1e}");
        assert!(
            error < bound && bound < 2e-3 * magnitude(expected),
            "{position}: {found} {expected} {bound:e}"
        );
    }
}

#[test]
fn noise_has_the_stated_level() {
    let imperfections = Imperfections { snr_db: Some(20.0), ..Imperfections::default() };
    let settings = Settings { imperfections, ..Settings::default() };
    let samples = 15_000;
    let rows = record(&Scene::default(), &small_array(), &settings, samples);
    // |sum y exp(-jwn)|^2 of white noise is N s^2 on average at every bin: 100 Hz apart, 1 to 4 kHz.
    let mut power = 0.0;
    let mut count = 0;
    for position in 0..16 {
        let y: Vec<f64> = values(&rows, 16, position * 8).collect();
        for bin in 10..40 {
            let w = TAU * f64::from(bin) / samples as f64;
            let sum: Complex<f64> = y.iter().enumerate().map(|(n, y)| cis(-w * n as f64) * y).sum();
            power += sum.norm_sqr();
            count += 1;
        }
    }
    // 1 Pa rms at -26 dBFS, 20 dB less, in 1/32 of the band. Six standard deviations of 480 exponential
    // values: 27 %. The modulator adds (2 pi 4e3/1.5e6)^4 = 8e-8 to s^2 = 4e-4, with e about 1.
    let expected = samples as f64 * (10f64.powf(-46.0 / 20.0) / 2f64.sqrt()).powi(2) * 32.0;
    let ratio = power / f64::from(count) / expected;
    assert!((ratio - 1.0).abs() < 6.0 / f64::from(count).sqrt(), "{ratio}");
}

#[test]
fn corner_source_is_loudest_at_its_stream_position() {
    let array = Array::CAMERA;
    let weights = weights(4000, 3000.0 / 1.5e6);
    for index in [0, 31, 992, 1023] {
        let [x, y, _] = array.position(index);
        let scene = tone(3000.0, [x, y, -0.01], 0.3.into());
        let rows = record(&scene, &array, &ideal(), 4000);
        let level = |position| magnitude(amplitude(values(&rows, 128, position), &weights));
        let levels: Vec<f64> = (0..1024).map(level).collect();
        let loudest = (0..1024).max_by(|&a: &usize, &b| levels[a].total_cmp(&levels[b])).unwrap();
        assert_eq!(Some(loudest as u32), array.layout.position_of(index));
    }
}

#[test]
fn last_word_may_be_partly_used() {
    let array = Array { layout: TileLayout::new(2, 20, 2).unwrap(), ..Array::CAMERA };
    let rows = record(&tone(250.0, [0.0, 0.0, -0.03], 0.1.into()), &array, &ideal(), 6000);
    assert_eq!(rows.len(), 6000 * 5);
    let weights = weights(6000, 250.0 / 1.5e6);
    let (level, bound) = (magnitude(amplitude(values(&rows, 5, 39), &weights)), error_bound(&weights));
    assert!(level > 2.0 * bound, "{level} {bound}");
}

#[test]
fn overload_is_refused_with_the_peak() {
    let [x, y, _] = Array::CAMERA.position(40);
    // 1 m in front: A/r = 30 Pa is 30 * 10^(-26/20) / sqrt 2 = 1.063 of full scale.
    let loud = tone(1000.0, [x, y, -0.96], 30.0.into());
    let error = Simulator::new(&loud, &Array::CAMERA, &ideal()).unwrap_err();
    let Error::Overload { peak_fs, limit_fs, .. } = error else { panic!("{error}") };
    assert!(limit_fs == OVERLOAD_FS && (0.7..=1.0632).contains(&peak_fs), "{peak_fs}");
    assert!(error.to_string().contains("multiply the scene's level by"), "{error}");
    let quieter = tone(1000.0, [x, y, -0.96], 19.7.into());
    assert!(Simulator::new(&quieter, &Array::CAMERA, &ideal()).is_ok());
    for amplitude in [1e300, f64::MAX] {
        let error = Simulator::new(&tone(1000.0, [x, y, -0.01], amplitude.into()), &Array::CAMERA, &ideal());
        assert!(matches!(error, Err(Error::Overload { .. })));
    }
}

#[test]
fn bad_bit_rates_are_refused() {
    for bit_rate_hz in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let settings = Settings { bit_rate_hz, ..Settings::default() };
        let error = Simulator::new(&Scene::default(), &Array::CAMERA, &settings).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "bit rate", .. }), "{error}");
    }
}
