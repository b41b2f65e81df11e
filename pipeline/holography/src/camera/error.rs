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
    /// The array has other channels than the recording.
    #[error("the array has {array} microphones, the stream {stream} channels")]
    Channels {
        /// Microphones of the array.
        array: usize,
        /// Channels of the stream.
        stream: usize,
    },
}

impl Failure for CameraError {
    fn kind(&self) -> Kind {
        match self {
            Self::FrontEnd(error) => error.kind(),
            Self::Array(error) => error.kind(),
            Self::Pnah(error) => error.kind(),
            Self::Channels { .. } => Kind::Input,
        }
    }
}
