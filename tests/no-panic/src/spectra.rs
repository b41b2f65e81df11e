//! From bits or samples to spectra: Walsh coefficients, sliding DFT, Goertzel.

use dsp_core::pdm::TimeWord;
use dsp_core::sliding::{Goertzel, Plan, Sliding, SlidingFixed};
use dsp_core::walsh::{self, WalshError};
use num_complex::Complex;

/// One Walsh coefficient by XOR and popcount.
#[unsafe(no_mangle)]
pub fn path_walsh_coefficient(bits: &[TimeWord], index: usize) -> Result<i32, WalshError> {
    walsh::coefficient(bits, index)
}

/// All low Walsh coefficients at once.
#[unsafe(no_mangle)]
pub fn path_walsh_low(bits: &[TimeWord], output: &mut [i32]) -> Result<(), WalshError> {
    walsh::low_coefficients(bits, output)
}

/// The fast transform in place.
#[unsafe(no_mangle)]
pub fn path_walsh_transform(data: &mut [i32]) -> Result<(), WalshError> {
    walsh::fwht(data)
}

/// The sliding DFT in `f32`: samples in, bins out.
#[unsafe(no_mangle)]
pub fn path_sliding_float(
    plan: &Plan<f32, 100, 3>,
    state: &mut Sliding<100, 3>,
    input: &[f32],
) -> [Complex<f32>; 3] {
    state.push(plan, input);
    state.bins(plan)
}

/// The sliding DFT in integers: samples in, bins out.
#[unsafe(no_mangle)]
pub fn path_sliding_fixed(
    plan: &Plan<i32, 100, 3>,
    state: &mut SlidingFixed<100, 3>,
    input: &[i32],
) -> [Complex<i64>; 3] {
    state.push(plan, input);
    state.bins(plan)
}

/// One bin of one block.
#[unsafe(no_mangle)]
pub fn path_sliding_goertzel(frequency: f64, block: &[f32]) -> Complex<f32> {
    Goertzel::new(frequency).dft(block)
}
