//! What the channels make of a pressure, and how to undo it.
//!
//! Channel c turns the complex pressure P (peak, in pascal) at frequency f into the bin X_c (peak, in parts of
//! full scale), and correcting divides by the same:
//!
//! ```text
//! X_c = S g_c P,   g_c = 10^(gain_db/20) exp(j (phase - 2 pi f delay)),   S = 10^(sensitivity_dbfs/20) / sqrt(2)
//! ```
//!
//! A tone of 1 Pa rms has a peak of sqrt(2) Pa, and by definition of the sensitivity its level is
//! `sensitivity_dbfs`; a full-scale tone, of peak 1, has 0 dBFS.
//!
//! # TOML
//! Every channel is listed once, as `[[channel]]` or in `dead`, unless `[default]` says what the others are.
//!
//! ```
//! use pipeline::signal::array::Calibration;
//!
//! let calibration = Calibration::parse_toml("
//! sensitivity_dbfs = -26.0     # -26 where it is not given
//! dead = [3]
//! [default]                    # all channels that are not listed
//! gain_db = 0.0
//! phase_deg = 0.0
//! [[channel]]
//! channel = 0
//! gain_db = 0.12
//! phase_deg = -0.4
//! delay_s = 2e-6               # 0 where it is not given
//! ", 8)?;
//! assert!(!calibration.live(3));
//! # Ok::<(), pipeline::signal::array::Error>(())
//! ```
//!
//! # CSV
//! A header `channel,gain_db,phase_deg` with or without `,delay_s`, then a line a channel. A channel whose
//! gain is the word `dead` is left out; the channel `default` stands for all that are not listed. Text after
//! `#` is a comment.
//!
//! ```
//! # use pipeline::signal::array::Calibration;
//! let calibration = Calibration::parse_csv("
//! channel,gain_db,phase_deg   # pistonphone, 1 kHz
//! default,0,0
//! 0,0.12,-0.4
//! 3,dead,
//! ", 8)?;
//! assert!(!calibration.live(3));
//! # Ok::<(), pipeline::signal::array::Error>(())
//! ```

use std::f64::consts::{FRAC_1_SQRT_2, TAU};
use std::path::Path;

use num_complex::Complex;

use super::interpolator::same_length;
use super::{Error, file};
use numerics::real::Real;

mod csv;
mod toml;

/// Level of a tone of 1 Pa rms in dB re a full-scale tone, for MEMS microphones with a one-bit output.
pub const SENSITIVITY_DBFS: f64 = -26.0;

/// Accepted sensitivities in dBFS.
const SENSITIVITY_RANGE: (f64, f64) = (-120.0, 20.0);
/// Accepted gains in decibels: beyond, a microphone is broken, or the number is not in decibels.
const GAIN_DB: (f64, f64) = (-40.0, 40.0);
/// Accepted phases in degrees.
const PHASE_DEG: (f64, f64) = (-360.0, 360.0);
/// Accepted delays in seconds.
const DELAY_S: (f64, f64) = (-0.01, 0.01);

/// What is peculiar to one channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Response {
    /// Gain in decibels above that of an ideal channel.
    pub gain_db: f64,
    /// Phase in degrees by which the channel leads.
    pub phase_deg: f64,
    /// Delay in seconds, the same at all frequencies.
    pub delay_s: f64,
}

impl Response {
    /// The complex gain at a frequency.
    pub fn at(&self, frequency_hz: f64) -> Complex<f64> {
        let phase = self.phase_deg.to_radians() - TAU * frequency_hz * self.delay_s;
        Complex::from_polar(10f64.powf(self.gain_db / 20.0), phase)
    }

    /// Refuses NaN and nonsense; `place` names the channel for the message.
    fn check(self, place: impl Fn() -> String) -> Result<Self, Error> {
        let limits = [
            ("gain_db", self.gain_db, GAIN_DB, "dB"),
            ("phase_deg", self.phase_deg, PHASE_DEG, "degrees"),
            ("delay_s", self.delay_s, DELAY_S, "s"),
        ];
        for (name, value, (low, high), unit) in limits {
            if !(low..=high).contains(&value) {
                let expected = format!("between {low} and {high} {unit}");
                return Err(Error::value(format!("{}: {name}", place()), value, expected));
            }
        }
        Ok(self)
    }
}

/// The responses of all channels.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// None is a dead channel.
    responses: Vec<Option<Response>>,
    sensitivity_dbfs: f64,
}

impl Calibration {
    /// Channels without differences, with the usual sensitivity.
    pub fn ideal(channels: usize) -> Self {
        Self { responses: vec![Some(Response::default()); channels], sensitivity_dbfs: SENSITIVITY_DBFS }
    }

    /// The same with another sensitivity.
    pub fn with_sensitivity(self, sensitivity_dbfs: f64) -> Result<Self, Error> {
        let (low, high) = SENSITIVITY_RANGE;
        if !(low..=high).contains(&sensitivity_dbfs) {
            let expected = format!("between {low} and {high} dBFS");
            return Err(Error::value("sensitivity_dbfs", sensitivity_dbfs, expected));
        }
        Ok(Self { sensitivity_dbfs, ..self })
    }

    /// Reads TOML or CSV, by the ending of the name, for an array of `channels` channels.
    pub fn from_file(path: &Path, channels: usize) -> Result<Self, Error> {
        let parse = match file::extension(path).as_str() {
            "toml" => Self::parse_toml,
            "csv" => Self::parse_csv,
            _ => return Err(Error::UnknownExtension { expected: ".toml or .csv" }.in_file(path)),
        };
        file::read(path).and_then(|text| parse(&text, channels)).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a TOML file for an array of `channels` channels.
    pub fn parse_toml(text: &str, channels: usize) -> Result<Self, Error> {
        toml::parse(text, channels)
    }

    /// Reads the text of a CSV file for an array of `channels` channels.
    pub fn parse_csv(text: &str, channels: usize) -> Result<Self, Error> {
        csv::parse(text, channels)
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.responses.len()
    }

    /// S: parts of full scale per pascal, both peak.
    pub fn full_scale_per_pascal(&self) -> f64 {
        10f64.powf(self.sensitivity_dbfs / 20.0) * FRAC_1_SQRT_2
    }

    /// The response of a channel; `None` if it is dead or beyond the last.
    pub fn response(&self, channel: usize) -> Option<Response> {
        self.responses.get(channel).copied().flatten()
    }

    /// Whether a channel is there and not dead.
    pub fn live(&self, channel: usize) -> bool {
        self.response(channel).is_some()
    }

    /// What to multiply every channel's bin with: pascal per full scale, NaN for a dead channel.
    pub fn correction(&self, frequency_hz: f64) -> Vec<Complex<f64>> {
        let scale = 1.0 / self.full_scale_per_pascal();
        let dead = Complex::new(f64::NAN, f64::NAN);
        let one = |response: &Option<Response>| response.map_or(dead, |r| r.at(frequency_hz).inv() * scale);
        self.responses.iter().map(one).collect()
    }

    /// Bins in parts of full scale become pascal; dead channels become NaN, so that no one takes them for
    /// silent ones.
    pub fn apply<T: Real>(&self, frequency_hz: f64, hologram: &mut [Complex<T>]) -> Result<(), Error> {
        same_length("the hologram", hologram.len(), self.channels())?;
        for (value, factor) in hologram.iter_mut().zip(self.correction(frequency_hz)) {
            *value *= Complex::new(T::of(factor.re), T::of(factor.im));
        }
        Ok(())
    }
}

/// Channels collected from a file, each at most once.
struct Listed {
    /// The outer `None` is a channel that has not been listed.
    entries: Vec<Option<Option<Response>>>,
}

impl Listed {
    fn new(channels: usize) -> Self {
        Self { entries: vec![None; channels] }
    }

    fn put(&mut self, channel: usize, response: Option<Response>, place: &str) -> Result<(), Error> {
        let channels = self.entries.len();
        let at = |what: &str| format!("{place}: {what}");
        match self.entries.get_mut(channel) {
            Some(Some(_)) => Err(Error::value(at("the channel"), format!("{channel} again"), "listed once")),
            Some(entry) => {
                *entry = Some(response);
                Ok(())
            }
            None => {
                let expected = format!("below {channels}, the number of channels");
                Err(Error::value(at("the channel"), channel, expected))
            }
        }
    }

    fn finish(self, default: Option<Response>, sensitivity_dbfs: f64) -> Result<Calibration, Error> {
        if let (None, Some(channel)) = (default, self.entries.iter().position(Option::is_none)) {
            let left = self.entries.iter().filter(|entry| entry.is_none()).count();
            return Err(Error::Missing {
                place: format!("channel {channel} (one of {left})"),
                expected: "listed with its gain or as dead; or give a default for all that are not listed"
                    .into(),
            });
        }
        let responses = self.entries.into_iter().map(|entry| entry.unwrap_or(default)).collect();
        Calibration { responses, sensitivity_dbfs: SENSITIVITY_DBFS }.with_sensitivity(sensitivity_dbfs)
    }
}

#[cfg(test)]
mod tests;
