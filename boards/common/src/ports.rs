//! What a board must have.

use crate::LINES;
use crate::stack::Stack;
use dsp_core::console::ResetCode;
use dsp_core::pdm::TimeWord;

/// One-bit lines in: blocks of 32 bit times of all lines, numbered from the start of the capture.
pub trait Capture {
    /// Begins with block 0; `inject` puts the wiring pattern in the place of the lines.
    fn start(&mut self, inject: bool);

    /// Stops; blocks that were not taken are gone.
    fn stop(&mut self);

    /// Sets the system clocks a bit; returns what is in force, which is more where the front end cannot be that fast.
    fn set_divider(&mut self, divider: u32) -> u32;

    /// The number of the next block, and its words, if it has come whole.
    fn take(&mut self, words: &mut [TimeWord; LINES]) -> Option<u32>;
}

/// Frames out.
pub trait Uplink {
    /// Bytes that a frame may have now.
    fn room(&self) -> usize;

    /// Sends a frame, whose bytes are a multiple of 4 and fit [`Uplink::room`].
    fn send(&mut self, header: &[u8], payload: &[u8]);
}

/// Bytes to and from the host.
pub trait Console {
    /// The next byte, if one has come.
    fn read(&mut self) -> Option<u8>;

    /// Sends a byte, when there is room for it.
    fn write(&mut self, byte: u8);
}

/// Cycles and instructions since some moment; both wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Clock cycles.
    pub cycles: u32,
    /// Instructions, 0 where the core does not count them.
    pub instructions: u32,
}

/// What watches over the firmware and survives its resets.
pub trait Supervisor {
    /// System clocks a second: the unit of the capture's divider.
    const CLOCK_HZ: u32;

    /// Why the board started. From now on it is the watchdog's fault, unless [`Supervisor::fail`] says otherwise.
    fn begin(&mut self) -> ResetCode;

    /// Says that the loop is alive.
    fn kick(&mut self);

    /// What has been counted so far.
    fn count(&self) -> Count;

    /// How far down the stack was.
    fn stack(&self) -> Stack;

    /// Panics.
    fn fail(&mut self) -> !;

    /// Ends a simulation; a real board goes on.
    fn finish(&mut self);
}
