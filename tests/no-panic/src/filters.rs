//! From bits to samples: the default chain, the CIC, the byte tables, the FIR and the averages.

use dsp_core::Progress;
use dsp_core::average::average;
use dsp_core::cic::Cic;
use dsp_core::cic::prune::PrunedCic;
use dsp_core::decimator::Decimator;
use dsp_core::fir::{Delay, Direct, Fir, HalfBand, Symmetric};
use dsp_core::lut::{Lut, PackedLut};
use dsp_core::pdm::TimeWord;

/// The default chain, built and run by the word.
#[unsafe(no_mangle)]
pub fn path_decimator_push(word: TimeWord) -> i32 {
    Decimator::new().push(word)
}

/// The default chain over slices.
#[unsafe(no_mangle)]
pub fn path_decimator_process(channel: &mut Decimator, words: &[TimeWord], output: &mut [i32]) -> Progress {
    channel.process(words, output)
}

/// The CIC of the default chain on packed bits.
#[unsafe(no_mangle)]
pub fn path_cic_bits(cic: &mut Cic<i32, 5, 8, 1>, words: &[TimeWord], output: &mut [i32]) -> Progress {
    cic.process_bits(words, output)
}

/// A CIC whose rate does not divide the word, with 64-bit registers and a differential delay of 2.
#[unsafe(no_mangle)]
pub fn path_cic_bits_odd(cic: &mut Cic<i64, 3, 10, 2>, words: &[TimeWord], output: &mut [i64]) -> Progress {
    cic.process_bits(words, output)
}

/// The CIC by the sample.
#[unsafe(no_mangle)]
pub fn path_cic_push(cic: &mut Cic<i32, 5, 8, 1>, x: i32) -> Option<i32> {
    cic.push(x)
}

/// The CIC on samples.
#[unsafe(no_mangle)]
pub fn path_cic_process(cic: &mut Cic<i32, 5, 8, 1>, input: &[i32], output: &mut [i32]) -> Progress {
    cic.process(input, output)
}

/// The pruned CIC on packed bits.
#[unsafe(no_mangle)]
pub fn path_cic_pruned(
    cic: &mut PrunedCic<i32, 5, 8, 1>,
    words: &[TimeWord],
    output: &mut [i32],
) -> Progress {
    cic.process_bits(words, output)
}

/// One step of a byte table.
#[unsafe(no_mangle)]
pub fn path_lut_step(table: &Lut<i16, 1, 5, 1>, state: &mut [i16; 5], byte: u8) -> [i16; 1] {
    table.step(state, [byte])
}

/// A table of four bytes a step over slices.
#[unsafe(no_mangle)]
pub fn path_lut_process(
    table: &Lut<i32, 4, 8, 4>,
    state: &mut [i32; 8],
    input: &[u8],
    output: &mut [i32],
) -> Progress {
    table.process(state, input, output)
}

/// The table with four outputs in one machine word.
#[unsafe(no_mangle)]
pub fn path_lut_packed(table: &PackedLut, state: &mut u64, word: TimeWord) -> u64 {
    table.step(state, word)
}

/// The direct form in Q15.
#[unsafe(no_mangle)]
pub fn path_fir_q15(
    fir: &Fir<i16, Direct, 31>,
    delay: &mut Delay<i16, 31>,
    input: &[i16],
    output: &mut [i16],
) -> Progress {
    fir.process(delay, input, output)
}

/// The symmetric form in Q31.
#[unsafe(no_mangle)]
pub fn path_fir_q31(
    fir: &Fir<i32, Symmetric, 64>,
    delay: &mut Delay<i32, 64>,
    input: &[i32],
    output: &mut [i32],
) -> Progress {
    fir.process(delay, input, output)
}

/// The half-band form in `f32`.
#[unsafe(no_mangle)]
pub fn path_fir_f32(
    fir: &Fir<f32, HalfBand, 31>,
    delay: &mut Delay<f32, 31>,
    input: &[f32],
    output: &mut [f32],
) -> Progress {
    fir.process(delay, input, output)
}

/// Averages of parts of a word.
#[unsafe(no_mangle)]
pub fn path_average_parts(words: &[TimeWord], output: &mut [i8]) -> Progress {
    average::<8, _>(words, output)
}

/// Averages of several words.
#[unsafe(no_mangle)]
pub fn path_average_groups(words: &[TimeWord], output: &mut [i16]) -> Progress {
    average::<96, _>(words, output)
}
