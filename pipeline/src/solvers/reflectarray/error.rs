//! What a synthesis can refuse.

use thiserror::Error as ThisError;

/// What a model, a mask or a run can refuse.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum Error {
    /// Not a positive number.
    #[error("frequency {frequency} Hz: it must be positive and finite")]
    Frequency {
        /// What was given, Hz.
        frequency: f64,
    },
    /// A feed that lights nothing.
    #[error(
        "feed at {position:?} m that looks at {aim:?} m with exponent {exponent}: it must lie above the aperture (z > 0), look elsewhere than at itself, and have an exponent of 0 or more"
    )]
    Feed {
        /// Phase centre, m.
        position: [f64; 3],
        /// What it looks at, m.
        aim: [f64; 3],
        /// m.
        exponent: f64,
    },
    /// An element pattern that has no power.
    #[error("element pattern cos^{exponent}: the exponent must be 0 or more")]
    Pattern {
        /// q.
        exponent: f64,
    },
    /// Starts that are no whole number of points.
    #[error(
        "starts of {given} numbers for {unknowns} unknowns: it must be a multiple, and there must be unknowns"
    )]
    Starts {
        /// Numbers given.
        given: usize,
        /// Unknowns of a start.
        unknowns: usize,
    },
    /// An array of the wrong length.
    #[error("{what} has {given} values, and {needed} are needed")]
    Length {
        /// Which.
        what: &'static str,
        /// Its length.
        given: usize,
        /// Right one.
        needed: usize,
    },
}
