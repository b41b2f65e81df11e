//! The acoustic camera as one chain: one-bit rows in, sound on the source plane out.
//!
//! ```text
//! rows -> front end -> bins of all channels -> array -> holograms on the grid -> k-filter -> source plane
//! ```
//!
//! [`Camera::measure`] goes as far as the holograms (pascal, peak), [`Camera::choose_filters`] settles the
//! k-filters from one or several of them, [`Camera::reconstruct`] gives the fields of the other plane. The
//! three are apart because a recording's frames share one choice of filters, and because a live instrument
//! chooses now and then but reconstructs always.
//!
//! On a card the front end and the reconstruction run there; holograms come back in between, because the
//! array's corrections and the choice of filters are the host's. The card's front end is `f32`: in `f64` the
//! CPU's takes its place. [`mod@cuda`] is the live camera, which never leaves the card.

pub mod cuda;

mod bins;
mod error;
mod waves;

use crate::cuda::Number;
use crate::cutoff::Chooser;
use crate::design::KFilter;
use crate::irregular::Fit;
use crate::noise::Noise;
use crate::{Plan, cpu, l_curve, quantities, uncertainty};
use bins::Bins;
pub use error::CameraError;
use kernels::Device;
use num_complex::Complex;
use numerics::real::widened;
use signal::array::kriging::NUGGET;
use signal::array::{self, Array};
use signal::front_end;
use std::fmt;
use std::str::FromStr;
use waves::Waves;

/// How the k-filter of a hologram is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FilterRule {
    /// Least expected error ([`crate::cutoff`]).
    Auto,
    /// Corner of the L-curve (`l_curve.rs`).
    LCurve,
    /// Given; [`KFilter::NONE`] filters nothing.
    Fixed(KFilter),
}

impl FromStr for FilterRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("'{text}' is no k-filter: use auto, lcurve, none or CUTOFF:SLOPE, such as 50:0.3");
        match text {
            "auto" => Ok(Self::Auto),
            "lcurve" => Ok(Self::LCurve),
            "none" => Ok(Self::Fixed(KFilter::NONE)),
            _ => {
                let (cutoff, slope) = text.split_once(':').ok_or_else(wrong)?;
                let number = |text: &str| text.parse::<f64>().map_err(|_| wrong());
                let filter = KFilter { cutoff: number(cutoff)?, slope: number(slope)? };
                filter.check().map_err(|e| e.to_string())?;
                Ok(Self::Fixed(filter))
            }
        }
    }
}

impl fmt::Display for FilterRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::LCurve => f.write_str("lcurve"),
            Self::Fixed(filter) if *filter == KFilter::NONE => f.write_str("none"),
            Self::Fixed(KFilter { cutoff, slope }) => write!(f, "{cutoff}:{slope}"),
        }
    }
}

/// The chain for one window length, some bins and one array.
pub struct Camera<T: Number> {
    bins: Bins<T>,
    frequencies: Vec<f64>,
    array: array::Plan<T>,
    /// In the place of interpolation, for irregular arrays.
    waves: Option<Waves>,
    plan: Plan<T>,
    rule: FilterRule,
    /// For the automatic rule.
    chooser: Option<Chooser>,
    noise: Vec<Option<Noise>>,
    /// `[n][channel]`, full scale.
    channels: Vec<Complex<T>>,
    /// `[n][y][x]`, pascal.
    measured: Vec<Complex<T>>,
}

/// What [`Camera::reconstruct`] finds, `[n][y][x]` each.
#[derive(Debug, Clone, Default)]
pub struct Image<T> {
    /// Complex pressure, Pa, peak.
    pub pressure: Vec<Complex<T>>,
    /// Complex velocity along z, away from the source, m/s, peak; if the settings ask for it.
    pub velocity: Option<Vec<Complex<T>>>,
    /// Active intensity along z, W/m^2; with the velocity.
    pub intensity: Option<Vec<T>>,
}

numerics::compiled! {
    T: Number => Camera<T>: new, with_waves, measure, choose_filters, reconstruct, uncertainty
}

impl<T: Number> Camera<T> {
    /// The chain on the CPU, or on `device`; `settings.grid` must be on the array's grid. With a rule that
    /// chooses filters, all but the longest waves are filtered away until [`Camera::choose_filters`].
    #[inline(never)]
    pub fn new(
        device: Option<&Device>,
        front_end: &front_end::Settings,
        array: &Array,
        settings: &crate::Settings,
        rule: FilterRule,
    ) -> Result<Self, CameraError> {
        let stream = front_end.layout.channels() as usize;
        if array.channels() != stream {
            return Err(CameraError::Channels { array: array.channels(), stream });
        }
        let frequencies = front_end.frequencies_hz();
        let first = if let FilterRule::Fixed(filter) = rule { filter } else { KFilter::UNTIL_CHOSEN };
        let plan = match device {
            None => Plan::on_cpu(settings, &frequencies, first)?,
            Some(device) => Plan::on_cuda(device, settings, &frequencies, first)?,
        };
        let count = frequencies.len();
        let chooser = match rule {
            FilterRule::Auto => Some(Chooser::new(&settings.grid, settings.padding)?),
            FilterRule::LCurve | FilterRule::Fixed(_) => None,
        };
        Ok(Self {
            bins: Bins::new(device, front_end)?,
            array: array.plan(&frequencies, settings.standoff, settings.medium.speed_of_sound)?,
            waves: None,
            plan,
            rule,
            chooser,
            noise: vec![None; count],
            channels: vec![Complex::default(); count * stream],
            measured: vec![Complex::default(); count * settings.grid.aperture.len()],
            frequencies,
        })
    }

    /// Holograms by waves that are fitted to all microphones (`irregular.rs`) instead of interpolation from
    /// the nearest ones; `array` is the one that the camera was made for.
    #[inline(never)]
    pub fn with_waves(mut self, array: &Array) -> Result<Self, CameraError> {
        self.waves = Some(Waves::new(array, self.plan.settings(), &self.frequencies)?);
        Ok(self)
    }

    /// How near the waves of [`Camera::with_waves`] are to the microphones in the last hologram of frequency
    /// `n`.
    pub fn fit(&self, n: usize) -> Option<Fit> {
        self.waves.as_ref().and_then(|waves| waves.fit(n))
    }

    /// Rows before the window that the front end needs.
    pub fn history_rows(&self) -> usize {
        self.bins.settings().history_rows()
    }

    /// Rows of the window.
    pub fn window_rows(&self) -> usize {
        self.bins.settings().window_rows()
    }

    /// Centre of every bin, Hz.
    pub fn frequencies(&self) -> &[f64] {
        &self.frequencies
    }

    /// The k-filters in use.
    pub fn filters(&self) -> &[KFilter] {
        self.plan.filters()
    }

    /// Rows and columns of an image.
    pub fn output_shape(&self) -> (usize, usize) {
        self.plan.output_shape()
    }

    /// Bins of all channels, `[n][channel]`, full scale; what [`Array::suspects`] looks at.
    pub fn channels(&self) -> &[Complex<T>] {
        &self.channels
    }

    /// The holograms of the last [`Camera::measure`], `[n][y][x]`, pascal, peak.
    pub fn measured(&self) -> &[Complex<T>] {
        &self.measured
    }

    /// Noise of the holograms of frequency `n`, once filters were chosen.
    pub fn noise(&self, n: usize) -> Option<Noise> {
        self.noise[n]
    }

    /// Takes history and window as sent, and gives the holograms.
    #[inline(never)]
    pub fn measure(&mut self, rows: &[u8]) -> Result<&[Complex<T>], CameraError> {
        self.bins.measure(rows, &mut self.channels)?;
        let stream = self.channels.len() / self.frequencies.len();
        let points = self.measured.len() / self.frequencies.len();
        let grids = self.measured.chunks_exact_mut(points);
        for (n, (channels, grid)) in self.channels.chunks_exact(stream).zip(grids).enumerate() {
            match &mut self.waves {
                Some(waves) => waves.measure(n, channels, grid)?,
                None => self.array.prepare(n, channels, grid)?,
            }
        }
        Ok(&self.measured)
    }

    /// Settles filters and noise by the camera's rule from `frames`, `[frame][n][y][x]`, each from
    /// [`Camera::measure`].
    #[inline(never)]
    pub fn choose_filters(&mut self, frames: &[Complex<T>]) -> Result<(), CameraError> {
        let (count, points) = (self.frequencies.len(), self.measured.len() / self.frequencies.len());
        let settings = *self.plan.settings();
        let spectra = match self.rule {
            // The first frame's; the curve needs no more.
            FilterRule::LCurve => Some(self.spectra(&frames[..count * points])?),
            FilterRule::Auto | FilterRule::Fixed(_) => None,
        };
        for n in 0..count {
            let of_one: Vec<Complex<f64>> =
                frames.chunks_exact(points).skip(n).step_by(count).flatten().map(widened).collect();
            let k = settings.medium.wavenumber(self.frequencies[n]);
            let noise = match &self.waves {
                Some(waves) => Ok(waves.noise(n)),
                None => Noise::estimate(&settings.grid.aperture, &of_one),
            };
            let filter = match (self.rule, &self.chooser) {
                (FilterRule::Auto, Some(chooser)) => {
                    let noise = *self.noise[n].insert(noise?);
                    chooser.choose_for(k, settings.distance(), &of_one, noise)?.filter
                }
                _ => {
                    // No estimate of arrays too small to tell noise from field.
                    self.noise[n] = noise.ok();
                    let Some(spectra) = &spectra else { continue };
                    let spectrum: Vec<Complex<f64>> =
                        spectra.spectrum(n).unwrap_or_default().iter().map(widened).collect();
                    l_curve::choose(&settings.grid, k, settings.distance(), &spectrum)
                }
            };
            self.plan.set_filter(n, filter)?;
        }
        Ok(())
    }

    /// A plan of the host with the padded spectra of `holograms`, whatever reconstructs them.
    fn spectra(&self, holograms: &[Complex<T>]) -> Result<cpu::Plan<T>, CameraError> {
        let mut plan = cpu::Plan::new(self.plan.settings(), &self.frequencies, KFilter::UNTIL_CHOSEN)?;
        plan.pad(holograms)?;
        plan.transform();
        Ok(plan)
    }

    /// The other plane's fields from holograms `[n][y][x]`.
    #[inline(never)]
    pub fn reconstruct(&mut self, holograms: &[Complex<T>], image: &mut Image<T>) -> Result<(), CameraError> {
        let (rows, cols) = self.output_shape();
        let length = self.frequencies.len() * rows * cols;
        image.pressure.resize(length, Complex::default());
        let wanted = self.plan.settings().velocity;
        image.velocity = wanted.then(|| vec![Complex::default(); length]);
        self.plan.execute(holograms, &mut image.pressure, image.velocity.as_deref_mut())?;
        image.intensity = image.velocity.as_ref().map(|velocity| {
            let mut intensity = vec![T::zero(); length];
            quantities::intensity(&image.pressure, velocity, &mut intensity);
            intensity
        });
        Ok(())
    }

    /// Standard deviation of the pressure of image `n`, Pa, `[y][x]` of the microphones' grid, that the noise
    /// of the microphones causes; `None` before filters were chosen and for arrays too small for an estimate.
    #[inline(never)]
    pub fn uncertainty(&self, n: usize, hologram: &[Complex<T>]) -> Result<Option<Vec<f64>>, CameraError> {
        let (Some(noise), settings) = (self.noise[n], self.plan.settings()) else { return Ok(None) };
        let relative = self.array.deviation(n)?;
        let variance: Vec<f64> = hologram
            .iter()
            .map(widened)
            .zip(relative)
            // What an interpolated point adds to the error of a channel, which the noise estimate has
            // already.
            .map(|(p, d)| noise.variance(p) + (d * d - NUGGET).max(0.0) * p.norm_sqr())
            .collect();
        let k = settings.medium.wavenumber(self.frequencies[n]);
        let filter = &self.plan.filters()[n];
        Ok(Some(uncertainty::standard_deviation(&settings.grid, k, settings.distance(), filter, &variance)))
    }
}
