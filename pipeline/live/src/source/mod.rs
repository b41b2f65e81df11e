//! Where the bits come from. Every source hands datagrams or rows to an [`Intake`] until it ends or is told to stop.
//!
//! | source | gives | ends | waits |
//! |---|---|---|---|
//! | [`udp`] | datagrams of a socket | when told | for the sensor |
//! | [`mod@file`] | rows of a SigMF recording | with the file | for its schedule, or not at all |
//! | [`frames`] | datagrams of a capture or of the bench in this process | with the capture, or when told | likewise |

mod error;
pub mod file;
pub mod frames;
pub mod udp;

pub use error::Error;

use super::intake::Intake;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Where the bits come from.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A socket.
    Udp {
        /// To listen on.
        address: SocketAddr,
        /// Bytes that the system may hold for us.
        buffer: usize,
    },
    /// A recording.
    Recording {
        /// Any of its names.
        path: PathBuf,
        /// Times real time; none for as fast as can be.
        speed: Option<f64>,
    },
    /// A capture of the UDP stream.
    Capture {
        /// PCAP or PCAPNG.
        path: PathBuf,
        /// Times real time; none for as fast as can be.
        speed: Option<f64>,
    },
    /// The bench in this process.
    Simulator {
        /// Name or file of a scene.
        scene: String,
        /// Seconds of a block that is repeated; none to simulate as it goes.
        repeat_s: Option<f64>,
        /// Times real time; none for as fast as can be.
        speed: Option<f64>,
    },
}

impl Source {
    /// Whether it goes on without us: a sensor does not wait.
    pub fn is_live(&self) -> bool {
        match self {
            Self::Udp { .. } => true,
            Self::Recording { speed, .. } | Self::Capture { speed, .. } | Self::Simulator { speed, .. } => {
                speed.is_some()
            }
        }
    }

    /// Whether it ends by itself.
    pub fn ends(&self) -> bool {
        matches!(self, Self::Recording { .. } | Self::Capture { .. })
    }
}

/// A source that is open: what can be wrong with it is known before anything runs.
pub enum Open {
    /// A socket.
    Udp(udp::Receiver),
    /// A recording.
    File(file::Rows),
    /// A capture or the bench.
    Frames(Box<frames::Datagrams>),
}

impl Open {
    /// Feeds `intake` until the source ends or the intake is stopped.
    pub fn run(self, mut intake: Intake) -> Result<(), Error> {
        let outcome = match self {
            Self::Udp(receiver) => receiver.run(&mut intake),
            Self::File(rows) => rows.run(&mut intake),
            Self::Frames(datagrams) => datagrams.run(&mut intake),
        };
        intake.finish();
        outcome
    }
}
