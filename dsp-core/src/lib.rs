#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

/// `Display` and `Error` of an error type, from a text for each of its patterns.
macro_rules! texts {
    ($error:ident: $($pattern:pat => $text:literal,)*) => {
        impl core::fmt::Display for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match *self {
                    $($pattern => write!(f, $text),)*
                }
            }
        }

        impl core::error::Error for $error {}
    };
}

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
