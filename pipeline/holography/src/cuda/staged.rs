//! One kernel after the other (`kernels/cuda/stages.cu`): any size, both precisions, every step to be looked at. The readable
//! rung.
//!
//! | stage | from | to | skips |
//! |---|---|---|---|
//! | [`Staged::pad`] | hologram `[y][x]` | padded and windowed field `[x][y]` | |
//! | [`Staged::transform`] | field | spectrum `[ky][kx]` | zero columns of a zero-padded field |
//! | [`Staged::propagate`] | spectrum | result `[y][x]` | rows and columns outside the aperture |

mod stages;

use super::super::design::{Field, KFilter};
use super::super::{Error, Settings};
use super::rung::Rung;
use super::tables::{Operators, twiddles, windows};
use kernels::plain::Float;
use kernels::{Buffer, Stream};
use num_complex::Complex;
use numerics::real::Real;
use stages::{Stages, Tables};

/// The stages with their tables and working memory.
#[derive(Debug)]
pub struct Staged<T: Real + Float> {
    operators: Operators<T>,
    tables: Tables<T>,
    stages: Stages<T>,
}

numerics::compiled! {
    T: Real, Float => Staged<T>: new, set_filter, pad, check_finite, transform, propagate, field, spectrum
}

impl<T: Real + Float> Staged<T> {
    /// On the stream's card for one hologram at each of `frequencies` (Hz), all with the k-filter `filter`.
    #[inline(never)]
    pub fn new(
        stream: &mut Stream,
        settings: &Settings,
        frequencies: &[f64],
        filter: KFilter,
    ) -> Result<Self, Error> {
        Self::with(stream, Operators::new(settings, frequencies, filter)?)
    }

    pub(super) fn with(stream: &mut Stream, mut operators: Operators<T>) -> Result<Self, Error> {
        let settings = *operators.settings();
        Ok(Self {
            tables: Tables {
                operators: operators.upload(stream)?,
                windows: windows(stream, &settings.grid)?,
                twiddles: twiddles(stream, &settings)?,
            },
            stages: Stages::new(stream, &settings, operators.count())?,
            operators,
        })
    }

    /// Rows and columns of a result, as [`cpu::Plan::output_shape`](super::super::cpu::Plan::output_shape).
    pub fn output_shape(&self) -> (usize, usize) {
        self.operators.output_shape()
    }

    /// Gives hologram `index` another k-filter; it stays as it was after an error of the filter.
    #[inline(never)]
    pub fn set_filter(&mut self, stream: &mut Stream, index: usize, filter: KFilter) -> Result<(), Error> {
        self.operators.set_filter(stream, index, filter, &mut self.tables.operators)
    }

    /// Stage 1: continues the holograms beyond the aperture and applies the window.
    #[inline(never)]
    pub fn pad(&mut self, stream: &mut Stream, holograms: &Buffer<Complex<T>>) -> Result<(), Error> {
        self.stages.pad(stream, &self.tables, holograms)
    }

    /// Waits, and refuses the holograms of the last [`Self::pad`] if one of their values was not finite.
    #[inline(never)]
    pub fn check_finite(&self, stream: &mut Stream) -> Result<(), Error> {
        match self.stages.first_not_finite(stream)? {
            None => Ok(()),
            Some((hologram, index)) => {
                Err(Error::at(hologram, index, self.operators.settings().grid.aperture.cols))
            }
        }
    }

    /// Stage 2: the two-dimensional DFT.
    #[inline(never)]
    pub fn transform(&mut self, stream: &mut Stream) -> Result<(), Error> {
        self.stages.transform(stream, &self.tables)
    }

    /// Stage 3: k-filter x propagator, inverse DFT, crop; to its place in `fields`, `[field][hologram][y][x]`.
    #[inline(never)]
    pub fn propagate(
        &mut self,
        stream: &mut Stream,
        field: Field,
        fields: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        self.stages.propagate(stream, &self.tables, field, fields)
    }

    /// The padded and windowed field of hologram `index`, column by column; valid after [`Self::pad`].
    #[inline(never)]
    pub fn field(&self, stream: &mut Stream, index: usize) -> Result<Vec<Complex<T>>, Error> {
        self.part(stream, &self.stages.field, index)
    }

    /// The spectrum of hologram `index`, row by row in the order of the DFT; valid after [`Self::transform`].
    #[inline(never)]
    pub fn spectrum(&self, stream: &mut Stream, index: usize) -> Result<Vec<Complex<T>>, Error> {
        self.part(stream, &self.stages.spectrum, index)
    }

    /// Grid `index` of an array of grids.
    fn part(
        &self,
        stream: &mut Stream,
        array: &Buffer<Complex<T>>,
        index: usize,
    ) -> Result<Vec<Complex<T>>, Error> {
        let (count, length) = (self.operators.count(), self.operators.settings().grid.len());
        if index >= count {
            return Err(Error::Hologram { index, count });
        }
        let mut values = vec![Complex::default(); length];
        stream.download_at(array, index * length, &mut values)?;
        Ok(values)
    }
}

impl<T: Real + Float> Rung<T> for Staged<T> {
    fn operators(&self) -> &Operators<T> {
        &self.operators
    }

    fn is_fused(&self) -> bool {
        false
    }

    fn set_filter(&mut self, stream: &mut Stream, index: usize, filter: KFilter) -> Result<(), Error> {
        self.set_filter(stream, index, filter)
    }

    fn execute(
        &mut self,
        stream: &mut Stream,
        holograms: &Buffer<Complex<T>>,
        fields: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        self.pad(stream, holograms)?;
        self.transform(stream)?;
        self.propagate(stream, Field::Pressure, fields)?;
        if self.operators.fields() == 1 {
            return Ok(());
        }
        self.propagate(stream, Field::NormalVelocity, fields)
    }
}
