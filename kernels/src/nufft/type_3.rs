//! `cuda/nufft_type3.cu`: the phases of type 3.

use super::constants::SAMPLES;
use super::transform::Nufft;
use crate::calls::{self, sources};
use crate::error::{Error, at_least, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::Program;
use crate::stream::Stream;
use num_complex::Complex;

/// The source.
pub const TYPE_3: Program = Program { samples: SAMPLES, ..sources::NUFFT_TYPE3 };

/// Threads of a block, as in the source, and blocks of a multiprocessor.
const THREADS: usize = 256;
const BLOCKS: usize = 8;

/// Factors of as many values, and the launches that multiply by them.
#[derive(Debug)]
pub struct Phases<T> {
    phases: Buffer<Complex<T>>,
    turn: Kernel,
    turn_in_place: Kernel,
}

impl<T: Float> Phases<T> {
    /// With the constants of `nufft`, whose module is compiled anyway.
    pub fn new(stream: &mut Stream, nufft: &Nufft<T>, phases: &[Complex<T>]) -> Result<Self, Error> {
        let module = Module::load(stream.device(), &TYPE_3, &nufft.constants.defines())?;
        let most = BLOCKS * stream.device().properties().multiprocessors;
        let blocks = phases.len().div_ceil(THREADS).clamp(1, most);
        let geometry = Geometry::new([blocks, 1, 1], THREADS, 0)?;
        Ok(Self {
            phases: Buffer::from_slice(stream, "phases of a NUFFT", phases)?,
            turn: module.prepare(&calls::TURN, geometry)?,
            turn_in_place: module.prepare(&calls::TURN_IN_PLACE, geometry)?,
        })
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.phases.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.phases.is_empty()
    }

    /// Right-hand side `batch` of `from`, times the factors or what is conjugate to them.
    pub fn turn(
        &self,
        stream: &mut Stream,
        from: &Buffer<Complex<T>>,
        batch: usize,
        conjugated: bool,
        to: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        let (count, batch, conjugated) = self.checked(from.len(), batch, conjugated)?;
        at_least("turned values", to.len(), self.len())?;
        self.turn.launch(stream, calls::turn(from, &self.phases, to, count, batch, conjugated))
    }

    /// The same where it is.
    pub fn turn_in_place(
        &self,
        stream: &mut Stream,
        values: &mut Buffer<Complex<T>>,
        batch: usize,
        conjugated: bool,
    ) -> Result<(), Error> {
        let (count, batch, conjugated) = self.checked(values.len(), batch, conjugated)?;
        let call = calls::turn_in_place(values, &self.phases, count, batch, conjugated);
        self.turn_in_place.launch(stream, call)
    }

    fn checked(&self, values: usize, batch: usize, conjugated: bool) -> Result<(u32, u32, u32), Error> {
        at_least("values of right-hand sides", values, (batch + 1).saturating_mul(self.len()))?;
        Ok((size32("values", self.len())?, size32("right-hand side", batch)?, u32::from(conjugated)))
    }
}
