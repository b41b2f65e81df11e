//! The RTL system around VexRiscv: `soc` has its ports, `rv32` its start.
#![no_std]
#![no_main]

use dsp_core::console::ResetCode;
use rv32 as _;

/// The second place of every device, which the core does not cache.
const OFFSET: usize = 0x8000_0000;

/// After the start.
#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    soc::run::<OFFSET>()
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    soc::reset::<OFFSET>(ResetCode::PANIC)
}
