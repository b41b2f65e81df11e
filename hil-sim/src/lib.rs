#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! | module | idea |
//! |---|---|
//! | `phase` | an exact phase, and its phasor, the same on every machine |
//! | `random` | the generators behind one `u64` seed |
//! | [`source`] | pressure of a monopole, a dipole, a plate mode and a piston |
//! | `scene` | lines of sound and the sources that make them; the built-in scenes |
//! | [`moving`], `noise`, `field` | moving tones, broadband noise, fields of other solvers |
//! | [`microphones`], [`faults`] | where the microphones are, what they make of a pressure, how they differ and fail |
//! | [`clock`] | drift, jitter, restarts |
//! | `bench` | all of these together; [`mod@file`] reads it from a scene file |
//! | `simulator` | all channels through their modulators, as the camera sends them |
//! | [`rows`], [`recording`], [`capture`] | where rows and datagrams come from |
//! | [`frames`] | rows in wire frames |
//! | [`link`](mod@link) | faults on the way, counted, and what a receiver must report |
//! | [`stream`] | the schedule and the socket |
//! | [`board`] | firmware in QEMU or on RTL, between the rows and the frames |
//!
//! # Conventions
//! Time factor exp(+jwt), outgoing wave exp(-jkr)/r, c = 343 m/s, rho = 1.2 kg/m3. Sources are at z < 0,
//! microphones in the plane z = standoff >= 0; x to the right, y down. Complex amplitudes are peak values.
//! Sample 0 of a recording is t = 0.
//!
//! # Example
//! ```
//! use hil_sim::{Array, Scene, Settings, Simulator};
//!
//! let mut bench = Simulator::new(&Scene::demo(), &Array::CAMERA, &Settings::default())?;
//! let mut rows = vec![0; 128 * 32]; // 32 time samples of 1024 microphones
//! bench.fill(&mut rows);
//! # Ok::<(), hil_sim::Error>(())
//! ```
#![forbid(unsafe_code)]

mod air;
mod bank;
mod bench;
#[cfg(feature = "boards")]
pub mod board;
pub mod capture;
pub mod clock;
mod decibel;
mod error;
pub mod faults;
mod field;
pub mod file;
pub mod frames;
mod interpolation;
mod limited;
pub mod link;
pub mod microphones;
pub mod moving;
mod noise;
mod oscillator;
mod phase;
mod random;
pub mod recording;
pub mod rows;
mod scene;
mod simulator;
pub mod source;
pub mod stream;
mod terms;
#[cfg(test)]
mod testing;
mod track;
mod units;

pub use air::{AIR_DENSITY, SPEED_OF_SOUND};
pub use bench::Bench;
pub use error::Error;
pub use frames::FrameSource;
pub use link::Link;
pub use microphones::{Array, Imperfections};
pub use scene::{Line, Scene};
pub use simulator::{Settings, Simulator};
pub use source::Source;
