//! The error of every figure.

use numerics::failure::{Failure, Kind};

/// Why a figure was not drawn.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing to draw.
    #[error("{figure}: no values to draw")]
    Empty {
        /// The figure.
        figure: &'static str,
    },
    /// No value is a finite number.
    #[error("{figure}: none of the {count} values is a finite number")]
    NothingFinite {
        /// The figure.
        figure: &'static str,
        /// Values given.
        count: usize,
    },
    /// Two lengths that must agree do not.
    #[error("{figure}: {found} values where there must be {expected}")]
    Length {
        /// The figure.
        figure: &'static str,
        /// Values given.
        found: usize,
        /// Values needed.
        expected: usize,
    },
    /// An axis that cannot be: a pitch of zero, frequencies that do not rise.
    #[error("{figure}: {name} = {value} at {at}; {expected}")]
    Axis {
        /// The figure.
        figure: &'static str,
        /// The quantity.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Place among its kind.
        at: usize,
        /// What is accepted.
        expected: &'static str,
    },
    /// The drawing library failed.
    #[error("drawing failed: {0}")]
    Draw(String),
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] files::Error),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::File(error) => error.kind(),
            _ => Kind::Run,
        }
    }
}
