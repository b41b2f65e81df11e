//! Tables of numbers in CSV files: a header, and as many finite numbers in every row.

use files::InFile;
use files::case::{Unread, text};
use std::path::Path;

/// What is wrong with the table in a file.
pub type Error = InFile<Reason>;

/// What is wrong with a table.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// The file has no text.
    #[error(transparent)]
    Text(#[from] Unread),
    /// A line that is none of it.
    #[error("line {line}: {found:?}; {expected}")]
    Line {
        /// From 1.
        line: usize,
        /// What stands there.
        found: String,
        /// What should.
        expected: String,
    },
    /// Lines that are no table together.
    #[error("{0}")]
    Table(String),
}

impl Reason {
    pub(super) fn line(line: usize, found: impl ToString, expected: impl Into<String>) -> Self {
        let found = found.to_string().chars().take(80).collect();
        Self::Line { line, found, expected: expected.into() }
    }
}

/// What `parse` makes of a file of at most `limit` bytes.
pub(super) fn load<T>(
    path: &Path,
    limit: u64,
    parse: impl FnOnce(&str) -> Result<T, Reason>,
) -> Result<T, Error> {
    let parsed = text(path, limit).map_err(Reason::Text).and_then(|text| parse(&text));
    parsed.map_err(|reason| Error { path: path.into(), reason })
}

/// Rows and their lines, from 1.
pub(super) fn rows<const N: usize>(
    text: &str,
    header: &str,
    expected: &str,
) -> Result<Vec<(usize, [f64; N])>, Reason> {
    let mut lines = text.lines().map(str::trim).zip(1..);
    let found = lines.next().map_or("", |(line, _)| line);
    if found != header {
        return Err(Reason::line(1, found, format!("it must be {header}")));
    }
    let row = |(text, line): (&str, usize)| {
        let numbers: Option<Vec<f64>> = text.split(',').map(|field| field.trim().parse().ok()).collect();
        let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
        let finite = numbers.filter(|numbers: &[f64; N]| numbers.iter().all(|number| number.is_finite()));
        finite.map(|numbers| (line, numbers)).ok_or_else(|| Reason::line(line, text, expected))
    };
    lines.filter(|(text, _)| !text.is_empty()).map(row).collect()
}
