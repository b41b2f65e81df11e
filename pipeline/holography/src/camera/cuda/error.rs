//! Why the live camera refuses.

use numerics::failure::{Failure, Kind};
use signal::front_end::FrontEndError;

/// Why a live camera cannot be made or cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// From bits to bins.
    #[error(transparent)]
    FrontEnd(#[from] FrontEndError),
    /// From holograms to the source plane.
    #[error(transparent)]
    Pnah(#[from] crate::Error),
    /// The card.
    #[error(transparent)]
    Kernels(#[from] kernels::Error),
    /// There is no fused kernel for what is asked.
    #[error(
        "a live camera needs a card with clusters (compute capability 9.0), zeros or lpbp of order 16 at most around 32 x 32 \
         microphones at most, no refinement, and a grid of short factors such as 96 x 96"
    )]
    Shape,
    /// Channels and microphones of the grid are not the same number.
    #[error("the stream has {channels} channels, the grid {points} microphones")]
    Grid {
        /// Channels of the stream.
        channels: usize,
        /// Microphones of the grid.
        points: usize,
    },
    /// Not whole rows.
    #[error("{given} bytes of rows, where a row has {row}")]
    PartOfRow {
        /// Bytes given.
        given: usize,
        /// Bytes of a row.
        row: usize,
    },
    /// Other rows than a hop has.
    #[error("{given} bytes of rows, where a hop of {hop} rows has {needed}")]
    Rows {
        /// Bytes given.
        given: usize,
        /// Rows of a hop.
        hop: usize,
        /// Its bytes.
        needed: usize,
    },
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::FrontEnd(error) => error.kind(),
            Self::Pnah(error) => error.kind(),
            Self::Kernels(error) => error.kind(),
            _ => Kind::Input,
        }
    }
}
