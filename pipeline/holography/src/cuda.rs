//! The card's plan; twin of [`cpu`](super::cpu).
//!
//! | rung | kernels | for |
//! |---|---|---|
//! | [`Staged`] | one for each step | everything; to be read, and to look at what lies between the steps |
//! | fused | one for all | the camera, and what is like it (`cuda/fused.rs`) |
//!
//! Operators are evaluated on the host as for the CPU and lie on the card as tables. [`Plan::new`] takes the fused kernel
//! where there is one.
//!
//! A plan allocates everything when it is made. All its work goes through the stream that it is given; with two
//! streams, the first must be idle before the second is used.

pub(crate) mod fused;
mod rung;
mod staged;
pub(crate) mod tables;

use super::design::KFilter;
use super::error::check_length;
use super::{Error, Settings, lpbp};
use fused::Fused;
use kernels::plain::Float;
use kernels::{Buffer, Stream};
use num_complex::Complex;
use numerics::real::Real;
pub use rung::Rung;
pub use staged::Staged;
use tables::Operators;

/// `f32` or `f64`, on the host and on the card.
pub trait Number: Real + Float {
    #[doc(hidden)]
    fn rung(stream: &mut Stream, operators: Operators<Self>) -> Result<Box<dyn Rung<Self>>, Error>;
}

impl Number for f32 {
    fn rung(stream: &mut Stream, operators: Operators<Self>) -> Result<Box<dyn Rung<Self>>, Error> {
        Ok(match fused::shape(operators.settings(), stream.device()) {
            Some(shape) => Box::new(Fused::new(stream, shape, operators)?),
            None => Box::new(Staged::with(stream, operators)?),
        })
    }
}

impl Number for f64 {
    fn rung(stream: &mut Stream, operators: Operators<Self>) -> Result<Box<dyn Rung<Self>>, Error> {
        Ok(Box::new(Staged::with(stream, operators)?))
    }
}

/// A batch of holograms on a card, each with its own frequency and k-filter.
#[derive(Debug)]
pub struct Plan<T: Number> {
    rung: Box<dyn Rung<T>>,
    /// `[hologram][y][x]`, for holograms that come from the host.
    holograms: Buffer<Complex<T>>,
    /// `[field][hologram][y][x]`, for results that go to the host.
    fields: Buffer<Complex<T>>,
}

numerics::compiled! { T: Number => Plan<T>: new, staged, set_filter, execute, execute_device }

impl<T: Number> Plan<T> {
    /// A plan on the stream's card for one hologram at each of `frequencies` (Hz), all with the k-filter `filter`.
    #[inline(never)]
    pub fn new(
        stream: &mut Stream,
        settings: &Settings,
        frequencies: &[f64],
        filter: KFilter,
    ) -> Result<Self, Error> {
        let rung = T::rung(stream, Operators::new(settings, frequencies, filter)?)?;
        Self::on(stream, rung)
    }

    /// The same of the readable rung, whatever the settings.
    #[inline(never)]
    pub fn staged(
        stream: &mut Stream,
        settings: &Settings,
        frequencies: &[f64],
        filter: KFilter,
    ) -> Result<Self, Error> {
        let rung = Staged::new(stream, settings, frequencies, filter)?;
        Self::on(stream, Box::new(rung))
    }

    fn on(stream: &mut Stream, rung: Box<dyn Rung<T>>) -> Result<Self, Error> {
        let operators = rung.operators();
        let measured = operators.count() * operators.settings().grid.aperture.len();
        Ok(Self {
            holograms: Buffer::zeros(stream, "holograms", measured)?,
            fields: Buffer::zeros(stream, "fields", operators.results())?,
            rung,
        })
    }

    /// Whether one kernel does all stages.
    pub fn is_fused(&self) -> bool {
        self.rung.is_fused()
    }

    /// Holograms of the batch.
    pub fn count(&self) -> usize {
        self.rung.operators().count()
    }

    /// What the plan was made of.
    pub fn settings(&self) -> &Settings {
        self.rung.operators().settings()
    }

    /// The k-filter of each hologram.
    pub fn filters(&self) -> &[KFilter] {
        self.rung.operators().filters()
    }

    /// Rows and columns of a result, as [`cpu::Plan::output_shape`](super::cpu::Plan::output_shape).
    pub fn output_shape(&self) -> (usize, usize) {
        self.rung.operators().output_shape()
    }

    /// Gives hologram `index` another k-filter; it stays as it was after an error of the filter.
    #[inline(never)]
    pub fn set_filter(&mut self, stream: &mut Stream, index: usize, filter: KFilter) -> Result<(), Error> {
        self.rung.set_filter(stream, index, filter)
    }

    /// Holograms `[n][y][x]` to the pressure on the other plane, and to the normal velocity there if asked for.
    #[inline(never)]
    pub fn execute(
        &mut self,
        stream: &mut Stream,
        holograms: &[Complex<T>],
        pressure: &mut [Complex<T>],
        velocity: Option<&mut [Complex<T>]>,
    ) -> Result<(), Error> {
        let grid = self.settings().grid;
        check_length("holograms", holograms.len(), self.holograms.len())?;
        for (index, hologram) in holograms.chunks_exact(grid.aperture.len()).enumerate() {
            lpbp::scale(hologram).map_err(|at| Error::at(index, at, grid.aperture.cols))?;
        }
        let results = self.fields.len() / self.rung.operators().fields();
        check_length("result", pressure.len(), results)?;
        if let Some(velocity) = &velocity {
            check_length("result", velocity.len(), results)?;
            if !self.settings().velocity {
                return Err(Error::NoVelocity);
            }
        }
        stream.upload(holograms, &mut self.holograms)?;
        self.rung.execute(stream, &self.holograms, &mut self.fields)?;
        stream.download_front(&self.fields, pressure)?;
        Ok(velocity.map_or(Ok(()), |velocity| stream.download_at(&self.fields, results, velocity))?)
    }

    /// The same from device memory to device memory, `[n][y][x]` to `[field][n][y][x]`, queued and not waited for: pressure,
    /// then normal velocity if the settings ask for it.
    ///
    /// A hologram with a value that is not finite gives fields that are all NaN, and disturbs no other.
    #[inline(never)]
    pub fn execute_device(
        &mut self,
        stream: &mut Stream,
        holograms: &Buffer<Complex<T>>,
        fields: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        check_length("holograms", holograms.len(), self.holograms.len())?;
        check_length("fields", fields.len(), self.fields.len())?;
        self.rung.execute(stream, holograms, fields)
    }
}
