//! The boards: firmware in emulators and on simulated soft-cores, the Verilog of `boards/rtl`, and firmware paths that cannot panic.

mod cases;
#[cfg(target_os = "linux")]
mod no_panic;
mod rtl;
mod rtl_soc;
