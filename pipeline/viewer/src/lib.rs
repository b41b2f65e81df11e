//! The live viewer: a page on this machine that shows the instrument at work, and takes wishes.
//!
//! ```text
//! pipeline -> Publisher -> mailboxes -> server (30 times a second) -> newest message of every kind -> pages
//! pipeline <- Controls  <- bounded queue <- checked commands <------------------------------------- pages
//! ```
//!
//! The pipeline owns the data. It makes a [`Publisher`], starts a [`Server`] (or none: a publisher without a page costs
//! a swap of a pointer), publishes when it likes and looks into its [`Controls`] when it likes. No call of the three ever
//! waits. [`Metrics`] are the same figures for Prometheus, at `/metrics`; `/healthz` says that the server lives.
//!
//! # The protocol, version 1
//!
//! WebSocket at `/ws`. Integers and floats are little-endian. The server sends `hello` first, then the newest value of
//! every kind as it changes, at most [`FRAMES_PER_SECOND`] a second; what a slow client did not take in time it never gets.
//!
//! A binary message is a map of R rows from the top and C columns from the left:
//!
//! | byte | type | is |
//! |---|---|---|
//! | 0 | 4 bytes | `NFMP` |
//! | 4 | u16 | version, 1 |
//! | 6 | u16 | bytes before the values, 80; a reader starts there |
//! | 8 | u16, u16 | R and C |
//! | 12 | u8 | values: 0 amplitude (f32), 1 complex (f32 real, f32 imaginary); pascal, peak |
//! | 13 | u8 | method, as numbered by `methods` of `hello` |
//! | 14 | u16 | flags: 1 window has holes, 2 microphones left out, 4 computed by the CPU for a failed device, 8 the stream began anew (the sensor restarted, or a gap was too long to fill), 16 k-filter not chosen yet |
//! | 16 | u64 | sequence |
//! | 24 | f64 | frequency, Hz |
//! | 32 | 5 f64 | first sample, ring in, device in, device out, sink: seconds of one clock |
//! | 72 | f32, f32 | from point to point along x and y, m |
//! | 80 | | R C values, row by row |
//!
//! Every text message is a JSON object with `type` and `v` (1). Of the server:
//!
//! | `type` | fields |
//! |---|---|
//! | `hello` | `title`, `limits` (of [`Limits`]), `methods`, `microphones_m` (`[[x, y], ...]`) |
//! | `status` | the fields of [`Status`] |
//! | `health` | `letters`, one a microphone, of [`Health`] |
//! | `spectrum` | the fields of [`Spectrum`]; what is no number is `null` |
//! | `reply` | `id` of the request (`null` if it had none), `error` (`null` if the command was handed over) |
//!
//! A client sends `{"v":1,"id":N,"command":C}` with a number of its own and one of these commands:
//!
//! ```text
//! {"do":"frequencies","hz":[440,880]}    {"do":"bins","k":[10,20]}
//! {"do":"method","name":"walsh","coefficients":200}    {"do":"filter","rule":"auto"}
//! {"do":"point","row":4,"col":7}    {"do":"record","on":true}    {"do":"acknowledge","message":3}
//! ```
//!
//! Unknown fields are errors. Messages are at most 64 KiB; a client that sends a longer one, a binary one, or more than 30
//! a second for long is closed, as is one that takes nothing for 5 s or answers no ping for 30 s.
//!
//! # Who may look
//!
//! Everybody on this machine, if the address is a loopback one. Any other address needs a [`Token`], in
//! `Authorization: Bearer TOKEN` or by a first visit to `/?token=TOKEN`, which leaves a cookie; the connection itself is not encrypted:
//! use a tunnel where the network is not trusted. `guard.rs` has the rules. Nothing is read from disk.
#![forbid(unsafe_code)]

mod client;
mod controls;
mod guard;
mod hub;
mod metrics;
mod pages;
pub mod protocol;
mod publisher;
mod server;
mod settings;

pub use controls::{Command, Controls, Limits, MOST_FREQUENCIES, Refusal, WAITING};
pub use holography::product::{
    Dropped, Field, Flags, Health, Latency, MOST_POINTS, Map, Message, Point, Recording, Severity, Spectrum,
    Stamps, Status,
};
pub use metrics::Metrics;
pub use publisher::Publisher;
pub use server::{FRAMES_PER_SECOND, Server};
pub use settings::{Error, Patience, Settings, Token};
