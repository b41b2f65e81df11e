//! The RTL system around PicoRV32: `soc` has its ports, `rv32` its start. Ibex runs the same image.
#![no_std]
#![no_main]

use dsp_core::console::ResetCode;
use rv32 as _;

/// The devices stand where the map says.
const OFFSET: usize = 0;

/// After the start.
#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    soc::run::<OFFSET>()
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    soc::reset::<OFFSET>(ResetCode::PANIC)
}
