//! `instrument.toml`: what is typed, and what it means.
//!
//! [`Tables`] is the text, field by field as `docs/instrument.md` has it; [`Tables::resolve`] makes [`Settings`] of it, checked. Every table
//! but `[source]` may be left out, and so may every field with a default. Unknown fields are errors; errors name the field.

pub mod bounds;
mod checks;
mod error;
mod resolve;
mod tables;

pub use error::{Error, MAX_BYTES};
pub use tables::Tables;

use super::settings::Settings;
use std::io::Read;
use std::path::{Path, PathBuf};

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
