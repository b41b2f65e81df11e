//! The ports of the QEMU boards: a window of memory that the host sees as a file. It plays the front end and the uplink.
//!
//! Words of the control page; counters of words run on and wrap, their place in a ring is their value modulo its length:
//!
//! | offset | name | written by | meaning |
//! |---|---|---|---|
//! | 0x00 | ID | host | [`ID`], once everything else is set |
//! | 0x04 | START | board | starts of the capture so far |
//! | 0x08 | CONTROL | board | bit 0 run, bit 1 inject the wiring pattern |
//! | 0x0c | DIVIDER | board | clocks a bit |
//! | 0x10 | CAPTURE_HEAD | host | words put into the capture ring |
//! | 0x14 | CAPTURE_TAIL | board | words taken from it |
//! | 0x18 | CAPTURE_START | host | the start that those words belong to |
//! | 0x1c | UPLINK_HEAD | board | words put into the uplink ring |
//! | 0x20 | UPLINK_TAIL | host | words taken from it |
//! | 0x24 | UPLINK_OPEN | host | 0 while the uplink takes nothing (a fault to be played) |
//! | 0x28 | RESET_CODE | board | why it resets; the window survives resets |
//!
//! From 0x1000 the capture ring: blocks of a number and one time word a line. From 0x100000 the uplink ring: frames of
//! their length in bytes and their words. Both have [`RING_WORDS`].
#![no_std]

use common::LINES;
use common::ports::{Capture, Uplink};
use dsp_core::pdm::TimeWord;

/// What the host writes when the window is ready.
pub const ID: u32 = u32::from_le_bytes(*b"NFQ1");

/// Words of a ring, a power of two.
pub const RING_WORDS: u32 = 0x2_0000;

const START: usize = 0x04;
const CONTROL: usize = 0x08;
const DIVIDER: usize = 0x0c;
const CAPTURE_HEAD: usize = 0x10;
const CAPTURE_TAIL: usize = 0x14;
const CAPTURE_START: usize = 0x18;
const UPLINK_HEAD: usize = 0x1c;
const UPLINK_TAIL: usize = 0x20;
const UPLINK_OPEN: usize = 0x24;
const RESET_CODE: usize = 0x28;
const CAPTURE_RING: usize = 0x1000;
const UPLINK_RING: usize = 0x10_0000;

/// Words of a block in the ring.
const BLOCK: u32 = LINES as u32 + 1;

/// The window, at its address on this board.
#[derive(Clone, Copy)]
pub struct Window {
    base: *mut u32,
}

impl Window {
    /// The window at `base`.
    ///
    /// # Safety
    /// 2 MiB from `base` on are memory, aligned to words, that this program uses in no other way.
    pub const unsafe fn new(base: usize) -> Self {
        Self { base: base as *mut u32 }
    }

    /// Waits until the host has set the window up.
    pub fn wait(&self) {
        while self.read(0) != ID {}
    }

    /// The code that the last reset left.
    pub fn reset_code(&self) -> u32 {
        self.read(RESET_CODE)
    }

    /// Leaves a code for the next start.
    pub fn set_reset_code(&mut self, code: u32) {
        self.write(RESET_CODE, code);
    }

    /// A word of a ring.
    fn slot(ring: usize, count: u32) -> usize {
        ring + 4 * (count % RING_WORDS) as usize
    }

    fn read(&self, offset: usize) -> u32 {
        // SAFETY: offsets are those of the table or within a ring, so below the 2 MiB that `new` was promised.
        unsafe { self.base.byte_add(offset).read_volatile() }
    }

    fn write(&mut self, offset: usize, value: u32) {
        // SAFETY: as in `read`.
        unsafe { self.base.byte_add(offset).write_volatile(value) }
    }
}

/// The capture port of the window.
pub struct CaptureRing(pub Window);

impl Capture for CaptureRing {
    fn start(&mut self, inject: bool) {
        let start = self.0.read(START).wrapping_add(1);
        self.0.write(CONTROL, 1 | u32::from(inject) << 1);
        self.0.write(START, start);
    }

    fn stop(&mut self) {
        self.0.write(CONTROL, 0);
    }

    fn set_divider(&mut self, divider: u32) -> u32 {
        self.0.write(DIVIDER, divider);
        divider
    }

    fn take(&mut self, words: &mut [TimeWord; LINES]) -> Option<u32> {
        let window = &mut self.0;
        let tail = window.read(CAPTURE_TAIL);
        let head = window.read(CAPTURE_HEAD);
        if head.wrapping_sub(tail) < BLOCK || window.read(CAPTURE_START) != window.read(START) {
            return None;
        }
        let number = window.read(Window::slot(CAPTURE_RING, tail));
        let mut at = tail;
        for word in words {
            at = at.wrapping_add(1);
            *word = TimeWord(window.read(Window::slot(CAPTURE_RING, at)));
        }
        window.write(CAPTURE_TAIL, tail.wrapping_add(BLOCK));
        Some(number)
    }
}

/// The uplink of the window.
pub struct UplinkRing(pub Window);

impl Uplink for UplinkRing {
    fn room(&self) -> usize {
        if self.0.read(UPLINK_OPEN) == 0 {
            return 0;
        }
        let used = self.0.read(UPLINK_HEAD).wrapping_sub(self.0.read(UPLINK_TAIL));
        4 * (RING_WORDS - 1).saturating_sub(used) as usize
    }

    fn send(&mut self, header: &[u8], payload: &[u8]) {
        let mut head = self.0.read(UPLINK_HEAD);
        let mut put = |word| {
            self.0.write(Window::slot(UPLINK_RING, head), word);
            head = head.wrapping_add(1);
        };
        put((header.len() + payload.len()) as u32);
        for bytes in header.as_chunks::<4>().0.iter().chain(payload.as_chunks::<4>().0) {
            put(u32::from_le_bytes(*bytes));
        }
        self.0.write(UPLINK_HEAD, head);
    }
}
