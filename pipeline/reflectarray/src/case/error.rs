//! What is wrong with a case.

use super::limits::MAX_BYTES;
use numerics::failure::{Failure, Kind};
use std::path::PathBuf;

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
    Coverage(#[from] crate::coverage::Error),
    /// A table of S-parameters.
    #[error("[element] scattering: {}: {reason}", path.display())]
    Scattering {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: crate::scattering::FileError,
    },
    /// A table of sizes.
    #[error("[layout] table: {0}")]
    Layout(#[from] crate::layout::TableError),
    /// Feed, frequency or element.
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
    pub(super) fn value(field: impl Into<String>, found: impl ToString, expected: impl Into<String>) -> Self {
        Self::Value { field: field.into(), found: found.to_string(), expected: expected.into() }
    }
}

/// Refuses a number that is not within limits.
pub(super) fn within(field: impl Into<String>, found: f64, [least, most]: [f64; 2]) -> Result<f64, Error> {
    let good = (least..=most).contains(&found);
    if good { Ok(found) } else { Err(Error::value(field, found, format!("{least} to {most}"))) }
}
