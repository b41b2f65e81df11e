//! Why a configuration is refused.

use numerics::failure::{Failure, Kind};
use std::path::PathBuf;

/// Largest file in bytes.
pub const MAX_BYTES: u64 = 1 << 20;

/// What is wrong with an instrument.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("{}: cannot be read: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The file is too large to be an instrument.
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
        expected: String,
    },
    /// The array's files.
    #[error("[array] {0}")]
    Array(#[from] signal::array::Error),
    /// The geometry of the holograms.
    #[error("[hologram] {0}")]
    Pnah(#[from] holography::Error),
    /// The recording that is the source.
    #[error("[source] {0}")]
    Recording(#[from] files::Error),
    /// The scene that is the source.
    #[error("[source] {0}")]
    Scene(#[from] hil_sim::Error),
    /// The page's token.
    #[error("[viewer] token: {0}")]
    Token(#[from] viewer::Error),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        Kind::Input
    }
}

impl Error {
    /// The error of one field.
    pub(super) fn value(field: &'static str, found: impl ToString, expected: impl Into<String>) -> Self {
        Self::Value { field, found: found.to_string(), expected: expected.into() }
    }
}
