//! Where the microphones are, what they make of a pressure, and how they differ from each other.
//!
//! Channel c turns the pressure p into the modulator's input
//!
//! ```text
//! x_c(t) = S * sum over lines of Re{ g_c P_l(x_c) exp(j w_l t) } + o_c + s n_c(t)
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | S | sensitivity: a tone of 1 Pa rms is -26 dB below a full-scale tone ([`SENSITIVITY`]) | FS/Pa |
//! | g | complex gain, 1 for an ideal microphone | |
//! | o | constant offset | FS |
//! | n, s | white noise of variance 1, and its rms value at the bit rate | FS |
//!
//! SNR is what a data sheet means by it, without the A weighting: 1 Pa rms against the noise from 0 to bit
//! rate / 64, the band that is left after decimation by 32. White noise has only 1/32 of its power there,
//! hence s = S 10^(-SNR/20) sqrt(32).

use dsp_core::pdm::TileLayout;
use num_complex::Complex;

use crate::Error;
use crate::decibel::amplitude_ratio;
use crate::phase::{from_turns, phasor};
use numerics::random::SplitMix64;

/// Full scale per pascal: 10^(-26/20) of full scale at sqrt(2) Pa.
pub const SENSITIVITY: f64 = 0.050_118_723_362_727_23 * std::f64::consts::FRAC_1_SQRT_2;

/// Bit rate over twice the band in which the SNR is counted.
pub const OVERSAMPLING: f64 = 32.0;

/// A grid of microphones in the plane z = standoff, centred on the z axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Array {
    /// Rows, columns and the order in which the channels are sent.
    pub layout: TileLayout,
    /// Distance between neighbours in metres.
    pub pitch: f64,
    /// z of the microphones in metres, not negative.
    pub standoff: f64,
}

impl Default for Array {
    fn default() -> Self {
        Self::CAMERA
    }
}

impl Array {
    /// The 32 x 32 camera with its pitch of 2 cm, 4 cm in front of z = 0.
    pub const CAMERA: Self = Self { layout: TileLayout::CAMERA, pitch: 0.02, standoff: 0.04 };

    /// x, y, z in metres of the microphone with this grid index (row by row from the top left; x right, y
    /// down).
    pub fn position(&self, index: u32) -> [f64; 3] {
        let (rows, cols) = (u32::from(self.layout.rows()), u32::from(self.layout.cols()));
        let centred = |i: u32, n: u32| (f64::from(i) - f64::from(n - 1) / 2.0) * self.pitch;
        [centred(index % cols, cols), centred(index / cols, rows), self.standoff]
    }

    /// Refuses a pitch or standoff that means nothing.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Self { pitch, standoff, .. } = *self;
        Error::unless(pitch > 0.0 && pitch.is_finite(), "pitch", pitch, "it must be finite and above 0 m")?;
        let behind = standoff >= 0.0 && standoff.is_finite();
        Error::unless(behind, "standoff", standoff, "it must be finite and not below 0 m")
    }
}

/// How much the microphones differ, as standard deviations over the array. The default is no difference and
/// no noise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Imperfections {
    /// Spread of the gain in decibels.
    pub gain_spread_db: f64,
    /// Spread of the phase in radians.
    pub phase_spread: f64,
    /// Spread of the constant offset, as a fraction of full scale.
    pub offset_spread_fs: f64,
    /// Signal-to-noise ratio re 1 Pa rms in decibels; none for no noise.
    pub snr_db: Option<f64>,
}

impl Imperfections {
    /// What matched MEMS microphones of one batch show: 0.1 dB, 0.3 degrees, 0.2 % offset, 61 dB.
    pub const TYPICAL: Self = Self {
        gain_spread_db: 0.1,
        phase_spread: 0.3 * (std::f64::consts::PI / 180.0),
        offset_spread_fs: 0.002,
        snr_db: Some(61.0),
    };

    /// Refuses spreads that are negative or so large that the model is none.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Self { gain_spread_db, phase_spread, offset_spread_fs, snr_db } = *self;
        let limits = [
            ("gain spread", gain_spread_db, 6.0, "it must lie in 0 .. 6 dB"),
            ("phase spread", phase_spread, std::f64::consts::TAU, "it must lie in 0 .. 2 pi rad"),
            ("offset spread", offset_spread_fs, 0.1, "it must lie in 0 .. 0.1 of full scale"),
            ("SNR", snr_db.unwrap_or(0.0), 200.0, "it must lie in 0 .. 200 dB"),
        ];
        limits.into_iter().try_for_each(|(name, value, most, expected)| {
            Error::unless((0.0..=most).contains(&value), name, value, expected)
        })
    }

    /// rms value of the noise at the bit rate, as a fraction of full scale.
    pub fn noise_rms_fs(&self) -> f64 {
        self.snr_db.map_or(0.0, |snr| SENSITIVITY * amplitude_ratio(-snr) * OVERSAMPLING.sqrt())
    }

    /// Draws `count` microphones.
    pub(crate) fn draw(&self, count: u32, seeds: &mut SplitMix64) -> Vec<Channel> {
        let one = |_| {
            let gain = amplitude_ratio(self.gain_spread_db * seeds.normal());
            let phase = phasor(from_turns(self.phase_spread * seeds.normal() / std::f64::consts::TAU));
            Channel { gain: phase * gain, offset_fs: self.offset_spread_fs * seeds.normal() }
        };
        (0..count).map(one).collect()
    }
}

/// What is peculiar to one microphone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channel {
    /// Complex gain; 1 is ideal.
    pub gain: Complex<f64>,
    /// Constant offset as a fraction of full scale.
    pub offset_fs: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::magnitude;

    #[test]
    fn camera_is_centred_with_y_down() {
        let at = |index| Array::CAMERA.position(index);
        assert_eq!(at(0), [-15.5 * 0.02, -15.5 * 0.02, 0.04]);
        assert_eq!(at(31), [15.5 * 0.02, -15.5 * 0.02, 0.04]);
        assert_eq!(at(1023), [15.5 * 0.02, 15.5 * 0.02, 0.04]);
        let wide = Array { layout: TileLayout::new(4, 8, 4).unwrap(), pitch: 0.5, standoff: 0.0 };
        assert_eq!(wide.position(8), [-1.75, -0.25, 0.0]);
    }

    #[test]
    fn spreads_are_what_was_asked_for() {
        let spread = Imperfections { snr_db: None, ..Imperfections::TYPICAL };
        let channels = spread.draw(4096, &mut SplitMix64::new(3));
        let rms = |value: &dyn Fn(&Channel) -> f64| {
            (channels.iter().map(|c| value(c).powi(2)).sum::<f64>() / 4096.0).sqrt()
        };
        // Six standard deviations of an rms estimate: 6 / sqrt(2 n) = 6.6 %.
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.066;
        assert!(near(rms(&|c| 20.0 * magnitude(c.gain).log10()), 0.1));
        assert!(near(rms(&|c| c.gain.im.atan2(c.gain.re)), 0.3f64.to_radians()));
        assert!(near(rms(&|c| c.offset_fs), 0.002));
        let ideal = Imperfections::default().draw(3, &mut SplitMix64::new(3));
        assert!(ideal.iter().all(|c| c.gain == Complex::ONE && c.offset_fs == 0.0));
    }

    #[test]
    fn nonsense_is_refused() {
        let array = |pitch, standoff| Array { pitch, standoff, ..Array::CAMERA }.check().is_err();
        assert!(
            array(0.0, 0.04) && array(f64::NAN, 0.04) && array(0.02, -1e-9) && array(0.02, f64::INFINITY)
        );
        let ok = Imperfections::TYPICAL;
        assert_eq!(ok.check(), Ok(()));
        let bad = [
            Imperfections { gain_spread_db: -0.1, ..ok },
            Imperfections { phase_spread: f64::NAN, ..ok },
            Imperfections { offset_spread_fs: 0.2, ..ok },
            Imperfections { snr_db: Some(f64::NAN), ..ok },
        ];
        assert!(bad.iter().all(|b| matches!(b.check(), Err(Error::Setting { .. }))));
    }
}
