//! A disk that fills up while the program records, at three capacities: the recording up to there is readable and right, what is missing is counted to
//! the row, and not one hologram fewer is made. The capacity is the system's limit on the size of a file, with its signal ignored: a write that
//! would go beyond writes what fits and fails, as on a full disk.

use pipeline::files::sigmf::{LiveWriter, Meta, Recording, SIGMF_VERSION};
use std::path::Path;
use std::process::Command;

/// 8 x 8 microphones.
const ROW_BYTES: usize = 8;
/// Time samples of the source: four blocks of the recorder, which writes 1 MiB at a time.
const ROWS: usize = 524_288;

/// Bytes of a block of the shell's limit.
const UNIT: usize = 512;

const INSTRUMENT: &str = "\
[source]
recording = \"sent\"
speed = \"max\"
[hologram]
samples = 128
frequencies_hz = [1100.0]
standoff_m = 0.04
filter = \"50:0.3\"
[record]
name = \"kept\"
at_start = true
[viewer]
serve = false
";

/// Rows that differ from one another, of no sound in particular.
fn rows() -> Vec<u8> {
    (0..ROWS * ROW_BYTES).map(|i| ((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// Runs the instrument under a limit; the figures of its summary.
fn run(folder: &Path, limit: &str) -> serde_json::Value {
    let script = "trap '' XFSZ; ulimit -f \"$1\"; exec \"$0\" live --config instrument.toml --json";
    let output = Command::new("sh")
        .current_dir(folder)
        .args(["-c", script, env!("CARGO_BIN_EXE_nearfield"), limit])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let summary: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    summary["figures"].clone()
}

#[test]
fn a_full_disk_costs_rows_of_the_recording_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let sent = rows();
    let meta = Meta {
        version: SIGMF_VERSION.into(),
        sample_rate_hz: 1.5e6,
        rows: 8,
        cols: 8,
        tile_side: 8,
        pitch_m: 0.02,
        first_valid: 0,
        description: None,
        unfinished: false,
    };
    let mut writer = LiveWriter::create(folder.path().join("sent"), meta).unwrap();
    writer.write_rows(&sent).unwrap();
    writer.finish().unwrap();
    std::fs::write(folder.path().join("instrument.toml"), INSTRUMENT).unwrap();
    println!("blocks of {UNIT} b. | rows kept  missing  reported | holograms");
    // No limit first: what the others are compared with. Then within the first block, within a later one, and a few rows before the end.
    let mut holograms = None;
    for limit in [None, Some(100 << 10), Some((2 << 20) + (512 << 10)), Some(ROWS * ROW_BYTES - UNIT)] {
        let limit_units = limit.map_or("unlimited".to_owned(), |bytes| (bytes / UNIT).to_string());
        let figures = run(folder.path(), &limit_units);
        let made = figures["holograms"].as_u64().unwrap();
        let mut recording = Recording::open(folder.path().join("kept")).unwrap();
        let kept = recording.samples() as usize;
        let reported = figures["dropped"]["recorder"].as_u64().unwrap() as usize;
        println!("{limit_units:>15} | {kept:>9} {:>8} {reported:>9} | {made:>9}", ROWS - kept);
        assert_eq!(kept, limit.map_or(ROWS, |bytes| bytes / ROW_BYTES), "all that fits");
        assert_eq!(reported, ROWS - kept, "what is missing is what is reported");
        assert_eq!(recording.meta().unfinished, limit.is_some());
        let mut read = vec![0; kept * ROW_BYTES];
        assert_eq!(recording.read_rows(0, &mut read).unwrap(), kept);
        assert!(read == sent[..read.len()], "the recording is not what was sent");
        let told = |message: &serde_json::Value| message.as_str().unwrap().contains("the recording stopped");
        assert_eq!(figures["messages"].as_array().unwrap().iter().any(told), limit.is_some());
        assert_eq!(*holograms.get_or_insert(made), made, "holograms are lost by the recorder");
        assert_eq!((&figures["dropped"]["rows"], &figures["dropped"]["holograms"]), (&0.into(), &0.into()));
        for half in ["kept.sigmf-meta", "kept.sigmf-data"] {
            std::fs::remove_file(folder.path().join(half)).unwrap();
        }
    }
    assert!(holograms.is_some_and(|made| made > 100), "{holograms:?}");
}
