//! Where bits come from and how they are turned: modulators, dither and transposition.

use dsp_core::modulator::{Dither, DitherBank, FirstOrder, LANES, SecondOrder, SecondOrderBank};
use dsp_core::pdm::{self, SampleWord, TileLayout, TimeWord};

/// The first-order modulator with its dither.
#[unsafe(no_mangle)]
pub fn path_modulator_first(modulator: &mut FirstOrder, dither: &mut Dither, x: i32) -> bool {
    modulator.step(x, dither.step())
}

/// The second-order modulator under any dither.
#[unsafe(no_mangle)]
pub fn path_modulator_second(modulator: &mut SecondOrder, x: i32, dither: i32) -> bool {
    modulator.step(x, dither)
}

/// The modulators of 32 channels, seeded here.
#[unsafe(no_mangle)]
pub fn path_modulator_bank(bank: &mut SecondOrderBank, x: &[i32; LANES], seed: u32, bits: u32) -> u32 {
    let mut dither = [0; LANES];
    DitherBank::new(seed, bits).step(&mut dither);
    bank.step(x, &dither)
}

/// One 32x32 bit matrix.
#[unsafe(no_mangle)]
pub fn path_pdm_transpose32(rows: &mut [u32; 32]) {
    pdm::transpose32(rows);
}

/// The camera's 1024 channels to time words.
#[unsafe(no_mangle)]
pub fn path_pdm_time_words(rows: &[[SampleWord; 32]; 32], words: &mut [[TimeWord; 32]; 32]) {
    *words = pdm::to_time_words(rows);
}

/// The camera's stream position to grid index and back.
#[unsafe(no_mangle)]
pub fn path_pdm_layout(position: u32) -> Option<u32> {
    TileLayout::CAMERA.position_of(TileLayout::CAMERA.index_of(position)?)
}
