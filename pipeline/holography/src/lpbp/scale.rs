//! The common scale of a hologram, and whether it is all numbers.

use super::packet::LANES;
use num_complex::Complex;
use numerics::real::Real;
use numerics::simd::vectorised;

/// The power of two that brings the largest part of a hologram into [1, 2); 1 for zeros.
///
/// # Errors
/// The index of the first value that is NaN, infinite, or so large that |re| + |im| is.
pub fn scale<T: Real>(hologram: &[Complex<T>]) -> Result<T, usize> {
    let mut found = T::zero();
    vectorised(
        #[inline(always)]
        || found = largest(hologram),
    );
    let largest = found;
    if !largest.is_finite() {
        return Err(hologram.iter().position(|x| !part(x).is_finite()).unwrap_or(0));
    }
    if largest == T::zero() {
        return Ok(T::one());
    }
    let exponent = -largest.log2().floor();
    // Subnormal numbers would ask for more than the largest power of two.
    let most = T::max_value().log2().floor() - T::one();
    Ok(exponent.max(-most).min(most).exp2())
}

/// The largest of all [`part`]s.
#[inline(always)]
fn largest<T: Real>(hologram: &[Complex<T>]) -> T {
    let mut lanes = [T::zero(); LANES];
    let (chunks, rest) = hologram.as_chunks::<LANES>();
    for chunk in chunks {
        for l in 0..LANES {
            lanes[l] = larger(lanes[l], &chunk[l]);
        }
    }
    let rest = rest.iter().fold(T::zero(), larger);
    lanes.iter().fold(rest, |m, &x| if x > m { x } else { m })
}

/// The larger of `m` and the larger part of `x`.
#[inline(always)]
fn larger<T: Real>(m: T, x: &Complex<T>) -> T {
    let part = part(x);
    if part > m { part } else { m }
}

/// The larger part of `x`; infinity if |re| + |im| is not a finite number.
#[inline(always)]
fn part<T: Real>(x: &Complex<T>) -> T {
    let (re, im) = (x.re.abs(), x.im.abs());
    let part = if re > im { re } else { im };
    // NaN fails every comparison.
    if re + im <= T::max_value() { part } else { T::infinity() }
}
