//! The floating-point type of a solver: `f32` for speed, `f64` for proof.

use rustfft::algorithm::{BluesteinsAlgorithm, Dft, Radix4};
use rustfft::num_complex::Complex;
use rustfft::num_traits::{Float, NumAssign};
use rustfft::{Fft, FftDirection, FftNum};
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

/// The nearest value.
pub fn rounded<T: Real>(value: Complex<f64>) -> Complex<T> {
    Complex::new(T::of(value.re), T::of(value.im))
}

/// In double precision.
pub fn widened<T: Real>(value: &Complex<T>) -> Complex<f64> {
    Complex::new(value.re.to_f64(), value.im.to_f64())
}

/// The least and the largest; infinity and its negative where there are none.
pub fn ends(values: impl IntoIterator<Item = f64>) -> [f64; 2] {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    values.into_iter().fold(none, |[low, high], value| [low.min(value), high.max(value)])
}

/// The planner contains all algorithms: it is compiled here for both types, not in every program that uses one.
///
/// Of those for x86-64 only the ones for AVX, which every such processor of the last decade has.
fn planned<T: FftNum>(lengths: &[usize]) -> Vec<[Arc<dyn Fft<T>>; 2]> {
    #[cfg(target_arch = "x86_64")]
    let mut planner = match crate::simd::arch() {
        pulp::Arch::Scalar => None,
        _ => rustfft::FftPlannerAvx::new().ok(),
    };
    #[cfg(not(target_arch = "x86_64"))]
    let mut planner = Some(rustfft::FftPlanner::new());
    let mut of = |length, direction| match &mut planner {
        Some(planner) => planner.plan_fft(length, direction),
        None => anywhere(length, direction),
    };
    lengths.iter().map(|&n| [FftDirection::Forward, FftDirection::Inverse].map(|d| of(n, d))).collect()
}

/// An FFT for any processor: of radix 4 where the length is a power of two, else Bluestein's with one.
fn anywhere<T: FftNum>(length: usize, direction: FftDirection) -> Arc<dyn Fft<T>> {
    if length < 2 {
        return Arc::new(Dft::new(length, direction));
    }
    if length.is_power_of_two() {
        return Arc::new(Radix4::new(length, direction));
    }
    // A convolution of this length without wrapping.
    let inner = Arc::new(Radix4::new((2 * length - 1).next_power_of_two(), direction));
    Arc::new(BluesteinsAlgorithm::new(length, inner))
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

/// Compiles generic functions, or methods of a type, for `f32` and `f64` where they are written. Other crates
/// then call those that are marked `#[inline(never)]`, and do not compile them, and all they call, again.
///
/// ```
/// use numerics::real::Real;
/// #[inline(never)]
/// pub fn total<T: Real>(values: &[T]) -> T {
///     values.iter().copied().sum()
/// }
/// numerics::compiled! { T: Real => total::<T> }
/// assert_eq!(total(&[1.0, 2.0]), 3.0);
/// ```
#[macro_export]
macro_rules! compiled {
    ($number:ident: $($bound:path),+ => $type:ty: $($method:ident),+) => {
        $crate::compiled! { $number: $($bound),+ => $(<$type>::$method),+ }
    };
    ($number:ident: $($bound:path),+ => $($function:expr),+) => {
        #[cfg(not(test))] // A test program compiles what it calls.
        const _: () = {
            fn functions<$number: $($bound +)+>() {
                $(std::hint::black_box($function as *const ());)+
            }
            #[used]
            static OF_BOTH: [fn(); 2] = [functions::<f32>, functions::<f64>];
        };
    };
}
