//! Arrays from files, calibrations, broken microphones.

use super::bench::*;
use std::fs;

#[test]
fn an_array_from_a_file_is_the_array_of_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let mut xml = String::from("<MicArray name=\"square\">\n");
    for index in 0..array().layout.channels() {
        let [x, y, _] = array().position(index);
        xml += &format!("  <pos Name=\"{index}\" x=\"{x}\" y=\"{y}\" z=\"0\"/>\n");
    }
    fs::write(folder.path().join("a.xml"), xml + "</MicArray>\n").unwrap();
    fs::write(folder.path().join("a.toml"), "rows = 16\ncols = 16\npitch_m = 0.02\n").unwrap();
    fs::write(
        folder.path().join("gaps.toml"),
        "rows = 16\ncols = 16\npitch_m = 0.02\ndead = [40]\nmissing = [0]\n",
    )
    .unwrap();
    let plain = pnah(folder.path(), "o", &["--bins", "6"]);
    for file in ["a.xml", "a.toml"] {
        let found = pnah(folder.path(), "o", &["--bins", "6", "--array", file]);
        // The XML's coordinates are rounded in the last place, and the field in f32.
        assert!(distance(&plain.source, &found.source) < 1e-5, "{file}");
        assert_eq!(found.summary["settings"]["array"], file);
    }
    let gaps = pnah(folder.path(), "o", &["--bins", "6", "--array", "gaps.toml", "--dead", "7,40,7"]);
    assert_eq!(gaps.summary["figures"]["left_out"], serde_json::json!([0, 7, 40]));
}

#[test]
fn a_calibration_takes_the_differences_of_the_microphones_away() {
    let folder = tempfile::tempdir().unwrap();
    let simulator = record(folder.path(), 1);
    let (mut csv, mut toml) = (String::from("channel,gain_db,phase_deg\n"), String::new());
    for (index, channel) in simulator.channels().iter().enumerate() {
        let (gain, phase) = (20.0 * channel.gain.norm().log10(), channel.gain.arg().to_degrees());
        csv += &format!("{index},{gain},{phase}\n");
        toml += &format!("[[channel]]\nchannel = {index}\ngain_db = {gain:?}\nphase_deg = {phase:?}\n");
    }
    fs::write(folder.path().join("c.csv"), csv).unwrap();
    fs::write(folder.path().join("c.toml"), toml).unwrap();
    let truth = truth(0, 0.04);
    let plain = distance(&truth, &pnah(folder.path(), "o", &["--bins", "6"]).measured);
    // 0.1 dB and 0.3 degrees are 1.15 % and 0.52 %, 1.26 % together. The loudest hundred microphones decide: known to
    // 7 %, and three times as much at worst.
    assert!((0.0126 * 0.79..0.0126 * 1.21).contains(&plain), "{plain}");
    for file in ["c.csv", "c.toml"] {
        let found = pnah(folder.path(), "o", &["--bins", "6", "--calibration", file]);
        // What is left is noise: 61 dB below 1 Pa in all bins, 19 dB less in one and a half of 128.
        assert!(distance(&truth, &found.measured) < 0.1 * plain, "{file}");
        assert_eq!(found.summary["settings"]["calibration"], file);
    }
}

#[test]
fn broken_microphones_are_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let whole = pnah(folder.path(), "o", &["--bins", "6"]);
    // Position 37 of the stream stuck at 1, position 200 at 0; position 90 is deaf: its bits alternate.
    let deaf = std::cell::Cell::new(false);
    record_with(folder.path(), 1, |row| {
        row[37 / 8] |= 1 << (37 % 8);
        row[200 / 8] &= !(1 << (200 % 8));
        deaf.set(!deaf.get());
        row[90 / 8] = row[90 / 8] & !(1 << (90 % 8)) | u8::from(deaf.get()) << (90 % 8);
    });
    let index = |position| array().layout.index_of(position).unwrap();
    let mut broken = [index(37), index(200), index(90)];
    broken.sort_unstable();
    let given = index(90).to_string();
    for dead in ["auto", &given] {
        let found = pnah(folder.path(), "o", &["--bins", "6", "--dead", dead]);
        assert_eq!(found.summary["figures"]["left_out"], serde_json::json!(broken), "--dead {dead}");
        // Three places with the error of a usual microphone, 1.26 %, would be 0.14 % of the field; twice that is good
        // interpolation, and the way back makes it ten times as much (222 rad/m over 4 cm, behind the filter).
        let (measured, source) = (&found.measured, &found.source);
        assert!(distance(&whole.measured, measured) < 0.005, "--dead {dead}");
        assert!(distance(&whole.source, source) < 0.05, "--dead {dead}");
    }
    let output = nearfield(folder.path(), &[&COMMON[..], &["--bins", "6", "--out", "o"]].concat());
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(
        warning.contains(&format!("{}, {}", index(37).min(index(200)), index(37).max(index(200)))),
        "{warning}"
    );
    assert!(warning.contains(&given) && warning.contains("--dead auto"), "{warning}");
}
