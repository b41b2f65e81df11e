//! A design as Rust source: constants that firmware includes as they are.

use super::design::{Design, Specification};

/// The taps and rates of `design` as documented constants; `command` says how they were made.
pub fn rust_source(design: &Design, command: &str) -> String {
    let Specification { bit_rate_hz, cic_order, cic_rate, fir_rate, pass_hz, tap_bits, .. } =
        design.specification;
    let (ripple, taps) = (design.ripple_db(), design.taps.len());
    let rejection = (design.alias_rejection_db() * 10.0).floor() / 10.0;
    let mut text = format!(
        "// Made by `{command}`; do not edit.\n\
         //\n\
         // {bit_rate_hz:.0} bit/s, CIC of order {cic_order} by {cic_rate}, FIR by {fir_rate}: \
         flat to {ripple:.4} dB up to {pass_hz:.0} Hz,\n\
         // {rejection:.1} dB or more of rejection for all that folds into that band.\n\n\
         /// Order of the CIC.\npub const CIC_ORDER: usize = {cic_order};\n\
         /// Rate of the CIC.\npub const CIC_RATE: usize = {cic_rate};\n\
         /// Rate of the FIR.\npub const FIR_RATE: usize = {fir_rate};\n\
         /// Fractional bits of the taps; they sum to 2^`TAP_BITS`.\npub const TAP_BITS: u32 = {tap_bits};\n\
         /// Taps of the FIR.\n#[rustfmt::skip]\npub const TAPS: [i32; {taps}] = [\n",
    );
    for line in design.taps.chunks(8) {
        let row: Vec<String> = line.iter().map(i32::to_string).collect();
        text += &format!("    {},\n", row.join(", "));
    }
    text + "];\n"
}
