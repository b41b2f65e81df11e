//! Writes the decimator's numbers into the Verilog: `cargo run --package tests --example rtl_tables`.

use std::path::Path;
use tests::rtl::tables;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../boards/rtl");
    std::fs::write(folder.join("cic_tables.vh"), tables::cic())?;
    std::fs::write(folder.join("fir_tables.vh"), tables::fir())
}
