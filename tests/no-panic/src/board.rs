//! The loop of the boards, with ports that know nothing: a round may find any byte, any block and any room.

use common::ports::{Capture, Console, Count, Supervisor, Uplink};
use common::stack::Stack;
use common::{Board, LINES};
use core::cell::Cell;
use dsp_core::console::ResetCode;
use dsp_core::pdm::TimeWord;

/// What the world says to a port; nobody but the world changes it.
pub struct Port<'a>(&'a [Cell<u32>; 8]);

impl Port<'_> {
    fn ask(&self, number: usize) -> u32 {
        self.0.get(number).map_or(0, |cell| core::hint::black_box(cell).get())
    }

    fn tell(&self, value: u32) {
        self.0.iter().for_each(|cell| core::hint::black_box(cell).set(value));
    }
}

impl Capture for Port<'_> {
    fn start(&mut self, inject: bool) {
        self.tell(inject.into());
    }

    fn stop(&mut self) {
        self.tell(0);
    }

    fn set_divider(&mut self, divider: u32) -> u32 {
        self.tell(divider);
        self.ask(1)
    }

    fn take(&mut self, words: &mut [TimeWord; LINES]) -> Option<u32> {
        words.iter_mut().for_each(|word| *word = TimeWord(self.ask(2)));
        (self.ask(0) == 0).then(|| self.ask(1))
    }
}

impl Uplink for Port<'_> {
    fn room(&self) -> usize {
        self.ask(3) as usize
    }

    fn send(&mut self, header: &[u8], payload: &[u8]) {
        header.iter().chain(payload).for_each(|byte| self.tell((*byte).into()));
    }
}

impl Console for Port<'_> {
    fn read(&mut self) -> Option<u8> {
        (self.ask(4) == 0).then(|| self.ask(5) as u8)
    }

    fn write(&mut self, byte: u8) {
        self.tell(byte.into());
    }
}

impl Supervisor for Port<'_> {
    const CLOCK_HZ: u32 = 48_000_000;

    fn begin(&mut self) -> ResetCode {
        ResetCode(self.ask(6))
    }

    fn kick(&mut self) {
        self.tell(1);
    }

    fn count(&self) -> Count {
        Count { cycles: self.ask(6), instructions: self.ask(7) }
    }

    fn stack(&self) -> Stack {
        Stack { used: self.ask(6), size: self.ask(7) }
    }

    /// The panic that a host may ask for is a board's own.
    fn fail(&mut self) -> ! {
        loop {
            self.tell(2);
        }
    }

    fn finish(&mut self) {
        self.tell(3);
    }
}

/// A board between such ports.
pub type AnyBoard<'e> = Board<'e, Port<'e>, Port<'e>, Port<'e>, Port<'e>>;

/// A round of the loop, in any state.
#[unsafe(no_mangle)]
pub fn path_board_round(board: &mut AnyBoard<'_>) {
    board.round();
}
