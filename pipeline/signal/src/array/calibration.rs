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
//! use signal::array::Calibration;
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
//! # Ok::<(), signal::array::Error>(())
//! ```
//!
//! # CSV
//! A header `channel,gain_db,phase_deg` with or without `,delay_s`, then a line a channel. A channel whose
//! gain is the word `dead` is left out; the channel `default` stands for all that are not listed. Text after
//! `#` is a comment.
//!
//! ```
//! # use signal::array::Calibration;
//! let calibration = Calibration::parse_csv("
//! channel,gain_db,phase_deg   # pistonphone, 1 kHz
//! default,0,0
//! 0,0.12,-0.4
//! 3,dead,
//! ", 8)?;
//! assert!(!calibration.live(3));
//! # Ok::<(), signal::array::Error>(())
//! ```

use std::f64::consts::FRAC_1_SQRT_2;
use std::path::Path;

use num_complex::Complex;

use super::interpolator::same_length;
use super::{Error, file};
use numerics::real::{Real, rounded};

mod channels;
mod csv;
mod toml;

pub use channels::Response;

/// Level of a tone of 1 Pa rms in dB re a full-scale tone, for MEMS microphones with a one-bit output.
pub const SENSITIVITY_DBFS: f64 = -26.0;

/// Accepted sensitivities in dBFS.
const SENSITIVITY_RANGE: (f64, f64) = (-120.0, 20.0);
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
            _ => return Err(Error::UnknownExtension(".toml or .csv").in_file(path)),
        };
        file::read(path).and_then(|text| parse(&text, channels)).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a TOML file for an array of `channels` channels.
    pub fn parse_toml(text: &str, channels: usize) -> Result<Self, Error> {
        let (responses, sensitivity_dbfs) = toml::parse(text, channels)?;
        Self { responses, sensitivity_dbfs: SENSITIVITY_DBFS }
            .with_sensitivity(sensitivity_dbfs.unwrap_or(SENSITIVITY_DBFS))
    }

    /// Reads the text of a CSV file for an array of `channels` channels.
    pub fn parse_csv(text: &str, channels: usize) -> Result<Self, Error> {
        Ok(Self { responses: csv::parse(text, channels)?, sensitivity_dbfs: SENSITIVITY_DBFS })
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
            *value *= rounded::<T>(factor);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
