#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod average;
pub mod cic;
pub mod console;
pub mod decimator;
pub mod fir;
pub mod fixed;
pub mod frame;
pub mod lut;
pub mod modulator;
pub mod pdm;
pub mod sliding;
pub mod walsh;
pub mod window;

/// What a streaming routine did with its buffers.
///
/// A routine stops when either side runs out; call it again with the rest of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Progress {
    /// Input items taken.
    pub consumed: usize,
    /// Output items written.
    pub produced: usize,
}
