//! `instrument.toml`: what is typed, and what it means.
//!
//! [`Tables`] is the text, field by field as `docs/instrument.md` has it; [`Tables::resolve`] makes [`Settings`] of it, checked. Every table
//! but `[source]` may be left out, and so may every field with a default. Unknown fields are errors; errors name the field.

pub mod bounds;
mod resolve;
mod tables;

pub use tables::Tables;

use super::Settings;
use numerics::failure::{Failure, Kind};
use std::io::Read;
use std::path::{Path, PathBuf};

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
    fn value(field: &'static str, found: impl ToString, expected: impl Into<String>) -> Self {
        Self::Value { field, found: found.to_string(), expected: expected.into() }
    }
}

/// Reads a file. Paths in it are relative to its folder.
pub fn load(path: &Path) -> Result<(Tables, PathBuf), Error> {
    let failed = |reason| Error::Read { path: path.into(), reason };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::TooLarge { path: path.into() });
    }
    let tables = parse(&text).map_err(|error| Error::Syntax(format!("{}: {error}", path.display())))?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    Ok((tables, folder))
}

/// Reads the text of a file.
pub fn parse(text: &str) -> Result<Tables, Error> {
    toml::from_str(text).map_err(|error| Error::Syntax(error.to_string().trim_end().to_owned()))
}

/// Text to settings, with paths relative to `folder`.
pub fn settings(text: &str, folder: &Path) -> Result<Settings, Error> {
    parse(text)?.resolve(folder)
}

#[cfg(test)]
mod tests;
