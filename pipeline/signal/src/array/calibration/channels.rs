//! The response of a channel, and lists of them.

use super::super::error::Error;
use num_complex::Complex;
use std::f64::consts::TAU;

/// Accepted gains in decibels: beyond, a microphone is broken, or the number is not in decibels.
const GAIN_DB: (f64, f64) = (-40.0, 40.0);
/// Accepted phases in degrees.
const PHASE_DEG: (f64, f64) = (-360.0, 360.0);
/// Accepted delays in seconds.
const DELAY_S: (f64, f64) = (-0.01, 0.01);

/// What is peculiar to one channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// Gain in decibels above that of an ideal channel.
    pub gain_db: f64,
    /// Phase in degrees by which the channel leads.
    pub phase_deg: f64,
    /// Delay in seconds, the same at all frequencies.
    #[serde(default)]
    pub delay_s: f64,
}

impl Response {
    /// The complex gain at a frequency.
    pub fn at(&self, frequency_hz: f64) -> Complex<f64> {
        let phase = self.phase_deg.to_radians() - TAU * frequency_hz * self.delay_s;
        Complex::from_polar(10f64.powf(self.gain_db / 20.0), phase)
    }

    /// Refuses NaN and nonsense; `place` names the channel for the message.
    pub(super) fn check(self, place: impl Fn() -> String) -> Result<Self, Error> {
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

/// Channels collected from a file, each at most once.
pub struct Listed {
    /// The outer `None` is a channel that has not been listed.
    entries: Vec<Option<Option<Response>>>,
}

impl Listed {
    pub fn new(channels: usize) -> Self {
        Self { entries: vec![None; channels] }
    }

    pub fn put(&mut self, channel: usize, response: Option<Response>, place: &str) -> Result<(), Error> {
        let channels = self.entries.len();
        let place = format!("{place}: the channel");
        match self.entries.get_mut(channel) {
            Some(Some(_)) => Err(Error::value(place, format!("{channel} again"), "listed once")),
            Some(entry) => {
                *entry = Some(response);
                Ok(())
            }
            None => Err(Error::value(place, channel, format!("below {channels}, the number of channels"))),
        }
    }

    /// The responses of all channels; `default` stands for those that are not listed.
    pub fn finish(self, default: Option<Response>) -> Result<Vec<Option<Response>>, Error> {
        if let (None, Some(channel)) = (default, self.entries.iter().position(Option::is_none)) {
            let left = self.entries.iter().filter(|entry| entry.is_none()).count();
            return Err(Error::Missing {
                place: format!("channel {channel} (one of {left})"),
                expected: "listed with its gain or as dead; or give a default for all that are not listed"
                    .into(),
            });
        }
        Ok(self.entries.into_iter().map(|entry| entry.unwrap_or(default)).collect())
    }
}
