//! `CASE.toml`: what is typed, and what it means.
//!
//! [`Tables`] is the text, field by field; [`Tables::resolve`] makes a [`Case`] of it, checked. Unknown fields are errors; errors name the field. [`BUILT_IN`] has cases that need no file.

mod resolve;
mod tables;

pub use tables::Tables;

use super::checkpoint::{FNV, fnv};
use super::mesh::Mesh;
use super::{Boundary, Mode, Settings, State};
use numerics::failure::{Failure, Kind};
use numerics::vec3::Vec3;
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// Largest file in bytes.
const MAX_BYTES: u64 = 1 << 22;
/// Most cells of a built-in box.
const MOST_CELLS: usize = 10_000_000;
/// Most probes.
const MOST_PROBES: usize = 10_000;
/// Most directions of the far field.
const MOST_DIRECTIONS: usize = 100_000;
/// Most rows of the files over time.
const MOST_SAMPLES: usize = 1_000_000;

/// The cases that need no file, and their texts.
pub const BUILT_IN: [(&str, &str); 7] = [
    ("almond", include_str!("../cases/almond.toml")),
    ("cavity", include_str!("../cases/cavity.toml")),
    ("dielectric-sphere", include_str!("../cases/dielectric-sphere.toml")),
    ("helix", include_str!("../cases/helix.toml")),
    ("monopole", include_str!("../cases/monopole.toml")),
    ("plane-wave", include_str!("../cases/plane-wave.toml")),
    ("sphere", include_str!("../cases/sphere.toml")),
];

/// What is wrong with a case.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file, its text, or a value.
    #[error(transparent)]
    Case(#[from] files::case::Error),
    /// Mesh, materials, wave or mode.
    #[error(transparent)]
    Problem(#[from] super::Error),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Case(error) => error.kind(),
            Self::Problem(error) => error.kind(),
        }
    }
}

/// What a run begins with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Initial {
    /// No fields.
    Nothing,
    /// The incident wave, everywhere.
    Wave,
    /// A mode of the box.
    Mode(Mode),
}

/// Radar cross-sections that are wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct FarField {
    /// k, rad/m.
    pub wavenumbers: Vec<f64>,
    /// Degrees from the z axis.
    pub theta: Vec<f64>,
    /// Degrees from the x axis.
    pub phi: Vec<f64>,
    /// Planes of symmetry: axis and wall.
    pub images: Vec<(usize, Boundary)>,
    /// When the last pulse has ended and ringing may be all that is left, and the distance of sums that show it, m.
    pub ringing: [f64; 2],
}

/// A case that can be run.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name.
    pub title: String,
    /// Elements.
    pub mesh: Mesh,
    /// What is computed.
    pub settings: Settings,
    /// m of c t.
    pub duration: f64,
    /// The run ends before that when its energy has fallen to this part of the largest.
    pub until_energy: Option<f64>,
    /// Part of the longest stable time step.
    pub courant: f64,
    /// What it begins with.
    pub initial: Initial,
    /// m
    pub probes: Vec<Vec3>,
    /// Rows of files over time.
    pub samples: usize,
    /// Rows between two snapshots of all fields.
    pub snapshot_rows: Option<NonZero<u64>>,
    /// k of the S-parameters, rad/m.
    pub sweep: Vec<f64>,
    /// Directions and frequencies of the far field.
    pub far_field: Option<FarField>,
}

impl Case {
    /// A number that differs where mesh, settings or what is recorded differ; `precision` is the size of a number in bytes.
    pub fn fingerprint(&self, precision: usize) -> u64 {
        let volume = self.mesh.volume();
        let numbers = (self.duration, self.until_energy, self.courant);
        let recorded = (&self.probes, self.samples, &self.sweep, &self.far_field);
        let what = (&self.settings, self.initial, recorded, numbers, precision);
        let mut sum = fnv(FNV, format!("{what:?}").as_bytes());
        let places = volume.vertices.iter().flat_map(|vertex| vertex.to_array());
        places.for_each(|x| sum = fnv(sum, &x.to_le_bytes()));
        let indices =
            volume.tetrahedra.iter().flatten().chain(&volume.groups).chain(volume.faces.iter().flatten());
        indices.chain(&volume.face_groups).for_each(|index| sum = fnv(sum, &index.to_le_bytes()));
        sum
    }

    /// Fields by formula where the case has one: those it begins with, at any time, m; where media are dispersive at time 0 alone.
    pub fn formula(&self, place: Vec3, time: f64) -> Option<State> {
        match (self.initial, &self.settings.wave) {
            _ if time != 0.0 && self.settings.is_dispersive() => None,
            (Initial::Mode(mode), _) => Some(mode.at(place, time)),
            (Initial::Wave, Some(wave)) => Some(wave.at(place, time)),
            _ => None,
        }
    }
}

/// The tables of a built-in case or of a file, and the folder that paths in it are relative to.
pub fn load(name: &Path) -> Result<(Tables, PathBuf), Error> {
    Ok(files::case::load(name, MAX_BYTES, &BUILT_IN)?)
}

#[cfg(test)]
mod tests;
