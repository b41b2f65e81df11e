//! The floating-point type of a solver: `f32` for speed, `f64` for proof.

use rustfft::num_traits::{Float, NumAssign};
use rustfft::{Fft, FftNum, FftPlanner};
use std::fmt::Display;
use std::iter::Sum;
use std::sync::Arc;

/// `f32` or `f64`. Plans are designed in `f64` and rounded once with [`Real::of`].
pub trait Real: FftNum + Float + NumAssign + Sum + Default + Display {
    /// The nearest value.
    fn of(value: f64) -> Self;
    /// The same value.
    fn to_f64(self) -> f64;
    /// FFTs of each length, exp(-i ..) and exp(+i ..), without a scale.
    fn transforms(lengths: &[usize]) -> Vec<[Arc<dyn Fft<Self>>; 2]>;
}

/// The planner has all algorithms in it: it is compiled here, for both types, and not in every program that uses one of them.
fn planned<T: FftNum>(lengths: &[usize]) -> Vec<[Arc<dyn Fft<T>>; 2]> {
    let mut planner = FftPlanner::new();
    lengths.iter().map(|&n| [planner.plan_fft_forward(n), planner.plan_fft_inverse(n)]).collect()
}

impl Real for f32 {
    fn of(value: f64) -> Self {
        value as Self
    }

    fn to_f64(self) -> f64 {
        self.into()
    }

    #[inline(never)]
    fn transforms(lengths: &[usize]) -> Vec<[Arc<dyn Fft<Self>>; 2]> {
        planned(lengths)
    }
}

impl Real for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }

    #[inline(never)]
    fn transforms(lengths: &[usize]) -> Vec<[Arc<dyn Fft<Self>>; 2]> {
        planned(lengths)
    }
}
