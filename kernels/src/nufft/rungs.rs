//! `cuda/nufft_rungs.cu`: the readable rungs, as the paper has them: a thread for each point, and a block for each.

use super::constants::SAMPLES;
use super::points::Points;
use super::program::GRID;
use super::transform::Nufft;
use crate::error::{Error, same, size32};
use crate::kernel::{Geometry, Kernel, Module, value};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::Parameter::{Input, Output};
use crate::program::{Parameter, Program, Signature};
use crate::stream::Stream;
use num_complex::Complex;

/// The source.
pub const RUNGS: Program = Program {
    name: "nufft_rungs",
    source: include_str!("../../cuda/nufft_rungs.cu"),
    kernels: &[&SPREAD_BY_POINTS, &SPREAD_NESTED, &INTERPOLATE_BY_POINTS],
    samples: SAMPLES,
};

const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "nufft_rungs", name, hot: false, capability: 80, parameters }
}

const SPREADING: &[Parameter] =
    &[Input("points"), Input("strengths"), Input("polynomials"), Output("grid"), GRID];
const SPREAD_BY_POINTS: Signature = signature("spread_by_points", SPREADING);
const SPREAD_NESTED: Signature = signature("spread_nested", SPREADING);
const INTERPOLATE_BY_POINTS: Signature = signature(
    "interpolate_by_points",
    &[Input("points"), Input("grid"), Input("polynomials"), Output("values"), GRID],
);

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
            let grid = [size32("blocks", blocks.max(1))?, 1, 1];
            module.prepare(signature, Geometry { grid, threads: size32("threads", THREADS)?, shared: 0 })
        };
        let each = points.len().div_ceil(THREADS);
        Ok(Self {
            by_points: prepare(&SPREAD_BY_POINTS, each)?,
            nested: prepare(&SPREAD_NESTED, points.len())?,
            interpolate: prepare(&INTERPOLATE_BY_POINTS, each)?,
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
        let [sorted, _] = points.sorted();
        let arguments = [sorted, strengths.input(), nufft.polynomials.input(), grid.output(), value(&g)];
        let kernel = if nested { &self.nested } else { &self.by_points };
        kernel.launch(stream, &arguments)
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
        let [sorted, _] = points.sorted();
        let arguments = [sorted, grid.input(), nufft.polynomials.input(), values.output(), value(&g)];
        self.interpolate.launch(stream, &arguments)
    }
}
