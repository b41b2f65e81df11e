//! The same rule on a card, for a batch of holograms that are there already; twin of [`super::Chooser`].
//!
//! | step | kernels | twin |
//! |---|---|---|
//! | a, g, n | `cutoff_noise` | [`Noise::estimate`] |
//! | rings of the tapered spectrum | `cutoff_rings` | `Chooser::rings` |
//! | A, h and the error of each filter | `cutoff_errors` | `Chooser::fit`, `Chooser::powers` |
//! | D of each filter | `border_*` | `border.rs` |
//! | the least sum | `cutoff_choose` | `Chooser::least` |
//! | operators | `cutoff_table` | [`Operator::evaluate`], [`Radii::spread`] |
//!
//! Nothing comes back to the host between the steps: all are queued in a stream. Everything
//! that does not depend on the data is a table, made here once in `f64` by the CPU's own functions (`cuda/tables.rs`).
//!
//! # What differs from the CPU
//! - Sums run in another order, in `f64`: errors differ by parts in 1e12, and two filters whose errors are closer than
//!   that may change places. The padding is the same bit for bit.
//! - D is computed for all filters; the CPU stops when the other terms alone exceed the best sum. The least is the same.
//! - What is an error there is a flag here, found by [`Chooser::estimates`]; the operators of such a hologram stay as
//!   they were.
//! - A value that is not finite is always refused; the CPU does not look with zero padding.
//!
//! # Validity
//! A quarter of the grid's spectrum must fit the shared memory of a block: 256 x 256 points on an H200, 146 x 146 on cards
//! with 99 KiB. [`Chooser::new`] refuses more with both numbers.

mod tables;

use super::super::design::{Grid, KFilter, Operator, Radii, checked_wavenumber, largest};
use super::super::noise::Noise;
use super::super::{Error, Settings};
use super::Estimate;
use kernels::abi::cutoff::{CUTOFF_NOT_FINITE, CUTOFF_OVERFLOW};
use kernels::abi::{CutoffEstimate, CutoffSettings};
use kernels::{Buffer, Stream, border, cutoff, size32};
use num_complex::Complex;
use tables::Tables;

/// Chooses filters on a card for one aperture, padding, distance and some frequencies; made once, used for every batch.
#[derive(Debug)]
pub struct Chooser {
    grid: Grid,
    radii: Radii,
    operators: Vec<Operator>,
    cutoff: cutoff::Cutoff,
    border: border::Border,
    rule: cutoff::Tables,
    waves: cutoff::Waves,
    change: border::Tables,
    work: cutoff::Work,
    border_work: border::Work,
    estimates: Buffer<CutoffEstimate>,
}

impl Chooser {
    /// For one hologram at each of `frequencies` (Hz), `frames` of each scene, on the stream's card.
    pub fn new(
        stream: &mut Stream,
        settings: &Settings,
        frequencies: &[f64],
        frames: usize,
    ) -> Result<Self, Error> {
        settings.check()?;
        let host = super::Chooser::new(&settings.grid, settings.padding)?;
        if frequencies.is_empty() {
            return Err(Error::NoFrequency);
        }
        if frames == 0 {
            return Err(Error::Length { what: "frames", given: 0, needed: 1 });
        }
        let aperture = &settings.grid.aperture;
        let wavenumbers: Vec<f64> = frequencies
            .iter()
            .map(|&frequency| checked_wavenumber(&settings.medium, aperture, frequency))
            .collect::<Result<_, _>>()?;
        let (radii, distance) = (Radii::new(&settings.grid), settings.distance());
        let operator = |&k: &f64| Operator::new(&radii, &settings.medium, k, distance);
        let operators: Vec<Operator> = wavenumbers.iter().map(operator).collect();
        let tables = Tables { chooser: &host, wavenumbers: &wavenumbers, distance };
        let change = tables.border_shape(&radii);
        let shape = tables.cutoff_shape(&radii, frames, change.tiles());
        let silent = host.silent();
        let common = CutoffSettings {
            ring_width: host.width,
            silent_cutoff: silent.cutoff,
            silent_slope: silent.slope,
            limit: largest::<f32>(),
            frames: size32("frames", frames)?,
            fields: if settings.velocity { 2 } else { 1 },
        };
        Ok(Self {
            cutoff: cutoff::Cutoff::new(stream, shape, common)?,
            border: border::Border::new(stream, change)?,
            rule: tables.rule(stream)?,
            waves: tables::waves(stream, &radii, &operators)?,
            change: tables.change(stream, &change)?,
            work: cutoff::Work::new(stream, &shape)?,
            border_work: border::Work::new(stream, &change)?,
            estimates: Buffer::zeros(stream, "estimates", frequencies.len())?,
            grid: settings.grid,
            radii,
            operators,
        })
    }

    /// Queues the choice for holograms `[frame][n][y][x]`.
    pub fn choose(&mut self, stream: &mut Stream, holograms: &Buffer<Complex<f32>>) -> Result<(), Error> {
        let Self { cutoff, border, rule, waves, change, work, border_work, estimates, .. } = self;
        cutoff.fit(stream, holograms, rule, work, estimates)?;
        border.run(stream, holograms, (change, waves), &rule.filters, border_work)?;
        Ok(cutoff.choose(stream, (rule, waves), (work, border_work.border()), estimates)?)
    }

    /// Queues the operators of the filters that were chosen: k-filter x propagator/(n_x n_y),
    /// `[field][n][ky = 0..=n_y/2][kx]`, pressure first, with the velocity's if the settings ask for it.
    pub fn write_operators(
        &self,
        stream: &mut Stream,
        operators: &mut Buffer<Complex<f32>>,
    ) -> Result<(), Error> {
        Ok(self.cutoff.table(stream, &self.estimates, &self.waves, operators)?)
    }

    /// Waits, and tells what was chosen for each hologram, or why nothing was.
    ///
    /// # Errors
    /// Of a hologram: [`Error::NotFinite`], of its first frame that has such a value, and [`Error::Overflow`] of the
    /// filter that would be chosen in single precision.
    pub fn estimates(&self, stream: &mut Stream) -> Result<Vec<Result<Estimate, Error>>, Error> {
        let found = stream.values(&self.estimates)?;
        Ok(found.iter().enumerate().map(|(i, estimate)| self.judge(i, estimate)).collect())
    }

    /// What the card says about hologram `index`.
    fn judge(&self, index: usize, found: &CutoffEstimate) -> Result<Estimate, Error> {
        if found.flags & CUTOFF_NOT_FINITE != 0 {
            let place = found.place as usize % self.grid.aperture.len();
            return Err(Error::at(index, place, self.grid.aperture.cols));
        }
        let filter = KFilter { cutoff: found.cutoff, slope: found.slope };
        if found.flags & CUTOFF_OVERFLOW != 0 {
            self.operators[index].check::<f32>(&self.radii, &filter)?;
        }
        let noise = Noise { additive: found.additive, relative: found.relative };
        Ok(Estimate { filter, noise, range: found.range })
    }
}
