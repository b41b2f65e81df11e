//! `CASE.toml`: what is typed, and what it means.
//!
//! [`Tables`] is the text, field by field as `docs/reflectarray.md` has it; [`Tables::resolve`] makes a [`Case`] of it, checked. Unknown fields are
//! errors; errors name the field. [`BUILT_IN`] has cases that need no file: the paper's arrays over outlines of our own.

mod resolve;
mod stages;
mod tables;

pub use stages::{method_name, power_name};
pub use tables::Tables;

use super::coverage::Specification;
use super::layout;
use super::model::{Elements, Model, Spacing};
use super::spacing::Shape;
use super::synthesis::{Method, Power, Stage, Task};
use numerics::failure::{Failure, Kind};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest file in bytes.
pub const MAX_BYTES: u64 = 1 << 22;
/// Most elements.
pub const MOST_ELEMENTS: usize = 250_000;
/// Most frequencies.
pub const MOST_FREQUENCIES: usize = 32;
/// Most starts.
pub const MOST_STARTS: usize = 1000;
/// Most iterations of all stages.
pub const MOST_ITERATIONS: usize = 1_000_000;
/// Most regions.
pub const MOST_REGIONS: usize = 64;

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
    /// The file cannot be read.
    #[error("{}: cannot be read: {reason}; built-in cases are europe-71, conus-44, conus-42 and conus-40", path.display())]
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
        field: String,
        /// What was given.
        found: String,
        /// What it must be.
        expected: String,
    },
    /// A region that cannot be seen, drawn or sampled.
    #[error("[[coverage]] {0}")]
    Coverage(#[from] super::coverage::Error),
    /// A table of S-parameters.
    #[error("[element] scattering: {}: {reason}", path.display())]
    Scattering {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: super::scattering::FileError,
    },
    /// A table of sizes.
    #[error("[layout] table: {0}")]
    Layout(#[from] layout::TableError),
    /// Feed, frequency or element.
    #[error(transparent)]
    Model(#[from] super::Error),
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
        Self::Value { field: field.into(), found: found.to_string(), expected: expected.into() }
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

/// Text to case, with paths relative to `folder`.
pub fn case(text: &str, folder: &Path) -> Result<Case, Error> {
    parse(text)?.resolve(folder)
}

#[cfg(test)]
mod tests;
