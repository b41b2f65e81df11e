//! What a mesh can be refused for.

use numerics::failure::Failure;
use std::fmt;
use std::path::{Path, PathBuf};

/// Most triangles of a mesh: indices are 32 bits wide, and nodes of trees need some of them.
pub const MOST_TRIANGLES: usize = 1 << 28;

/// Where in a file something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Line, from 1.
    Line(usize),
    /// Byte, from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// What a mesh can be refused for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The operating system refused.
    #[error("{}: cannot read the mesh: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// An ending of no known format.
    #[error("{}: no known mesh format; use .stl, .obj, .ply or .msh", .0.display())]
    Ending(PathBuf),
    /// Something that the format does not allow.
    #[error("{place}: {reason}")]
    Syntax {
        /// Where.
        place: Place,
        /// What.
        reason: String,
    },
    /// No triangle.
    #[error("the mesh has no triangles")]
    Empty,
    /// More than indices can count.
    #[error("{given} {what}: at most {}", MOST_TRIANGLES)]
    TooLarge {
        /// Of what.
        what: &'static str,
        /// How many.
        given: u64,
    },
    /// A triangle with a corner that does not exist.
    #[error("triangle {triangle} has vertex {vertex}, and there are {vertices}")]
    Index {
        /// Number of the triangle, from 0.
        triangle: usize,
        /// Number of the vertex, from 0.
        vertex: i64,
        /// Vertices there are.
        vertices: usize,
    },
    /// Groups that are not one a triangle.
    #[error("{groups} groups for {triangles} triangles: one each is needed")]
    Groups {
        /// Given.
        groups: usize,
        /// Needed.
        triangles: usize,
    },
    /// A coordinate that is no number.
    #[error("vertex {vertex} at {position:?}: every coordinate must be a finite number")]
    NotFinite {
        /// Number of the vertex, from 0.
        vertex: usize,
        /// Its coordinates.
        position: [f64; 3],
    },
    /// Any of these, in a file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<Error>,
    },
}

impl Failure for Error {}

impl Error {
    /// Something that a format does not allow in a line.
    pub(super) fn line(line: usize, reason: impl Into<String>) -> Self {
        Self::Syntax { place: Place::Line(line), reason: reason.into() }
    }

    /// Something that a format does not allow at a byte.
    pub(super) fn byte(byte: usize, reason: impl Into<String>) -> Self {
        Self::Syntax { place: Place::Byte(byte), reason: reason.into() }
    }

    /// The same with the name of the file.
    pub(super) fn of(self, path: &Path) -> Self {
        Self::File { path: path.into(), source: Box::new(self) }
    }
}
