//! `rcs.csv` or `directivity.csv` of `nearfield dgtd`.

use super::pictures;
use crate::cli::Result;
use pipeline::dgtd::case::FarField;
use pipeline::dgtd::{Spectrum, far_field};
use pipeline::files::atomic::AtomicFile;
use pipeline::numerics::constants::SPEED_OF_LIGHT;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::f64::consts::{PI, TAU};
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

/// A value in the direction in which it is largest.
pub struct Largest {
    /// dB.
    pub value: f64,
    /// Frequency, Hz, and direction, degrees.
    at: [f64; 3],
    /// Of its right-handed and left-handed parts, where there is no incident wave, dB.
    parts: Option<[f64; 2]>,
}

impl Kind {
    /// File and heading.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Rcs => ["rcs.csv", "sigma_dbsm"],
            Self::Directivity => ["directivity.csv", "directivity_dbi,right_dbi,left_dbi"],
        }
    }

    /// Values in a direction, dB: of all of the field, and of its right-handed and left-handed parts.
    fn values(self, spectrum: &Spectrum, number: usize, angles: [f64; 2]) -> Vec<f64> {
        let [right, left] = far_field::circular(spectrum, number, angles).map(|part| part.norm_sqr());
        let decibels = |value: f64| 10.0 * value.log10();
        match self {
            Self::Rcs => {
                vec![decibels(4.0 * PI * (right + left) / spectrum.incident[number].norm_sqr())]
            }
            Self::Directivity => {
                let unit = 2.0 * PI / far_field::radiated(spectrum, number);
                [right + left, right, left].map(|part| decibels(unit * part)).to_vec()
            }
        }
    }
}

/// The surface with its images.
pub fn whole(wanted: &FarField, spectrum: &Spectrum) -> Spectrum {
    wanted.images.iter().fold(spectrum.clone(), |spectrum, (axis, wall)| spectrum.mirrored(*axis, *wall))
}

/// All frequencies and directions; returns the largest value of each frequency.
pub fn write(
    folder: &Path,
    title: &str,
    wanted: &FarField,
    spectrum: &Spectrum,
    kind: Kind,
) -> Result<Vec<Largest>> {
    let ([name, heading], whole) = (kind.names(), whole(wanted, spectrum));
    let angles = wanted.phi.iter().flat_map(|phi| wanted.theta.iter().map(move |theta| [*theta, *phi]));
    let angles: Vec<[f64; 2]> = angles.collect();
    let mut file = AtomicFile::create(folder.join(name))?;
    writeln!(file, "frequency_hz,theta_deg,phi_deg,{heading}")?;
    let mut largest = Vec::new();
    for (number, k) in wanted.wavenumbers.iter().enumerate() {
        let frequency = k * SPEED_OF_LIGHT / TAU;
        let rows: Vec<Vec<f64>> =
            angles.par_iter().map(|angles| kind.values(&whole, number, *angles)).collect();
        for ([theta, phi], values) in angles.iter().zip(&rows) {
            write!(file, "{frequency:.3},{theta},{phi}")?;
            values.iter().try_for_each(|value| write!(file, ",{value:.6}"))?;
            writeln!(file)?;
        }
        // Of a list of frequencies the middle one.
        if number == wanted.wavenumbers.len() / 2 && matches!(kind, Kind::Directivity) {
            pictures::draw_directivity(folder, title, wanted, frequency, &rows)?;
        }
        let most = angles.iter().zip(&rows).max_by(|a, b| a.1[0].total_cmp(&b.1[0]));
        largest.extend(most.map(|([theta, phi], values)| Largest {
            value: values[0],
            at: [frequency, *theta, *phi],
            parts: values.get(1..3).map(|parts| [parts[0], parts[1]]),
        }));
    }
    file.commit()?;
    Ok(largest)
}

impl Largest {
    /// Direction, and how the field turns there: the ratio of the axes of the ellipse is (|F_r| + |F_l|)/||F_r| - |F_l||, none where it is a line.
    pub fn described(&self) -> Value {
        let [frequency, theta, phi] = self.at;
        let [right, left] = self.parts.unwrap_or_default().map(|part| 10f64.powf(part / 20.0));
        let sense = match right.total_cmp(&left) {
            Ordering::Greater => "right",
            Ordering::Less => "left",
            Ordering::Equal => "linear",
        };
        json!({
            "frequency_hz": frequency, "theta_deg": theta, "phi_deg": phi, "directivity_dbi": self.value,
            "axial_ratio_db": 20.0 * ((right + left) / (right - left).abs()).log10(),
            "sense": sense,
        })
    }
}
