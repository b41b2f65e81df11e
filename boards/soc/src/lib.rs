//! The ports of the RTL system around a soft-core; the README of the boards has its memory map, register by register.
//!
//! Nothing here needs machine CSRs, so one driver serves VexRiscv, Ibex and PicoRV32. A trap stops the loop, and then the
//! watchdog resets the core.
#![no_std]
#![cfg(target_arch = "riscv32")]

use common::ports::{Capture, Console, Count, Supervisor, Uplink};
use common::stack::Stack;
use common::{Board, Engine, LINES, Single};
use dsp_core::console::ResetCode;
use dsp_core::pdm::TimeWord;

const FINISHER: usize = 0x0010_0000;
const CONSOLE: usize = 0x1000_0000;
const FRONT_END: usize = 0x2000_0000;
const UPLINK: usize = 0x2001_0000;
const SUPERVISOR: usize = 0x2002_0000;

/// System clocks until the watchdog bites: 42 ms at 48 MHz, and what the slowest core needs for a hundred blocks.
const WATCHDOG: u32 = 2_000_000;

/// What the watchdog leaves as the reset code: "WDOG".
const BITTEN: u32 = u32::from_le_bytes(*b"WDOG");

/// The system's registers. `OFFSET` is added to their addresses: VexRiscv caches what lies low, so it takes the second
/// place of every device, with bit 31 set.
#[derive(Clone, Copy)]
struct System<const OFFSET: usize>;

impl<const OFFSET: usize> System<OFFSET> {
    fn read(register: usize) -> u32 {
        // SAFETY: registers of the system at their addresses, whose reads disturb nothing but what they promise.
        unsafe { ((OFFSET + register) as *const u32).read_volatile() }
    }

    fn write(register: usize, value: u32) {
        // SAFETY: as in `read`; no register writes to memory.
        unsafe { ((OFFSET + register) as *mut u32).write_volatile(value) }
    }
}

impl<const OFFSET: usize> Capture for System<OFFSET> {
    fn start(&mut self, inject: bool) {
        Self::write(FRONT_END + 0x10, 1 << 16);
        Self::write(FRONT_END + 0x08, 1 | u32::from(inject) << 1);
    }

    fn stop(&mut self) {
        Self::write(FRONT_END + 0x08, 0);
        while Self::read(FRONT_END + 0x10) & 0xffff != 0 {
            Self::read(FRONT_END + 0x18);
        }
    }

    fn set_divider(&mut self, divider: u32) -> u32 {
        Self::write(FRONT_END + 0x0c, divider);
        Self::read(FRONT_END + 0x0c)
    }

    fn take(&mut self, words: &mut [TimeWord; LINES]) -> Option<u32> {
        // Blocks enter whole, but a word at a time.
        if (Self::read(FRONT_END + 0x10) & 0xffff) as usize <= LINES {
            return None;
        }
        let number = Self::read(FRONT_END + 0x18);
        words.iter_mut().for_each(|word| *word = TimeWord(Self::read(FRONT_END + 0x18)));
        Some(number)
    }
}

impl<const OFFSET: usize> Uplink for System<OFFSET> {
    fn room(&self) -> usize {
        4 * Self::read(UPLINK + 0x04) as usize
    }

    fn send(&mut self, header: &[u8], payload: &[u8]) {
        for bytes in header.as_chunks::<4>().0.iter().chain(payload.as_chunks::<4>().0) {
            Self::write(UPLINK + 0x08, u32::from_le_bytes(*bytes));
        }
        Self::write(UPLINK + 0x0c, (header.len() + payload.len()) as u32);
    }
}

impl<const OFFSET: usize> Console for System<OFFSET> {
    fn read(&mut self) -> Option<u8> {
        let data = (OFFSET + CONSOLE) as *const u8;
        let status = data.wrapping_add(5);
        // SAFETY: byte registers of the console; a read takes a byte that the status says is there.
        unsafe { (status.read_volatile() & 1 != 0).then(|| data.read_volatile()) }
    }

    fn write(&mut self, byte: u8) {
        let data = (OFFSET + CONSOLE) as *mut u8;
        let status = data.wrapping_add(5);
        // SAFETY: byte registers of the console.
        unsafe {
            while status.read_volatile() & 0x20 == 0 {}
            data.write_volatile(byte);
        }
    }
}

impl<const OFFSET: usize> Supervisor for System<OFFSET> {
    const CLOCK_HZ: u32 = 48_000_000;

    fn begin(&mut self) -> ResetCode {
        let code = match Self::read(SUPERVISOR + 0x0c) {
            BITTEN => ResetCode::WATCHDOG.0,
            code => code,
        };
        Self::write(SUPERVISOR + 0x0c, ResetCode::WATCHDOG.0);
        Self::write(SUPERVISOR + 0x04, WATCHDOG);
        ResetCode(code)
    }

    fn kick(&mut self) {
        Self::write(SUPERVISOR + 0x08, 1);
    }

    fn count(&self) -> Count {
        Count { cycles: Self::read(SUPERVISOR + 0x14), instructions: Self::read(SUPERVISOR + 0x1c) }
    }

    fn stack(&self) -> Stack {
        rv32::stack()
    }

    fn fail(&mut self) -> ! {
        panic!("as the host asked")
    }

    fn finish(&mut self) {
        Self::write(FINISHER, 0x5555);
    }
}

/// Leaves the code and resets the core.
pub fn reset<const OFFSET: usize>(code: ResetCode) -> ! {
    System::<OFFSET>::write(SUPERVISOR + 0x0c, code.0);
    loop {
        System::<OFFSET>::write(SUPERVISOR + 0x10, 1);
    }
}

static ENGINE: Single<Engine> = Single::new(Engine::new());

/// After the start: takes the ports and loops. `OFFSET` is added to the addresses of the devices.
pub fn run<const OFFSET: usize>() -> ! {
    let Some(engine) = ENGINE.take() else { reset::<OFFSET>(ResetCode::PANIC) };
    let system = System::<OFFSET>;
    let mut board = Board::start(system, system, system, system, engine);
    loop {
        board.round();
    }
}
