//! What a bench has beyond stationary tones: motion, noise, fields, clipping, faults, clock.

use super::*;
use crate::clock::Clock;
use crate::faults::{Chosen, Fault, Trouble};
use crate::field::Field;
use crate::moving::{Moving, Path};
use crate::noise::{Noise, Origin};
use std::f64::consts::PI;

fn quiet() -> Bench {
    Bench::new(Scene::default(), small_array(), ideal())
}

fn run(bench: &Bench, samples: usize) -> Vec<u8> {
    let mut simulator = Simulator::of(bench).unwrap();
    let mut rows = vec![0; samples * simulator.row_bytes()];
    simulator.fill(&mut rows);
    rows
}

fn index_at(position: usize) -> u32 {
    small_array().layout.index_of(position as u32).unwrap()
}

fn circling(turns_per_s: f64) -> Moving {
    let path = Path::Circle { centre: [0.0, 0.0, -0.03], radius: 0.05, turns_per_s, start_turns: 0.2 };
    Moving { frequency_hz: 1000.0, amplitude: Complex::new(0.06, 0.06), path }
}

fn busy() -> Bench {
    let noise = |origin| Noise { band_hz: [200.0, 3000.0], origin };
    let fault = |trouble, from_s, to_s| Fault { chosen: Chosen::Fraction(0.1), trouble, from_s, to_s };
    Bench {
        moving: vec![circling(20.0)],
        noises: vec![
            noise(Origin::Point { position: [0.1, 0.0, -0.1], rms_pa_m: 0.02 }),
            noise(Origin::Flow { rms_pa: 0.1 }),
        ],
        overload_pa: Some(10.0),
        faults: vec![
            fault(Trouble::Idle, 1e-4, 2.3e-3),
            fault(Trouble::Noisy { rms_pa: 1.0 }, 5e-4, 1e-3),
            fault(Trouble::Saturated { gain_db: 40.0 }, 0.0, 1.1e-3),
        ],
        clock: Clock { drift_ppm: 100.0, jitter_s: 1e-9, restarts: Vec::new() },
        settings: Settings::default(),
        ..quiet()
    }
}

#[test]
fn bits_of_a_busy_bench_depend_on_the_seed_alone() {
    let bench = busy();
    let whole = run(&bench, 5000);
    assert!(whole == run(&bench, 5000));
    let mut simulator = Simulator::of(&bench).unwrap();
    let mut cut = vec![0; whole.len()];
    let mut rest = &mut cut[..];
    for samples in [1, 31, 0, 700, 1024, 3, 2048, 5000] {
        let (now, later) = rest.split_at_mut((samples * 16).min(rest.len()));
        simulator.fill(now);
        rest = later;
    }
    assert!(cut == whole, "the bits depend on how the calls are cut");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert!(pool.install(|| run(&bench, 5000)) == whole);
    let settings = Settings { seed: 2, ..bench.settings };
    assert!(run(&Bench { settings, ..bench }, 5000) != whole);
}

/// Level of a tone of `cycles` a sample in one channel, with the modulators' bound.
fn level(rows: &[u8], position: usize, cycles: f64) -> (Complex<f64>, f64) {
    let weights = weights(rows.len() / 16, cycles);
    let bound = error_bound(&weights) + 4.0 / f64::from(FULL_SCALE);
    (amplitude(values(rows, 16, position), &weights), bound)
}

#[test]
fn source_that_does_not_move_is_the_static_one() {
    let moving = circling(0.0);
    let bench = Bench { moving: vec![moving], ..quiet() };
    let rows = run(&bench, 30_000);
    let monopole = Source::Monopole { position: moving.path.at(0.0).0, amplitude: moving.amplitude };
    for position in [0, 40, 127] {
        let (found, bound) = level(&rows, position, 1000.0 / 1.5e6);
        let expected = monopole.pressure(1000.0, bench.array.position(index_at(position))) * SENSITIVITY;
        assert!(magnitude(found - expected) < bound, "{found} {expected} {bound:e}");
    }
}

#[test]
fn receding_source_is_heard_lower() {
    // Along the line of flight the Mach number towards the microphone is nearly constant: M cos(angle) with the
    // source 30 m away and 7 cm beside the line.
    let path = Path::Straight { start: [30.0, 0.0, -0.03], velocity: [17.15, 0.0] };
    let moving = vec![Moving { frequency_hz: 2100.0, amplitude: 60.0.into(), path }];
    // Without the overload point it would be too loud where it passes the array.
    let bench = Bench { moving, overload_pa: Some(10.0), ..quiet() };
    let rows = run(&bench, 60_000);
    // 2100 / 1.05 = 2000 Hz. In 40 ms the distance grows by 2 %; to first order that cancels in a symmetric
    // window, and the second order is 1e-4.
    let (heard, bound) = level(&rows, 0, 2000.0 / 1.5e6);
    let expected = magnitude(bench.moving[0].envelope(bench.array.position(index_at(0)), 0.02)) * SENSITIVITY;
    assert!((magnitude(heard) / expected - 1.0).abs() < 1e-3 + bound / expected, "{heard} {expected}");
    // Four bins away Hann leaves nothing of a steady tone, and less than the 2 % of one that fades by them.
    assert!(magnitude(level(&rows, 0, 2100.0 / 1.5e6).0) < 0.02 * expected + bound);
}

#[test]
fn field_is_heard_as_it_was_given() {
    let pressure: Vec<_> = (0..128).map(|i| cis(f64::from(i)) * 0.5).collect();
    let field = Field { frequency_hz: 500.0, pressure: pressure.clone() };
    let rows = run(&Bench { fields: vec![field], ..quiet() }, 30_000);
    for position in [3, 77, 126] {
        let (found, bound) = level(&rows, position, 500.0 / 1.5e6);
        let expected = pressure[index_at(position) as usize] * SENSITIVITY;
        assert!(magnitude(found - expected) < bound, "{found} {expected} {bound:e}");
    }
}

#[test]
fn drift_moves_the_tone() {
    let bench = Bench {
        scene: tone(1000.0, [0.0, 0.0, -0.03], 0.1.into()),
        clock: Clock { drift_ppm: 10_000.0, ..Clock::default() },
        ..quiet()
    };
    // A clock that is 1 % fast sees 1000 Hz at 1000/1.01 of its own count; two bins of 150000 samples away
    // from 1000 Hz is nothing left.
    let rows = run(&bench, 303_000);
    let expected = bench.scene.lines[0].pressure(bench.array.position(index_at(0))) * SENSITIVITY;
    let (found, bound) = level(&rows, 0, 1000.0 / (1.5e6 * 1.01));
    assert!(magnitude(found - expected) < bound, "{found} {expected}");
    assert!(magnitude(level(&rows, 0, 1010.0 / (1.5e6 * 1.01)).0) < 2.0 * bound);
}

#[test]
fn overload_clips_the_sound() {
    // 3 Pa of field at 1.5 Pa of overload: the fundamental of a clipped sine is
    // (2/pi) (A asin(c/A) + c sqrt(1 - (c/A)^2)).
    let field = Field { frequency_hz: 500.0, pressure: vec![3.0.into(); 128] };
    let bench = Bench { fields: vec![field.clone()], overload_pa: Some(1.5), ..quiet() };
    let rows = run(&bench, 30_000);
    let (a, c) = (3.0f64, 1.5f64);
    let expected = 2.0 / PI * (a * (c / a).asin() + c * (1.0 - (c / a).powi(2)).sqrt()) * SENSITIVITY;
    let (found, bound) = level(&rows, 9, 500.0 / 1.5e6);
    assert!((found.re - expected).abs() < bound && found.im.abs() < bound, "{found} {expected} {bound:e}");
    // A scene that is too loud for the modulators is accepted once the microphones clip it.
    let loud = Field { pressure: vec![300.0.into(); 128], ..field };
    let bench = Bench { fields: vec![loud], ..bench };
    assert!(Simulator::of(&bench).is_ok());
    assert!(Simulator::of(&Bench { overload_pa: None, ..bench }).is_err());
}

/// A bench on which microphone `index` fails from sample 1000 to 3000, and one on which it does not.
fn failing(index: u32, trouble: Trouble) -> [Bench; 2] {
    let fault =
        Fault { chosen: Chosen::List(vec![index]), trouble, from_s: 1000.0 / 1.5e6, to_s: 3000.0 / 1.5e6 };
    let well = Bench { scene: tone(1000.0, [0.0, 0.0, -0.03], 0.1.into()), ..quiet() };
    [Bench { faults: vec![fault], ..well.clone() }, well]
}

#[test]
fn dead_microphones_send_their_pattern_and_come_back() {
    let position = 77;
    type Pattern = fn(usize) -> f64;
    let patterns: [(Trouble, Pattern); 3] = [
        (Trouble::Zero, |_| -1.0),
        (Trouble::One, |_| 1.0),
        (Trouble::Idle, |n| if n % 2 == 0 { -1.0 } else { 1.0 }),
    ];
    for (trouble, pattern) in patterns {
        let [ill, well] = failing(index_at(position), trouble).map(|bench| run(&bench, 4000));
        for other in 0..128 {
            let pairs = values(&ill, 16, other).zip(values(&well, 16, other));
            for (n, (ill, well)) in pairs.enumerate() {
                let expected = if other == position && (1000..3000).contains(&n) { pattern(n) } else { well };
                assert_eq!(ill, expected, "{trouble:?}, position {other}, sample {n}");
            }
        }
    }
}

#[test]
fn offset_noise_and_saturation_show_while_they_last() {
    let position = 77;
    let of = |trouble| failing(index_at(position), trouble).map(|bench| run(&bench, 4000));
    let mean = |rows: &[u8], range: std::ops::Range<usize>| {
        let n = range.len() as f64;
        values(rows, 16, position).skip(range.start).take(range.len()).sum::<f64>() / n
    };
    let [ill, well] = of(Trouble::Offset { offset_fs: 0.25 });
    // |mean y - mean x| <= 4 max|e| / T on either side.
    let step = mean(&ill, 1000..3000) - mean(&well, 1000..3000);
    assert!((step - 0.25).abs() < 8.0 * ERROR_FS / 2000.0, "{step}");
    assert!(values(&ill, 16, position).take(1000).eq(values(&well, 16, position).take(1000)));
    for trouble in [Trouble::Noisy { rms_pa: 3.0 }, Trouble::Saturated { gain_db: 60.0 }] {
        let [ill, well] = of(trouble);
        assert!(values(&ill, 16, position).take(1000).eq(values(&well, 16, position).take(1000)));
        assert!(
            !values(&ill, 16, position)
                .skip(1000)
                .take(2000)
                .eq(values(&well, 16, position).skip(1000).take(2000))
        );
        assert!(values(&ill, 16, position + 1).eq(values(&well, 16, position + 1)));
    }
    // Saturated by 60 dB, a tone of 1 Pa spends all its time at +-0.7 of full scale: half a period, 750 samples.
    let [ill, _] = of(Trouble::Saturated { gain_db: 60.0 });
    let (low, high) = (mean(&ill, 1100..1700), mean(&ill, 1850..2450));
    // |mean y - mean x| <= 4 max|e| / T.
    let bound = 4.0 * ERROR_FS / 600.0;
    assert!((low.abs() - OVERLOAD_FS).abs() < bound && (low + high).abs() < 2.0 * bound, "{low} {high}");
}

/// Spectra of a channel at bins of 100 Hz from 1 to 3 kHz, averaged over pieces of 10 ms.
fn cross(rows: &[u8], a: usize, b: usize, turn: &dyn Fn(f64) -> Complex<f64>) -> (Complex<f64>, f64, f64) {
    let (mut ab, mut aa, mut bb) = (Complex::ZERO, 0.0, 0.0);
    for piece in rows.chunks_exact(16 * 15_000) {
        for bin in 10..=30 {
            let f = f64::from(bin) * 100.0;
            let weights = weights(15_000, f / 1.5e6);
            let [x, y] = [a, b].map(|p| amplitude(values(piece, 16, p), &weights));
            ab += x * y.conj() * turn(f);
            aa += x.norm_sqr();
            bb += y.norm_sqr();
        }
    }
    (ab / (aa * bb).sqrt(), aa, bb)
}

#[test]
fn point_noise_is_coherent_with_the_right_delay_and_flow_noise_is_not() {
    let position = [0.3, 0.0, -0.05];
    let origin = Origin::Point { position, rms_pa_m: 0.3 };
    let bench = Bench { noises: vec![Noise { band_hz: [500.0, 4000.0], origin }], ..quiet() };
    let rows = run(&bench, 15_000 * 6);
    let (a, b) = (0, 127);
    let r = [a, b].map(|p| {
        let [x, y, z] = bench.array.position(index_at(p));
        ((x - 0.3).powi(2) + y * y + (z + 0.05).powi(2)).sqrt()
    });
    let turn = |f: f64| cis(TAU * f * (r[0] - r[1]) / 343.0);
    let (coherence, aa, bb) = cross(&rows, a, b, &turn);
    // The pieces of the two channels are 0.9 ms apart in the signal and 10 ms long: a Hann window's own
    // correlation at 9 % of its length is 1 - 0.5 (2 pi 0.09)^2 / 3 = 0.95. Of 63 independent values the estimate
    // is off by (1 - 0.9) / sqrt(2 * 63) = 0.9 %: two standard deviations below, five beside.
    assert!(coherence.re > 0.93 && coherence.im.abs() < 0.05, "{coherence} {r:?}");
    // Powers of 63 independent values with a coherence squared of 0.9 differ by sqrt(2 * 0.1 / 63) = 5.6 %, so
    // their roots by 2.8 %; five standard deviations.
    let ratio = (aa / bb).sqrt() * r[0] / r[1];
    assert!((ratio - 1.0).abs() < 0.15, "{ratio}");

    let noises = vec![Noise { band_hz: [500.0, 4000.0], origin: Origin::Flow { rms_pa: 0.5 } }];
    let rows = run(&Bench { noises, ..quiet() }, 15_000 * 6);
    let (coherence, aa, _) = cross(&rows, a, b, &|_| Complex::ONE);
    // 126 values, of which Hann makes neighbours alike: 6 / sqrt(126 / 2).
    assert!(magnitude(coherence) < 0.75, "{coherence}");
    // Power in 100 Hz bins: S^2 0.25 Pa^2 spread over 3500 Hz; the amplitude's mean square at a bin of width
    // 1.5 * 100 Hz (Hann) is twice that. Six standard deviations of 63 exponential values: 75 %.
    let expected = 126.0 * 2.0 * 150.0 / 3500.0 * 0.25 * SENSITIVITY * SENSITIVITY;
    assert!((0.25..1.75).contains(&(aa / expected)), "{}", aa / expected);
}
