//! The decimator's numbers as Verilog, from `dsp-core`, which owns them.
//!
//! `boards/rtl/cic_tables.vh` and `boards/rtl/fir_tables.vh` are what [`cic`] and [`fir`] give; a test compares.
//! `cargo run --package tests --example rtl_tables` writes them anew.

use dsp_core::decimator::{CIC_IMPULSE, FIR_RATE, SHIFT, TAPS};
use std::fmt::Write;

/// Bits that the CIC takes in one clock.
const NIBBLE: usize = 4;
/// The multiplier's limit for a tap: 18 bits, signed.
const LARGEST_TAP: i32 = (1 << 17) - 1;
const ORIGIN: &str =
    "// Made from dsp-core by `cargo run --package tests --example rtl_tables`; do not edit.\n";

/// The CIC's taps, summed over the set bits of each nibble of its window.
pub fn cic() -> String {
    let parts = CIC_IMPULSE.len() / NIBBLE;
    let share = |part: usize, bits: usize| -> i64 {
        (0..NIBBLE).filter(|b| bits >> b & 1 == 1).map(|b| CIC_IMPULSE[NIBBLE * part + b]).sum()
    };
    let largest = (0..parts).map(|part| share(part, 15)).max().unwrap_or_default();
    let width = i64::BITS - largest.leading_zeros();
    let half: i64 = CIC_IMPULSE.iter().sum::<i64>() / 2;
    let mut text = format!(
        "{ORIGIN}// The CIC's window in nibbles; what is added for each; full scale in half units.\n\
         localparam CIC_PARTS = {parts};\nlocalparam CIC_SHARE_BITS = {width};\n\
         localparam signed [15:0] CIC_OFFSET = -16'sd{half};\n\n\
         function [CIC_SHARE_BITS-1:0] cic_share(input [3:0] number, input [3:0] bits);\n    case ({{number, bits}})\n"
    );
    for part in 0..parts {
        for bits in 0..1 << NIBBLE {
            let _ = writeln!(text, "        8'h{part:x}{bits:x}: cic_share = {};", share(part, bits));
        }
    }
    text + "        default: cic_share = 0;\n    endcase\nendfunction\n"
}

/// The FIR's first half and middle as steps of a multiplier of 18 bits; the top bit goes on to the next pair.
pub fn fir() -> String {
    let steps: Vec<(bool, i32)> = TAPS[..=TAPS.len() / 2].iter().flat_map(|&tap| split(tap)).collect();
    let slots = TAPS.len().next_multiple_of(FIR_RATE);
    let mut text = format!(
        "{ORIGIN}// The FIR's length, the samples kept for it, its steps, and the bits dropped at the output.\n\
         localparam FIR_TAPS = {};\nlocalparam FIR_SLOTS = {slots};\nlocalparam FIR_STEPS = {};\n\
         localparam FIR_SHIFT = {SHIFT};\n\n\
         // {{go on to the next pair, tap}}\n\
         function [18:0] fir_step(input [5:0] step);\n    case (step)\n",
        TAPS.len(),
        steps.len(),
    );
    for (step, (advance, tap)) in steps.iter().enumerate() {
        let sign = if *tap < 0 { "-" } else { "" };
        let (advance, size) = (u8::from(*advance), tap.unsigned_abs());
        let _ = writeln!(text, "        {step}: fir_step = {{1'b{advance}, {sign}18'sd{size}}};");
    }
    text + "        default: fir_step = 0;\n    endcase\nendfunction\n"
}

/// A tap as a sum of taps that fit the multiplier, the last of them marked.
fn split(tap: i32) -> Vec<(bool, i32)> {
    let (mut rest, mut parts) = (tap, Vec::new());
    while rest.abs() > LARGEST_TAP {
        parts.push((false, LARGEST_TAP * rest.signum()));
        rest -= LARGEST_TAP * rest.signum();
    }
    parts.push((true, rest));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_taps_are_split_without_loss() {
        for tap in TAPS.into_iter().chain([i32::MAX / 64, -i32::MAX / 64, LARGEST_TAP, 0]) {
            let parts = split(tap);
            assert_eq!(parts.iter().map(|(_, part)| part).sum::<i32>(), tap);
            assert!(parts.iter().all(|(_, part)| part.abs() <= LARGEST_TAP));
            assert!(parts.iter().rev().map(|(last, _)| *last).eq((0..parts.len()).map(|k| k == 0)));
        }
    }
}
