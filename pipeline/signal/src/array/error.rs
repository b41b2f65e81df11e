//! The error of everything in [`crate::array`].

use numerics::failure::Failure;
use std::path::{Path, PathBuf};

/// What is wrong with the description of an array, and where.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something is wrong in a file.
    #[error("{}: {error}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: Box<Error>,
    },
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// The file is larger than any array's description.
    #[error("has {bytes} bytes or more; the limit is {limit}, enough for 65536 microphones")]
    TooLarge {
        /// Bytes found before reading stopped.
        bytes: u64,
        /// Largest size accepted.
        limit: u64,
    },
    /// The file is not UTF-8 text from this byte on.
    #[error("byte {0} is not UTF-8 text")]
    NotText(usize),
    /// The format follows from the ending of the name, and there is none for this one, only for these.
    #[error("the format follows from the name, which must end in {0}")]
    UnknownExtension(&'static str),
    /// The text is not in the format.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser expected.
        message: String,
    },
    /// A value that cannot be used.
    #[error("{place} is {found}; it must be {expected}")]
    Value {
        /// Which value: a field, an attribute of an element, a column of a line, or an argument.
        place: String,
        /// The value, shortened.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// A value that is not there.
    #[error("{place} is missing; it must be {expected}")]
    Missing {
        /// Which value.
        place: String,
        /// What it should be.
        expected: String,
    },
    /// Two microphones at one place.
    #[error("microphones {first} and {second} are {distance_m:e} m apart: one of the positions is wrong")]
    SamePlace {
        /// A channel.
        first: usize,
        /// Another.
        second: usize,
        /// Distance between them in metres.
        distance_m: f64,
    },
    /// The microphones are not in one plane z = constant.
    #[error(
        "microphone {channel} is {offset_m:e} m out of the plane of the array, more than {limit_m:e} m; \
         planar holography needs all microphones in one plane z = constant"
    )]
    NotFlat {
        /// The channel that is farthest out.
        channel: usize,
        /// Its distance from the mean plane in metres.
        offset_m: f64,
        /// The largest distance accepted.
        limit_m: f64,
    },
    /// A calibration, a hologram or a grid of the wrong length.
    #[error("{what} has {found} values; it must have {expected}")]
    Length {
        /// Which.
        what: &'static str,
        /// Values found.
        found: usize,
        /// Values needed.
        expected: usize,
    },
    /// Grid points whose value cannot be had from the live microphones.
    #[error(
        "the live microphones do not determine the field at {} of the grid points ({}): \
         the standard deviation there is up to {:.0} % of the field, the limit is {:.0} %. \
         Repair microphones, or use fewer rows and columns",
        points.len(), list(points), 100.0 * worst, 100.0 * limit
    )]
    Undetermined {
        /// Row and column of each such point.
        points: Vec<[usize; 2]>,
        /// Largest standard deviation, relative to the field.
        worst: f64,
        /// Largest standard deviation accepted.
        limit: f64,
    },
    /// So many microphones disagree with their neighbours that it is the field model that is wrong.
    #[error(
        "{found} of {live} live microphones look broken; rather the standoff, the frequency, the order of \
         the channels or the geometry is wrong, or there is no signal"
    )]
    TooManySuspects {
        /// Microphones found when the search stopped.
        found: usize,
        /// Live microphones in all.
        live: usize,
    },
}

impl Failure for Error {}

impl Error {
    /// The same error, with the file it is about.
    pub(super) fn in_file(self, path: &Path) -> Self {
        Self::InFile { path: path.into(), error: Box::new(self) }
    }

    /// A value that cannot be used.
    pub(super) fn value(place: impl Into<String>, found: impl ToString, expected: impl Into<String>) -> Self {
        Self::Value { place: place.into(), found: shorten(&found.to_string()), expected: expected.into() }
    }

    /// A syntax error at byte `offset` of `text`.
    pub(super) fn syntax(text: &str, offset: usize, message: &str) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
        let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count();
        Self::Syntax { line, column, message: shorten(message) }
    }
}

/// A hostile file must not flood the terminal.
fn shorten(text: &str) -> String {
    const KEEP: usize = 120;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(KEEP).collect();
    if line.len() < text.len() && text.chars().nth(KEEP).is_some() { line + "..." } else { line }
}

/// The first points, for the message.
fn list(points: &[[usize; 2]]) -> String {
    const SHOWN: usize = 8;
    let shown = points.iter().take(SHOWN).map(|[row, col]| format!("row {row} column {col}"));
    let text = shown.collect::<Vec<_>>().join(", ");
    if points.len() > SHOWN { text + ", ..." } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_file_place_and_remedy() {
        let error = Error::value("microphone 5: x_m", f64::NAN, "finite").in_file(Path::new("a.toml"));
        assert_eq!(error.to_string(), "a.toml: microphone 5: x_m is NaN; it must be finite");
        let points: Vec<_> = (0..9).map(|n| [n, 2 * n]).collect();
        let text = Error::Undetermined { points, worst: 0.734, limit: 0.5 }.to_string();
        for part in ["9 of the grid points", "row 7 column 14, ...", "73 %", "50 %"] {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
        assert!(!text.contains("row 8"));
    }

    #[test]
    fn long_and_odd_values_are_shortened() {
        assert_eq!(shorten("a\nb\u{1b}c"), "a b c");
        assert_eq!(shorten(&"é".repeat(120)), "é".repeat(120));
        assert_eq!(shorten(&"é".repeat(121)), "é".repeat(120) + "...");
    }

    #[test]
    fn offsets_become_lines_and_columns() {
        let at = |offset| match Error::syntax("ab\ncé\n", offset, "") {
            Error::Syntax { line, column, .. } => (line, column),
            other => panic!("{other}"),
        };
        assert_eq!([at(0), at(2), at(3), at(4), at(99)], [(1, 1), (1, 3), (2, 1), (2, 2), (3, 1)]);
    }
}
