//! The error of every figure.

use numerics::failure::{Failure, Kind};

/// What may be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a figure was not drawn.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing to draw.
    #[error("{0}: no values to draw")]
    Empty(&'static str),
    /// No value is a finite number: the figure, and how many values were given.
    #[error("{0}: none of the {1} values is a finite number")]
    NothingFinite(&'static str, usize),
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

/// A number that cannot be.
pub(crate) fn fault<T>(
    figure: &'static str,
    name: &'static str,
    value: f64,
    at: usize,
    expected: &'static str,
) -> Result<T> {
    Err(Error::Axis { figure, name, value, at, expected })
}

/// Refuses lengths that differ.
pub(crate) fn same_length(figure: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Length { figure, found, expected }) }
}

/// Refuses values that are no finite numbers.
pub(crate) fn all_finite(figure: &'static str, name: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => fault(figure, name, values[at], at, "it must be finite"),
        None => Ok(()),
    }
}

/// Refuses values that do not rise.
pub(crate) fn all_rising(
    figure: &'static str,
    name: &'static str,
    values: &[f64],
    expected: &'static str,
) -> Result<()> {
    match values.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(at) => fault(figure, name, values[at + 1], at + 1, expected),
        None => Ok(()),
    }
}

/// Refuses a range of levels that is none.
pub(crate) fn good_range(figure: &'static str, range_db: f64) -> Result<()> {
    if range_db > 0.0 && range_db.is_finite() {
        return Ok(());
    }
    fault(figure, "range", range_db, 0, "it must be finite and above 0 dB")
}

/// The lowest and the highest of the finite values; refuses if there are none.
pub(crate) fn ends(figure: &'static str, values: impl Iterator<Item = f64> + Clone) -> Result<[f64; 2]> {
    let finite = values.clone().filter(|value| value.is_finite());
    let ends = finite.clone().reduce(f64::min).zip(finite.reduce(f64::max));
    let (low, high) = ends.ok_or_else(|| Error::NothingFinite(figure, values.count()))?;
    Ok([low, high])
}
