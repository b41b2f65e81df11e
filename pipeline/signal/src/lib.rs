//! From the one-bit rows of a microphone array to complex pressures on a regular grid.
//!
//! 1. [`ingest`] takes frames and counts what is lost on the way;
//! 2. [`decimate`] turns rows into samples with the filters of `dsp_core`, designed by [`filter_design`];
//! 3. [`front_end`] takes the chosen bins of all microphones, from samples or from the bits themselves;
//! 4. [`mod@array`] calibrates them and brings them to a regular grid, whatever is broken;
//! 5. [`level`] and [`spectrum`] look at samples.
#![forbid(unsafe_code)]

pub mod array;
pub mod decimate;
pub mod filter_design;
pub mod front_end;
pub mod ingest;
pub mod level;
pub mod spectrum;
