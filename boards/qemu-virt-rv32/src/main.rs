//! QEMU's virt machine: 16550 UART, CLINT timer as watchdog, test finisher, the host's window in RAM.
//!
//! With `-icount` the core's counters count instructions, and its timer counts with them, so every run is the same.
#![no_std]
#![no_main]

use common::ports::{Console, Count, Supervisor};
use common::stack::Stack;
use common::{Board, Engine, Single};
use core::arch::{asm, global_asm};
use dsp_core::console::ResetCode;
use rings::{CaptureRing, UplinkRing, Window};

const WINDOW: usize = 0x8040_0000;
const FINISHER: *mut u32 = 0x10_0000 as *mut u32;
const UART: *mut u8 = 0x1000_0000 as *mut u8;
const UART_STATUS: *const u8 = 0x1000_0005 as *const u8;
const TIMER_DUE: *mut u32 = 0x0200_4000 as *mut u32;
const TIMER: *const u32 = 0x0200_bff8 as *const u32;

/// Timer ticks (100 ns) until the watchdog bites: 20 ms.
const WATCHDOG: u32 = 200_000;

// A trap never returns, so it may take the stack as its own.
global_asm!(
    ".section .text._trap, \"ax\"",
    ".balign 4",
    "_trap:",
    "la sp, _stack_top",
    "csrr a0, mcause",
    "call trap",
);

unsafe extern "C" {
    fn _trap();
}

static ENGINE: Single<Engine> = Single::new(Engine::new());

/// The window that the host has set up.
fn window() -> Window {
    // SAFETY: the machine has 16 MiB of RAM; memory.x leaves these 2 MiB to the window.
    unsafe { Window::new(WINDOW) }
}

struct Uart;

impl Console for Uart {
    fn read(&mut self) -> Option<u8> {
        // SAFETY: registers of this machine's 16550, whose reads take a byte that the status says is there.
        unsafe { (UART_STATUS.read_volatile() & 1 != 0).then(|| UART.read_volatile()) }
    }

    fn write(&mut self, byte: u8) {
        // SAFETY: registers of this machine's 16550.
        unsafe {
            while UART_STATUS.read_volatile() & 0x20 == 0 {}
            UART.write_volatile(byte);
        }
    }
}

struct Virt;

impl Supervisor for Virt {
    const CLOCK_HZ: u32 = 48_000_000;

    fn begin(&mut self) -> ResetCode {
        let code = window().reset_code();
        window().set_reset_code(ResetCode::WATCHDOG.0);
        self.kick();
        // SAFETY: lets the timer's interrupt in, whose handler never returns.
        unsafe {
            asm!("csrw mtvec, {0}", "csrw mie, {1}", "csrsi mstatus, 8", in(reg) _trap, in(reg) 0x80);
        }
        ResetCode(code)
    }

    fn kick(&mut self) {
        // SAFETY: registers of this machine's CLINT; the high word first never makes an earlier moment than now. Runs are
        // shorter than the 429 s after which the low word of the timer wraps.
        unsafe {
            let due = TIMER.read_volatile().wrapping_add(WATCHDOG);
            TIMER_DUE.add(1).write_volatile(0);
            TIMER_DUE.write_volatile(due);
        }
    }

    fn count(&self) -> Count {
        let (cycles, instructions);
        // SAFETY: reads counters of this core.
        unsafe { asm!("csrr {0}, mcycle", "csrr {1}, minstret", out(reg) cycles, out(reg) instructions) };
        Count { cycles, instructions }
    }

    fn stack(&self) -> Stack {
        rv32::stack()
    }

    fn fail(&mut self) -> ! {
        panic!("as the host asked")
    }

    fn finish(&mut self) {
        // SAFETY: a register of this machine; the value ends the emulation.
        unsafe { FINISHER.write_volatile(0x5555) };
    }
}

/// Leaves the code and resets the machine.
fn reset(code: u32) -> ! {
    window().set_reset_code(code);
    loop {
        // SAFETY: a register of this machine; the value resets it.
        unsafe { FINISHER.write_volatile(0x7777) };
    }
}

/// After the start: takes the ports and loops.
#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    window().wait();
    let Some(engine) = ENGINE.take() else { reset(ResetCode::PANIC.0) };
    let (capture, uplink) = (CaptureRing(window()), UplinkRing(window()));
    let mut board = Board::start(capture, uplink, Uart, Virt, engine);
    loop {
        board.round();
    }
}

/// Traps and the timer's interrupt, whose cause has the top bit.
#[unsafe(no_mangle)]
extern "C" fn trap(cause: u32) -> ! {
    reset(if cause >> 31 == 1 { ResetCode::WATCHDOG.0 } else { ResetCode::TRAP.0 | cause << 8 })
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    reset(ResetCode::PANIC.0)
}
