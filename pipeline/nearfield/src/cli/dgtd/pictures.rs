//! The pictures of `nearfield dgtd`: S11 over frequency, directivity over the angle from the z axis.

use crate::cli::Result;
use pipeline::dgtd::Terminals;
use pipeline::dgtd::case::FarField;
use pipeline::numerics::constants::SPEED_OF_LIGHT;
use pipeline::plot::lines::{Curve, Figure, Quantity};
use std::f64::consts::TAU;
use std::path::Path;

/// Below the highest level, dB.
const RANGE_DB: f64 = 40.0;
/// Planes through the z axis.
const MOST_PLANES: usize = 2;

/// `s11.png`; nothing where a curve would be a point.
pub fn draw_reflection(folder: &Path, title: &str, terminals: &Terminals) -> Result<()> {
    let gigahertz: Vec<f64> = terminals.wavenumbers.iter().map(|k| 1e-9 * k * SPEED_OF_LIGHT / TAU).collect();
    let levels = (0..gigahertz.len()).map(|at| 20.0 * terminals.reflection(at).norm().log10());
    let levels: Vec<f64> = levels.collect();
    if gigahertz.len() < 2 || levels.iter().all(|level| !level.is_finite()) {
        return Ok(());
    }
    let figure = Figure {
        title,
        x: Quantity::linear("frequency (GHz)"),
        y: Quantity::linear("|S11| (dB)").down_to(-RANGE_DB),
        curves: vec![Curve { name: "S11", x: &gigahertz, y: &levels }],
    };
    Ok(figure.save(folder.join("s11.png"))?)
}

/// `directivity.png` at a frequency, Hz: all in the first planes, right-handed and left-handed parts in the first one; rows are those of the file.
pub fn draw_directivity(
    folder: &Path,
    title: &str,
    wanted: &FarField,
    frequency: f64,
    rows: &[Vec<f64>],
) -> Result<()> {
    let (theta, parts) = (&wanted.theta, ["all", "right", "left"]);
    let highest = rows.iter().map(|row| row[0]).filter(|level| level.is_finite()).reduce(f64::max);
    let Some(highest) = highest.filter(|_| theta.len() > 1) else { return Ok(()) };
    let planes = wanted.phi.iter().zip(rows.chunks_exact(theta.len())).take(MOST_PLANES).enumerate();
    let curves: Vec<(String, Vec<f64>)> = planes
        .flat_map(|(plane, (phi, rows))| {
            // More than the first plane's parts would hide each other.
            let shown = if plane == 0 { parts.len() } else { 1 };
            parts.iter().take(shown).enumerate().map(move |(part, name)| {
                (format!("{name}, phi = {phi}\u{b0}"), rows.iter().map(|row| row[part]).collect())
            })
        })
        .collect();
    let figure = Figure {
        title: &format!("{title}, {} GHz", 1e-9 * frequency.round()),
        x: Quantity::linear("theta (degrees)"),
        y: Quantity::linear("directivity (dBi)").down_to(highest - RANGE_DB),
        curves: curves.iter().map(|(name, levels)| Curve { name, x: theta, y: levels }).collect(),
    };
    Ok(figure.save(folder.join("directivity.png"))?)
}
