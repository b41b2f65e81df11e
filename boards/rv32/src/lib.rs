//! The start of a RISC-V board, in steps, and the marks on its stack.
//!
//! | step | what |
//! |---|---|
//! | `_start` | where cores begin; Ibex begins 128 bytes later, at the next step |
//! | `set_pointers` | global pointer and stack pointer |
//! | `copy_data` | initial values of `.data` from behind the code, so that a reset that keeps the RAM begins anew |
//! | `clear_bss` | the rest of the static memory is 0 |
//! | `paint_stack` | [`PAINT`] in every word of the stack, to see later how far down it was |
//! | `enter` | calls the board's `main`, which does not return |
//!
//! `link.x` beside this crate has the sections; a board's own `memory.x` has the addresses and the stack's size. The
//! code needs neither CSRs nor atomics, so it runs on PicoRV32 too.
#![no_std]
#![cfg(target_arch = "riscv32")]

use common::stack::{PAINT, Stack, measure};

core::arch::global_asm!(
    ".section .init, \"ax\"",
    ".globl _start",
    "_start:",
    "j set_pointers",
    ".balign 128",
    "set_pointers:",
    ".option push",
    ".option norelax",
    "la gp, __global_pointer$",
    ".option pop",
    "la sp, _stack_top",
    "copy_data:",
    "la t0, _data_start",
    "la t1, _data_end",
    "la t2, _data_load",
    "1: bgeu t0, t1, clear_bss",
    "lw t3, 0(t2)",
    "sw t3, 0(t0)",
    "addi t0, t0, 4",
    "addi t2, t2, 4",
    "j 1b",
    "clear_bss:",
    "la t0, _bss_start",
    "la t1, _bss_end",
    "1: bgeu t0, t1, paint_stack",
    "sw zero, 0(t0)",
    "addi t0, t0, 4",
    "j 1b",
    "paint_stack:",
    "la t0, _stack_bottom",
    "li t1, {paint}",
    "1: bgeu t0, sp, enter",
    "sw t1, 0(t0)",
    "addi t0, t0, 4",
    "j 1b",
    "enter:",
    "call main",
    "2: j 2b",
    paint = const PAINT,
);

unsafe extern "C" {
    static _stack_bottom: u32;
    static _stack_top: u32;
}

/// How far down the stack was.
pub fn stack() -> Stack {
    // SAFETY: the linker script gives these words to the stack, and the start painted them.
    unsafe { measure(&raw const _stack_bottom, &raw const _stack_top) }
}
