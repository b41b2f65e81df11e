//! The phasor exp(j 2 pi f n / bit rate) of one line at any sample n, without drift.
//!
//! With N = [`PERIOD`] and n = N a + b, the phasor is the product of that of N a, from the exact phase (see
//! [`crate::phase`]), and that of b, from a table. One complex multiplication a sample, error below 1e-15 for
//! every n, and a value that depends on n alone.

use num_complex::Complex;

use crate::phase::{from_turns, phasor};

/// Samples that share one exact phase.
const PERIOD: u64 = 256;

/// The oscillator of one line.
#[derive(Clone, Debug)]
pub struct Oscillator {
    /// Phase from one sample to the next.
    increment: u64,
    table: Vec<Complex<f64>>,
}

impl Oscillator {
    /// `frequency` in cycles a sample.
    pub fn new(frequency: f64) -> Self {
        let increment = from_turns(frequency);
        Self { increment, table: (0..PERIOD).map(|b| phasor(increment.wrapping_mul(b))).collect() }
    }

    /// The phasors of sample `first` and its successors, without end. Samples before 0 are counted modulo
    /// 2^64.
    pub fn phasors(&self, first: u64) -> impl Iterator<Item = Complex<f64>> {
        let mut n = first;
        let mut start = self.start(n);
        std::iter::repeat_with(move || {
            let b = n % PERIOD;
            if b == 0 {
                start = self.start(n);
            }
            n = n.wrapping_add(1);
            start * self.table[b as usize]
        })
    }

    /// The phasor of the last multiple of the period up to `n`.
    fn start(&self, n: u64) -> Complex<f64> {
        phasor(self.increment.wrapping_mul(n - n % PERIOD))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phasors_are_exact_late_and_before_zero_too() {
        let frequency = 1000.0 / 1.5e6;
        let oscillator = Oscillator::new(frequency);
        for first in [0u64, 100, 1_500_000_000_000, 4096u64.wrapping_neg()] {
            for (i, value) in (0..600).zip(oscillator.phasors(first)) {
                // 1500 samples are one cycle.
                let n = first.wrapping_add(i).cast_signed().rem_euclid(1500);
                let x = std::f64::consts::TAU * n as f64 / 1500.0;
                // The frequency's own rounding, 2^-65 cycles a sample, is 2.6e-7 after 1.5e12 samples.
                let error = (value.re - x.cos()).abs().max((value.im - x.sin()).abs());
                assert!(error < 1e-14 + 2.6e-7, "{first} + {i}: {error:e}");
            }
        }
    }
}
