//! `CASE.toml`: what is typed, and what it means.
//!
//! [`Tables`] is the text, field by field as `docs/reflectarray.md` has it; [`Tables::resolve`] makes a [`Case`] of it, checked. Unknown fields are
//! errors; errors name the field. [`BUILT_IN`] has cases that need no file: the paper's arrays over outlines of our own.

mod resolve;
mod stages;
mod tables;

pub use tables::Tables;

use crate::coverage::Specification;
use crate::layout;
use crate::model::{Elements, Model, Spacing};
use crate::spacing::Shape;
use crate::synthesis::{Method, Power, Stage, Task};
use numerics::failure::{Failure, Kind};
use std::path::{Path, PathBuf};

/// Largest file in bytes.
const MAX_BYTES: u64 = 1 << 22;
/// Most elements.
pub const MOST_ELEMENTS: usize = 250_000;
/// Most frequencies.
const MOST_FREQUENCIES: usize = 32;
/// Most starts.
pub const MOST_STARTS: usize = 1000;
/// Most iterations of all stages.
const MOST_ITERATIONS: usize = 1_000_000;
/// Most regions.
const MOST_REGIONS: usize = 64;

/// The cases that need no file, and their texts.
pub const BUILT_IN: [(&str, &str); 4] = [
    ("europe-71", include_str!("../cases/europe-71.toml")),
    ("conus-44", include_str!("../cases/conus-44.toml")),
    ("conus-42", include_str!("../cases/conus-42.toml")),
    ("conus-40", include_str!("../cases/conus-40.toml")),
];

/// What is wrong with a case.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file, its text, or a value.
    #[error(transparent)]
    Case(#[from] files::case::Error),
    /// A file of S-parameters or of sizes, and the field that names it.
    #[error("{0}: {1}")]
    Table(&'static str, crate::csv::Error),
    /// Feed, frequency, element or region.
    #[error(transparent)]
    Model(#[from] crate::Error),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Model(error) => error.kind(),
            _ => Kind::Input,
        }
    }
}

impl Error {
    fn value(field: impl Into<String>, found: impl ToString, expected: impl Into<String>) -> Self {
        files::case::Error::value(field, found, expected).into()
    }
}

/// A case that can be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name.
    pub title: String,
    /// One for every frequency; the first sets the wavelength that lengths are given in.
    pub models: Vec<Model>,
    /// Elements of a row.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// Of the regular grid that the elements start from, m.
    pub pitch: f64,
    /// Limits of an aperiodic design; none leaves the elements on the grid.
    pub spacing: Option<Spacing>,
    /// Regions and levels.
    pub specification: Specification,
    /// Distance of the optimiser's samples in u and v; scores are taken at half of it.
    pub step: f64,
    /// How a design is judged on its way.
    pub method: Method,
    /// Directivities or gains.
    pub power: Power,
    /// What the mean counts for beside the least margin, 0 to 1.
    pub mean: f64,
    /// Designs that the synthesis begins with.
    pub starts: usize,
    /// What it does with them.
    pub stages: Vec<Stage>,
    /// The drawing of patches.
    pub layout: Option<LayoutCase>,
}

/// The drawing of patches.
#[derive(Debug, Clone, PartialEq)]
pub struct LayoutCase {
    /// How patches are made.
    pub settings: layout::Settings,
    /// Drawn from the front.
    pub mirrored: bool,
}

impl Case {
    /// The regular grid, all phases 0.
    pub fn elements(&self) -> Elements {
        Elements::grid(self.columns, self.rows, self.pitch)
    }

    /// What is to be synthesised, scored on a mask twice as fine as it is optimised on.
    pub fn task(&self) -> Result<Task, Error> {
        Ok(Task {
            bands: self.models.iter().map(|model| (model.clone(), 1.0)).collect(),
            shape: Shape { columns: self.columns, rows: self.rows },
            pitch: self.pitch,
            spacing: self.spacing,
            mask: self.specification.mask(self.step)?,
            fine: self.specification.mask(0.5 * self.step)?,
            mean: self.mean,
            starts: self.starts,
        })
    }
}

/// The tables of a built-in case or of a file, and the folder that paths in it are relative to.
pub fn load(name: &Path) -> Result<(Tables, PathBuf), Error> {
    Ok(files::case::load(name, MAX_BYTES, &BUILT_IN)?)
}

/// Text to case, with paths relative to `folder`.
pub fn case(text: &str, folder: &Path) -> Result<Case, Error> {
    files::case::parse::<Tables>(text)?.resolve(folder)
}

#[cfg(test)]
mod tests;
