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

/// The planner contains all algorithms: it is compiled here for both types, not in every program that uses one.
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

/// Declares functions of `f32` and `f64` that are compiled once for each, where they are declared, and not again
/// in every crate and program that calls them.
///
/// ```
/// use numerics::real::Real;
/// fn sum<T: Real>(values: &[T]) -> T {
///     values.iter().copied().sum()
/// }
/// numerics::compiled! { Loops: Real { fn total(values: &[Self]) -> Self = sum; } }
/// assert_eq!(f32::total(&[1.0, 2.0]), 3.0);
/// ```
#[macro_export]
macro_rules! compiled {
    ($name:ident: $($bound:path),+ { $(fn $method:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)? = $body:path;)+ }) => {
        /// `f32` or `f64`.
        pub trait $name: $($bound +)+ {
            $(#[doc(hidden)] fn $method($($arg: $ty),*) $(-> $out)?;)+
        }
        $crate::compiled!(@for f32 $name { $(fn $method($($arg: $ty),*) $(-> $out)? = $body;)+ });
        $crate::compiled!(@for f64 $name { $(fn $method($($arg: $ty),*) $(-> $out)? = $body;)+ });
    };
    (@for $number:ident $name:ident { $(fn $method:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)? = $body:path;)+ }) => {
        impl $name for $number {
            $(#[inline(never)] fn $method($($arg: $ty),*) $(-> $out)? { $body($($arg),*) })+
        }
    };
}
