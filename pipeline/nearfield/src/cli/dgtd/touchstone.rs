//! `touchstone.s1p` of `nearfield dgtd`: S11 as real and imaginary parts, a frequency a line.

use pipeline::dgtd::Terminals;
use pipeline::files::atomic::AtomicFile;
use pipeline::numerics::constants::SPEED_OF_LIGHT;
use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::io::Write;
use std::path::Path;

/// The file; returns the frequency of the best match.
pub fn write(path: &Path, terminals: &Terminals) -> crate::cli::Result<Value> {
    let mut file = AtomicFile::create(path)?;
    writeln!(file, "# HZ S RI R {}", terminals.resistance())?;
    let mut best = (f64::INFINITY, 0);
    for (at, k) in terminals.wavenumbers.iter().enumerate() {
        let s = terminals.reflection(at);
        writeln!(file, "{:.3} {:.9} {:.9}", k * SPEED_OF_LIGHT / TAU, s.re, s.im)?;
        if s.norm() < best.0 {
            best = (s.norm(), at);
        }
    }
    file.commit()?;
    let (level, at) = best;
    let impedance = terminals.impedance(at);
    Ok(json!({
        "frequency_hz": terminals.wavenumbers[at] * SPEED_OF_LIGHT / TAU, "s11_db": 20.0 * level.log10(),
        "impedance_ohm": [impedance.re, impedance.im],
    }))
}
