//! What a synthesis can refuse.

use numerics::failure::{Failure, Kind};
use thiserror::Error as ThisError;

/// What may be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a model, a mask or a run can refuse.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum Error {
    /// A card or its driver.
    #[error(transparent)]
    Card(#[from] kernels::Error),
    /// Something that only the CPU does.
    #[error("a card does not compute {0}: use the CPU (--device cpu)")]
    NotOnCard(&'static str),
    /// Values, places or lists that mean nothing.
    #[error("{given}: {allowed}")]
    Invalid {
        /// Which they are, and their values.
        given: String,
        /// What would be right.
        allowed: String,
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
    /// The transform.
    #[error(transparent)]
    Nufft(#[from] nufft::Error),
    /// Positions that were tabulated by another plan.
    #[error("positions of another plan")]
    Places,
    /// Nothing to cover.
    #[error("no region has a least directivity: there is nothing to cover")]
    NoCoverage,
    /// More power than there is.
    #[error(
        "infeasible: the least directivities take {share:.3} of all power, {over_db:.2} dB too much; over {solid_angle:.3e} sr no antenna has a mean above 4 pi/solid angle, {bound_dbi:.2} dBi"
    )]
    Infeasible {
        /// Part of the power that is asked for.
        share: f64,
        /// The same, dB.
        over_db: f64,
        /// Solid angle of all coverages, sr.
        solid_angle: f64,
        /// 4 pi/solid angle, dBi.
        bound_dbi: f64,
    },
}

impl Error {
    pub(super) fn invalid(given: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self::Invalid { given: given.into(), allowed: allowed.into() }
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Card(error) => error.kind(),
            Self::Nufft(error) => error.kind(),
            _ => Kind::Input,
        }
    }
}
