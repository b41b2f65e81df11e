//! A small array, two sounds, a recording, and the program to run on it.

use hil_sim::{Array, Line, Scene, Settings, Simulator, Source};
use num_complex::Complex;
use pipeline::files::npz;
use pipeline::files::sigmf::{Meta, RecordingWriter, SIGMF_VERSION};
use pipeline::holography::metrics;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Microphones along a side of the array, with tiles of 8.
pub const SIDE: usize = 16;
pub const MICROPHONES: usize = SIDE * SIDE;
/// Decimated samples of a window, as given to `--samples`.
pub const SAMPLES: usize = 256;
/// Time samples of a window.
pub const WINDOW: usize = 32 * SAMPLES;
/// Time samples before the first window: what the decimator needs.
pub const HISTORY: usize = 768;
/// Distance of two bins, Hz.
pub const BIN_HZ: f64 = 1.5e6 / WINDOW as f64;
/// Bins of the two tones: both have whole numbers of periods in a window.
pub const BINS: [usize; 2] = [6, 12];
/// What all runs have in common.
pub const COMMON: [&str; 6] = ["pnah", "rec", "--standoff", "0.04", "--samples", "256"];

pub fn nearfield(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nearfield")).current_dir(folder).args(arguments).output().unwrap()
}

/// Runs `pnah` on the recording with further arguments and expects success.
pub fn pnah(folder: &Path, out: &str, arguments: &[&str]) -> Fields {
    let all = [&COMMON[..], &["--out", out], arguments].concat();
    let output = nearfield(folder, &all);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Fields::read(&folder.join(out))
}

/// Expects exit code 2 and gives what it says.
pub fn refuse(folder: &Path, arguments: &[&str]) -> String {
    let output = nearfield(folder, arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    message
}

pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A folder of results.
pub struct Fields {
    pub source: Vec<Complex<f64>>,
    pub measured: Vec<Complex<f64>>,
    pub shape: Vec<usize>,
    pub summary: Value,
}

impl Fields {
    pub fn read(folder: &Path) -> Self {
        let archive = folder.join("pnah.npz");
        let (source, shape) = npz::read_complex(&archive, "source").unwrap();
        let (measured, _) = npz::read_complex(&archive, "measured").unwrap();
        let summary =
            serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap();
        Self { source, measured, shape, summary }
    }
}

/// Relative L2 error of `test` against `reference`.
pub fn distance(reference: &[Complex<f64>], test: &[Complex<f64>]) -> f64 {
    metrics::compare(reference, test).unwrap().relative_l2
}

/// Relative difference in amplitude and phase.
pub fn difference(reference: &[Complex<f64>], test: &[Complex<f64>]) -> f64 {
    let apart: f64 = reference.iter().zip(test).map(|(r, t)| (r - t).norm_sqr()).sum();
    let power: f64 = reference.iter().map(|r| r.norm_sqr()).sum();
    (apart / power).sqrt()
}

pub fn array() -> Array {
    let side = u16::try_from(SIDE).unwrap();
    Array { layout: dsp_core::pdm::TileLayout::new(side, side, 8).unwrap(), pitch: 0.02, standoff: 0.04 }
}

/// Two point sources 3 and 5 cm behind the source plane, one for each tone.
pub fn scene() -> Scene {
    let line = |bin: usize, position, amplitude: f64| Line {
        frequency_hz: bin as f64 * BIN_HZ,
        sources: vec![Source::Monopole { position, amplitude: amplitude.into() }],
    };
    Scene {
        lines: vec![line(BINS[0], [-0.03, 0.02, -0.03], 0.07), line(BINS[1], [0.05, -0.04, -0.05], 0.07)],
    }
}

/// The true field of a tone on the plane `z`, at the places of the microphones.
pub fn truth(tone: usize, z: f64) -> Vec<Complex<f64>> {
    let (array, scene) = (array(), scene());
    let at = |index| {
        let [x, y, _] = array.position(index);
        scene.lines[tone].pressure([x, y, z])
    };
    (0..array.layout.channels()).map(at).collect()
}

/// Records `windows` windows as `rec`, changed by `change`; gives the simulator, which knows its microphones.
pub fn record_with(folder: &Path, windows: usize, change: impl Fn(&mut [u8])) -> Simulator {
    let array = array();
    let mut simulator = Simulator::new(&scene(), &array, &Settings::default()).unwrap();
    let mut rows = vec![0; (HISTORY + windows * WINDOW) * simulator.row_bytes()];
    simulator.fill(&mut rows);
    rows.chunks_exact_mut(simulator.row_bytes()).for_each(change);
    let meta = Meta {
        version: SIGMF_VERSION.into(),
        sample_rate_hz: 1.5e6,
        rows: array.layout.rows(),
        cols: array.layout.cols(),
        tile_side: 8,
        pitch_m: array.pitch,
        first_valid: 0,
        description: None,
        unfinished: false,
    };
    let mut writer = RecordingWriter::create(folder.join("rec"), meta).unwrap();
    writer.write_rows(&rows).unwrap();
    writer.finish().unwrap();
    simulator
}

pub fn record(folder: &Path, windows: usize) -> Simulator {
    record_with(folder, windows, |_| ())
}
