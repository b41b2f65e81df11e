//! From the channels of an irregular array to holograms: calibration, then waves fitted to all microphones.

use super::error::CameraError;
use crate::Settings;
use crate::irregular::{Fit, Microphones, Plan};
use crate::noise::Noise;
use num_complex::Complex;
use numerics::real::{Real, rounded, widened};
use signal::array::{Array, Differences, Grid};

/// Differences that are kept for the noise of a frequency; more do not sharpen it.
const MOST_SAMPLES: usize = 1 << 15;

/// The fit, and what goes into it.
pub struct Waves {
    plan: Plan,
    /// Channels that are used.
    live: Vec<usize>,
    /// `[n][channel]`: full scale to pascal.
    corrections: Vec<Vec<Complex<f64>>>,
    /// Of the last holograms.
    fits: Vec<Option<Fit>>,
    /// For the noise, which the fit takes from the holograms in part.
    differences: Vec<Differences>,
    /// Of the first holograms.
    samples: Vec<Vec<(f64, f64)>>,
    /// Points of the grid for each microphone within it: fewer microphones leave more noise to each point.
    points_each: f64,
    /// Of all channels, pascal.
    calibrated: Vec<Complex<f64>>,
    pressures: Vec<Complex<f64>>,
    hologram: Vec<Complex<f64>>,
}

impl Waves {
    pub fn new(array: &Array, settings: &Settings, frequencies: &[f64]) -> Result<Self, CameraError> {
        let (mask, geometry, aperture) = (array.live(), array.geometry(), settings.grid.aperture);
        let live: Vec<usize> = (0..mask.len()).filter(|&channel| mask[channel]).collect();
        let positions: Vec<[f64; 2]> = live.iter().map(|&channel| geometry.positions()[channel]).collect();
        let microphones = Microphones { positions: &positions, areas: &geometry.areas(&mask) };
        let wavenumbers: Vec<f64> = frequencies.iter().map(|f| settings.medium.wavenumber(*f)).collect();
        let centre = array.grid().centre_m;
        let (standoff, speed) = (settings.standoff, settings.medium.speed_of_sound);
        let differences = frequencies.iter().map(|f| array.differences(*f, standoff, speed));
        Ok(Self {
            plan: Plan::new(microphones, &aperture, centre, standoff, &wavenumbers)?,
            corrections: frequencies.iter().map(|f| array.calibration().correction(*f)).collect(),
            fits: vec![None; frequencies.len()],
            differences: differences.collect::<Result<_, _>>()?,
            samples: vec![Vec::new(); frequencies.len()],
            points_each: points_each(array.grid(), &positions),
            calibrated: vec![Complex::default(); mask.len()],
            pressures: vec![Complex::default(); live.len()],
            hologram: vec![Complex::default(); aperture.len()],
            live,
        })
    }

    /// Bins of all channels at frequency number `n`, full scale, to the hologram on the grid, pascal.
    pub fn measure<T: Real>(
        &mut self,
        n: usize,
        channels: &[Complex<T>],
        grid: &mut [Complex<T>],
    ) -> Result<(), CameraError> {
        let correction = &self.corrections[n];
        for (pressure, &channel) in self.pressures.iter_mut().zip(&self.live) {
            self.calibrated[channel] = widened(&channels[channel]) * correction[channel];
            *pressure = self.calibrated[channel];
        }
        if self.samples[n].len() < MOST_SAMPLES {
            self.samples[n].extend(self.differences[n].of(&self.calibrated));
        }
        self.fits[n] = Some(self.plan.execute(n, &self.pressures, &mut self.hologram)?);
        for (value, p) in grid.iter_mut().zip(&self.hologram) {
            *value = rounded(*p);
        }
        Ok(())
    }

    /// Noise at frequency `n`, from the first holograms: that of a microphone at every point of the grid from which the holograms would
    /// be as noisy.
    pub fn noise(&self, n: usize) -> Noise {
        let Noise { additive, relative } = Noise::of_differences(&self.samples[n]);
        Noise { additive: self.points_each * additive, relative: self.points_each * relative }
    }

    /// How near the waves are to the microphones in the last hologram of frequency `n`.
    pub fn fit(&self, n: usize) -> Option<Fit> {
        self.fits.get(n).copied().flatten()
    }
}

/// Points of the grid over microphones in its rectangle, which reaches half a pitch beyond the outer points.
fn points_each(grid: &Grid, positions: &[[f64; 2]]) -> f64 {
    let within = |place: f64, centre: f64, n: usize| 2.0 * (place - centre).abs() <= n as f64 * grid.pitch_m;
    let [x0, y0] = grid.centre_m;
    let inside = positions.iter().filter(|p| within(p[0], x0, grid.cols) && within(p[1], y0, grid.rows));
    grid.len() as f64 / inside.count().max(1) as f64
}
