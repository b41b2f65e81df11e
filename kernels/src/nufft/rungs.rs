//! `cuda/nufft_rungs.cu`: the readable rungs, as the paper has them: a thread for each point, and a block for each.

use super::constants::SAMPLES;
use super::points::Points;
use super::transform::Nufft;
use crate::calls::{self, sources};
use crate::error::{Error, same};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::Program;
use crate::stream::Stream;
use num_complex::Complex;

/// The source.
pub const RUNGS: Program = Program { samples: SAMPLES, ..sources::NUFFT_RUNGS };

/// Threads of a block, as in the source.
const THREADS: usize = 128;

/// The rungs for a number of points.
#[derive(Debug)]
pub struct Rungs {
    by_points: Kernel,
    nested: Kernel,
    interpolate: Kernel,
}

impl Rungs {
    /// Compiles and prepares them.
    pub fn new<T: Float>(stream: &Stream, nufft: &Nufft<T>, points: &Points<T>) -> Result<Self, Error> {
        let module = Module::load(stream.device(), &RUNGS, &nufft.constants.defines())?;
        let prepare = |signature, blocks: usize| {
            module.prepare(signature, Geometry::new([blocks.max(1), 1, 1], THREADS, 0)?)
        };
        let each = points.len().div_ceil(THREADS);
        Ok(Self {
            by_points: prepare(&calls::SPREAD_BY_POINTS, each)?,
            nested: prepare(&calls::SPREAD_NESTED, points.len())?,
            interpolate: prepare(&calls::INTERPOLATE_BY_POINTS, each)?,
        })
    }

    /// Spreads by atomic additions, a block for each point if `nested`, else a thread.
    pub fn spread<T: Float>(
        &self,
        stream: &mut Stream,
        nufft: &Nufft<T>,
        points: &Points<T>,
        strengths: &Buffer<Complex<T>>,
        nested: bool,
        grid: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        same("strengths", strengths.len(), points.len())?;
        same("fine grid", grid.len(), nufft.fine)?;
        stream.fill(grid, 0)?;
        let g = points.grid(nufft.grid, 0)?;
        let kernel = if nested { &self.nested } else { &self.by_points };
        // Both have the same parameters.
        let call = calls::spread_by_points(points.sorted().0, strengths, &nufft.polynomials, grid, &g);
        kernel.launch(stream, call)
    }

    /// Interpolates, a thread for each point.
    pub fn interpolate<T: Float>(
        &self,
        stream: &mut Stream,
        nufft: &Nufft<T>,
        points: &Points<T>,
        grid: &Buffer<Complex<T>>,
        values: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        same("values at points", values.len(), points.len())?;
        same("fine grid", grid.len(), nufft.fine)?;
        let g = points.grid(nufft.grid, 0)?;
        let call = calls::interpolate_by_points(points.sorted().0, grid, &nufft.polynomials, values, &g);
        self.interpolate.launch(stream, call)
    }
}
