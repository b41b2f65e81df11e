//! The sampling clock: drift, jitter, and the sensor's restarts.
//!
//! Sample n is taken at t_n = n / (f_b (1 + d)) + j_n, where f_b is the nominal bit rate, d the drift and j_n
//! white jitter, the same for all channels because they share one clock. The counters and time stamps in the
//! frames know nothing of it: they are what the sensor believes, n / f_b.

use crate::Error;
use numerics::random::SplitMix64;
use serde::Deserialize;

/// Most restarts of one bench.
pub const MAX_RESTARTS: usize = 1000;

/// Longest time in seconds that a bench can name: 30 years.
pub const MAX_TIME_S: f64 = 1e9;

/// How the sampling clock departs from its nominal rate. The default is a perfect one.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Clock {
    /// Drift in parts per million; a positive one samples faster.
    pub drift_ppm: f64,
    /// Jitter of a sampling instant, rms, in seconds.
    pub jitter_s: f64,
    /// When the sensor starts again, in time order.
    #[serde(rename = "restart")]
    pub restarts: Vec<Restart>,
}

/// The sensor starts again: its sequence and its sample counter begin at 0.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restart {
    /// When, in seconds; it takes effect with the next whole frame.
    pub at_s: f64,
    /// How long nothing is sent after it, in seconds.
    #[serde(default)]
    pub silence_s: f64,
}

impl Clock {
    /// The true bit rate for a nominal one.
    pub fn rate_hz(&self, nominal_hz: f64) -> f64 {
        nominal_hz * (1.0 + self.drift_ppm * 1e-6)
    }

    /// Refuses clocks that no oscillator is.
    pub(crate) fn check(&self, bit_rate_hz: f64) -> Result<(), Error> {
        let drift = self.drift_ppm;
        Error::unless(drift.abs() <= 1e4, "clock drift", drift, "it must lie within +-10000 ppm")?;
        let jitter = self.jitter_s * bit_rate_hz;
        let accepted = (0.0..=0.1).contains(&jitter);
        Error::unless(accepted, "clock jitter", self.jitter_s, "it must lie in 0 .. 0.1 of a bit period")?;
        let many = self.restarts.len();
        Error::unless(many <= MAX_RESTARTS, "number of restarts", many as f64, "at most 1000")?;
        let mut earliest = 0.0;
        for Restart { at_s, silence_s } in &self.restarts {
            let ordered = *at_s >= earliest && *at_s <= MAX_TIME_S;
            let expected = "restarts must be in order, after the silence of the one before, within 1e9 s";
            Error::unless(ordered, "time of a restart", *at_s, expected)?;
            let fits = (0.0..=MAX_TIME_S).contains(silence_s);
            Error::unless(fits, "silence after a restart", *silence_s, "it must lie in 0 .. 1e9 s")?;
            earliest = at_s + silence_s;
        }
        Ok(())
    }
}

/// The jitter of one sample after the other, in seconds.
#[derive(Clone, Debug)]
pub(crate) struct Jitter {
    random: SplitMix64,
    rms_s: f64,
}

impl Jitter {
    /// None for a clock without jitter.
    pub fn new(rms_s: f64, seed: u64) -> Option<Self> {
        (rms_s > 0.0).then(|| Self { random: SplitMix64::new(seed), rms_s })
    }

    /// Draws the next `count` values.
    pub fn draw(&mut self, count: usize, out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..count).map(|_| self.rms_s * self.random.normal()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused() {
        let good = Clock {
            drift_ppm: -20.0,
            jitter_s: 1e-9,
            restarts: vec![Restart { at_s: 1.0, silence_s: 0.5 }, Restart { at_s: 1.5, silence_s: 0.0 }],
        };
        assert_eq!(good.check(1.5e6), Ok(()));
        assert!((good.rate_hz(1.5e6) - 1_499_970.0).abs() < 1e-6);
        let restart = |at_s, silence_s| vec![Restart { at_s, silence_s }];
        let bad = [
            Clock { drift_ppm: f64::NAN, ..good.clone() },
            Clock { drift_ppm: 1e5, ..good.clone() },
            Clock { jitter_s: -1e-9, ..good.clone() },
            Clock { jitter_s: 1e-6, ..good.clone() },
            Clock { restarts: restart(-1.0, 0.0), ..good.clone() },
            Clock { restarts: restart(1.0, f64::NAN), ..good.clone() },
            Clock { restarts: restart(1e10, 0.0), ..good.clone() },
            Clock { restarts: [restart(2.0, 1.0), restart(2.5, 0.0)].concat(), ..good.clone() },
            Clock { restarts: restart(0.0, 0.0).repeat(MAX_RESTARTS + 1), ..good },
        ];
        assert!(bad.iter().all(|clock| clock.check(1.5e6).is_err()));
    }
}
