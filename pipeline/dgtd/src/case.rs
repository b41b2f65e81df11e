//! `CASE.toml`: what is typed, and what it means.
//!
//! [`Tables`] is the text, field by field; [`Tables::resolve`] makes a [`Case`] of it, checked. Unknown fields are errors; errors name the field. [`BUILT_IN`] has cases that need no file.

mod resolve;
mod tables;

pub use tables::Tables;

use super::checkpoint::Fnv;
use super::mesh::Mesh;
use super::{Boundary, Mode, Settings, State};
use numerics::failure::{Failure, Kind};
use numerics::vec3::Vec3;
use std::hash::Hasher;
use std::io::Read;
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// Largest file in bytes.
pub const MAX_BYTES: u64 = 1 << 22;
/// Most cells of a built-in box.
pub const MOST_CELLS: usize = 10_000_000;
/// Most probes.
pub const MOST_PROBES: usize = 10_000;
/// Most directions of the far field.
pub const MOST_DIRECTIONS: usize = 100_000;
/// Most rows of the files over time.
pub const MOST_SAMPLES: usize = 1_000_000;

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
    /// The file cannot be read.
    #[error("{}: cannot be read: {reason}; built-in cases are almond, cavity, dielectric-sphere, helix, monopole, plane-wave and sphere", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The file is too large to be a case.
    #[error("{}: more than {MAX_BYTES} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The text is no TOML, or has fields that there are not.
    #[error("{0}")]
    Syntax(String),
    /// A value that means nothing.
    #[error("{field}: {found}; it must be {expected}")]
    Value {
        /// Table and field.
        field: &'static str,
        /// What was given.
        found: String,
        /// What it must be.
        expected: &'static str,
    },
    /// Mesh, materials, wave or mode.
    #[error(transparent)]
    Problem(#[from] super::Error),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Problem(error) => error.kind(),
            _ => Kind::Input,
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
        let mut sum = Fnv::default();
        let volume = self.mesh.volume();
        let numbers = (self.duration, self.until_energy, self.courant);
        let recorded = (&self.probes, self.samples, &self.sweep, &self.far_field);
        let what = (&self.settings, self.initial, recorded, numbers, precision);
        sum.write(format!("{what:?}").as_bytes());
        let places = volume.vertices.iter().flat_map(|vertex| vertex.to_array());
        places.for_each(|x| sum.write(&x.to_le_bytes()));
        let indices =
            volume.tetrahedra.iter().flatten().chain(&volume.groups).chain(volume.faces.iter().flatten());
        indices.chain(&volume.face_groups).for_each(|index| sum.write(&index.to_le_bytes()));
        sum.finish()
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

/// The tables of a built-in case or of a file. Paths in a file are relative to its folder, which comes with it.
pub fn load(name: &Path) -> Result<(Tables, PathBuf), Error> {
    if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| Path::new(built_in) == name) {
        return Ok((parse(text)?, PathBuf::new()));
    }
    let failed = |reason| Error::Read { path: name.into(), reason };
    let mut bytes = Vec::new();
    std::fs::File::open(name).map_err(failed)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::TooLarge { path: name.into() });
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::Syntax(format!("{}: not a text in UTF-8", name.display())))?;
    let tables = parse(&text).map_err(|error| Error::Syntax(format!("{}: {error}", name.display())))?;
    Ok((tables, name.parent().map(Path::to_owned).unwrap_or_default()))
}

/// Reads the text of a case.
pub fn parse(text: &str) -> Result<Tables, Error> {
    toml::from_str(text).map_err(|error| Error::Syntax(error.to_string().trim_end().to_owned()))
}

#[cfg(test)]
mod tests;
