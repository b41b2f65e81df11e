//! QEMU's mps2-an386, a Cortex-M4: CMSDK UART and watchdog, the FPGA's counter, the host's window in PSRAM.
//!
//! With `-icount` the counter runs with the instructions: at 25 MHz one step is 40 of them, so sums over many blocks are
//! right to a few per mille.
#![no_std]
#![no_main]

mod start;

use common::ports::{Console, Count, Supervisor};
use common::stack::Stack;
use common::{Board, Engine, Single};
use dsp_core::console::ResetCode;
use rings::{CaptureRing, UplinkRing, Window};

const WINDOW: usize = 0x2140_0000;
const UART: usize = 0x4000_4000;
const WATCHDOG: usize = 0x4000_8000;
const FPGA_COUNTER: usize = 0x4002_8018;
const RESET_CONTROL: usize = 0xe000_ed0c;

/// Watchdog ticks (40 ns) until it bites; the second one resets.
const PATIENCE: u32 = 250_000;

/// Instructions in a step of the counter with `-icount shift=0`, where one takes a nanosecond.
const STEP: u32 = 40;

static ENGINE: Single<Engine> = Single::new(Engine::new());

fn read(register: usize) -> u32 {
    // SAFETY: the constants of this file are registers of the machine, aligned to words.
    unsafe { (register as *const u32).read_volatile() }
}

fn write(register: usize, value: u32) {
    // SAFETY: as in `read`; none of them writes to memory.
    unsafe { (register as *mut u32).write_volatile(value) }
}

/// The window that the host has set up.
fn window() -> Window {
    // SAFETY: 16 MiB of PSRAM begin at 0x21000000, and nothing else uses them.
    unsafe { Window::new(WINDOW) }
}

struct Uart;

impl Console for Uart {
    fn read(&mut self) -> Option<u8> {
        (read(UART + 4) & 2 != 0).then(|| read(UART) as u8)
    }

    fn write(&mut self, byte: u8) {
        while read(UART + 4) & 1 != 0 {}
        write(UART, byte.into());
    }
}

struct Mps2;

impl Supervisor for Mps2 {
    const CLOCK_HZ: u32 = 48_000_000;

    fn begin(&mut self) -> ResetCode {
        let code = window().reset_code();
        window().set_reset_code(ResetCode::WATCHDOG.0);
        write(UART + 0x10, 16);
        write(UART + 8, 3);
        write(WATCHDOG + 0xc00, 0x1acc_e551);
        write(WATCHDOG, PATIENCE);
        write(WATCHDOG + 8, 3);
        ResetCode(code)
    }

    fn kick(&mut self) {
        write(WATCHDOG + 0xc, 1);
    }

    fn count(&self) -> Count {
        let instructions = read(FPGA_COUNTER).wrapping_mul(STEP);
        Count { cycles: instructions, instructions }
    }

    fn stack(&self) -> Stack {
        start::stack()
    }

    fn fail(&mut self) -> ! {
        panic!("as the host asked")
    }

    fn finish(&mut self) {
        // The machine has no way to end itself; the host does it.
    }
}

/// Leaves the code and resets the machine.
fn reset(code: u32) -> ! {
    window().set_reset_code(code);
    loop {
        write(RESET_CONTROL, 0x05fa_0004);
    }
}

/// After the start: takes the ports and loops.
#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    window().wait();
    let Some(engine) = ENGINE.take() else { reset(ResetCode::PANIC.0) };
    let (capture, uplink) = (CaptureRing(window()), UplinkRing(window()));
    let mut board = Board::start(capture, uplink, Uart, Mps2, engine);
    loop {
        board.round();
    }
}

/// Faults and interrupts that nobody asked for.
#[unsafe(no_mangle)]
extern "C" fn trap() -> ! {
    reset(ResetCode::TRAP.0)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    reset(ResetCode::PANIC.0)
}
