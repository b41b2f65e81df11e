//! What is written: archive, pictures, films, summary, comparisons.

use super::bench::*;
use pipeline::files::npz;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn results_are_what_the_contract_promises() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let all = [&COMMON[..], &["--bins", "6,12", "--quantity", "velocity,intensity", "--out", "o", "--json"]]
        .concat();
    let output = nearfield(folder.path(), &all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let out = folder.path().join("o");
    let pictures = ["pnah-bin12-2197Hz.png", "pnah-bin6-1099Hz.png"];
    assert_eq!(names(&out), [&pictures[..], &["pnah.npz", "summary.json"]].concat());
    for picture in pictures {
        assert!(fs::read(out.join(picture)).unwrap().starts_with(b"\x89PNG"));
    }
    let archive = out.join("pnah.npz");
    for name in ["measured", "source", "velocity"] {
        let (values, shape) = npz::read_complex(&archive, name).unwrap();
        assert_eq!(shape, [2, SIDE, SIDE], "{name}");
        assert!(values.iter().all(|v| v.is_finite() && v.norm() > 0.0), "{name}");
    }
    for (name, expected) in [
        ("frequency_hz", &[2][..]),
        ("bin", &[2]),
        ("cutoff", &[2]),
        ("slope", &[2]),
        ("intensity", &[2, SIDE, SIDE]),
        ("uncertainty", &[2, SIDE, SIDE]),
        ("x_m", &[SIDE]),
        ("y_m", &[SIDE]),
        ("standoff_m", &[]),
    ] {
        let (values, shape) = npz::read_real(&archive, name).unwrap();
        assert_eq!(shape, expected, "{name}");
        assert!(values.iter().all(|v| v.is_finite()), "{name}");
    }
    assert_eq!(npz::read_real(&archive, "bin").unwrap().0, [6.0, 12.0]);
    assert_eq!(npz::read_real(&archive, "frequency_hz").unwrap().0, BINS.map(|k| k as f64 * BIN_HZ));
    let summary = Fields::read(&out).summary;
    let last: Value =
        serde_json::from_slice(output.stdout.trim_ascii_end().split(|b| *b == b'\n').next_back().unwrap())
            .unwrap();
    assert_eq!(summary, last);
    for (setting, expected) in [
        ("recording", "rec".into()),
        ("method", "dot".into()),
        ("taper", "hann".into()),
        ("filter", "auto".into()),
        ("samples", SAMPLES.into()),
        ("first_time_sample", HISTORY.into()),
        ("standoff_m", 0.04.into()),
        ("precision", "f32".into()),
    ] {
        let expected: Value = expected;
        assert_eq!(summary["settings"][setting], expected, "{setting}");
    }
    assert_eq!(summary["figures"]["left_out"], serde_json::json!([]));
    for hologram in summary["figures"]["holograms"].as_array().unwrap() {
        // Both sources radiate, and the source plane is nearer to them than the array.
        assert!(hologram["power_w"].as_f64().unwrap() > 0.0, "{hologram}");
        let level = |name: &str| hologram[name].as_f64().unwrap();
        assert!(level("source_peak_db_spl") > level("measured_peak_db_spl"), "{hologram}");
    }
}

fn gif_frames(path: &Path) -> usize {
    let mut decoder = gif::DecodeOptions::new().read_info(fs::File::open(path).unwrap()).unwrap();
    let mut count = 0;
    while decoder.read_next_frame().unwrap().is_some() {
        count += 1;
    }
    count
}

#[test]
fn a_film_has_a_frame_for_every_hop() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 3);
    let film = folder.path().join("o/pnah-bin6-1099Hz.gif");
    let found = pnah(folder.path(), "o", &["--bins", "6", "--animate"]);
    assert_eq!(gif_frames(&film), 3);
    let files = found.summary["figures"]["files"].as_array().unwrap();
    assert!(files.contains(&"pnah-bin6-1099Hz.gif".into()), "{files:?}");
    pnah(folder.path(), "o", &["--bins", "6", "--animate", "--hop", "4096"]);
    assert_eq!(gif_frames(&film), 5);
}

#[test]
fn windows_over_holes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 3);
    let whole = pnah(folder.path(), "o", &["--bins", "6"]).summary;
    let none = serde_json::json!({"in_recording": 0, "time_samples_in_window": 0, "frames_with_holes": []});
    assert_eq!(whole["figures"]["holes"], none);
    // Ten time samples in the middle of the second window: the third's history does not reach back so far.
    let first = whole["settings"]["first_time_sample"].as_u64().unwrap();
    let path = folder.path().join("rec.sigmf-meta");
    let mut meta: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    meta["annotations"] = serde_json::json!([{
        "core:sample_start": first + 256 * 32 + 4000, "core:sample_count": 10,
        "core:label": pipeline::files::sigmf::Holes::LABEL,
    }]);
    fs::write(&path, meta.to_string()).unwrap();
    let film = pnah(folder.path(), "o", &["--bins", "6", "--animate"]).summary;
    let told = serde_json::json!({"in_recording": 1, "time_samples_in_window": 0, "frames_with_holes": [1]});
    assert_eq!(film["figures"]["holes"], told);
    let second = [&COMMON[..], &["--bins", "6", "--window", "1", "--out", "o"]].concat();
    let output = nearfield(folder.path(), &second);
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && warning.contains("10 time samples of the window"), "{warning}");
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_only_what_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 3);
    let out = folder.path().join("o");
    let mut child = Command::new(env!("CARGO_BIN_EXE_nearfield"))
        .current_dir(folder.path())
        .args(COMMON)
        .args(["--bins", "6", "--animate", "--hop", "1", "--out", "o", "--quiet"])
        .spawn()
        .unwrap();
    // The film's temporary file appears after the archive and the picture.
    let filming = || {
        let names = if out.is_dir() { names(&out) } else { Vec::new() };
        names.iter().any(|n| n.ends_with(".part")) && names.iter().any(|n| n.ends_with(".png"))
    };
    while !filming() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(names(&out), ["pnah-bin6-1099Hz.png", "pnah.npz"]);
    assert_eq!(npz::read_complex(out.join("pnah.npz"), "source").unwrap().1, [1, SIDE, SIDE]);
}

#[test]
fn results_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    pnah(folder.path(), "a", &["--bins", "6"]);
    pnah(folder.path(), "b", &["--bins", "6", "--pad", "zero"]);
    pnah(folder.path(), "two", &["--bins", "6,12"]);
    pnah(folder.path(), "other", &["--bins", "12"]);
    let compare = |a: &str, b: &str| {
        let output = nearfield(folder.path(), &["pnah", "--json", "--compare", a, b]);
        let lines = String::from_utf8(output.stdout).unwrap();
        let values: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(output.status.success(), "{a} {b}");
        (values, String::from_utf8(output.stderr).unwrap())
    };
    let (same, _) = compare("a/pnah.npz", "a/pnah.npz");
    for figure in ["rmsre", "nsad", "relative_l2"] {
        assert_eq!(same[0][figure], 0.0, "{figure}");
    }
    assert_eq!((same.len(), &same[1]["relative_l2_geometric_mean"]), (2, &0.0.into()));
    assert_eq!(same[0]["frequency_hz"], 6.0 * BIN_HZ);
    let (padded, _) = compare("a/pnah.npz:source", "b/pnah.npz:source");
    let (a, b) = (Fields::read(&folder.path().join("a")), Fields::read(&folder.path().join("b")));
    assert_eq!(padded[0]["relative_l2"], distance(&a.source, &b.source));
    assert_eq!(compare("a/pnah.npz:measured", "b/pnah.npz:measured").0[0]["relative_l2"], 0.0);
    assert!(compare("a/pnah.npz", "other/pnah.npz").1.contains("frequencies differ"));

    fs::write(folder.path().join("cut.npz"), &fs::read(folder.path().join("a/pnah.npz")).unwrap()[..2000])
        .unwrap();
    for (b, advice) in [
        ("two/pnah.npz", "[2, 16, 16]"),
        ("a/pnah.npz:velocity", "measured, source"),
        ("a/pnah.npz:cutoff", "real"),
        ("a/summary.json", "not a readable NPZ"),
        ("cut.npz", "cut short"),
        ("missing.npz", "missing.npz"),
        ("a", "not an ordinary file"),
    ] {
        let message = refuse(folder.path(), &["pnah", "--compare", "a/pnah.npz", b]);
        assert!(message.contains(advice), "{b}: {message}");
    }
    assert!(refuse(folder.path(), &["pnah", "--compare", "a/pnah.npz"]).contains("2 values"));
}

#[test]
fn the_demo_ends_in_holograms_beside_the_truth() {
    let folder = tempfile::tempdir().unwrap();
    let output = nearfield(folder.path(), &["demo", "--once", "--duration", "0.03", "--out", "d", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let out = folder.path().join("d");
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    let holograms = summary["figures"]["holograms"].as_array().unwrap();
    let mut logarithms = 0.0;
    for hologram in holograms {
        let error = hologram["relative_l2"].as_f64().unwrap();
        // Each is better than zero padding is on the average, and all together are as good as any scene must be.
        assert!(error < 0.205, "{hologram}");
        logarithms += error.ln();
        let frequency = hologram["frequency_hz"].as_f64().unwrap();
        let picture = fs::read(out.join(format!("hologram-{frequency:.0}Hz.png"))).unwrap();
        assert!(picture.starts_with(b"\x89PNG"));
    }
    assert_eq!(holograms.len(), 6);
    assert!((logarithms / 6.0).exp() < 0.075);
}
