//! What a DGTD plan or run can refuse.

use numerics::failure::{Failure, Kind};
use std::fmt::Debug;
use thiserror::Error as ThisError;

/// What a plan or a run can refuse.
#[derive(Debug, Clone, PartialEq, ThisError)]
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
    /// The file of a mesh.
    #[error(transparent)]
    File(#[from] mesh::Error),
    /// The card.
    #[error(transparent)]
    Card(#[from] kernels::Error),
    /// What only the processor does.
    #[error("a card does not compute {0}: use the CPU (--device cpu)")]
    NotOnCard(&'static str),
    /// METIS made no partition.
    #[error("METIS made no {parts} parts of {elements} tetrahedra: {reason}")]
    Metis {
        /// Wanted.
        parts: usize,
        /// Of the mesh.
        elements: usize,
        /// What it says.
        reason: String,
    },
    /// No tetrahedron.
    #[error("the mesh has no tetrahedra: was it meshed in three dimensions?")]
    Empty,
    /// Elements and faces that no fields can be computed on, or a group that is not there: which, and where.
    #[error("{0}")]
    Mesh(String),
    /// Fields that grew without end.
    #[error(
        "the fields have no meaning after step {step}, first of all in tetrahedron {element} near {position:?} m: {reason}"
    )]
    Unstable {
        /// Steps done.
        step: u64,
        /// Number of the tetrahedron, from 0.
        element: usize,
        /// m
        position: [f64; 3],
        /// What it may come from.
        reason: String,
    },
    /// An array of the wrong length.
    #[error("{given} {what}, and {needed} are needed")]
    Length {
        /// Of what.
        what: &'static str,
        /// Given.
        given: usize,
        /// Right number.
        needed: usize,
    },
    /// Something lets a wave in that was not given.
    #[error("an incident boundary or a total-field region needs a plane wave, and none was given")]
    NoWave,
}

impl Error {
    /// A value out of its range.
    pub(crate) fn value(what: impl Into<String>, given: impl Debug, allowed: impl Into<String>) -> Self {
        Self::Value { what: what.into(), given: format!("{given:?}"), allowed: allowed.into() }
    }

    /// Refuses numbers that are not finite and above 0, or 0 where that is allowed.
    pub(crate) fn check_signs(
        numbers: &[(&str, f64, bool)],
        name: impl Fn(&str) -> String,
    ) -> Result<(), Self> {
        let is_wrong =
            |value: f64, may_vanish: bool| !value.is_finite() || value < 0.0 || (value == 0.0 && !may_vanish);
        numbers.iter().find(|(_, value, may_vanish)| is_wrong(*value, *may_vanish)).map_or(Ok(()), |wrong| {
            let (what, value, may_vanish) = wrong;
            let allowed = if *may_vanish { "it must be 0 or above" } else { "it must be above 0" };
            Err(Self::value(name(what), value, allowed))
        })
    }

    /// Refuses a list of another length than the needed one.
    pub(crate) fn check_length(what: &'static str, given: usize, needed: usize) -> Result<(), Self> {
        if given == needed { Ok(()) } else { Err(Self::Length { what, given, needed }) }
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::File(error) => error.kind(),
            Self::Card(error) => error.kind(),
            Self::Unstable { .. } | Self::Metis { .. } => Kind::Run,
            _ => Kind::Input,
        }
    }
}
