//! Wrong input: exit code 2, advice, and nothing left behind.

use super::bench::*;
use std::fs;

/// Arguments that are refused, and a part of the message.
type Case<'a> = (&'a [&'a str], &'a str);

/// Every case is refused and leaves nothing behind.
fn refused(common: &[&str], cases: &[Case<'_>]) {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    for (arguments, advice) in cases {
        let message = refuse(folder.path(), &[common, *arguments].concat());
        assert!(message.contains(advice), "{arguments:?}: {message}");
        assert_eq!(names(folder.path()), ["rec.sigmf-data", "rec.sigmf-meta"], "{arguments:?}");
    }
}

/// [`refused`], at bin 6.
fn refused_at_a_bin(cases: &[Case<'_>]) {
    refused(&[&COMMON[..], &["--bins", "6"]].concat(), cases);
}

#[test]
fn frequencies_off_the_band() {
    let huge = usize::MAX.to_string();
    let band = "183.1 to 17944.3 Hz";
    refused(
        &COMMON,
        &[
            (&["--frequency", "0"], band),
            (&["--frequency", "-1000"], band),
            (&["--frequency", "nan"], band),
            (&["--frequency", "1e300"], "--frequency 1e300"),
            (&["--frequency", "20000"], band),
            (&["--frequency", "9000"], "alias from 8575 Hz"),
            (&["--frequency", "1000", "--bins", "6"], "cannot be used with"),
            (&["--bins", "0"], "bins 1 to 98"),
            (&["--bins", "99"], "bins 1 to 98"),
            (&["--bins", "128", "--method", "bits"], "bins 1 to 127"),
            (&["--bins", &huge], "bins 1 to 98"),
            (&["--bins", "six"], "--bins"),
        ],
    );
}

#[test]
fn windows_beyond_the_recording() {
    let huge = usize::MAX.to_string();
    refused_at_a_bin(&[
        (&["--skip", "100"], "768 time samples before"),
        (&["--skip", "769"], "does not fit"),
        (&["--skip", &huge], "does not fit"),
        (&["--window", "1"], "does not fit"),
        (&["--window", &huge], "does not fit"),
        (&["--hop", "100"], "--animate"),
        (&["--animate", "--hop", "0"], "--hop 0"),
    ]);
    refused(
        &["pnah", "rec", "--standoff", "0.04", "--bins", "1"],
        &[
            (&["--samples", "0"], "multiple of 4"),
            (&["--samples", "1"], "multiple of 4"),
            (&["--samples", "3"], "multiple of 4"),
            (&["--samples", "1000"], "too short"),
            // 32 times as many time samples do not fit into 64 bits.
            (&["--samples", "1152921504606846976"], "too short"),
            (&["--samples", "18446744073709551612"], "too short"),
            (&["--samples", "100", "--method", "walsh"], "power of two"),
            // The default of 1024.
            (&[], "too short"),
        ],
    );
}

#[test]
fn chains_that_cannot_be() {
    let huge = usize::MAX.to_string();
    refused_at_a_bin(&[
        (&["--grid", "0"], "at least as large"),
        (&["--grid", "15"], "at least as large"),
        (&["--grid", "60000"], "smaller --grid"),
        (&["--grid", "1000000000"], "1000000000"),
        (&["--grid", &huge], "padded grid"),
        (&["--refine", "0"], "from 1 to 64"),
        (&["--refine", "1000000"], "from 1 to 64"),
        (&["--refine", &huge], "from 1 to 64"),
        (&["--coefficients", "10"], "--method walsh"),
        (&["--coefficients", "10", "--method", "bits"], "--method walsh"),
        (&["--method", "walsh", "--coefficients", "0"], "1 to 8192"),
        (&["--method", "walsh", "--coefficients", "1000000000"], "1 to 8192"),
        (&["--method", "fft"], "auto, nominal"),
        (&["--taper", "kaiser"], "hann"),
        (&["--pad", "lpbp:0"], "1 to 15"),
        (&["--pad", "lpbp:16"], "1 to 15"),
        (&["--pad", "plpbp:40"], "1 to 15"),
        (&["--pad", "zero:3"], "lpbp"),
        (&["--filter", "nonsense"], "50:0.3"),
        (&["--filter=-5:0.3"], "cutoff must be positive"),
        (&["--filter", "NaN:0.3"], "cutoff must be positive"),
        (&["--filter", "50:-1"], "not negative"),
        (&["--filter", "0:0"], "cutoff must be positive"),
        (&["--quantity", "loudness"], "intensity"),
    ]);
}

#[test]
fn places_that_cannot_be() {
    let every: Vec<String> = (0..MICROPHONES).map(|i| i.to_string()).collect();
    let every = every.join(",");
    refused_at_a_bin(&[
        (&["--temperature", "-300"], "above -273.15"),
        (&["--temperature", "nan"], "above -273.15"),
        (&["--speed-of-sound", "0"], "speed of sound"),
        (&["--speed-of-sound", "nan"], "speed of sound"),
        (&["--speed-of-sound", "-343"], "speed of sound"),
        (&["--dead", "5000"], "0 to 255"),
        (&["--dead", "x"], "auto"),
        (&["--dead", &every], "live microphones"),
        (&["--out", "rec.sigmf-meta"], "--out"),
        (&["--out", "rec.sigmf-meta/o"], "--out"),
        (&["--out", "/dev/null/o"], "--out"),
    ]);
    refused(
        &["pnah", "rec", "--samples", "256", "--bins", "6"],
        &[
            (&[], "--standoff"),
            (&["--standoff", "0"], "positive"),
            (&["--standoff", "-0.04"], "positive"),
            (&["--standoff", "nan"], "positive"),
            (&["--standoff", "inf"], "positive"),
            (&["--standoff", "1e308"], "100 m"),
            (&["--standoff", "1e-300"], "100 m"),
        ],
    );
    refused(
        &["pnah"],
        &[(&["--standoff", "0.04"], "RECORDING"), (&["gone", "--standoff", "1"], "no such file")],
    );
}

#[test]
fn wrong_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("few.toml", "rows = 4\ncols = 4\npitch_m = 0.02\n");
    write("nan.toml", "rows = 16\ncols = 16\npitch_m = nan\n");
    write("nan.xml", "<MicArray><pos x=\"nan\" y=\"0\" z=\"0\"/><pos x=\"0\" y=\"0\" z=\"0\"/></MicArray>");
    write("half.xml", "<MicArray><pos x=\"0\" y=\"0\" z=\"0\"/>");
    write("nan.csv", "channel,gain_db,phase_deg\ndefault,0,0\n3,nan,0\n");
    write("some.csv", "channel,gain_db,phase_deg\n3,0,0\n");
    write("some-c.toml", "[[channel]]\nchannel = 3\ngain_db = 0.0\nphase_deg = 0.0\n");
    write("nan-c.toml", "[default]\ngain_db = 0.0\nphase_deg = nan\n");
    let before = names(folder.path());
    for (arguments, advice) in [
        (["--array", "gone.xml"], "gone.xml"),
        (["--array", "nan.csv"], ".xml or .toml"),
        (["--array", "few.toml"], "16 microphones for the 256 channels"),
        (["--array", "nan.toml"], "pitch_m is NaN"),
        (["--array", "nan.xml"], "NaN"),
        (["--array", "half.xml"], "half.xml: line 1"),
        (["--calibration", "gone.csv"], "gone.csv"),
        (["--calibration", "nan.xml"], ".toml or .csv"),
        (["--calibration", "nan.csv"], "line 3: gain_db is NaN"),
        (["--calibration", "some.csv"], "channel 0 (one of 255) is missing"),
        (["--calibration", "some-c.toml"], "channel 0 (one of 255) is missing"),
        (["--calibration", "nan-c.toml"], "phase_deg is NaN"),
    ] {
        let message = refuse(folder.path(), &[&COMMON[..], &["--bins", "6"], &arguments].concat());
        assert!(message.contains(advice), "{arguments:?}: {message}");
        assert_eq!(names(folder.path()), before, "{arguments:?}");
    }
    // A microphone that is stuck must not be looked for in an array that is too small.
    record_with(folder.path(), 1, |row| row[31] |= 128);
    let message = refuse(folder.path(), &[&COMMON[..], &["--bins", "6", "--array", "few.toml"]].concat());
    assert!(message.contains("16 microphones for the 256 channels"), "{message}");
}

#[test]
fn recordings_without_sound_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let even = std::cell::Cell::new(false);
    let idle = |row: &mut [u8]| {
        even.set(!even.get());
        row.fill(if even.get() { 0x55 } else { 0xaa });
    };
    let none = |row: &mut [u8]| row.fill(0);
    let noise = std::cell::Cell::new(1u64);
    let noisy = |row: &mut [u8]| {
        for byte in row {
            noise.set(
                noise.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407),
            );
            *byte = (noise.get() >> 56) as u8;
        }
    };
    let refused = |change: &dyn Fn(&mut [u8]), arguments: &[&str], advice: &str| {
        record_with(folder.path(), 1, change);
        let message = refuse(folder.path(), &[&COMMON[..], arguments].concat());
        assert!(message.contains(advice), "{message}");
    };
    let no_tone = "no tone stands out";
    refused(&idle, &[], no_tone);
    refused(&idle, &["--bins", "6"], "silence at 1098.6 Hz");
    refused(&none, &[], "bits of no microphone change");
    refused(&none, &["--bins", "6"], "bits of no microphone change");
    refused(&noisy, &[], no_tone);
    assert_eq!(names(folder.path()), ["rec.sigmf-data", "rec.sigmf-meta"]);
}
