//! Why a source refuses.

use numerics::failure::{Failure, Kind};
use std::net::SocketAddr;

/// Why a source cannot be opened, or broke.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The socket.
    #[error("cannot listen on {address}: {reason}")]
    Socket {
        /// Asked for.
        address: SocketAddr,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The recording.
    #[error(transparent)]
    Recording(#[from] files::Error),
    /// The capture or the bench.
    #[error(transparent)]
    Bench(#[from] hil_sim::Error),
    /// The recording or the bench is of another array.
    #[error("{source_name}: bits of {found}, but the instrument is {expected}")]
    OtherArray {
        /// The recording or the scene.
        source_name: String,
        /// Its grid and rate.
        found: String,
        /// The instrument's.
        expected: String,
    },
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Recording(error) => error.kind(),
            _ => Kind::Input,
        }
    }
}
