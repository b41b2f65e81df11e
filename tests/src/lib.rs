//! Helpers shared by the suites: the independent test data and small numerics.
#![forbid(unsafe_code)]

pub mod fuzz;
pub mod holograms;
pub mod live;
pub mod rtl;

use hil_sim::board::Places;
use ndarray::ArrayD;
use ndarray_npy::{NpzReader, ReadableElement};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of the shared test data, or `None` with a line on standard error that names what is skipped.
///
/// The data lies beside the repository; `NEARFIELD_DATA` is for machines that got the test programs without it.
pub fn shared(test: &str, file: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
    let path = std::env::var_os("NEARFIELD_DATA").map_or(beside.into(), PathBuf::from).join(file);
    if path.is_file() {
        return Some(path);
    }
    // The test harness keeps `eprintln!` to itself when a test passes; this must be seen.
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: the shared test data has no {file}");
    None
}

/// Where firmware and simulators of boards are made.
pub fn board_places() -> Places {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    Places::in_target(&std::env::var_os("CARGO_TARGET_DIR").map_or(beside, PathBuf::from))
}

/// Cargo, for what tests build: with the cargo that runs them, and without what their own harness was given, which would build
/// everything anew.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.env_remove("RUSTC_BOOTSTRAP");
    command
}

/// An array of an NPZ file, row by row, and its shape; panics with the name if it is not there.
pub fn npz<T: ReadableElement + Clone>(path: &Path, name: &str) -> (Vec<T>, Vec<usize>) {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut archive = NpzReader::new(file).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let array: ArrayD<T> =
        archive.by_name(name).unwrap_or_else(|e| panic!("{}: array {name}: {e}", path.display()));
    (array.iter().cloned().collect(), array.shape().to_vec())
}

/// Complex amplitude of the tone of `frequency` cycles a sample in `x`, through a Hann window, full scale as it comes.
///
/// For a frequency that fits the length a whole number of times (and at least two bins from any other line) it is
/// exact up to rounding.
pub fn tone_amplitude(x: &[f64], frequency: f64) -> num_complex::Complex<f64> {
    let n = x.len() as f64;
    let mut sum = num_complex::Complex::new(0.0, 0.0);
    for (i, x) in x.iter().enumerate() {
        let t = i as f64;
        let window = 0.5 - 0.5 * (std::f64::consts::TAU * t / n).cos();
        sum += num_complex::Complex::from_polar(x * window, -std::f64::consts::TAU * (frequency * t).fract());
    }
    sum * (2.0 / (0.5 * n))
}

/// The README's Rust compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
