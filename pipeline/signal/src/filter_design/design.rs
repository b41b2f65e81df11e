//! Specification and design of the FIR.

use super::remez::{Band, remez};
use numerics::failure::Failure;
use std::f64::consts::PI;

/// What a decimator must do.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Specification {
    /// Bit rate in Hz.
    pub bit_rate_hz: f64,
    /// CIC order N.
    pub cic_order: u32,
    /// CIC rate R.
    pub cic_rate: u32,
    /// FIR rate D.
    pub fir_rate: u32,
    /// Highest frequency that must be flat, Hz.
    pub pass_hz: f64,
    /// Largest deviation from flatness up to `pass_hz`, dB.
    pub ripple_db: f64,
    /// Smallest rejection of what the FIR guards, dB.
    pub stop_db: f64,
    /// Fractional bits of the integer taps.
    pub tap_bits: u32,
}

impl Specification {
    /// The default chain: CIC of order 5 by 8, then a FIR by 4, from 1.5 MHz to 46.875 kHz.
    pub const DEFAULT: Self = Self {
        bit_rate_hz: 1.5e6,
        cic_order: 5,
        cic_rate: 8,
        fir_rate: 4,
        pass_hz: 18e3,
        ripple_db: 0.004,
        stop_db: 98.0,
        tap_bits: 20,
    };

    /// Rate between CIC and FIR, Hz.
    pub fn middle_rate_hz(&self) -> f64 {
        self.bit_rate_hz / f64::from(self.cic_rate)
    }

    /// Output rate, Hz.
    pub fn output_rate_hz(&self) -> f64 {
        self.middle_rate_hz() / f64::from(self.fir_rate)
    }

    /// Zero-phase response of the CIC at `f` Hz.
    pub fn cic_response(&self, f: f64) -> f64 {
        let x = PI * f / self.bit_rate_hz;
        let r = f64::from(self.cic_rate);
        let one = if x.sin().abs() < 1e-15 { 1.0 } else { (r * x).sin() / (r * x.sin()) };
        one.powi(self.cic_order as i32)
    }

    /// Response of the chain with these taps at `f` Hz, 1 at DC.
    fn response(&self, taps: &[f64], f: f64) -> f64 {
        let middle = (taps.len() - 1) as f64 / 2.0;
        let w = 2.0 * PI * f / self.middle_rate_hz();
        let sum: f64 = taps.iter().enumerate().map(|(j, h)| h * (w * (j as f64 - middle)).cos()).sum();
        self.cic_response(f) * sum / taps.iter().sum::<f64>()
    }

    fn ripple_of(&self, taps: &[f64]) -> f64 {
        let points = frequencies(0.0, self.pass_hz, 2000);
        points.map(|f| db(self.response(taps, f)).abs()).fold(0.0, f64::max)
    }

    /// Smallest rejection that the FIR gives, from f_o - f_p to half the middle rate.
    fn rejection_of(&self, taps: &[f64]) -> f64 {
        let points = frequencies(self.output_rate_hz() - self.pass_hz, self.middle_rate_hz() / 2.0, 8000);
        -db(points.map(|f| self.response(taps, f).abs()).fold(0.0, f64::max))
    }

    fn is_met_by(&self, taps: &[f64]) -> bool {
        self.ripple_of(taps) <= self.ripple_db && self.rejection_of(taps) >= self.stop_db
    }
}

/// Why there is no such decimator.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DesignError {
    /// A parameter is out of its range.
    #[error("{name} is {value}, but must be {must}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: String,
    },
    /// Not even a FIR of real numbers meets the specification.
    #[error(
        "no FIR of up to {MOST_TAPS} taps reaches {stop_db} dB with {ripple_db} dB of ripple: lower the pass \
         frequency or ask for less"
    )]
    OutOfReach {
        /// Wanted rejection.
        stop_db: f64,
        /// Wanted ripple.
        ripple_db: f64,
    },
    /// Integer taps of so few bits do not meet the specification.
    #[error(
        "taps of {tap_bits} bits do not reach {stop_db} dB with {ripple_db} dB of ripple (tried up to {tried} taps): \
         use more tap bits or ask for less"
    )]
    TooFewBits {
        /// Longest filter tried.
        tried: usize,
        /// Wanted rejection.
        stop_db: f64,
        /// Wanted ripple.
        ripple_db: f64,
        /// Fractional bits of the taps.
        tap_bits: u32,
    },
}

impl Failure for DesignError {}

/// A decimator with integer taps.
#[derive(Debug, Clone)]
pub struct Design {
    /// What was asked for.
    pub specification: Specification,
    /// Integer taps with `tap_bits` fractional bits; they sum to 2^tap_bits.
    pub taps: Vec<i32>,
}

/// Longest FIR; beyond it a second FIR stage is the better design.
const MOST_TAPS: usize = 1023;

/// Lengths tried with rounded taps, from the shortest unrounded filter on.
const LENGTHS_FOR_ROUNDING: usize = 32;

impl Design {
    /// The shortest FIR that meets the specification with integer taps.
    pub fn new(specification: Specification) -> Result<Self, DesignError> {
        check(&specification)?;
        let unrounded = shortest_unrounded(&specification)?;
        let mut tried = unrounded;
        // Rounding adds its own error, which does not fall steadily with the length: try one after the other.
        for taps in (unrounded..=MOST_TAPS).step_by(2).take(LENGTHS_FOR_ROUNDING) {
            // Far beyond the needed length the exchange loses its footing; what was tried before stands.
            let Some(ideal) = ideal(&specification, taps) else { break };
            let design = Self { specification, taps: quantise(&ideal, specification.tap_bits) };
            if specification.is_met_by(&design.real_taps()) {
                return Ok(design);
            }
            tried = taps;
        }
        let Specification { stop_db, ripple_db, tap_bits, .. } = specification;
        Err(DesignError::TooFewBits { tried, stop_db, ripple_db, tap_bits })
    }

    fn real_taps(&self) -> Vec<f64> {
        self.taps.iter().map(|&h| f64::from(h)).collect()
    }

    /// A decimator with given taps, to measure somebody else's design.
    pub fn with_taps(specification: Specification, taps: Vec<i32>) -> Self {
        Self { specification, taps }
    }

    /// H(f): the response of the whole chain at `f` Hz, 1 at DC.
    pub fn response(&self, f: f64) -> f64 {
        self.specification.response(&self.real_taps(), f)
    }

    /// Largest deviation from 0 dB up to the pass frequency.
    pub fn ripple_db(&self) -> f64 {
        self.specification.ripple_of(&self.real_taps())
    }

    /// Smallest rejection of everything that folds into 0 .. `pass_hz`, up to half the bit rate.
    pub fn alias_rejection_db(&self) -> f64 {
        let s = &self.specification;
        let images = (s.cic_rate * s.fir_rate).div_ceil(2);
        let taps = self.real_taps();
        let worst = (1..=images)
            .flat_map(|m| {
                let centre = f64::from(m) * s.output_rate_hz();
                frequencies(centre - s.pass_hz, centre + s.pass_hz, 800)
            })
            .map(|f| s.response(&taps, f).abs())
            .fold(0.0, f64::max);
        -db(worst)
    }

    /// Group delay of the chain in bits: output n stands for the instant of bit R D n + R D - 1 minus this.
    pub fn delay_bits(&self) -> f64 {
        let s = &self.specification;
        let cic = f64::from(s.cic_order * (s.cic_rate - 1)) / 2.0;
        cic + (self.taps.len() - 1) as f64 / 2.0 * f64::from(s.cic_rate)
    }
}

/// 20 log10 |x|.
fn db(x: f64) -> f64 {
    20.0 * x.abs().log10()
}

fn frequencies(from: f64, to: f64, points: u32) -> impl Iterator<Item = f64> {
    (0..=points).map(move |i| from + (to - from) * f64::from(i) / f64::from(points))
}

fn check(s: &Specification) -> Result<(), DesignError> {
    let (rate, nyquist) = (s.bit_rate_hz, s.output_rate_hz() / 2.0);
    let pass = format!("between 0 and half the output rate, {nyquist} Hz");
    let ranges = [
        ("the bit rate", rate, (1.0..=1e9).contains(&rate), "between 1 Hz and 1 GHz"),
        ("the CIC order", s.cic_order.into(), (1..=8).contains(&s.cic_order), "1 to 8"),
        ("the CIC rate", s.cic_rate.into(), (1..=1024).contains(&s.cic_rate), "1 to 1024"),
        ("the FIR rate", s.fir_rate.into(), (2..=64).contains(&s.fir_rate), "2 to 64"),
        ("the pass frequency", s.pass_hz, s.pass_hz > 0.0 && s.pass_hz < nyquist, &pass),
        ("the ripple", s.ripple_db, s.ripple_db > 1e-6 && s.ripple_db < 6.0, "between 1e-6 and 6 dB"),
        ("the rejection", s.stop_db, (10.0..=160.0).contains(&s.stop_db), "10 to 160 dB"),
        ("the tap bits", s.tap_bits.into(), (8..=28).contains(&s.tap_bits), "8 to 28"),
    ];
    match ranges.into_iter().find(|(.., ok, _)| !ok) {
        Some((name, value, _, must)) => Err(DesignError::Range { name, value, must: must.into() }),
        None => Ok(()),
    }
}

/// Peak errors that the specification allows, pass and stop.
fn allowed(s: &Specification) -> (f64, f64) {
    (10f64.powf(s.ripple_db / 20.0) - 1.0, 10f64.powf(-s.stop_db / 20.0))
}

/// A start below Kaiser's estimate of the length, odd.
fn estimate(s: &Specification) -> usize {
    let (pass, stop) = allowed(s);
    let transition = (s.output_rate_hz() - 2.0 * s.pass_hz) / s.middle_rate_hz();
    let taps = (-db((pass * stop).sqrt()) - 13.0) / (14.6 * transition);
    ((0.8 * taps) as usize).clamp(3, MOST_TAPS) | 1
}

/// The shortest filter of real numbers that meets the specification: the longer, the better, so lengths are halved.
fn shortest_unrounded(s: &Specification) -> Result<usize, DesignError> {
    let meets = |taps: usize| ideal(s, taps).is_some_and(|taps| s.is_met_by(&taps));
    let (mut too_short, mut enough) = (1, estimate(s));
    while !meets(enough) {
        if enough == MOST_TAPS {
            return Err(DesignError::OutOfReach { stop_db: s.stop_db, ripple_db: s.ripple_db });
        }
        (too_short, enough) = (enough, (enough + enough / 8 + 2).min(MOST_TAPS) | 1);
    }
    while enough - too_short > 2 {
        let middle = usize::midpoint(enough, too_short) | 1;
        if meets(middle) { enough = middle } else { too_short = middle }
    }
    Ok(enough)
}

fn ideal(s: &Specification, taps: usize) -> Option<Vec<f64>> {
    let (pass, stop) = allowed(s);
    let f1 = s.middle_rate_hz();
    let cic = |f: f64| s.cic_response(f * f1);
    remez(
        taps,
        &[
            Band { from: 0.0, to: s.pass_hz / f1, target: &|f| 1.0 / cic(f), weight: &|f| cic(f) / pass },
            Band {
                from: (s.output_rate_hz() - s.pass_hz) / f1,
                to: 0.5,
                target: &|_| 0.0,
                weight: &|f| cic(f).abs() / stop,
            },
        ],
    )
}

/// Taps rounded to integers that sum to 2^bits exactly; the middle tap takes the difference.
fn quantise(taps: &[f64], bits: u32) -> Vec<i32> {
    let sum: f64 = taps.iter().sum();
    let one = 1i64 << bits;
    let mut integers: Vec<i32> = taps.iter().map(|h| (h / sum * one as f64).round() as i32).collect();
    let total: i64 = integers.iter().map(|&h| i64::from(h)).sum();
    let middle = integers.len() / 2;
    integers[middle] += (one - total) as i32;
    integers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_design_meets_its_specification() {
        let design = Design::new(Specification::DEFAULT).unwrap();
        assert!(design.ripple_db() <= 0.004 && design.alias_rejection_db() >= 95.0);
        assert_eq!(design.taps.iter().sum::<i32>(), 1 << 20);
        assert_eq!(design.taps.iter().rev().copied().collect::<Vec<_>>(), design.taps);
    }

    #[test]
    fn other_rates_can_be_had() {
        for (cic_rate, fir_rate, cic_order) in [(16, 2, 4), (8, 2, 5), (4, 8, 6), (16, 4, 6)] {
            let base = Specification::DEFAULT;
            let output = base.bit_rate_hz / f64::from(cic_rate * fir_rate);
            let s = Specification {
                cic_rate,
                fir_rate,
                cic_order,
                pass_hz: 0.38 * output,
                stop_db: 80.0,
                ..base
            };
            let design = Design::new(s).unwrap();
            assert!(s.is_met_by(&design.real_taps()), "{s:?}");
        }
    }

    /// Rounding makes the error a ragged function of the length; these once fell through a coarser search.
    #[test]
    fn the_first_length_that_will_do_is_found() {
        for (pass_khz, ripple_db, stop_db, tap_bits) in
            [(18.0, 0.004, 96.0, 18), (18.0, 0.004, 97.0, 19), (20.0, 0.01, 90.0, 18), (0.1, 0.01, 60.0, 20)]
        {
            let pass_hz = 1e3 * pass_khz;
            let s = Specification { pass_hz, ripple_db, stop_db, tap_bits, ..Specification::DEFAULT };
            let meets = |taps: usize| {
                ideal(&s, taps)
                    .is_some_and(|h| s.is_met_by(&Design::with_taps(s, quantise(&h, tap_bits)).real_taps()))
            };
            let expected = (3..).step_by(2).find(|&taps| meets(taps)).unwrap();
            assert_eq!(Design::new(s).unwrap().taps.len(), expected, "{s:?}");
        }
    }

    #[test]
    fn impossible_specifications_are_refused() {
        let base = Specification::DEFAULT;
        let refused = |s| matches!(Design::new(s), Err(DesignError::Range { .. }));
        assert!(refused(Specification { pass_hz: 30e3, ..base }));
        assert!(refused(Specification { pass_hz: f64::NAN, ..base }));
        assert!(refused(Specification { bit_rate_hz: 0.0, ..base }));
        assert!(refused(Specification { cic_order: 0, ..base }));
        let too_sharp = Specification { stop_db: 120.0, tap_bits: 12, ..base };
        assert!(matches!(Design::new(too_sharp), Err(DesignError::TooFewBits { tap_bits: 12, .. })));
        let too_steep = Specification { pass_hz: 23.4e3, ..base };
        assert!(matches!(Design::new(too_steep), Err(DesignError::OutOfReach { .. })));
    }
}
