//! Arithmetic that several rooms of Nearfield share, each piece once.
//!
//! - [`real`]: `f32` or `f64`, and their Fourier transforms;
//! - [`vec3`]: vectors of three components;
//! - [`simd`]: loops that are compiled for each instruction set and run with the best.
#![forbid(unsafe_code)]

pub mod real;
pub mod simd;
pub mod vec3;
