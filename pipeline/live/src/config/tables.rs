//! The fields of `instrument.toml`; `docs/instrument.md` explains them.

use crate::settings::Record;
use crate::{realtime, snapshots};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Longest window: 2.8 s of the camera.
pub const MOST_SAMPLES: usize = 1 << 17;
/// Most threads.
pub const MOST_THREADS: usize = 1024;

/// The whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tables {
    /// Name of the instrument.
    pub title: Option<String>,
    /// Where the bits come from.
    pub source: SourceTable,
    /// The microphones.
    pub array: ArrayTable,
    /// What is computed.
    pub hologram: HologramTable,
    /// Rings.
    pub buffers: BuffersTable,
    /// Deadline and bound.
    pub latency: LatencyTable,
    /// The microphones' health.
    pub health: HealthTable,
    /// The recorder.
    pub record: Option<Record>,
    /// Values for a controller.
    pub controller: Option<ControllerTable>,
    /// Holograms as files.
    pub files: Option<snapshots::Settings>,
    /// The page.
    pub viewer: ViewerTable,
    /// Pinning, locking, priority.
    pub realtime: realtime::Settings,
}

/// `[source]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceTable {
    /// Address to listen on.
    pub udp: Option<SocketAddr>,
    /// A SigMF recording.
    pub recording: Option<PathBuf>,
    /// A PCAP or PCAPNG capture.
    pub capture: Option<PathBuf>,
    /// A scene's name or file.
    pub simulator: Option<String>,
    /// MiB that the system may hold for the socket.
    pub buffer_mib: Option<f64>,
    /// Times real time, or "max"; not of a socket, whose sensor has its own pace.
    pub speed: Option<Speed>,
    /// Seconds of a simulated block that is repeated; 0 to simulate as it goes.
    pub repeat_s: Option<f64>,
}

/// A number, or "max".
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Speed {
    /// Times real time.
    Times(f64),
    /// As fast as can be.
    Word(String),
}

/// `[array]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArrayTable {
    /// Rows of microphones.
    pub rows: Option<u16>,
    /// Columns.
    pub cols: Option<u16>,
    /// Side of a tile.
    pub tile_side: Option<u16>,
    /// Distance of neighbours, m.
    pub pitch_m: Option<f64>,
    /// Bits a second and microphone.
    pub bit_rate_hz: Option<f64>,
    /// Positions from a file.
    pub geometry: Option<PathBuf>,
    /// Gains and phases from a file.
    pub calibration: Option<PathBuf>,
    /// Level of a tone of 1 Pa rms below a full-scale tone, dB.
    pub sensitivity_dbfs: Option<f64>,
    /// Microphones that are never used.
    pub exclude: Vec<usize>,
}

/// `[hologram]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HologramTable {
    /// Hz.
    pub frequencies_hz: Option<Vec<f64>>,
    /// Bins instead.
    pub bins: Option<Vec<usize>>,
    /// nominal, dot, average, walsh or bits.
    pub method: Option<String>,
    /// Of walsh.
    pub coefficients: Option<usize>,
    /// Decimated samples of a window: a multiple of 4, at most [`MOST_SAMPLES`].
    pub samples: Option<usize>,
    /// Rows from one hologram to the next.
    pub hop_rows: Option<u64>,
    /// Distance of the source plane, m.
    pub standoff_m: Option<f64>,
    /// lpbp, lpbp:P, plpbp:P or zero.
    pub pad: Option<String>,
    /// Side of the padded grid.
    pub grid: Option<usize>,
    /// auto, lcurve, none or CUTOFF:SLOPE.
    pub filter: Option<String>,
    /// Temperature of the air, degrees Celsius.
    pub temperature_c: Option<f64>,
    /// Points for every microphone each way.
    pub refine: Option<usize>,
    /// Threads of the stage, 1 to [`MOST_THREADS`].
    pub threads: Option<usize>,
}

/// `[buffers]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuffersTable {
    /// Rows of a span.
    pub span_rows: Option<usize>,
    /// Spans of the ring.
    pub ring_spans: Option<usize>,
    /// Spans that may wait before holograms are left out.
    pub behind_spans: Option<usize>,
}

/// `[latency]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LatencyTable {
    /// Later holograms are counted, ms.
    pub deadline_ms: Option<f64>,
    /// A worst latency beyond is refused, ms.
    pub bound_ms: Option<f64>,
}

/// `[health]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HealthTable {
    /// Whether microphones are watched and left out.
    pub watch: Option<bool>,
}

/// `[controller]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerTable {
    /// Where datagrams go.
    pub to: SocketAddr,
    /// Points, `[row, column]`.
    pub pixels: Option<Vec<[usize; 2]>>,
    /// Modes, `[m along x, n along y]`.
    pub modes: Option<Vec<[u32; 2]>>,
}

/// `[viewer]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ViewerTable {
    /// Whether there is a page.
    pub serve: Option<bool>,
    /// Where.
    pub address: Option<SocketAddr>,
    /// Needed beyond this machine.
    pub token: Option<String>,
}
