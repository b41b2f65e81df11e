//! Cases: texts of bounded size that people write, in TOML.

mod value;

use numerics::failure::Failure;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};
pub use value::{Placed, Wrong};

/// Why a file has no text.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// The system refused.
    #[error("cannot be read: {0}")]
    System(#[from] std::io::Error),
    /// The path names a folder, a device or a pipe.
    #[error("not an ordinary file")]
    NotAFile,
    /// It has more bytes than this.
    #[error("more than {0} bytes")]
    TooLarge(u64),
    /// It has bytes that are no characters.
    #[error("not a text in UTF-8")]
    NotText,
}

/// What is wrong with a case.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file has no text.
    #[error("{}: {reason}{hint}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: Unread,
        /// What could be named instead.
        hint: String,
    },
    /// The text is no TOML, or has fields that there are not: file, line, column and what is there.
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
}

impl Failure for Error {}

impl Error {
    /// The error of one field.
    pub fn value(field: impl Into<String>, found: impl ToString, expected: impl Into<String>) -> Self {
        Self::Value { field: field.into(), found: found.to_string(), expected: expected.into() }
    }
}

/// Refuses a value that is not within limits, which are allowed.
pub fn within<N: PartialOrd + Display>(
    field: impl Into<String>,
    found: N,
    [least, most]: [N; 2],
) -> Result<N, Error> {
    let good = (&least..=&most).contains(&&found);
    if good { Ok(found) } else { Err(Error::value(field, found, format!("{least} to {most}"))) }
}

/// The text of a file; the limit, in bytes, holds for pipes and growing files too.
pub fn text(path: &Path, limit: u64) -> Result<String, Unread> {
    // A pipe would block in open().
    if !path.metadata()?.is_file() {
        return Err(Unread::NotAFile);
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(Unread::TooLarge(limit));
    }
    String::from_utf8(bytes).map_err(|_| Unread::NotText)
}

/// The tables of a built-in case (name and text) or of a file of at most `limit` bytes, and the folder that
/// paths in it are relative to.
pub fn load<T: DeserializeOwned>(
    name: &Path,
    limit: u64,
    built_in: &[(&str, &str)],
) -> Result<(T, PathBuf), Error> {
    if let Some((_, text)) = built_in.iter().find(|(known, _)| Path::new(known) == name) {
        return Ok((parse(text)?, PathBuf::new()));
    }
    let names: Vec<&str> = built_in.iter().map(|(known, _)| *known).collect();
    let hint = || match &names[..] {
        [others @ .., last] => format!("; built-in cases are {} and {last}", others.join(", ")),
        [] => String::new(),
    };
    let text = text(name, limit).map_err(|reason| Error::File { path: name.into(), reason, hint: hint() })?;
    let tables = parse(&text).map_err(|error| Error::Syntax(format!("{}: {error}", name.display())))?;
    Ok((tables, name.parent().map(Path::to_owned).unwrap_or_default()))
}

/// The tables of a text; an error knows its place in it.
pub fn tables<T: DeserializeOwned>(text: &str) -> Result<T, Wrong> {
    value::parse(text)
}

/// The tables of a text.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    tables(text).map_err(|wrong: Wrong| Error::Syntax(wrong.within(text)))
}
