//! An instrument as it was resolved: everything that the threads need.

use super::controller::Values;
use super::source::Source;
use super::{realtime, snapshots};
use dsp_core::pdm::TileLayout;
use files::sigmf::{Meta, SIGMF_VERSION};
use holography::camera::FilterRule;
use holography::chain;
use holography::design::KFilter;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use viewer::Token;

/// A resolved instrument.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Its name.
    pub title: String,
    /// Where the bits come from.
    pub source: Source,
    /// The array.
    pub layout: TileLayout,
    /// Distance of microphones, m.
    pub pitch_m: f64,
    /// Rows a second of sound.
    pub bit_rate_hz: f64,
    /// Rows that come in a second: the same, unless a source is played faster or slower.
    pub pace_hz: f64,
    /// What is computed; none to record only.
    pub chain: Option<chain::Settings>,
    /// How k-filters are found.
    pub filter: FilterRule,
    /// Rows from one hologram to the next.
    pub hop_rows: u64,
    /// Rows of a span.
    pub span_rows: usize,
    /// Spans of the ring.
    pub ring_spans: usize,
    /// Spans that may wait before holograms are left out.
    pub behind_spans: usize,
    /// Threads of the stage.
    pub threads: usize,
    /// Holograms later than this are counted, s.
    pub deadline_s: Option<f64>,
    /// A worst latency beyond this is refused, s.
    pub bound_s: Option<f64>,
    /// Whether microphones are watched.
    pub health: bool,
    /// The recorder.
    pub record: Option<Record>,
    /// Values for a controller.
    pub controller: Option<(SocketAddr, Values)>,
    /// Holograms as files.
    pub files: Option<snapshots::Settings>,
    /// The page.
    pub viewer: Option<Viewer>,
    /// Pinning, locking, priority.
    pub realtime: realtime::Settings,
}

/// Where recordings go: `[record]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of name, at_start and ring_spans")]
pub struct Record {
    /// First part of their names.
    pub name: PathBuf,
    /// Whether to record from the start, or when the page asks.
    #[serde(default)]
    pub at_start: bool,
    /// Spans that may wait for the disk; usually 0.7 s of the camera in 128 MiB.
    #[serde(default = "recorder_spans")]
    pub ring_spans: usize,
}

fn recorder_spans() -> usize {
    4096
}

/// The page.
#[derive(Debug, Clone, PartialEq)]
pub struct Viewer {
    /// Where it is served.
    pub address: SocketAddr,
    /// Needed beyond this machine.
    pub token: Option<Token>,
}

/// The filters at the start: given ones, or the one until others are chosen.
pub fn first_filters(rule: FilterRule, count: usize) -> Vec<KFilter> {
    let FilterRule::Fixed(filter) = rule else { return vec![KFilter::UNTIL_CHOSEN; count] };
    vec![filter; count]
}

impl Settings {
    /// Whether k-filters are chosen from the data.
    pub fn filter_chooses(&self) -> bool {
        !matches!(self.filter, FilterRule::Fixed(_))
    }

    /// How many of `count` filters are still to be chosen at the start.
    pub(crate) fn unchosen(&self, count: usize) -> usize {
        if self.filter_chooses() { count } else { 0 }
    }

    /// The metadata of recordings.
    pub fn meta(&self) -> Meta {
        Meta {
            version: SIGMF_VERSION.into(),
            sample_rate_hz: self.bit_rate_hz,
            rows: self.layout.rows(),
            cols: self.layout.cols(),
            tile_side: self.layout.tile_side(),
            pitch_m: self.pitch_m,
            first_valid: 0,
            description: Some(format!("recorded by nearfield: {}", self.title)),
            unfinished: false,
        }
    }
}
