//! An exact phase and its phasor, the same on every machine.
//!
//! A phase is a `u64` in units of 2^-64 turn, so that it wraps by itself and a tone that is computed as
//! `increment * sample` never drifts: the only error is the increment's own rounding, half of bit rate / 2^64
//! (4e-14 Hz at 1.5 MHz).
//!
//! [`phasor`] reduces the phase to |x| <= pi/4 in integers and sums the Taylor series there. The first terms
//! left out are x^19/19! and x^18/18!, below 3e-18; the rest is rounding (within 3e-16 of the true value).
//! The standard library's sine is not used because its last bit differs between platforms, and one bit of it
//! can become another stream of bits. Here everything is additions and multiplications, which IEEE 754 fixes.

use num_complex::Complex;

/// Units of one turn.
const TURN: f64 = 18_446_744_073_709_551_616.0;

/// The phase of a number of turns; only its fraction matters. Resolution 2^-63 turn.
pub fn from_turns(turns: f64) -> u64 {
    // Towards zero, which every processor has as an instruction: a plate takes millions of phases.
    let fraction = turns - (turns as i64) as f64;
    ((fraction * (0.5 * TURN)) as i64).cast_unsigned() << 1
}

/// exp(j 2 pi phase / 2^64).
pub fn phasor(phase: u64) -> Complex<f64> {
    let quarter = phase.wrapping_add(1 << 61) >> 62;
    let rest = phase.wrapping_sub(quarter << 62).cast_signed();
    let x = rest as f64 * (std::f64::consts::TAU / TURN);
    let (cos, sin) = (nested(x * x, &COSINE), x * nested(x * x, &SINE_OVER_X));
    match quarter {
        0 => Complex::new(cos, sin),
        1 => Complex::new(-sin, cos),
        2 => Complex::new(-cos, -sin),
        _ => Complex::new(sin, -cos),
    }
}

/// Steps of 1 - q/(1 2) (1 - q/(3 4) (1 - ...)), the cosine as a function of q = x^2.
const COSINE: [f64; 8] = reciprocals(1.0);
/// Steps of 1 - q/(2 3) (1 - q/(4 5) (1 - ...)), sin(x)/x as a function of q = x^2.
const SINE_OVER_X: [f64; 8] = reciprocals(2.0);

/// 1/(n (n+1)) for n = first, first + 2, ...
const fn reciprocals(first: f64) -> [f64; 8] {
    let mut steps = [0.0; 8];
    let (mut i, mut n) = (0, first);
    while i < steps.len() {
        steps[i] = 1.0 / (n * (n + 1.0));
        i += 1;
        n += 2.0;
    }
    steps
}

/// 1 - q s0 (1 - q s1 (1 - ...)).
#[inline]
fn nested(q: f64, steps: &[f64; 8]) -> f64 {
    steps.iter().rev().fold(1.0, |inner, step| 1.0 - q * step * inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phasor_is_cosine_and_sine() {
        // Below pi the expected value's argument carries three roundings of 2^-53, 1.1e-15 together; 2 for
        // the series.
        const TOLERANCE: f64 = 1.1e-15 + 2.2e-16;
        let mut phase = 0u64;
        for _ in 0..100_000 {
            phase = phase.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let x = phase.cast_signed() as f64 * (std::f64::consts::TAU / TURN);
            let error = phasor(phase) - Complex::new(x.cos(), x.sin());
            assert!(error.re.abs() < TOLERANCE && error.im.abs() < TOLERANCE, "{phase:#x} {error}");
        }
    }

    #[test]
    fn quarters_are_exact() {
        let quarters = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];
        for (i, (re, im)) in (0..).zip(quarters) {
            assert_eq!(phasor(i << 62), Complex::new(re, im));
        }
    }

    #[test]
    fn turns_wrap_both_ways() {
        assert_eq!(from_turns(0.25), 1 << 62);
        assert_eq!(from_turns(-0.75), 1 << 62);
        assert_eq!(from_turns(1e6 + 0.5), 1 << 63);
        assert_eq!(from_turns(-0.25), 3 << 62);
        assert_eq!(from_turns(f64::NAN), 0);
    }
}
