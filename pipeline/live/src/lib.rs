//! The live instrument: the program beside the sensor, for days.
//!
//! ```text
//!          intake thread                       compute thread                        control thread
//! source -> ingest -> spans ==ring==> decimate, spectrum, holography --> stamps ==> latencies, status, filters, health
//!                       ^                  |          |        |                        |            ^
//!                       |                  |          |        +--> page (newest wins)  +--> files   | wishes
//!                       |                  |          +-----------> controller (UDP)    +----orders--+ of the page
//!                       +----- pool <------+==ring==> recorder thread
//! ```
//!
//! | word | meaning |
//! |---|---|
//! | row | one time sample of all microphones, one bit each |
//! | span | a fixed number of rows in a buffer that comes back ([`span`]) |
//! | epoch | rows without a seam; a restart of the sensor, or a gap too long to fill, begins another |
//! | hole | lost rows, filled with the idle pattern; holograms over them are flagged ([`intake`]) |
//! | window | the rows that a hologram is made of, and the filter's history before them |
//! | hop | rows from one hologram to the next |
//!
//! # What is dropped when
//! | ring | full when | then | counted as |
//! |---|---|---|---|
//! | socket's buffer | the intake is late | the system drops datagrams | `system`, and lost by sequence |
//! | rows | the stage is late | the newest rows of a sensor, or of a file at its pace, are dropped and become a hole; a file without a pace waits | `rows` |
//! | holograms | more than `behind_spans` of that ring wait | holograms are left out, rows are not; where a card computes, until half as many wait or no hop is left | `holograms` |
//! | recorder | the disk is late | its rows go past it and another recording begins; a file without a pace waits | `recorder` |
//! | recorder | the disk refuses | the recording ends with a message, all rows go past it until somebody starts it again | `recorder` |
//! | files | the control thread is late | the file is not written | `files` |
//! | controller | the system does not take the datagram | it is dropped | `controller` |
//! | page | it has not taken the last map | the older one is replaced | `nearfield_viewer_maps_missed` at `/metrics` |
//!
//! [`plan`] checks before the start that buffers and latency can be what they are asked to be.
#![forbid(unsafe_code)]

mod bell;
pub mod card;
pub mod clock;
mod compute;
pub mod config;
mod control;
pub mod controller;
pub mod engine;
mod error;
mod exchange;
mod health;
pub mod intake;
mod latency;
mod messages;
mod parts;
pub mod plan;
pub mod realtime;
mod recorder;
pub mod report;
mod running;
mod settings;
pub mod snapshots;
pub mod source;
pub mod span;
mod wiring;

pub use error::Error;
pub use running::Instrument;
pub use settings::{Record, Settings, Viewer, first_filters};
