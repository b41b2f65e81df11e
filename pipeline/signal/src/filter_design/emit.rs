//! A design as Rust source: constants that firmware includes as they are.

use super::design::Design;
use std::fmt::Write;

/// The taps and rates of `design` as documented constants; `command` says how they were made.
pub fn rust_source(design: &Design, command: &str) -> String {
    let s = &design.specification;
    let mut text = String::new();
    // Writing to a String cannot fail, so the results of `write!` carry nothing.
    let _ = write!(
        text,
        "// Made by `{command}`; do not edit.\n\
         //\n\
         // {:.0} bit/s, CIC of order {} by {}, FIR by {}: flat to {:.4} dB up to {:.0} Hz,\n\
         // {:.1} dB or more of rejection for all that folds into that band.\n\n\
         /// Order of the CIC.\npub const CIC_ORDER: usize = {};\n\
         /// Rate of the CIC.\npub const CIC_RATE: usize = {};\n\
         /// Rate of the FIR.\npub const FIR_RATE: usize = {};\n\
         /// Fractional bits of the taps; they sum to 2^`TAP_BITS`.\npub const TAP_BITS: u32 = {};\n\
         /// Taps of the FIR.\n#[rustfmt::skip]\npub const TAPS: [i32; {}] = [\n",
        s.bit_rate_hz,
        s.cic_order,
        s.cic_rate,
        s.fir_rate,
        design.ripple_db(),
        s.pass_hz,
        (design.alias_rejection_db() * 10.0).floor() / 10.0,
        s.cic_order,
        s.cic_rate,
        s.fir_rate,
        s.tap_bits,
        design.taps.len(),
    );
    for line in design.taps.chunks(8) {
        let row: Vec<String> = line.iter().map(i32::to_string).collect();
        let _ = writeln!(text, "    {},", row.join(", "));
    }
    text.push_str("];\n");
    text
}
