//! `f32` and `f64`, with the loops of all front ends.
//!
//! The loops exist for every instruction set: minutes of a compiler. Every stage compiles its own for both precisions, and a program
//! that has a front end calls them.

use super::{average, bits, fft, sliding, walsh};

/// The precision of a front end: `f32` or `f64`.
pub trait Precision: average::Loops + bits::Loops + fft::Loops + sliding::Loops + walsh::Loops {}

impl Precision for f32 {}
impl Precision for f64 {}
