//! `rcs.csv` of `nearfield dgtd`.

use pipeline::io::atomic::AtomicFile;
use pipeline::solvers::dgtd::case::{FarField, LIGHT};
use pipeline::solvers::dgtd::{Spectrum, far_field};
use pipeline::vec3::Vec3;
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::io::Write;
use std::path::Path;

/// Cross-sections of all frequencies and directions; returns the largest, dBsm.
pub fn write(path: &Path, wanted: &FarField, spectrum: &Spectrum) -> anyhow::Result<f64> {
    let whole =
        wanted.images.iter().fold(spectrum.clone(), |spectrum, (axis, wall)| spectrum.mirrored(*axis, *wall));
    let directions = wanted.phi.iter().flat_map(|phi| wanted.theta.iter().map(move |theta| (*theta, *phi)));
    let frequencies = 0..wanted.wavenumbers.len();
    let rows: Vec<(usize, f64, f64)> = frequencies
        .flat_map(|number| directions.clone().map(move |(theta, phi)| (number, theta, phi)))
        .collect();
    let decibels = |(number, theta, phi): &(usize, f64, f64)| {
        let ([st, ct], [sp, cp]) = (sine_cosine(*theta), sine_cosine(*phi));
        10.0 * far_field::cross_section(&whole, *number, Vec3::new(st * cp, st * sp, ct)).log10()
    };
    let sigma: Vec<f64> = rows.par_iter().map(decibels).collect();
    let mut file = AtomicFile::create(path)?;
    writeln!(file, "frequency_hz,theta_deg,phi_deg,sigma_dbsm")?;
    for ((number, theta, phi), sigma) in rows.iter().zip(&sigma) {
        let frequency = wanted.wavenumbers[*number] * LIGHT / TAU;
        writeln!(file, "{frequency:.3},{theta},{phi},{sigma:.6}")?;
    }
    file.commit()?;
    Ok(sigma.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

fn sine_cosine(degrees: f64) -> [f64; 2] {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    [sine, cosine]
}
