//! `CASE.toml`: what is typed, and what it means.
//!
//! [`Tables`] is the text, field by field as `docs/reflectarray.md` has it; [`Tables::resolve`] makes a [`Case`] of it, checked. Unknown fields are
//! errors; errors name the field. [`BUILT_IN`] has cases that need no file: the paper's arrays over outlines of our own.

mod error;
mod limits;
mod resolve;
mod settled;
mod stages;
mod tables;

pub use error::Error;
pub use limits::{MAX_BYTES, MOST_ELEMENTS, MOST_FREQUENCIES, MOST_ITERATIONS, MOST_REGIONS, MOST_STARTS};
pub use settled::{Case, LayoutCase};
pub use stages::{method_name, power_name};
pub use tables::Tables;

use std::io::Read;
use std::path::{Path, PathBuf};

/// The cases that need no file, and their texts.
pub const BUILT_IN: [(&str, &str); 4] = [
    ("europe-71", include_str!("../cases/europe-71.toml")),
    ("conus-44", include_str!("../cases/conus-44.toml")),
    ("conus-42", include_str!("../cases/conus-42.toml")),
    ("conus-40", include_str!("../cases/conus-40.toml")),
];

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
