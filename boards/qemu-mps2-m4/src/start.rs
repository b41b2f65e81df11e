//! The vector table and the start, in the steps of the RISC-V boards: `copy_data`, `clear_bss`, `paint_stack`, `enter`.

use common::stack::{PAINT, Stack, measure};

core::arch::global_asm!(
    ".section .vectors, \"a\"",
    ".globl _vectors",
    "_vectors:",
    ".word _stack_top",
    ".word _start",
    // NMI, which the watchdog raises first and which waits for its reset; then faults and the rest.
    ".word hang",
    ".rept 13",
    ".word trap",
    ".endr",
    ".section .text._start, \"ax\"",
    ".syntax unified",
    ".thumb_func",
    ".globl _start",
    "_start:",
    "copy_data:",
    "ldr r0, =_data_start",
    "ldr r1, =_data_end",
    "ldr r2, =_data_load",
    "1: cmp r0, r1",
    "bhs clear_bss",
    "ldr r3, [r2], #4",
    "str r3, [r0], #4",
    "b 1b",
    "clear_bss:",
    "ldr r0, =_bss_start",
    "ldr r1, =_bss_end",
    "movs r3, #0",
    "1: cmp r0, r1",
    "bhs paint_stack",
    "str r3, [r0], #4",
    "b 1b",
    "paint_stack:",
    "ldr r0, =_stack_bottom",
    "ldr r3, ={paint}",
    "1: cmp r0, sp",
    "bhs enter",
    "str r3, [r0], #4",
    "b 1b",
    "enter:",
    "bl main",
    ".thumb_func",
    "hang:",
    "b hang",
    ".pool",
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
