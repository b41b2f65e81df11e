//! The Verilog of `boards/rtl`, simulated by Verilator, against `dsp-core`. Integers agree exactly.

mod capture;
mod decimator;
mod devices;
mod walsh;

use dsp_core::pdm::TimeWord;

/// Rows of `lines` random bits, the same for the same seed.
fn noise(seed: u64, lines: usize, rows: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..rows * lines / 8).map(|_| next()).collect()
}

/// The time words of a line.
fn time_words(rows: &[u8], lines: usize, line: usize) -> Vec<TimeWord> {
    let bit = |row: &[u8]| u32::from(row[line / 8] >> (line % 8) & 1);
    let of_group = |group: &[u8]| {
        group.chunks_exact(lines / 8).enumerate().fold(0, |word, (t, row)| word | bit(row) << t)
    };
    rows.chunks_exact(32 * lines / 8).map(|group| TimeWord(of_group(group))).collect()
}
