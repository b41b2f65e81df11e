//! The array as built: where the microphones are, what they make of a pressure, which are broken, and the way
//! from their bins to the regular grid that holography needs.
//!
//! ```text
//! bins of all channels -> calibration (pascal) -> live microphones -> interpolation -> rows x cols grid
//! ```
//!
//! | module | idea |
//! |---|---|
//! | [`geometry`] | positions from a recording, `MicArray` XML or TOML |
//! | [`grid`] | the regular grid of the positions |
//! | [`calibration`] | complex gain by channel, full scale to pascal |
//! | [`kriging`] | the field at one point from its neighbours |
//! | [`interpolator`] | a plan of that for all points |
//! | [`differences`] | the noise of microphones that lie on no grid |
//! | [`suspects`] | microphones that look broken |
//!
//! No microphone that is dead, missing or suspect ever counts as a silent one: its place is interpolated, or
//! the plan is refused with a list of the places that cannot be.
//!
//! ```
//! use num_complex::Complex;
//! use signal::array::{Array, Calibration};
//!
//! let array = Array::regular(8, 8, 0.02)?.without(&[27])?;
//! let plan = array.plan::<f32>(&[440.0, 880.0], 0.04, 343.0)?;
//! let bins = vec![Complex::new(0.1, 0.0); 64]; // in full scale
//! let mut grid = vec![Complex::new(f32::NAN, 0.0); plan.grid().len()];
//! plan.prepare(1, &bins, &mut grid)?; // at 880 Hz, in pascal
//! assert!((grid[27] / grid[0] - 1.0).norm() < 0.02);
//! # Ok::<(), signal::array::Error>(())
//! ```

use std::path::Path;

use num_complex::Complex;

use numerics::real::{Real, widened};

pub mod calibration;
pub mod differences;
mod error;
mod file;
pub mod geometry;
pub mod grid;
pub mod interpolator;
pub mod kriging;
mod neighbours;
pub mod suspects;
#[cfg(test)]
mod testing;

pub use calibration::Calibration;
pub use differences::Differences;
pub use error::Error;
pub use geometry::{Condition, Geometry};
pub use grid::Grid;
pub use interpolator::{Field, Interpolator};
pub use suspects::{Reason, Suspect, stuck_bits};

use interpolator::same_length;

/// An array with its calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    geometry: Geometry,
    calibration: Calibration,
}

impl Array {
    /// A regular array of ideal microphones, as the fields of a recording say.
    pub fn regular(rows: usize, cols: usize, pitch_m: f64) -> Result<Self, Error> {
        Geometry::regular(rows, cols, pitch_m).map(Self::new)
    }

    /// Reads the geometry from `MicArray` XML or TOML, by the ending of the name. The microphones are ideal.
    pub fn from_file(path: &Path) -> Result<Self, Error> {
        Geometry::from_file(path).map(Self::new)
    }

    /// An array of ideal microphones.
    pub fn new(geometry: Geometry) -> Self {
        Self { calibration: Calibration::ideal(geometry.positions().len()), geometry }
    }

    /// The same array with measured microphones.
    pub fn with_calibration(self, calibration: Calibration) -> Result<Self, Error> {
        same_length("the calibration", calibration.channels(), self.channels())?;
        Ok(Self { calibration, ..self })
    }

    /// The same array with these live channels marked as dead.
    pub fn without(mut self, channels: &[usize]) -> Result<Self, Error> {
        self.geometry.mark(channels, Condition::Dead, "the channels to leave out")?;
        Ok(self)
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.geometry.positions().len()
    }

    /// Where the microphones are.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// What they make of a pressure.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// The grid for holography.
    pub fn grid(&self) -> &Grid {
        self.geometry.grid()
    }

    /// By channel, whether its microphone is used.
    pub fn live(&self) -> Vec<bool> {
        let live = self.geometry.live().into_iter().enumerate();
        live.map(|(channel, live)| live && self.calibration.live(channel)).collect()
    }

    /// Plans the way from channels to grid at some frequencies, for sources at least `standoff_m` away.
    #[inline(never)]
    pub fn plan<T: Real>(
        &self,
        frequencies_hz: &[f64],
        standoff_m: f64,
        sound_speed: f64,
    ) -> Result<Plan<T>, Error> {
        let (grid, live) = (*self.grid(), self.live());
        let one = |&frequency_hz: &f64| {
            let field = Field { frequency_hz, standoff_m, sound_speed };
            let correction = self.calibration.correction(frequency_hz);
            Interpolator::new(self.geometry.positions(), &live, &correction, &grid, &field)
        };
        let interpolators = frequencies_hz.iter().map(one).collect::<Result<_, _>>()?;
        Ok(Plan { grid, interpolators })
    }

    /// What each live microphone says beyond its neighbours at a frequency, for sources at least `standoff_m` away.
    pub fn differences(
        &self,
        frequency_hz: f64,
        standoff_m: f64,
        sound_speed: f64,
    ) -> Result<Differences, Error> {
        let field = Field { frequency_hz, standoff_m, sound_speed };
        Differences::new(self.geometry.positions(), &self.live(), &field)
    }

    /// The live microphones that look broken. `holograms` has the bins of all channels, in full scale, one
    /// frequency after the other.
    #[inline(never)]
    pub fn suspects<T: Real>(
        &self,
        frequencies_hz: &[f64],
        standoff_m: f64,
        sound_speed: f64,
        holograms: &[Complex<T>],
    ) -> Result<Vec<Suspect>, Error> {
        same_length("the holograms", holograms.len(), self.channels() * frequencies_hz.len())?;
        let mut pressure: Vec<_> = holograms.iter().map(widened).collect();
        for (&frequency, hologram) in frequencies_hz.iter().zip(pressure.chunks_exact_mut(self.channels())) {
            self.calibration.apply(frequency, hologram)?;
        }
        let field = |&frequency_hz: &f64| Field { frequency_hz, standoff_m, sound_speed };
        let fields: Vec<_> = frequencies_hz.iter().map(field).collect();
        suspects::suspects(self.geometry.positions(), &self.live(), &fields, &pressure)
    }
}

/// The way from channels to grid at some frequencies.
#[derive(Clone, Debug)]
pub struct Plan<T> {
    grid: Grid,
    interpolators: Vec<Interpolator<T>>,
}

numerics::compiled! { T: Real => Array::plan::<T>, Array::suspects::<T> }

impl<T: Real> Plan<T> {
    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Calibrates the bins of all channels at frequency number `n` of the plan and brings them to the grid:
    /// full scale in, pascal out.
    pub fn prepare(&self, n: usize, channels: &[Complex<T>], grid: &mut [Complex<T>]) -> Result<(), Error> {
        self.interpolator(n)?.apply(channels, grid)
    }

    /// Standard deviation of every grid point at frequency number `n`, relative to the field around it.
    pub fn deviation(&self, n: usize) -> Result<&[f64], Error> {
        Ok(self.interpolator(n)?.deviation())
    }

    fn interpolator(&self, n: usize) -> Result<&Interpolator<T>, Error> {
        let expected = || format!("below {}, the number of frequencies", self.interpolators.len());
        self.interpolators.get(n).ok_or_else(|| Error::value("the frequency number", n, expected()))
    }
}

#[cfg(test)]
mod tests;
