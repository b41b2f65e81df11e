//! The program as a user meets it: what it writes, what it says, and how it fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pipeline::files::sigmf::{Meta, RecordingWriter, SIGMF_VERSION};

fn nearfield(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nearfield")).current_dir(folder).args(arguments).output().unwrap()
}

/// Runs and expects success; gives standard output.
fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = nearfield(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs and expects exit code 2; gives standard error.
fn refuse(folder: &Path, arguments: &[&str]) -> String {
    let output = nearfield(folder, arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{message}");
    message
}

fn meta() -> Meta {
    Meta {
        version: SIGMF_VERSION.into(),
        sample_rate_hz: 1.5e6,
        rows: 8,
        cols: 8,
        tile_side: 8,
        pitch_m: 0.02,
        first_valid: 0,
        description: None,
        unfinished: false,
    }
}

/// A recording of 64 microphones: alternating bits, microphone 0 of the stream stuck at 1.
fn record(folder: &Path, samples: usize) -> PathBuf {
    let mut writer = RecordingWriter::create(folder.join("rec"), meta()).unwrap();
    for t in 0..samples {
        let bits: u64 = if t % 2 == 0 { u64::MAX } else { 1 };
        writer.write_rows(&bits.to_le_bytes()).unwrap();
    }
    writer.finish().unwrap();
    folder.join("rec.sigmf-data")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn demo_writes_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let stdout =
        succeed(folder.path(), &["demo", "--once", "--duration", "0.02", "--record", "--out", "d", "--json"]);
    let out = folder.path().join("d");
    let expected = [
        "demo.sigmf-data",
        "demo.sigmf-meta",
        "hologram-1000Hz.png",
        "hologram-2000Hz.png",
        "hologram-220Hz.png",
        "hologram-2500Hz.png",
        "hologram-3000Hz.png",
        "hologram-5000Hz.png",
        "levels.png",
        "microphone.wav",
        "spectrum.png",
        "summary.json",
    ];
    assert_eq!(names(&out), expected);
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    let last: serde_json::Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!(summary, last);
    for key in ["settings", "device", "version", "elapsed_s", "figures"] {
        assert!(summary.get(key).is_some(), "{key}");
    }
    assert_eq!(summary["figures"]["ingest"]["lost_samples"], 0);
    let wav = hound::WavReader::open(out.join("microphone.wav")).unwrap();
    assert_eq!((wav.spec().channels, wav.spec().sample_rate), (1, 46875));
    assert_eq!(u64::from(wav.duration()), summary["figures"]["samples"].as_u64().unwrap());
    for picture in ["levels.png", "spectrum.png"] {
        assert!(fs::read(out.join(picture)).unwrap().starts_with(b"\x89PNG"));
    }
    let info = succeed(folder.path(), &["info", "d/demo"]);
    assert!(info.contains("32 x 32 microphones"), "{info}");
}

#[test]
fn info_finds_stuck_microphones() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 6400);
    let text = succeed(folder.path(), &["info", "rec.sigmf-meta"]);
    assert!(text.contains("6400 time samples") && text.contains("stuck at 1  1 microphones: 0"), "{text}");
    let json = succeed(folder.path(), &["info", "rec", "--json"]);
    let value: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!(value["stuck_at_1"], serde_json::json!([0]));
    // The others alternate: no offset, and none is invented.
    assert_eq!((&value["offset_min_fs"], &value["offset_max_fs"]), (&0.0.into(), &0.0.into()));
    assert_eq!(value["samples"], 6400);
}

#[test]
fn decimate_writes_every_format() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 6400);
    for name in ["a.wav", "a.npy", "a.h5"] {
        succeed(folder.path(), &["decimate", "rec", "--out", name]);
    }
    let wav: Vec<f32> = hound::WavReader::open(folder.path().join("a.wav"))
        .unwrap()
        .into_samples::<f32>()
        .map(Result::unwrap)
        .collect();
    assert_eq!(wav.len(), 200 * 64);
    // Microphone 0 is stuck at full scale, the others are idle: exact zeros.
    assert!(wav.chunks(64).skip(30).all(|frame| frame[0] == 1.0 && frame[1..] == [0.0; 63]));
    let npy: ndarray::Array2<f32> = ndarray_npy::read_npy(folder.path().join("a.npy")).unwrap();
    assert_eq!(npy.dim(), (200, 64));
    assert_eq!(npy.into_raw_vec_and_offset().0, wav);
    let h5 = fs::read(folder.path().join("a.h5")).unwrap();
    assert!(h5.starts_with(b"\x89HDF"));
    let other = [
        "decimate",
        "rec",
        "--out",
        "b.wav",
        "--cic-order",
        "4",
        "--cic-rate",
        "16",
        "--fir-rate",
        "4",
        "--json",
    ];
    let json = succeed(folder.path(), &other);
    let value: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!((&value["samples"], &value["sample_rate_hz"]), (&100.into(), &23437.5.into()));
}

#[test]
fn an_existing_file_is_replaced_only_by_a_complete_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = record(folder.path(), 640);
    let out = folder.path().join("a.npy");
    fs::write(&out, "precious").unwrap();
    let good = fs::read(&data).unwrap();
    fs::write(&data, &good[..good.len() - 3]).unwrap();
    refuse(folder.path(), &["decimate", "rec", "--out", "a.npy"]);
    assert_eq!(fs::read_to_string(&out).unwrap(), "precious");
    fs::write(&data, good).unwrap();
    succeed(folder.path(), &["decimate", "rec", "--out", "a.npy"]);
    assert!(fs::read(&out).unwrap().starts_with(b"\x93NUMPY"));
}

#[test]
fn bad_recordings_name_file_and_position_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = record(folder.path(), 640);
    let meta_path = folder.path().join("rec.sigmf-meta");
    let good_meta = fs::read_to_string(&meta_path).unwrap();
    let before = names(folder.path());
    let check = |what: &str| {
        for command in [&["info", "rec"][..], &["decimate", "rec", "--out", "x.wav"]] {
            let message = refuse(folder.path(), command);
            assert!(message.contains("rec.sigmf-") && message.contains(what), "{what}: {message}");
            assert_eq!(names(folder.path()), before, "{what}");
        }
    };
    fs::write(&data, vec![0; 8 * 100 + 3]).unwrap();
    check("sample 100");
    fs::write(&data, vec![0; 800]).unwrap();
    fs::write(&meta_path, &good_meta[..good_meta.len() / 2]).unwrap();
    check("JSON");
    for (from, to, what) in [
        ("\"ru8\"", "\"cf32_le\"", "core:datatype"),
        ("tiles-1bit-le", "tiles-2bit", "nearfield:packing"),
        ("1500000", "-1", "core:sample_rate"),
        ("1500000.0", "1e400", "core:sample_rate"),
        ("\"nearfield:tile_side\": 8", "\"nearfield:tile_side\": 3", "nearfield:tile_side"),
        ("\"core:num_channels\": 8", "\"core:num_channels\": 9", "core:num_channels"),
        ("\"nearfield:first_valid\": 0", "\"nearfield:first_valid\": 999999", "nearfield:first_valid"),
    ] {
        let changed = good_meta.replace(from, to);
        assert_ne!(changed, good_meta, "{from}");
        fs::write(&meta_path, changed).unwrap();
        check(what);
    }
    fs::write(&meta_path, &good_meta).unwrap();
    fs::remove_file(&data).unwrap();
    let message = refuse(folder.path(), &["info", "rec"]);
    assert!(message.contains("rec.sigmf-data: no such file"), "{message}");
}

#[test]
fn wrong_usage_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 31);
    for end in ["data", "meta"] {
        let name = |stem: &str| folder.path().join(format!("{stem}.sigmf-{end}"));
        fs::rename(name("rec"), name("short")).unwrap();
    }
    record(folder.path(), 640);
    for (arguments, advice) in [
        (&["decimate", "rec", "--out", "x.mp3"][..], ".wav"),
        (&["decimate", "rec", "--out", "nowhere/x.wav"], "folder"),
        (&["decimate", "rec", "--out", "x.wav", "--pass-hz", "30000"], "half the output rate"),
        (&["decimate", "rec", "--out", "x.wav", "--cic-rate", "7", "--pass-hz", "9000"], "4, 8, 16 or 32"),
        (&["decimate", "rec", "--out", "x.wav", "--stop-db", "nan"], "rejection"),
        (&["decimate", "short", "--out", "x.wav"], "31 time samples"),
        (&["--threads", "100000", "doctor"], "--threads"),
        (&["filter", "--bit-rate-hz", "1e308"], "1 GHz"),
        (&["info", "missing"], "no such file"),
        (&["demo", "--scene", "opera"], "demo"),
        (&["demo", "--duration=-1"], "--duration"),
        (&["demo", "--duration", "nan"], "--duration"),
        (&["demo", "--microphone", "1024"], "0 to 1023"),
        (&["--device", "cuda", "doctor"], "doctor` runs on the CPU only; use --device cpu"),
        (&["--device", "cuda:4000000000", "decimate", "rec", "--out", "x.wav"], "--device cuda:4000000000: "),
        (&["--device", "gpu", "doctor"], "cuda:INDEX"),
        (&["bench", "dsp", "--seconds", "0"], "--seconds"),
        (&["frobnicate"], "--help"),
    ] {
        let message = refuse(folder.path(), arguments);
        assert!(message.contains(advice), "{arguments:?}: {message}");
    }
    let recordings = ["rec.sigmf-data", "rec.sigmf-meta", "short.sigmf-data", "short.sigmf-meta"];
    assert_eq!(names(folder.path()), recordings);
}

#[test]
fn filter_makes_tables_for_another_rate() {
    let folder = tempfile::tempdir().unwrap();
    succeed(folder.path(), &["filter", "--fir-rate", "2", "--out", "f"]);
    assert_eq!(names(&folder.path().join("f")), ["filter.rs", "response.png", "summary.json", "taps.csv"]);
    let source = fs::read_to_string(folder.path().join("f/filter.rs")).unwrap();
    assert!(source.contains("pub const FIR_RATE: usize = 2;"));
    assert!(source.starts_with("// Made by `nearfield filter --fir-rate 2`"), "{source}");
}

#[test]
fn doctor_and_bench_speak_json() {
    let folder = tempfile::tempdir().unwrap();
    let doctor: serde_json::Value =
        serde_json::from_str(&succeed(folder.path(), &["doctor", "--json"])).unwrap();
    assert!(doctor["threads"].as_u64().unwrap() >= 1);
    for part in ["driver", "nvrtc"] {
        let part = &doctor["cuda"][part];
        assert!(part["version"].is_string() || part["problem"].is_string(), "{part}");
    }
    assert!(doctor["cuda"]["devices"].is_array() && doctor["gpus"].is_array());
    let rows = succeed(folder.path(), &["bench", "dsp", "--json", "--seconds", "0.001"]);
    let rows: Vec<serde_json::Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for name in ["memcpy", "scalar CIC", "table CIC", "default chain", "Walsh", "FIR", "sliding DFT"] {
        assert!(rows.iter().any(|row| row["name"].as_str().unwrap().contains(name)), "{name}");
    }
    assert!(rows.iter().all(|row| row["best"].as_f64().unwrap() > 0.0));
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_and_says_130() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_nearfield"))
        .current_dir(folder.path())
        .args(["demo", "--duration", "600", "--record", "--out", "d", "--quiet"])
        .spawn()
        .unwrap();
    // The recording's temporary file shows that the work has begun.
    while !folder.path().join("d").is_dir() || names(&folder.path().join("d")).is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(names(&folder.path().join("d")), Vec::<String>::new());
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", &format!("'{}' doctor | true", env!("CARGO_BIN_EXE_nearfield"))])
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn a_bench_refuses_what_it_does_not_measure() {
    let folder = tempfile::tempdir().unwrap();
    let message = refuse(folder.path(), &["bench", "dsp", "--peer", "somewhere"]);
    assert!(message.contains("only bench mom, bench nufft and bench sbr"), "{message}");
    let message = refuse(folder.path(), &["bench", "nufft", "--seconds", "0"]);
    assert!(message.contains("above 0"), "{message}");
    // Nothing of that name, and a program that does not speak as a peer does.
    for (what, peer, measures) in [("nufft", "nowhere", "FINUFFT"), ("mom", "true", "NumPy")] {
        let message = refuse(folder.path(), &["bench", what, "--peer", peer]);
        let asked = format!("is it the program that measures {measures}?");
        assert!(message.contains(&format!("--peer {peer}: ")) && message.contains(&asked), "{message}");
    }
}
