//! Why the camera refuses.

use numerics::failure::{Failure, Kind};
use signal::array;
use signal::front_end::FrontEndError;

/// Why a camera cannot be made or cannot work.
#[derive(Debug, thiserror::Error)]
pub enum CameraError {
    /// From bits to bins.
    #[error(transparent)]
    FrontEnd(#[from] FrontEndError),
    /// From channels to the grid.
    #[error(transparent)]
    Array(#[from] array::Error),
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
    /// The array has other channels than the recording.
    #[error("the array has {array} microphones, the stream {stream} channels")]
    Channels {
        /// Microphones of the array.
        array: usize,
        /// Channels of the stream.
        stream: usize,
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

impl Failure for CameraError {
    fn kind(&self) -> Kind {
        match self {
            Self::FrontEnd(error) => error.kind(),
            Self::Array(error) => error.kind(),
            Self::Pnah(error) => error.kind(),
            Self::Kernels(error) => error.kind(),
            _ => Kind::Input,
        }
    }
}
