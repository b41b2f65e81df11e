use numerics::random::SplitMix64;

use super::*;
use crate::array::Grid;
use crate::array::testing::{below, draw, field, monopole, plate, pressure, scatter};

const GRID: Grid = Grid { rows: 32, cols: 32, pitch_m: 0.02, centre_m: [0.0; 2] };

fn places() -> Vec<[f64; 2]> {
    (0..GRID.len()).map(|index| GRID.point(index)).collect()
}

fn accused(fields: &[Field], holograms: &[Complex<f64>]) -> Vec<usize> {
    let found = suspects(&places(), &[true; 1024], fields, holograms).unwrap();
    found.iter().map(|suspect| suspect.channel).collect()
}

/// The median and the median absolute deviation of the square root of an exponential variable.
#[test]
fn constants_solve_their_equations() {
    assert!(((-MEDIAN * MEDIAN).exp() - 0.5).abs() < 1e-15);
    let inside = (-(MEDIAN - DEVIATION).powi(2)).exp() - (-(MEDIAN + DEVIATION).powi(2)).exp();
    assert!((inside - 0.5).abs() < 1e-15);
}

/// A monopole 7 cm from the array, in the middle and at a corner, and a plate with nodal lines; ideal, and
/// with errors of 1 %, which the model expects, and 3 %, which it does not.
#[test]
fn sound_microphones_are_not_accused() {
    let mut random = SplitMix64::new(1);
    for source in [monopole(0.033, -0.047), monopole(0.31, 0.31), plate()] {
        for frequency in [220.0, 1000.0, 4000.0] {
            let ideal = pressure(&source, frequency, &places());
            for rms in [0.0, 0.01, 0.01, 0.03, 0.03] {
                let mut hologram = ideal.clone();
                scatter(&mut hologram, rms, &mut random);
                assert_eq!(
                    accused(&[field(frequency)], &hologram),
                    [0; 0],
                    "{source:?} {frequency} Hz {rms}"
                );
            }
        }
    }
}

/// Noise of the same level everywhere, 30 dB below the loudest microphone, drowns the quiet ones.
#[test]
fn additive_noise_is_not_held_against_quiet_microphones() {
    let mut random = SplitMix64::new(7);
    for (source, frequency) in [(monopole(0.2, -0.2), 1000.0), (plate(), 1600.0)] {
        let ideal = pressure(&source, frequency, &places());
        let loudest = ideal.iter().map(|value| value.norm()).fold(0.0, f64::max);
        for _ in 0..5 {
            let noise = |value: &Complex<f64>| {
                value + Complex::new(random.normal(), random.normal()) * loudest * 0.0316 / 2f64.sqrt()
            };
            let hologram: Vec<_> = ideal.iter().map(noise).collect();
            assert_eq!(accused(&[field(frequency)], &hologram), [0; 0], "{source:?}");
        }
    }
}

/// Ten broken microphones anywhere in 1024: nearly silent, 3 dB too loud, 26 dB too loud and inverted, noise.
#[test]
fn broken_microphones_are_found_and_no_others() {
    let mut random = SplitMix64::new(2);
    let ideal = [440.0, 2000.0].map(|f| pressure(&monopole(0.033, -0.047), f, &places()));
    let loudness = ideal[0][500].norm();
    for kind in 0..4 {
        let mut broken = draw(&mut random, 10, 1024);
        broken.sort_unstable();
        let mut holograms = Vec::new();
        for mut hologram in ideal.clone() {
            scatter(&mut hologram, 0.01, &mut random);
            for &channel in &broken {
                hologram[channel] = match kind {
                    0 => hologram[channel] * 1e-6,
                    1 => hologram[channel] * 1.41,
                    2 => hologram[channel] * -20.0,
                    _ => Complex::new(random.normal(), random.normal()) * loudness,
                };
            }
            holograms.extend(hologram);
        }
        assert_eq!(accused(&[field(440.0), field(2000.0)], &holograms), broken, "kind {kind}");
    }
}

/// One in twenty spoils nearly every neighbourhood; still all are found.
#[test]
fn fifty_noisy_microphones_do_not_hide_each_other() {
    let mut random = SplitMix64::new(3);
    let mut hologram = pressure(&monopole(0.033, -0.047), 1000.0, &places());
    let loudness = hologram[500].norm();
    scatter(&mut hologram, 0.01, &mut random);
    let mut broken = draw(&mut random, 50, 1024);
    broken.sort_unstable();
    for &channel in &broken {
        hologram[channel] = Complex::new(random.normal(), random.normal()) * loudness;
    }
    assert_eq!(accused(&[field(1000.0)], &hologram), broken);
}

#[test]
fn reasons_are_given_and_dead_channels_are_not_judged() {
    let mut hologram = pressure(&monopole(0.0, 0.0), 500.0, &places());
    hologram[3] = Complex::ZERO;
    hologram[700] = Complex::new(0.0, f64::NAN);
    hologram[800] *= 2.0;
    hologram[900] = Complex::new(f64::INFINITY, 0.0);
    let mut live = [true; 1024];
    live[900] = false;
    let found = suspects(&places(), &live, &[field(500.0)], &hologram).unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0], Suspect { channel: 3, reason: Reason::Zero });
    assert_eq!(found[1], Suspect { channel: 700, reason: Reason::NotFinite });
    match found[2] {
        Suspect { channel: 800, reason: Reason::Outlier { disagreement, threshold } } => {
            assert!(disagreement > threshold && threshold > 3.7);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_wrong_model_is_an_error_not_a_list() {
    let mut random = SplitMix64::new(6);
    let silence = suspects(&places(), &[true; 1024], &[field(500.0)], &[Complex::ZERO; 1024]);
    assert!(matches!(silence, Err(Error::TooManySuspects { found: 1024, live: 1024 })));
    let mut shuffled = pressure(&monopole(0.0, 0.0), 2000.0, &places());
    (1..1024).for_each(|n| shuffled.swap(n, below(&mut random, n)));
    // Noise is judged by noise: either nothing stands out, or too much does, but a few must not be blamed.
    match suspects(&places(), &[true; 1024], &[field(2000.0)], &shuffled) {
        Ok(found) => assert!(found.is_empty(), "{}", found.len()),
        Err(error) => assert!(matches!(error, Error::TooManySuspects { .. })),
    }
    let short = suspects(&places(), &[true; 1024], &[field(500.0)], &[Complex::ONE; 1023]);
    assert!(matches!(short, Err(Error::Length { .. })));
}

#[test]
fn bits_that_never_change_are_found() {
    let layout = TileLayout::CAMERA;
    let mut random = SplitMix64::new(4);
    let mut rows: Vec<u8> = (0..128 * 64).map(|_| random.integer() as u8).collect();
    let stuck = [(0, true), (17, false), (500, true), (1023, false)];
    for row in rows.chunks_exact_mut(128) {
        for (channel, high) in stuck {
            let position = layout.position_of(channel).unwrap() as usize;
            row[position / 8] &= !(1 << (position % 8));
            row[position / 8] |= u8::from(high) << (position % 8);
        }
    }
    rows.push(0); // the beginning of another time sample
    // 64 random bits are all equal with probability 2^-63.
    assert_eq!(stuck_bits(&rows, &layout), [0, 17, 500, 1023]);
    assert_eq!(stuck_bits(&rows[..100], &layout), [0; 0]);
}
