//! The host side of Nearfield: from the raw bits of a sensor array to fields.
//!
//! A bit's way through the house, which is also the reading order:
//!
//! 1. `hil_sim::Simulator` (or a board's capture loop) makes one-bit rows, `dsp_core::frame` carries them;
//! 2. [`ingest`] takes frames and counts losses; [`io`] reads recordings instead;
//! 3. [`decimate`] turns rows into samples with the filters of `dsp_core`, designed by [`filter_design`];
//! 4. [`level`] and [`spectrum`] look at the samples;
//! 5. [`plot`] draws them, [`io`] writes them for other tools.
//!
//! The program is `nearfield`; its commands are in `src/cli`.
#![forbid(unsafe_code)]

pub mod decimate;
pub mod filter_design;
pub mod ingest;
pub mod io;
pub mod level;
pub mod plot;
pub mod spectrum;
