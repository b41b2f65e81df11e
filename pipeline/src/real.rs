//! The floating-point type of a solver: `f32` for speed, `f64` for proof.

use rustfft::FftNum;
use rustfft::num_traits::{Float, NumAssign};
use std::fmt::Display;
use std::iter::Sum;

/// `f32` or `f64`. Plans are designed in `f64` and rounded once with [`Real::of`].
pub trait Real: FftNum + Float + NumAssign + Sum + Default + Display {
    /// The nearest value.
    fn of(value: f64) -> Self;
    /// The same value.
    fn to_f64(self) -> f64;
}

impl Real for f32 {
    fn of(value: f64) -> Self {
        value as Self
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Real for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }
}
