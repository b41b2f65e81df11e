//! The host side of Nearfield: from the raw bits of a sensor array to fields.
//!
//! A bit's way through the house, which is also the reading order:
//!
//! 1. `hil_sim::Simulator` (or a board's capture loop) makes one-bit rows, `dsp_core::frame` carries them;
//! 2. [`ingest`] takes frames and counts losses; [`io`] reads recordings instead;
//! 3. [`decimate`] turns rows into samples with the filters of `dsp_core`, designed by [`filter_design`];
//! 4. [`front_end`] takes the chosen bins of all microphones, from samples or from the bits themselves;
//! 5. [`mod@array`] calibrates them and brings them to a regular grid, whatever is broken;
//! 6. [`solvers::pnah`] takes holograms to the source plane; [`camera`] is 4 to 6 as one chain;
//! 7. [`level`] and [`spectrum`] look at samples;
//! 8. [`plot`] draws, [`io`] writes for other tools, [`viewer`] shows it all live in a browser;
//! 9. [`live`] runs 2 to 8 on threads beside the sensor.
//!
//! The other [`solvers`] begin with points, cases or surfaces; [`mesh`] reads the last, [`vec3`] is their arithmetic.
//!
//! The program is `nearfield`; its commands are in `src/cli`.
#![forbid(unsafe_code)]

pub mod array;
pub mod camera;
pub mod decimate;
pub mod filter_design;
pub mod front_end;
pub mod ingest;
pub mod io;
pub mod level;
pub mod live;
pub mod mesh;
pub mod plot;
pub mod real;
mod simd;
pub mod solvers;
pub mod spectrum;
pub mod vec3;
pub mod viewer;
