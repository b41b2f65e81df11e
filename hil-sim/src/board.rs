//! Boards on the bench: firmware that runs in QEMU or on the RTL of a soft-core in Verilator.
//!
//! ```text
//! rows of bits -> capture port -> firmware -> uplink -> frames
//!                       commands -> console -> replies, events, log
//! ```
//!
//! A [`Session`] starts the machine, plays the world around its three ports, and can play faults there ([`Faults`]). In QEMU
//! the ports are rings in the machine's RAM, which is a file (`boards/rings` has the map); the bench is the front end and waits for the
//! firmware, so nothing is lost that was not to be lost. The RTL has its own front end and its own time: the bench writes
//! the lines' bits into a pipe and reads frames from another.
//!
//! [`BoardFrames`] is a board as a source of datagrams like any other, [`wiring`] judges the self-test.

mod console;
mod frames;
mod name;
mod qemu;
mod session;
mod soc;
mod window;
pub mod wiring;

pub use console::Heard;
pub use frames::BoardFrames;
pub use name::{BLOCK_ROWS, Faults, LINES, Name, Places, ROW_BYTES};
pub use session::Session;
