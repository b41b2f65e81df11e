//! What runs on the CPU and on every GPU found: one program, because each of its kind links the whole house.

mod camera;
mod datasets;
mod decimate;
mod dense;
mod dgtd;
mod filter;
mod front_end;
mod holograms;
mod mom;
mod nufft;
mod one_decimator;
mod pnah_accuracy;
mod pnah_analytic;
mod pnah_scenes;
mod pnah_stages;
mod reflectarray;
mod sbr;
mod skip;

use kernels::Device;
use std::io::Write;

/// Every card, or a line that names the test.
fn devices(test: &str) -> Vec<Device> {
    let devices = Device::all();
    if devices.is_empty() {
        // The test harness keeps `eprintln!` to itself when a test passes; this must be seen.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: no CUDA device");
    }
    devices
}
