//! What is refused.

use numerics::failure::{Failure, Kind};
use std::fmt::Debug;

/// What is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A value out of its range.
    #[error("{what} is {given}: {allowed}")]
    Value {
        /// Which one.
        what: String,
        /// Its value.
        given: String,
        /// What would be right.
        allowed: String,
    },
    /// What a method, a solver or a device does not do.
    #[error("{what}: use {instead}")]
    Unsupported {
        /// What is not done.
        what: String,
        /// What can be done.
        instead: &'static str,
    },
    /// Lines that meet where they should not.
    #[error(
        "{what} {first} and {second} meet at ({:.6}, {:.6}): a body must not cross or touch itself or another",
        at[0], at[1]
    )]
    Meeting {
        /// Bodies, pieces of a curved outline, or the sides from points.
        what: &'static str,
        /// Number of one of them, from 1.
        first: usize,
        /// That of the other, or the same of a loop.
        second: usize,
        /// m.
        at: [f64; 2],
    },
    /// Nothing to scatter.
    #[error("there is no body")]
    Empty,
    /// Something in a drawing that is no outline.
    #[error("line {line}: {reason}")]
    Drawing {
        /// Of the element, from 1.
        line: usize,
        /// What.
        reason: String,
    },
    /// A command of a path that is none.
    #[error("line {line}, command {command} of the path, '{letter}': {reason}")]
    Path {
        /// Of the element, from 1.
        line: usize,
        /// Number of the command, from 1.
        command: usize,
        /// Its letter.
        letter: char,
        /// What is wrong.
        reason: String,
    },
    /// A curve without a tangent.
    #[error(
        "piece {piece} has a cusp at ({:.6}, {:.6}), where it has no normal: divide it there",
        at[0], at[1]
    )]
    Cusp {
        /// Its number, from 1.
        piece: usize,
        /// m.
        at: [f64; 2],
    },
    /// A mesh that cannot be read.
    #[error(transparent)]
    Mesh(#[from] mesh::Error),
    /// Lines that do not make a chain.
    #[error("{lines} lines meet at ({}, {}): an outline has two there, or one where it ends", at[0], at[1])]
    Branching {
        /// Lines.
        lines: usize,
        /// m.
        at: [f64; 2],
    },
    /// A chain of lines that is not closed.
    #[error("the lines from ({}, {}) end at ({}, {}): they are no closed outline; if they are a thin sheet, say --open", ends[0][0], ends[0][1], ends[1][0], ends[1][1])]
    OpenChain {
        /// m.
        ends: [[f64; 2]; 2],
    },
    /// A node out of the plane.
    #[error("node {node} lies at z = {z}: all lines must lie in the plane z = 0")]
    OutOfPlane {
        /// Number of the node, from 0.
        node: usize,
        /// m.
        z: f64,
    },
    /// Neighbours in one place.
    #[error("points {first} and {second} are the same, ({}, {}): remove one", at[0], at[1])]
    Duplicate {
        /// Number of the first, from 1.
        first: usize,
        /// Number of the second.
        second: usize,
        /// m.
        at: [f64; 2],
    },
    /// No area.
    #[error("the contour encloses {area:e} m2, nothing beside its perimeter of {perimeter} m: it is no body")]
    Flat {
        /// m2.
        area: f64,
        /// m.
        perimeter: f64,
    },
    /// An equation of closed bodies.
    #[error(
        "body {body} is open, and {what} needs closed ones: use the electric equation with pulses or lcn"
    )]
    Open {
        /// Number of the body, from 1.
        body: usize,
        /// What needs it.
        what: &'static str,
    },
    /// Less than two unknowns a wavelength.
    #[error(
        "the longest cell is {length:.4} m with {nodes} unknowns, {density:.2} unknowns a wavelength: fewer than 2 cannot follow the wave; use more cells"
    )]
    Coarse {
        /// m.
        length: f64,
        /// Of the cell.
        nodes: usize,
        /// Unknowns a wavelength there.
        density: f64,
    },
    /// A matrix that does not fit.
    #[error(
        "{unknowns} unknowns need {needed_gib:.1} GiB for the matrix and its factors, and {free_gib:.1} GiB are free: use {instead}"
    )]
    Memory {
        /// Unknowns.
        unknowns: usize,
        /// Needed.
        needed_gib: f64,
        /// There is.
        free_gib: f64,
        /// What needs less.
        instead: &'static str,
    },
    /// Compression that does not compress enough.
    #[error(
        "{what} would bring the compressed matrix to {needed_gib:.2} GiB, and {free_gib:.2} GiB are free: ranks grow with the length of the outlines in wavelengths and with the digits of the tolerance; use fewer cells, or a larger --tolerance"
    )]
    Ranks {
        /// The block that was one too many.
        what: String,
        /// Needed up to it.
        needed_gib: f64,
        /// There is.
        free_gib: f64,
    },
    /// Numbers that do not count: the matrix is singular.
    #[error(
        "the matrix is singular: pivot {pivot} of {unknowns} is {value:e}; at an interior resonance the combined equation (cfie) is not"
    )]
    Singular {
        /// Number of the pivot, from 0.
        pivot: usize,
        /// All of them.
        unknowns: usize,
        /// Its magnitude.
        value: f64,
    },
    /// Refinement that stalls.
    #[error(
        "refinement from 32 bits ends at a backward error of {backward:e} after {steps} steps, the condition is about {condition:.1e}: use the solver lu"
    )]
    Stalled {
        /// Reached.
        backward: f64,
        /// Steps done.
        steps: usize,
        /// Estimate.
        condition: f64,
    },
    /// Compression that lost too much.
    #[error(
        "the compressed solution has a backward error of {backward:e} over {rows} rows of the true matrix, more than {limit:e}, with blocks to {tolerance:e}: use a smaller --tolerance"
    )]
    Uncertified {
        /// Found.
        backward: f64,
        /// Most that is accepted.
        limit: f64,
        /// Rows that were looked at.
        rows: usize,
        /// Of the blocks.
        tolerance: f64,
    },
    /// A card.
    #[error(transparent)]
    Card(#[from] kernels::Error),
    /// A contour's file that cannot be read.
    #[error("{path}: {message}")]
    File {
        /// Which.
        path: String,
        /// Why.
        message: String,
    },
}

impl Error {
    /// A value out of its range.
    pub(crate) fn value(what: impl Into<String>, given: impl Debug, allowed: impl Into<String>) -> Self {
        Self::Value { what: what.into(), given: format!("{given:?}"), allowed: allowed.into() }
    }

    /// Refuses numbers that are not positive and finite.
    pub(crate) fn check_positive(what: &str, value: f64) -> Result<(), Self> {
        let is_right = value > 0.0 && value.is_finite();
        if is_right { Ok(()) } else { Err(Self::value(what, value, "it must be positive and finite")) }
    }

    /// Refuses what is no finite number.
    pub(crate) fn check_finite<'a>(
        what: &str,
        values: impl IntoIterator<Item = &'a f64>,
        allowed: &str,
    ) -> Result<(), Self> {
        let wrong = values.into_iter().find(|value| !value.is_finite());
        wrong.map_or(Ok(()), |value| Err(Self::value(what, value, allowed)))
    }

    /// Refuses directions, degrees, that are none.
    pub(crate) fn check_directions(incidences_deg: &[f64]) -> Result<(), Self> {
        Self::check_finite("incidence", incidences_deg, "it must be a finite number of degrees")
    }

    /// The compressed solver does not do this.
    pub(crate) fn not_compressed(what: &str) -> Self {
        Self::Unsupported { what: format!("the solver hodlr does not do {what}"), instead: "another solver" }
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Mesh(error) => error.kind(),
            Self::Card(error) => error.kind(),
            Self::Singular { .. } | Self::Stalled { .. } | Self::Uncertified { .. } => Kind::Run,
            _ => Kind::Input,
        }
    }
}
