//! The bench in software: scenes, microphones and sigma-delta modulators that make the bits of a sensor
//! array.
//!
//! ```text
//! sources -> pressure at the microphones -> input of the modulators -> rows of bits -> frames
//! scene, source                             microphones                simulator       frames
//! ```
//!
//! | module | idea |
//! |---|---|
//! | [`phase`] | an exact phase, and its phasor, the same on every machine |
//! | [`random`] | the generators behind one `u64` seed |
//! | [`source`] | pressure of a monopole, a dipole and a plate mode |
//! | [`scene`] | lines of sound and the sources that make them; the built-in scenes |
//! | [`microphones`] | where the microphones are, what they make of a pressure, and how they differ |
//! | [`simulator`] | all channels through their modulators, as the camera sends them |
//! | [`frames`] | the same rows in wire frames |
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

mod bank;
mod decibel;
mod error;
pub mod frames;
pub mod microphones;
mod oscillator;
pub mod phase;
pub mod random;
pub mod scene;
pub mod simulator;
pub mod source;
#[cfg(test)]
mod testing;

pub use error::Error;
pub use frames::FrameSource;
pub use microphones::{Array, Imperfections};
pub use scene::{Line, Scene};
pub use simulator::{Settings, Simulator};
pub use source::Source;

/// Speed of sound in metres a second.
pub const SPEED_OF_SOUND: f64 = 343.0;

/// Density of air in kilograms a cubic metre.
pub const AIR_DENSITY: f64 = 1.2;
