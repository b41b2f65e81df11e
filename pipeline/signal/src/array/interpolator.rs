//! From live microphones anywhere to the points of a regular grid.
//!
//! A grid point with a live microphone within [`TOLERANCE`] of the pitch takes its value as it is. Any other
//! point is a weighted sum of the nearest live microphones, by [`super::kriging`]. A point whose standard
//! deviation is above [`LIMIT`] of the field is refused: such points are extrapolated, in the middle of a
//! hole, or under-sampled because the sources are nearer than about one pitch.
//!
//! Largest error at the places of dead microphones for a monopole 3 cm behind a standoff of 4 cm (32 x 32,
//! pitch 2 cm), relative to the field within 3 pitches, 220 Hz to 4 kHz; beside it the mean of the four
//! neighbours, at 4 kHz. The tests hold the limits.
//!
//! | dead | error | limit | mean of neighbours |
//! |---|---|---|---|
//! | 1 | 0.4 % | 1 % | 46 % |
//! | 10 | 0.6 % | 2 % | 47 % |
//! | 50 | 1.8 % | 3 % | 73 % |
//! | block of 2 x 2 | 3.2 % | 5 % | 96 % |
//! | on the edges | 1.2 % | 5 % | 92 % |
//! | the corners | 5.5 % | 10 % | 94 % |
//!
//! Microphones 3 mm rms from their places: 0.03 to 0.14 % after interpolation, 1.4 to 14 % without.
//!
//! The correction of every channel is multiplied into the weights when the plan is made, so calibration costs
//! nothing at run time. Cost: one complex multiplication a point with a microphone, [`NEIGHBOURS`] for any
//! other; no allocation; on all threads of rayon's pool when the plan is large.

use num_complex::Complex;
use numerics::parallel;
use rayon::prelude::*;

use super::grid::TOLERANCE;
use super::kriging::{Covariance, NEIGHBOURS, NUGGET};
use super::neighbours::Neighbours;
use super::{Error, Grid};
use numerics::real::{Real, rounded};

/// Largest standard deviation of a grid point, relative to the field: more would be a guess.
pub const LIMIT: f64 = 0.5;

/// Weights from which threads are worth waking: about 0.1 ms on one.
const PARALLEL: usize = 1 << 16;
/// Grid points a task.
const TASK: usize = 1024;

/// Accepted frequencies in hertz.
const FREQUENCY_HZ: (f64, f64) = (0.0, 1e6);
/// Accepted standoffs in metres.
const STANDOFF_M: (f64, f64) = (1e-5, 100.0);
/// Accepted speeds of sound in metres a second.
const SOUND_SPEED: (f64, f64) = (10.0, 1e4);

/// What is known of a sound field before it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Frequency in hertz.
    pub frequency_hz: f64,
    /// Distance from the array to the nearest source in metres.
    pub standoff_m: f64,
    /// Speed of sound in metres a second.
    pub sound_speed: f64,
}

impl Field {
    /// The covariance between two points of the array, once the numbers are checked.
    pub(super) fn covariance(&self) -> Result<Covariance, Error> {
        let check = |name: &str, value: f64, (low, high): (f64, f64), unit: &str| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(Error::value(name, value, format!("between {low} and {high} {unit}")))
        };
        check("the frequency", self.frequency_hz, FREQUENCY_HZ, "Hz")?;
        check("the standoff", self.standoff_m, STANDOFF_M, "m")?;
        check("the speed of sound", self.sound_speed, SOUND_SPEED, "m/s")?;
        let k = std::f64::consts::TAU * self.frequency_hz / self.sound_speed;
        Ok(Covariance::new(self.standoff_m, k))
    }
}

/// The weights from channels to grid points, for one frequency.
#[derive(Clone, Debug)]
pub struct Interpolator<T> {
    channels: usize,
    /// Entry `ends[i]` is the first that no longer belongs to grid point i.
    ends: Vec<usize>,
    entries: Vec<(usize, Complex<T>)>,
    deviation: Vec<f64>,
}

/// Weights and relative standard deviation of one grid point.
type Point = (Vec<(usize, f64)>, f64);

numerics::compiled! { T: Real => Interpolator<T>: new, apply }

impl<T: Real> Interpolator<T> {
    /// Plans the way from microphones at `positions`, of which those marked `live` are used, to `grid`.
    /// `correction` is what to multiply every channel with.
    #[inline(never)]
    pub fn new(
        positions: &[[f64; 2]],
        live: &[bool],
        correction: &[Complex<f64>],
        grid: &Grid,
        field: &Field,
    ) -> Result<Self, Error> {
        let channels = positions.len();
        same_length("the list of live channels", live.len(), channels)?;
        same_length("the calibration", correction.len(), channels)?;
        let points = points(positions, live, grid, field)?;
        let deviation: Vec<_> = points.iter().map(|point| point.1).collect();
        check_determined(&deviation, grid)?;
        let (mut ends, mut entries) = (Vec::with_capacity(grid.len()), Vec::new());
        for (weights, _) in points {
            let entry = |(channel, weight)| (channel, rounded(correction[channel] * weight));
            entries.extend(weights.into_iter().map(entry));
            ends.push(entries.len());
        }
        Ok(Self { channels, ends, entries, deviation })
    }

    /// The field at the grid points from the values of all channels. Channels that are not live are not read.
    #[inline(never)]
    pub fn apply(&self, channels: &[Complex<T>], grid: &mut [Complex<T>]) -> Result<(), Error> {
        same_length("the hologram", channels.len(), self.channels)?;
        same_length("the grid", grid.len(), self.ends.len())?;
        if self.entries.len() < PARALLEL || rayon::current_num_threads() == 1 {
            self.fill(0, channels, grid);
        } else {
            let tasks = grid.par_chunks_mut(TASK).enumerate();
            tasks.for_each(|(task, points)| self.fill(task * TASK, channels, points));
        }
        Ok(())
    }

    /// Standard deviation of every grid point, relative to the field around it. A point with a microphone has
    /// the error of a channel, 1 %.
    pub fn deviation(&self) -> &[f64] {
        &self.deviation
    }

    /// The grid points from `first` on.
    fn fill(&self, first: usize, channels: &[Complex<T>], points: &mut [Complex<T>]) {
        let mut start = if first == 0 { 0 } else { self.ends[first - 1] };
        for (value, &end) in points.iter_mut().zip(&self.ends[first..]) {
            let terms = self.entries[start..end].iter().map(|&(channel, weight)| channels[channel] * weight);
            *value = terms.fold(Complex::new(T::zero(), T::zero()), |sum, term| sum + term);
            start = end;
        }
    }
}

fn points(positions: &[[f64; 2]], live: &[bool], grid: &Grid, field: &Field) -> Result<Vec<Point>, Error> {
    let (covariance, neighbours) = (field.covariance()?, Neighbours::new(positions));
    let plan = |index| point(&covariance, &neighbours, positions, live, grid, index);
    Ok(parallel::map(grid.len(), &plan))
}

fn point(
    covariance: &Covariance,
    neighbours: &Neighbours,
    positions: &[[f64; 2]],
    live: &[bool],
    grid: &Grid,
    index: usize,
) -> Point {
    let target = grid.point(index);
    let near = neighbours.nearest(target, NEIGHBOURS, |channel| live[channel]);
    match near.first() {
        Some(&(d2, channel)) if d2.sqrt() <= TOLERANCE * grid.pitch_m => {
            (vec![(channel, 1.0)], NUGGET.sqrt())
        }
        _ => {
            let places: Vec<_> = near.iter().map(|&(_, channel)| positions[channel]).collect();
            let estimate = covariance.estimate(&places, target);
            let weights = near.iter().map(|&(_, channel)| channel).zip(estimate.weights).collect();
            (weights, estimate.variance.sqrt())
        }
    }
}

fn check_determined(deviation: &[f64], grid: &Grid) -> Result<(), Error> {
    let beyond = deviation.iter().enumerate().filter(|(_, deviation)| **deviation > LIMIT);
    let points: Vec<_> = beyond.map(|(index, _)| [index / grid.cols, index % grid.cols]).collect();
    if points.is_empty() {
        return Ok(());
    }
    let worst = deviation.iter().copied().fold(0.0, f64::max);
    Err(Error::Undetermined { points, worst, limit: LIMIT })
}

/// Refuses a slice of the wrong length.
pub(super) fn same_length(what: &'static str, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::Length { what, found, expected }) }
}

#[cfg(test)]
mod tests;
