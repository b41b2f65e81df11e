//! Scene files: a bench in TOML. The crate's README explains the language field by field.
//!
//! Text becomes tables, tables become a checked [`Bench`]. Errors carry the line of the text that
//! they are about: the value's for mistakes of syntax and type, the item's for values that mean nothing.
//!
//! # Limits
//! | what | at most |
//! |---|---|
//! | size of a file | 1 MiB |
//! | lines of sound | 1000 |
//! | sources of all lines | 10 000 |
//! | moving sources, noises and fields together | 64 |
//! | faults, restarts | 1000 each |
//! | microphones | 65 535, what a frame can count |
//! | exponentials that the lines cost at set-up | 2^31, about a minute on one core |
//! | a field's file, unpacked | 64 MiB |

mod resolve;
mod tables;

use files::case::Wrong;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use crate::bench::Bench;
use crate::clock::Clock;
use crate::faults::Fault;
use crate::limited::open_limited;
use crate::link::Rates;
use crate::{Array, Error, Scene, Settings};
use tables::{FaultsTables, SceneTables};

/// Largest scene file in bytes.
pub const MAX_BYTES: u64 = 1 << 20;

/// Most lines of sound.
pub const MAX_LINES: usize = 1000;

/// Most sources of all lines together.
pub const MAX_SOURCES: usize = 10_000;

/// Most exponentials that the lines may cost at set-up.
pub const MAX_WORK: f64 = 2_147_483_648.0;

/// Faults without a scene: of the microphones, the clock and the link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// Microphones that fail.
    pub microphones: Vec<Fault>,
    /// The clock, if the file has one.
    pub clock: Option<Clock>,
    /// The link, if the file has one.
    pub link: Option<Rates>,
}

/// The bench of a built-in scene's name before the camera, or of a scene file.
pub fn load(name: &str) -> Result<Bench, Error> {
    if Scene::names().any(|known| known == name) {
        return Ok(Bench::new(Scene::named(name)?, Array::CAMERA, Settings::default()));
    }
    let path = Path::new(name);
    // A word that is no file is more likely a name with a slip.
    if !path.exists() && path.extension().is_none() && path.components().count() == 1 {
        Scene::named(name)?;
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    parse(&read(path)?, path, folder)
}

/// Reads a file of faults.
pub fn load_faults(path: &Path) -> Result<Faults, Error> {
    let text = read(path)?;
    let tables: FaultsTables = files::case::tables(&text).map_err(|e| syntax(&text, path, &e))?;
    tables.resolve().map_err(|(error, span)| located(&text, path, &error, span))
}

/// Reads the text of a scene; `path` is for the messages, files that it names are looked for in `folder`.
pub fn parse(text: &str, path: &Path, folder: &Path) -> Result<Bench, Error> {
    let tables: SceneTables = files::case::tables(text).map_err(|e| syntax(text, path, &e))?;
    tables.resolve(folder).map_err(|(error, span)| located(text, path, &error, span))
}

fn read(path: &Path) -> Result<String, Error> {
    let mut text = String::new();
    let read = open_limited(path, MAX_BYTES)?.take(MAX_BYTES).read_to_string(&mut text);
    read.map_err(|e| Error::File { path: path.into(), message: e.to_string() })?;
    Ok(text)
}

fn syntax(text: &str, path: &Path, error: &Wrong) -> Error {
    located(text, path, error, error.span())
}

/// An error at the line where `span` begins.
fn located(text: &str, path: &Path, error: &dyn std::fmt::Display, span: Range<usize>) -> Error {
    let before = text.as_bytes().get(..span.start).unwrap_or(text.as_bytes());
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    Error::SceneFile { path: path.into(), line, message: error.to_string() }
}

#[cfg(test)]
mod tests;
