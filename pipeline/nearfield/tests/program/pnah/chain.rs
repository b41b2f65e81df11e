//! The options of the chain from bits to the source plane, against one another and against the truth.

use super::bench::*;
use pipeline::files::npz;

#[test]
fn both_planes_come_nearer_to_the_truth() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    for (direction, z) in [(None, 0.0), (Some("--forward"), 0.08)] {
        let arguments: Vec<&str> = ["--bins", "6,12"].into_iter().chain(direction).collect();
        let found = pnah(folder.path(), "o", &arguments);
        let fields = found.measured.chunks(MICROPHONES).zip(found.source.chunks(MICROPHONES));
        for (tone, (measured, result)) in fields.enumerate() {
            let (before, after) = (distance(&truth(tone, z), measured), distance(&truth(tone, z), result));
            // The rest is what a filter must lose and what lies beyond the aperture.
            assert!(after < 0.5 * before, "z = {z}, tone {tone}: from {before} to {after}");
        }
    }
}

#[test]
fn frequencies_and_bins_and_the_strongest_tones_agree() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let bins = pnah(folder.path(), "a", &["--bins", "6,12"]);
    // Each is nearer to its bin than to any other.
    let frequencies = pnah(folder.path(), "b", &["--frequency", "1020,2280"]);
    assert_eq!(bins.source, frequencies.source);
    let tones = pnah(folder.path(), "c", &[]);
    assert_eq!(bins.source, tones.source);
    assert_eq!(tones.summary["settings"]["bins"], serde_json::json!(BINS));
}

#[test]
fn every_way_from_bits_to_bins_sees_the_same() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let dot = pnah(folder.path(), "dot", &["--bins", "6", "--method", "dot"]);
    // A delay of one bit would turn the phase by 4.6e-3.
    let exact = 1e-3;
    // Without a window, and behind a mean, the noise of one-bit conversion folds in; a delay of half a decimated sample,
    // 16 bits, would still show: 7.4e-2.
    let noisy = 5e-2;
    for method in ["auto", "nominal", "average", "walsh", "bits"] {
        for taper in ["hann", "none"] {
            let found = pnah(folder.path(), "o", &["--bins", "6", "--method", method, "--taper", taper]);
            let tolerance = if taper == "hann" && method != "average" { exact } else { noisy };
            let error = difference(&dot.measured, &found.measured);
            assert!(error < tolerance, "{method}, {taper}: {error}");
            assert_eq!(found.summary["settings"]["taper"], taper);
        }
    }
}

#[test]
fn all_walsh_coefficients_are_exact_and_a_few_are_near() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let bits = pnah(folder.path(), "o", &["--bins", "6", "--method", "bits"]);
    let walsh = pnah(folder.path(), "o", &["--bins", "6", "--method", "walsh"]);
    // The same sum of 8192 bits, up to the rounding of f32: 2^-24 sqrt(8192).
    assert!(difference(&bits.measured, &walsh.measured) < 5.4e-6);
    // Ten coefficients are a staircase, which other sounds enter too.
    let few = pnah(folder.path(), "o", &["--bins", "6", "--method", "walsh", "--coefficients", "10"]);
    let error = difference(&bits.measured, &few.measured);
    assert!((0.01..0.2).contains(&error), "{error}");
    assert_eq!(few.summary["settings"]["coefficients"], 10);
}

#[test]
fn linear_prediction_beats_zeros() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let error = |pad| {
        let found = pnah(folder.path(), "o", &["--bins", "6", "--filter", "50:0.3", "--pad", pad]);
        distance(&truth(0, 0.0), &found.source)
    };
    let zero = error("zero");
    for pad in ["lpbp", "lpbp:4", "plpbp", "plpbp:4"] {
        // On the camera's scenes a factor of 20.5/9.1.
        let predicted = error(pad);
        assert!(predicted < 0.5 * zero, "{pad}: {predicted}, zero: {zero}");
    }
}

#[test]
fn filters_are_those_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let run = |filter| {
        let found = pnah(folder.path(), "o", &["--bins", "6", "--filter", filter]);
        let value = |name| npz::read_real(folder.path().join("o/pnah.npz"), name).unwrap().0[0];
        (value("cutoff"), value("slope"), distance(&truth(0, 0.0), &found.source))
    };
    let (cutoff, slope, fixed) = run("50:0.3");
    assert_eq!((cutoff, slope), (50.0, 0.3));
    let (cutoff, slope, none) = run("none");
    assert_eq!((cutoff, slope), (f64::INFINITY, 0.0));
    assert!(none > 5.0 * fixed, "without a filter noise is all there is: {none}");
    for filter in ["auto", "lcurve"] {
        let (cutoff, _, error) = run(filter);
        // From the wavenumber of the sound to the corner of k-space.
        assert!((20.0..222.0).contains(&cutoff), "{filter}: {cutoff}");
        // Neither knows the truth; the fixed one is the thesis's, found by hand on such scenes.
        assert!(error < 1.5 * fixed, "{filter}: {error}, fixed: {fixed}");
    }
}

#[test]
fn grid_and_air_are_those_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let plain = pnah(folder.path(), "o", &["--bins", "6"]);
    assert_eq!(plain.summary["settings"]["speed_of_sound"], 343.0);
    for (option, value, setting, expected) in [
        ("--grid", "40", "grid", serde_json::json!([40, 40])),
        ("--temperature", "0", "speed_of_sound", 331.3.into()),
        ("--speed-of-sound", "350", "speed_of_sound", 350.0.into()),
    ] {
        let found = pnah(folder.path(), "o", &["--bins", "6", option, value]);
        assert_eq!(found.summary["settings"][setting], expected);
        // Another result, but neither a narrower border nor a wavenumber 4 % off makes another field of it.
        let change = distance(&plain.source, &found.source);
        assert!(change > 1e-4 && change < 0.1, "{option}: {change}");
    }
}

#[test]
fn a_finer_grid_passes_through_the_microphones() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let coarse = pnah(folder.path(), "a", &["--bins", "6", "--precision", "f64"]);
    let fine = pnah(folder.path(), "b", &["--bins", "6", "--precision", "f64", "--refine", "3"]);
    assert_eq!(fine.shape, [1, 3 * SIDE, 3 * SIDE]);
    let every_third: Vec<_> =
        fine.source.chunks(3 * SIDE).step_by(3).flat_map(|row| row.iter().step_by(3).copied()).collect();
    // Both are sums of the same 48 x 48 waves in f64.
    assert!(distance(&coarse.source, &every_third) < 1e-12);
    let x = npz::read_real(folder.path().join("b/pnah.npz"), "x_m").unwrap().0;
    assert!((x[0] + 0.15).abs() < 1e-12 && (x[3] - x[0] - 0.02).abs() < 1e-12, "{x:?}");
}

#[test]
fn windows_follow_one_another() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 3);
    let second = pnah(folder.path(), "a", &["--bins", "6", "--window", "1"]);
    let skip = (HISTORY + WINDOW).to_string();
    let skipped = pnah(folder.path(), "b", &["--bins", "6", "--skip", &skip]);
    assert_eq!(second.source, skipped.source);
    let first = pnah(folder.path(), "c", &["--bins", "6"]);
    assert_ne!(first.source, second.source);
    // Bits need nothing before the window.
    let bits = pnah(folder.path(), "d", &["--bins", "6", "--skip", "0", "--method", "bits"]);
    assert_eq!(bits.summary["settings"]["first_time_sample"], 0);
}

#[test]
fn threads_change_nothing_and_precision_little() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let one = pnah(folder.path(), "a", &["--bins", "6,12", "--threads", "1"]);
    let two = pnah(folder.path(), "b", &["--bins", "6,12", "--threads", "2"]);
    assert_eq!(one.source, two.source);
    let double = pnah(folder.path(), "c", &["--bins", "6,12", "--precision", "f64"]);
    assert_eq!(double.summary["settings"]["precision"], "f64");
    // Roundings of 6e-8, amplified by the way back and by linear prediction, ten times each at most.
    let error = difference(&double.source, &one.source);
    assert!(error > 0.0 && error < 1e-5, "{error}");
}

#[test]
fn a_far_source_is_for_the_chosen_filter_to_judge() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let far = |filter| {
        nearfield(
            folder.path(),
            &[
                "pnah",
                "rec",
                "--samples",
                "256",
                "--bins",
                "6",
                "--standoff",
                "0.4",
                "--filter",
                filter,
                "--out",
                "o",
            ],
        )
    };
    let output = far("auto");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // exp(222 rad/m x 0.4 m) at the corner of k-space is beyond what f32 can square.
    let output = far("none");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("filter harder"));
}
