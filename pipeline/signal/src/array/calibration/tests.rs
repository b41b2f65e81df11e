use hil_sim::microphones::SENSITIVITY;
use numerics::random::SplitMix64;
use std::f64::consts::TAU;

use super::*;
use crate::array::testing::{TOKENS, wounded};

const TOML: &str = "sensitivity_dbfs = -36.5\ndead = [2]\n[[channel]]\nchannel = 1\ngain_db = -1.5\nphase_deg = 12\n\
    delay_s = 2e-6\n[[channel]]\nchannel = 0\ngain_db = 0.25\nphase_deg = -3.5\n";
const DEFAULT: &str = "[default]\ngain_db = 0.5\nphase_deg = 1\n";
const CSV: &str = "# measured at 1 kHz\n\nchannel, gain_db, phase_deg, delay_s\n1,-1.5,12,2e-6 # second\n\
    0,0.25,-3.5,0\n2,dead,,\n";

#[test]
fn toml_and_csv_say_the_same() {
    let toml = Calibration::parse_toml(TOML, 3).unwrap();
    let csv = Calibration::parse_csv(CSV, 3).unwrap().with_sensitivity(-36.5).unwrap();
    assert_eq!(toml, csv);
    assert_eq!(toml.response(1), Some(Response { gain_db: -1.5, phase_deg: 12.0, delay_s: 2e-6 }));
    assert!(!toml.live(2) && !toml.live(3));
    let rest = Response { gain_db: 0.5, phase_deg: 1.0, delay_s: 0.0 };
    let toml = Calibration::parse_toml(&format!("{TOML}{DEFAULT}"), 5).unwrap();
    let csv = Calibration::parse_csv(&format!("{CSV}default,0.5,1,0"), 5).unwrap();
    assert!([toml, csv].iter().all(|c| c.response(4) == Some(rest) && !c.live(2)));
}

/// Rounding: a handful of operations on numbers near one.
const ROUNDING: f64 = 1e-14;

#[test]
fn correcting_undoes_what_the_simulator_does() {
    let frequency = 1234.5;
    let calibration = Calibration::parse_csv(&format!("{CSV}default,0.5,1,0"), 4).unwrap();
    assert!((calibration.full_scale_per_pascal() / SENSITIVITY - 1.0).abs() < ROUNDING);
    let pressure = Complex::new(0.3, -0.7);
    // The gain of channel 1 written out: -1.5 dB, 12 degrees, and 2 us at the frequency.
    let turns = 12.0 / 360.0 - frequency * 2e-6;
    let gain = Complex::from_polar(10f64.powf(-0.075), TAU * turns);
    let mut bins = vec![pressure * SENSITIVITY; 4];
    bins[1] *= gain;
    calibration.apply(frequency, &mut bins).unwrap();
    assert!((bins[1] - pressure).norm() < ROUNDING);
    assert!(bins[2].is_nan(), "a dead channel is not a silent one");
    assert!((bins[3] * calibration.response(3).unwrap().at(frequency) - pressure).norm() < ROUNDING);
}

#[test]
fn one_pascal_has_the_level_of_the_sensitivity() {
    let one = Calibration::ideal(1).with_sensitivity(-26.0).unwrap();
    let peak = one.full_scale_per_pascal() * 2f64.sqrt();
    assert!((20.0 * peak.log10() + 26.0).abs() < 1e-12);
}

#[test]
fn faults_are_named() {
    let faults: [(&str, String, usize, &str); 16] = [
        ("toml", TOML.into(), 5, "channel 3 (one of 2) is missing"),
        ("toml", TOML.into(), 2, "dead: the channel is 2; it must be below 2"),
        (
            "toml",
            TOML.replace("channel = 0", "channel = 1"),
            3,
            "[[channel]] number 2: the channel is 1 again",
        ),
        ("toml", TOML.replace("-1.5", "nan"), 3, "[[channel]] number 1: gain_db is NaN"),
        ("toml", TOML.replace("-1.5", "-inf"), 3, "gain_db is -inf"),
        ("toml", TOML.replace("-1.5", "41"), 3, "gain_db is 41; it must be between -40 and 40 dB"),
        ("toml", TOML.replace("-36.5", "nan"), 3, "sensitivity_dbfs is NaN"),
        ("toml", TOML.replace("gain_db = -1.5\n", ""), 3, "gain_db"),
        ("toml", TOML.replace("dead", "death"), 3, "line 2, column 1"),
        ("csv", CSV.replace("-1.5", "nan"), 3, "line 4: gain_db is NaN"),
        ("csv", CSV.replace("2e-6", "2"), 3, "line 4: delay_s is 2"),
        ("csv", CSV.replace("-3.5", "x"), 3, "line 5: phase_deg is \"x\""),
        ("csv", CSV.replace("2,dead,,", "2,dead,,1"), 3, "line 6: a column after `dead`"),
        ("csv", CSV.replace("2,dead,,", "2,0,0"), 3, "line 6: the number of columns is 3"),
        ("csv", CSV.replace("phase_deg", "phase"), 3, "line 3: the header is channel,gain_db,phase,delay_s"),
        ("csv", "# nothing".into(), 3, "the header is missing"),
    ];
    for (format, text, channels, expected) in faults {
        let parse = if format == "toml" { Calibration::parse_toml } else { Calibration::parse_csv };
        let message = parse(&text, channels).expect_err(&text).to_string();
        assert!(message.contains(expected), "{message:?} does not say {expected:?}");
    }
    let length = Calibration::ideal(3).apply(0.0, &mut [Complex::<f32>::ONE]).unwrap_err().to_string();
    assert_eq!(length, "the hologram has 1 values; it must have 3");
}

#[test]
fn files_by_their_ending() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gains.csv");
    std::fs::write(&path, CSV).unwrap();
    assert_eq!(Calibration::from_file(&path, 3).unwrap(), Calibration::parse_csv(CSV, 3).unwrap());
    let message = Calibration::from_file(&path, 4).unwrap_err().to_string();
    assert!(message.contains("gains.csv: channel 3 (one of 1) is missing"), "{message}");
    let message = Calibration::from_file(Path::new("gains.xml"), 4).unwrap_err().to_string();
    assert!(message.contains(".toml or .csv"), "{message}");
}

/// 2e5 wounded texts: never a panic, what is accepted is sound, and both outcomes are common.
fn fuzz(text: &str, parse: fn(&str, usize) -> Result<Calibration, Error>) {
    const CASES: usize = 200_000;
    let mut random = SplitMix64::new(11);
    let mut accepted = 0;
    for _ in 0..CASES {
        match parse(&wounded(text, TOKENS, &mut random), 4) {
            Ok(calibration) => {
                accepted += 1;
                for (channel, factor) in calibration.correction(1e3).iter().enumerate() {
                    let size = factor.norm() * calibration.full_scale_per_pascal();
                    assert_eq!(calibration.live(channel), (0.00999..100.1).contains(&size));
                }
            }
            Err(error) => assert!((10..2000).contains(&error.to_string().len()), "{error}"),
        }
    }
    assert!(accepted > CASES / 50 && accepted < CASES * 9 / 10, "{accepted} of {CASES} accepted");
}

#[test]
fn wounded_toml() {
    fuzz(&format!("{TOML}{DEFAULT}"), Calibration::parse_toml);
}

#[test]
fn wounded_csv() {
    fuzz(&format!("{CSV}default,0,0,0\n"), Calibration::parse_csv);
}
