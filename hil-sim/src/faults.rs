//! Microphones that fail, each from one time to another.
//!
//! | fault | what the channel sends |
//! |---|---|
//! | `Idle` | 0101...: no bits from the sensor, as a line that only follows the clock |
//! | `Zero`, `One` | that bit, always: a line held low or high |
//! | `Noisy` | its signal and white noise of the given rms, in the band of the SNR |
//! | `Offset` | its signal and a constant |
//! | `Saturated` | its signal amplified, and clipped at the overload point |
//!
//! A fault holds for a list of microphones by grid index, or for a fraction of all that is drawn from the
//! bench's seed: round(fraction * microphones) of them. Of two faults that hold at the same time the noises and
//! offsets add, the larger amplification counts, and among `Idle`, `Zero` and `One` the later in the list.

use crate::Error;
use crate::clock::MAX_TIME_S;
use crate::microphones::{OVERSAMPLING, SENSITIVITY};
use numerics::random::SplitMix64;

/// Most faults of one bench.
pub const MAX_FAULTS: usize = 1000;

/// Which microphones.
#[derive(Clone, Debug, PartialEq)]
pub enum Chosen {
    /// By grid index.
    List(Vec<u32>),
    /// A seeded fraction of all, 0 .. 1.
    Fraction(f64),
}

/// What is wrong with a microphone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trouble {
    /// Zeros and ones in turn.
    Idle,
    /// Always 0.
    Zero,
    /// Always 1.
    One,
    /// More noise, rms in pascal in the band of the SNR.
    Noisy {
        /// rms value in pascal.
        rms_pa: f64,
    },
    /// A constant, as a fraction of full scale.
    Offset {
        /// The fraction, -1 .. 1.
        offset_fs: f64,
    },
    /// Amplified until it clips.
    Saturated {
        /// Amplification in decibels.
        gain_db: f64,
    },
}

/// Some microphones fail for some time.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which.
    pub chosen: Chosen,
    /// How.
    pub trouble: Trouble,
    /// Since when, in seconds; the first moment with the fault.
    pub from_s: f64,
    /// Until when, in seconds; the first moment without it. Infinity for ever.
    pub to_s: f64,
}

impl Fault {
    /// Refuses faults that mean nothing, for an array of `channels` microphones.
    pub(crate) fn check(&self, channels: u32) -> Result<(), Error> {
        let Self { chosen, trouble, from_s, to_s } = self;
        let begins = (0.0..=MAX_TIME_S).contains(from_s);
        Error::unless(begins, "begin of a fault", *from_s, "it must lie in 0 .. 1e9 s")?;
        Error::unless(to_s > from_s, "end of a fault", *to_s, "it must come after the begin")?;
        match chosen {
            Chosen::List(list) => {
                let beyond = list.iter().find(|&&index| index >= channels).map(|&index| f64::from(index));
                let expected = "microphones are counted from 0 to one less than rows x cols";
                Error::unless(beyond.is_none(), "microphone", beyond.unwrap_or(0.0), expected)?;
            }
            Chosen::Fraction(f) => {
                Error::unless((0.0..=1.0).contains(f), "fraction", *f, "it must lie in 0 .. 1")?;
            }
        }
        match *trouble {
            Trouble::Idle | Trouble::Zero | Trouble::One => Ok(()),
            Trouble::Noisy { rms_pa: x } => {
                Error::unless((0.0..=1e6).contains(&x), "rms_pa", x, "it must lie in 0 .. 1e6 Pa")
            }
            Trouble::Offset { offset_fs: x } => {
                Error::unless(x.abs() <= 1.0, "offset_fs", x, "it must lie in -1 .. 1")
            }
            Trouble::Saturated { gain_db: x } => {
                Error::unless((0.0..=200.0).contains(&x), "gain_db", x, "it must lie in 0 .. 200 dB")
            }
        }
    }

    /// The grid indices of the microphones, in order, out of `channels`.
    pub fn microphones(&self, channels: u32, seed: u64) -> Vec<u32> {
        let mut chosen = match &self.chosen {
            Chosen::List(list) => list.clone(),
            Chosen::Fraction(fraction) => {
                // The first draws of a shuffle.
                let mut all: Vec<u32> = (0..channels).collect();
                let count = (fraction * f64::from(channels)).round() as usize;
                let mut random = SplitMix64::new(seed);
                for i in 0..count.min(all.len()) {
                    let left = (all.len() - i) as u64;
                    all.swap(i, i + (random.integer() % left) as usize);
                }
                all.truncate(count);
                all
            }
        };
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// First and last sample with the fault, the last excluded.
    pub(crate) fn samples(&self, rate_hz: f64) -> std::ops::Range<i64> {
        // Saturating, so that for ever is the largest number.
        let sample = |t: f64| (t * rate_hz).ceil() as i64;
        sample(self.from_s)..sample(self.to_s)
    }
}

impl Trouble {
    /// rms of the added noise at the bit rate, of full scale.
    pub(crate) fn noise_rms_fs(&self) -> f64 {
        match self {
            Self::Noisy { rms_pa } => {
                // A pressure of 1 Pa is SENSITIVITY of full scale; only 1/32 of white noise lies in the band.
                rms_pa * SENSITIVITY * OVERSAMPLING.sqrt()
            }
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(chosen: Chosen, trouble: Trouble) -> Fault {
        Fault { chosen, trouble, from_s: 0.0, to_s: f64::INFINITY }
    }

    #[test]
    fn fractions_are_exact_seeded_and_even() {
        let f = fault(Chosen::Fraction(0.1), Trouble::Idle);
        let of = |seed| f.microphones(1024, seed);
        assert_eq!(of(1).len(), 102);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let mut hits = [0u32; 1024];
        for seed in 0..1000 {
            of(seed).iter().for_each(|&i| hits[i as usize] += 1);
        }
        // Binomial with mean 99.6 and standard deviation 9.5: six of them.
        assert!(hits.iter().all(|&h| (42..157).contains(&h)), "{hits:?}");
        assert_eq!(fault(Chosen::Fraction(1.0), Trouble::Idle).microphones(64, 3).len(), 64);
        assert_eq!(fault(Chosen::List(vec![5, 2, 5]), Trouble::Idle).microphones(64, 3), [2, 5]);
    }

    #[test]
    fn nonsense_is_refused() {
        let list = |i| Chosen::List(vec![i]);
        assert_eq!(fault(list(63), Trouble::Idle).check(64), Ok(()));
        let bad = [
            fault(list(64), Trouble::Idle),
            fault(Chosen::Fraction(1.1), Trouble::One),
            fault(Chosen::Fraction(f64::NAN), Trouble::One),
            fault(list(0), Trouble::Noisy { rms_pa: -1.0 }),
            fault(list(0), Trouble::Offset { offset_fs: 1.5 }),
            fault(list(0), Trouble::Saturated { gain_db: f64::NAN }),
            Fault { from_s: -1.0, ..fault(list(0), Trouble::Zero) },
            Fault { from_s: 2.0, to_s: 2.0, ..fault(list(0), Trouble::Zero) },
            Fault { to_s: f64::NAN, ..fault(list(0), Trouble::Zero) },
        ];
        assert!(bad.iter().all(|f| f.check(64).is_err()));
    }

    #[test]
    fn interval_is_half_open() {
        let f = Fault { from_s: 0.001, to_s: 0.002, ..fault(Chosen::Fraction(1.0), Trouble::One) };
        assert_eq!(f.samples(1.5e6), 1500..3000);
        assert_eq!(fault(Chosen::Fraction(1.0), Trouble::One).samples(1.5e6), 0..i64::MAX);
    }
}
