//! Decimating FIR filters in Q15, Q31 and floating point, in three forms that give the same result.
//!
//! y\[n\] = sum_j h\[j\] x\[R n + R - 1 - j\]. Only every R-th output is computed, which is the polyphase saving: T
//! multiplications an output, T/R an input sample.
//!
//! | form | demands | multiplications an output |
//! |---|---|---|
//! | [`Direct`] | nothing | T |
//! | [`Symmetric`] | h\[j\] = h\[T-1-j\] | (T+1)/2 |
//! | [`HalfBand`] | symmetric, T = 4 m + 3, every second tap but the middle one 0 | (T+1)/4 + 1 |
//!
//! Integer sums are exact in `i64`: construction refuses taps whose worst-case sum would leave it. The output is
//! rounded and saturated by the rules of [`crate::fixed`]. So the three forms agree to the bit; in floating point
//! they differ by rounding, at most about T eps sum |h x|.
//!
//! | symbol | meaning |
//! |---|---|
//! | T | `TAPS` |
//! | R | rate |
//! | `shift` | fractional bits of the taps: 15 for Q15, 31 for Q31; the DC gain is sum h / 2^shift |

use crate::Progress;
use crate::fixed::{round_shift, saturate_i16, saturate_i32};
use core::marker::PhantomData;

/// A sample type that can be filtered.
pub trait Sample: Copy + PartialEq + Default {
    /// Sum of products.
    type Acc: Copy + Default;
    /// `acc + tap * x`.
    fn mac(acc: Self::Acc, tap: Self, x: Self) -> Self::Acc;
    /// `acc + tap * (x + y)`, with the inner sum kept whole.
    fn mac_pair(acc: Self::Acc, tap: Self, x: Self, y: Self) -> Self::Acc;
    /// The output sample of a sum whose taps have `shift` fractional bits.
    fn finish(acc: Self::Acc, shift: u32) -> Self;
    /// Whether no input can make the sum of products with `taps` overflow.
    fn sum_fits(taps: &[Self]) -> bool;
}

macro_rules! integer_sample {
    ($t:ty, $saturate:ident) => {
        impl Sample for $t {
            type Acc = i64;
            #[inline(always)]
            fn mac(acc: i64, tap: Self, x: Self) -> i64 {
                acc.wrapping_add(i64::from(tap) * i64::from(x))
            }
            #[inline(always)]
            fn mac_pair(acc: i64, tap: Self, x: Self, y: Self) -> i64 {
                acc.wrapping_add(i64::from(tap).wrapping_mul(i64::from(x) + i64::from(y)))
            }
            #[inline(always)]
            fn finish(acc: i64, shift: u32) -> Self {
                $saturate(round_shift(acc, shift))
            }
            fn sum_fits(taps: &[Self]) -> bool {
                // |x| <= 2^(bits-1), so sum |h| < 2^(64-bits) keeps |sum h x| under 2^63; 1 is kept for rounding.
                let sum: u128 = taps.iter().map(|h| u128::from(h.unsigned_abs())).sum();
                sum < 1 << (64 - <$t>::BITS)
            }
        }
    };
}
integer_sample!(i16, saturate_i16);
integer_sample!(i32, saturate_i32);

macro_rules! float_sample {
    ($t:ty) => {
        impl Sample for $t {
            type Acc = $t;
            #[inline(always)]
            fn mac(acc: $t, tap: $t, x: $t) -> $t {
                acc + tap * x
            }
            #[inline(always)]
            fn mac_pair(acc: $t, tap: $t, x: $t, y: $t) -> $t {
                acc + tap * (x + y)
            }
            #[inline(always)]
            fn finish(acc: $t, _shift: u32) -> $t {
                acc
            }
            fn sum_fits(taps: &[$t]) -> bool {
                taps.iter().all(|h| h.is_finite())
            }
        }
    };
}
float_sample!(f32);
float_sample!(f64);

/// How the sum of products is formed.
pub trait Form {
    /// Whether `taps` have this form.
    fn accepts<T: Sample>(taps: &[T]) -> bool;
    /// The sum over j of `taps[j] * x[j]`; both slices have the same length.
    fn dot<T: Sample>(taps: &[T], x: &[T]) -> T::Acc;
}

/// Any taps.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Direct;
/// Linear phase: one multiplication for two taps.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Symmetric;
/// Linear phase at a quarter of the rate: the zero taps are skipped too.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct HalfBand;

fn is_symmetric<T: Sample>(taps: &[T]) -> bool {
    taps.iter().zip(taps.iter().rev()).all(|(a, b)| a == b)
}

/// The front half of a slice, its middle sample where the length is odd, and the back half.
#[inline(always)]
fn halves<T>(x: &[T]) -> (&[T], Option<&T>, &[T]) {
    let (front, rest) = x.split_at(x.len() / 2);
    match (x.len() % 2, rest.split_first()) {
        (1, Some((middle, back))) => (front, Some(middle), back),
        _ => (front, None, rest),
    }
}

impl Form for Direct {
    fn accepts<T: Sample>(_taps: &[T]) -> bool {
        true
    }
    #[inline(always)]
    fn dot<T: Sample>(taps: &[T], x: &[T]) -> T::Acc {
        taps.iter().zip(x).fold(T::Acc::default(), |acc, (h, x)| T::mac(acc, *h, *x))
    }
}

impl Form for Symmetric {
    fn accepts<T: Sample>(taps: &[T]) -> bool {
        is_symmetric(taps)
    }
    #[inline(always)]
    fn dot<T: Sample>(taps: &[T], x: &[T]) -> T::Acc {
        let (h, h_middle, _) = halves(taps);
        let (front, x_middle, back) = halves(x);
        let mut acc = T::Acc::default();
        for ((h, x), y) in h.iter().zip(front).zip(back.iter().rev()) {
            acc = T::mac_pair(acc, *h, *x, *y);
        }
        if let (Some(h), Some(x)) = (h_middle, x_middle) {
            acc = T::mac(acc, *h, *x);
        }
        acc
    }
}

impl Form for HalfBand {
    fn accepts<T: Sample>(taps: &[T]) -> bool {
        let middle = taps.len() / 2;
        taps.len() % 4 == 3
            && is_symmetric(taps)
            && taps.iter().enumerate().all(|(j, h)| j % 2 == 0 || j == middle || *h == T::default())
    }
    #[inline(always)]
    fn dot<T: Sample>(taps: &[T], x: &[T]) -> T::Acc {
        let (h, h_middle, _) = halves(taps);
        let (front, x_middle, back) = halves(x);
        let mut acc = T::Acc::default();
        let pairs = h.iter().zip(front).zip(back.iter().rev());
        for ((h, x), y) in pairs.step_by(2) {
            acc = T::mac_pair(acc, *h, *x, *y);
        }
        if let (Some(h), Some(x)) = (h_middle, x_middle) {
            acc = T::mac(acc, *h, *x);
        }
        acc
    }
}

/// Why a filter cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum FirError {
    /// No taps, or a rate of 0.
    Empty,
    /// The taps do not have the form's symmetry or zeros.
    WrongForm,
    /// A worst-case input would overflow the accumulator, or a tap is not finite.
    Overflow,
}

texts! {
    FirError:
    Self::Empty => "a filter needs at least one tap and a rate of at least 1",
    Self::WrongForm => "the taps do not have the symmetry or the zeros of the chosen form",
    Self::Overflow => "the taps are too large: a sum of products could overflow",
}

/// Configuration: taps, form and rate. One serves any number of channels.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Fir<T, F, const TAPS: usize> {
    taps: [T; TAPS],
    rate: usize,
    shift: u32,
    form: PhantomData<F>,
}

/// State of one channel: the last `TAPS` samples, kept twice so that a window is always one slice.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Delay<T, const TAPS: usize> {
    line: [[T; TAPS]; 2],
    at: usize,
    phase: usize,
}

impl<T: Sample, const TAPS: usize> Delay<T, TAPS> {
    /// A history of zeros.
    pub fn new() -> Self {
        Self { line: [[T::default(); TAPS]; 2], at: 0, phase: 0 }
    }

    /// Takes a sample; whether it is the last of its group of `rate`.
    #[inline(always)]
    fn push(&mut self, x: T, rate: usize) -> bool {
        for half in &mut self.line {
            if let Some(slot) = half.get_mut(self.at) {
                *slot = x;
            }
        }
        self.at = if self.at + 1 >= TAPS { 0 } else { self.at + 1 };
        self.phase = if self.phase + 1 >= rate { 0 } else { self.phase + 1 };
        self.phase == 0
    }

    /// The last `TAPS` samples, oldest first.
    #[inline(always)]
    fn window(&self) -> &[T] {
        self.line.as_flattened().get(self.at..self.at + TAPS).unwrap_or(&[])
    }
}

impl<T: Sample, const TAPS: usize> Default for Delay<T, TAPS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Sample, F: Form, const TAPS: usize> Fir<T, F, TAPS> {
    /// A filter with taps of `shift` fractional bits (ignored in floating point) that keeps every `rate`-th output.
    pub fn new(taps: [T; TAPS], rate: usize, shift: u32) -> Result<Self, FirError> {
        if TAPS == 0 || rate == 0 {
            return Err(FirError::Empty);
        }
        if !F::accepts(&taps) {
            return Err(FirError::WrongForm);
        }
        if !T::sum_fits(&taps) {
            return Err(FirError::Overflow);
        }
        // The window is oldest first, the convolution newest first.
        let mut taps = taps;
        taps.reverse();
        Ok(Self { taps, rate, shift, form: PhantomData })
    }

    /// Takes one sample; every `rate`-th call gives an output.
    #[inline(always)]
    pub fn push(&self, delay: &mut Delay<T, TAPS>, x: T) -> Option<T> {
        delay.push(x, self.rate).then(|| T::finish(F::dot(&self.taps, delay.window()), self.shift))
    }

    /// Filters `input` until it ends or an output would not fit.
    pub fn process(&self, delay: &mut Delay<T, TAPS>, input: &[T], output: &mut [T]) -> Progress {
        let mut progress = Progress::default();
        let mut slots = output.iter_mut();
        for x in input {
            if delay.phase + 1 >= self.rate && slots.len() == 0 {
                break;
            }
            progress.consumed += 1;
            if let Some(y) = self.push(delay, *x)
                && let Some(slot) = slots.next()
            {
                *slot = y;
                progress.produced += 1;
            }
        }
        progress
    }
}

#[cfg(test)]
mod tests;
