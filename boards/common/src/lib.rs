//! What all boards do: bits from the capture port through `dsp-core` into frames on the uplink, commands from the console.
//!
//! A board is four ports ([`ports`]), a start that brings memory and devices up, and a loop that calls [`Board::round`]
//! for ever. Everything else is here, once: [`engine`] hands blocks of bits to `dsp-core` and gathers what comes back,
//! [`board`] is the loop with its commands, events and counters, [`log`] puts defmt on the console, [`Single`] holds the
//! static memory, [`stack`] looks how deep the other kind was. Nothing allocates, and nothing that [`Board::round`] reaches can panic.
#![no_std]

#[cfg(test)]
extern crate std;

pub mod board;
pub mod engine;
pub mod log;
pub mod ports;
mod single;
pub mod stack;

pub use board::Board;
pub use engine::Engine;
pub use single::Single;

/// Lines of the capture port, one microphone each.
pub const LINES: usize = 64;
