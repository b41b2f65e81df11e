//! `rcs.csv` or `directivity.csv` of `nearfield dgtd`.

use pipeline::io::atomic::AtomicFile;
use pipeline::solvers::dgtd::case::{FarField, LIGHT};
use pipeline::solvers::dgtd::{Spectrum, far_field};
use pipeline::vec3::Vec3;
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::io::Write;
use std::path::Path;

/// What the far field is compared with.
#[derive(Clone, Copy)]
pub enum Kind {
    /// The incident wave: cross-sections.
    Rcs,
    /// The power that leaves: directivity.
    Directivity,
}

/// A value in a direction, m^2 or 1, at one of the frequencies.
type Value = fn(&Spectrum, usize, Vec3) -> f64;

impl Kind {
    /// File, heading and value.
    fn parts(self) -> (&'static str, &'static str, Value) {
        match self {
            Self::Rcs => ("rcs.csv", "sigma_dbsm", far_field::cross_section),
            Self::Directivity => ("directivity.csv", "directivity_dbi", far_field::directivity),
        }
    }
}

/// All frequencies and directions; returns the largest value, dB.
pub fn write(folder: &Path, wanted: &FarField, spectrum: &Spectrum, kind: Kind) -> anyhow::Result<f64> {
    let (name, heading, value) = kind.parts();
    let whole =
        wanted.images.iter().fold(spectrum.clone(), |spectrum, (axis, wall)| spectrum.mirrored(*axis, *wall));
    let directions = wanted.phi.iter().flat_map(|phi| wanted.theta.iter().map(move |theta| (*theta, *phi)));
    let frequencies = 0..wanted.wavenumbers.len();
    let rows: Vec<(usize, f64, f64)> = frequencies
        .flat_map(|number| directions.clone().map(move |(theta, phi)| (number, theta, phi)))
        .collect();
    let decibels = |(number, theta, phi): &(usize, f64, f64)| {
        let ([st, ct], [sp, cp]) = (sine_cosine(*theta), sine_cosine(*phi));
        10.0 * value(&whole, *number, Vec3::new(st * cp, st * sp, ct)).log10()
    };
    let values: Vec<f64> = rows.par_iter().map(decibels).collect();
    let mut file = AtomicFile::create(folder.join(name))?;
    writeln!(file, "frequency_hz,theta_deg,phi_deg,{heading}")?;
    for ((number, theta, phi), value) in rows.iter().zip(&values) {
        let frequency = wanted.wavenumbers[*number] * LIGHT / TAU;
        writeln!(file, "{frequency:.3},{theta},{phi},{value:.6}")?;
    }
    file.commit()?;
    Ok(values.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

fn sine_cosine(degrees: f64) -> [f64; 2] {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    [sine, cosine]
}
