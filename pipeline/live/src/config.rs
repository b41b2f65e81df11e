//! `instrument.toml`: what is typed, and what it means.
//!
//! [`Tables`] is the text, field by field as `docs/instrument.md` has it; [`Tables::resolve`] makes [`Settings`] of it, checked. Every table
//! but `[source]` may be left out, and so may every field with a default. Unknown fields are errors; errors name the field.

pub mod bounds;
mod checks;
mod error;
mod resolve;
mod tables;

pub use error::Error;
pub use tables::Tables;

use super::settings::Settings;
use std::path::{Path, PathBuf};

/// Largest file in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a file. Paths in it are relative to its folder.
pub fn load(path: &Path) -> Result<(Tables, PathBuf), Error> {
    Ok(files::case::load(path, MAX_BYTES, &[])?)
}

/// Text to settings, with paths relative to `folder`.
pub fn settings(text: &str, folder: &Path) -> Result<Settings, Error> {
    files::case::parse::<Tables>(text)?.resolve(folder)
}

#[cfg(test)]
mod tests;
