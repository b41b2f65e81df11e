//! Why an instrument refuses, or stopped.

use super::plan::Refusal;
use super::report::Report;
use super::source;
use holography::camera::CameraError;
use numerics::failure::{Failure, Kind};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why an instrument cannot start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Where the bits come from.
    #[error(transparent)]
    Source(#[from] source::Error),
    /// From bits to fields.
    #[error(transparent)]
    Camera(#[from] CameraError),
    /// The arithmetic of buffers and latency.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The page.
    #[error(transparent)]
    Viewer(#[from] viewer::Error),
    /// The controller's socket.
    #[error("cannot send to the controller at {to}: {reason}")]
    Controller {
        /// Asked for.
        to: SocketAddr,
        /// What the system says.
        reason: std::io::Error,
    },
    /// A folder to write to is not there.
    #[error("{field}: there is no folder {}", path.display())]
    Folder {
        /// Table and field.
        field: &'static str,
        /// The folder.
        path: PathBuf,
    },
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(String),
    /// It broke while it ran; what it had done until then.
    #[error("{reason}")]
    Stopped {
        /// Why.
        reason: Box<Error>,
        /// Counters, latencies, recordings.
        report: Box<Report>,
    },
    /// A thread of ours has a fault.
    #[error("the {0} thread panicked; this is a fault of the program")]
    Panicked(&'static str),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Source(error) => error.kind(),
            Self::Camera(error) => error.kind(),
            Self::Refused(_) | Self::Viewer(_) | Self::Controller { .. } | Self::Folder { .. } => Kind::Input,
            Self::Stopped { .. } | Self::Thread(_) | Self::Panicked(_) => Kind::Run,
        }
    }
}
