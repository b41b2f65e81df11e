//! `touchstone.s1p` of `nearfield dgtd`: S11 as real and imaginary parts, a frequency a line.

use crate::cli::Result;
use pipeline::dgtd::Terminals;
use pipeline::files::atomic;
use pipeline::numerics::constants::SPEED_OF_LIGHT;
use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::io::Write;
use std::path::Path;

/// The file; returns the frequency of the best match.
pub fn write(path: &Path, terminals: &Terminals) -> Result<Value> {
    let hertz = |at: usize| terminals.wavenumbers[at] * SPEED_OF_LIGHT / TAU;
    let mut best = (f64::INFINITY, 0);
    atomic::write(path, |file| {
        writeln!(file, "# HZ S RI R {}", terminals.resistance())?;
        (0..terminals.wavenumbers.len()).try_for_each(|at| {
            let s = terminals.reflection(at);
            if s.norm() < best.0 {
                best = (s.norm(), at);
            }
            writeln!(file, "{:.3} {:.9} {:.9}", hertz(at), s.re, s.im)
        })
    })?;
    let (level, at) = best;
    let impedance = terminals.impedance(at);
    Ok(json!({
        "frequency_hz": hertz(at), "s11_db": 20.0 * level.log10(),
        "impedance_ohm": [impedance.re, impedance.im],
    }))
}
