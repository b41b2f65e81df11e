//! What a NUFFT can refuse.

use numerics::failure::{Failure, Kind};
use thiserror::Error as ThisError;

/// What may be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a plan or a run can refuse.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum Error {
    /// The card.
    #[error(transparent)]
    Card(#[from] kernels::Error),
    /// No axis, or more than three.
    #[error("{0} axes: a NUFFT has 1, 2 or 3")]
    Axes(usize),
    /// An axis without modes.
    #[error("axis {0} has no modes")]
    Modes(usize),
    /// A derivative along an axis that is not there.
    #[error("derivative along axis {axis} of {axes}")]
    Axis {
        /// Number of the axis, 0 for x.
        axis: usize,
        /// How many there are.
        axes: usize,
    },
    /// The tolerance cannot be met.
    #[error(
        "a tolerance of {tolerance:e} with {window} at oversampling {oversampling}: {reach:e} is the best that it reaches; give a larger one"
    )]
    Tolerance {
        /// What was asked for.
        tolerance: f64,
        /// The window.
        window: String,
        /// Fine grid over modes.
        oversampling: f64,
        /// What can be reached.
        reach: f64,
    },
    /// Rounding is larger.
    #[error(
        "a tolerance of {tolerance:e} in {precision}: {reach:e} is the best that it holds; give a larger one, or more digits"
    )]
    Rounding {
        /// What was asked for.
        tolerance: f64,
        /// `f32` or `f64`.
        precision: &'static str,
        /// What it holds.
        reach: f64,
    },
    /// An oversampling that makes no sense.
    #[error("oversampling {0}: it must be from 1.1 to 4")]
    Oversampling(f64),
    /// The half width of the paper's window.
    #[error("window kaiser:{0}: K must be from 1 to 8")]
    Kaiser(usize),
    /// More memory than may be taken.
    #[error(
        "fine grid of {grid:?} points takes {needed} bytes with its copies; {allowed} are allowed: give fewer modes or less oversampling"
    )]
    Memory {
        /// Points of the fine grid along x, y, z.
        grid: Vec<usize>,
        /// Bytes.
        needed: u128,
        /// Bytes.
        allowed: u128,
    },
    /// More memory than may be taken by a sum between points and targets.
    #[error(
        "half extents {extents:?} of points and targets need a fine grid of {grid:?} points, {needed} bytes with its copies; {allowed} are allowed"
    )]
    Extents {
        /// X and S of every axis.
        extents: Vec<[f64; 2]>,
        /// Points of the fine grid along x, y, z.
        grid: Vec<usize>,
        /// Bytes.
        needed: u128,
        /// Bytes.
        allowed: u128,
    },
    /// More fine points than can be numbered.
    #[error("fine grid of {0:?} points: at most 2^32 - 1")]
    Grid(Vec<usize>),
    /// A point that is no number.
    #[error("point {index}, axis {axis}: {value} is not a position")]
    Point {
        /// Number of the point.
        index: usize,
        /// Number of the axis.
        axis: usize,
        /// Its coordinate.
        value: f64,
    },
    /// An array of the wrong length.
    #[error("{what} has {given} values, and {needed} are needed")]
    Length {
        /// Which.
        what: &'static str,
        /// Its length.
        given: usize,
        /// Right ones.
        needed: usize,
    },
    /// More points than can be numbered.
    #[error("{0} points: at most 2^32 - 1")]
    Points(usize),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Card(error) => error.kind(),
            _ => Kind::Input,
        }
    }
}
