//! `cuda/nufft_direct.cu`: the sums by definition, as products of matrices, in double precision.

use super::program::GRID;
use crate::abi::NufftGrid;
use crate::error::{Error, same, size32};
use crate::kernel::{Argument, Geometry, Module, unused, value};
use crate::memory::Buffer;
use crate::program::Parameter::{Input, Output};
use crate::program::{Program, Signature};
use crate::stream::Stream;
use num_complex::Complex;

/// The source.
pub const DIRECT: Program = Program {
    name: "nufft_direct",
    source: include_str!("../../cuda/nufft_direct.cu"),
    kernels: &[&DIRECT_MODES, &DIRECT_VALUES],
    samples: &[&[]],
};

const DIRECT_MODES: Signature = Signature {
    module: "nufft_direct",
    name: "direct_modes",
    hot: true,
    capability: 80,
    parameters: &[Input("x"), Input("y"), Input("z"), Input("strengths"), Output("modes"), GRID],
};
const DIRECT_VALUES: Signature = Signature {
    name: "direct_values",
    parameters: &[Input("x"), Input("y"), Input("z"), Input("modes"), Output("values"), GRID],
    ..DIRECT_MODES
};

/// Threads of a block and its results along a side, as in the source.
const THREADS: u32 = 256;
const SIDE: usize = 64;

/// Points, radians, and the modes along x, y and z, with the sign of the exponent.
#[derive(Debug)]
pub struct Direct<'a> {
    /// One to three arrays, x first.
    pub points: &'a [&'a Buffer<f64>],
    /// As many numbers.
    pub modes: &'a [usize],
    /// Whether s is +1.
    pub positive: bool,
}

impl Direct<'_> {
    /// `f[k] = sum_j c_j exp(i s k . x_j)`.
    pub fn modes(
        &self,
        stream: &mut Stream,
        strengths: &Buffer<Complex<f64>>,
        modes: &mut Buffer<Complex<f64>>,
    ) -> Result<(), Error> {
        let g = self.grid(strengths.len(), modes.len())?;
        let across = self.modes[0].div_ceil(SIDE);
        let down = (g.modes[1] as usize * g.modes[2] as usize).div_ceil(SIDE);
        let grid = [size32("modes", across)?, size32("rows of modes", down)?, 1];
        self.launch(stream, &DIRECT_MODES, grid, strengths.input(), modes.output(), &g)
    }

    /// `c_j = sum_k f[k] exp(i s k . x_j)`.
    pub fn values(
        &self,
        stream: &mut Stream,
        modes: &Buffer<Complex<f64>>,
        values: &mut Buffer<Complex<f64>>,
    ) -> Result<(), Error> {
        let g = self.grid(values.len(), modes.len())?;
        let grid = [size32("points", values.len().div_ceil(SIDE))?, 1, 1];
        self.launch(stream, &DIRECT_VALUES, grid, modes.input(), values.output(), &g)
    }

    fn grid(&self, points: usize, modes: usize) -> Result<NufftGrid, Error> {
        // One to three of each.
        same("axes", self.points.len(), self.modes.len().clamp(1, 3))?;
        same("axes", self.modes.len(), self.points.len())?;
        for coordinates in self.points {
            same("coordinates", coordinates.len(), points)?;
        }
        same("modes", self.modes.iter().product(), modes)?;
        let mut all = [1; 3];
        for (to, modes) in all.iter_mut().zip(self.modes) {
            *to = size32("modes", *modes)?;
        }
        let sign = if self.positive { 1 } else { -1 };
        let one = [1; 3];
        Ok(NufftGrid {
            n: all,
            modes: all,
            bins: one,
            spread: one,
            gather: one,
            points: size32("points", points)?,
            part: 0,
            listed: 0,
            segment: 0,
            batch: 0,
            derivative: 3,
            sign,
        })
    }

    fn launch(
        &self,
        stream: &mut Stream,
        signature: &'static Signature,
        grid: [u32; 3],
        input: Argument<'_>,
        output: Argument<'_>,
        g: &NufftGrid,
    ) -> Result<(), Error> {
        let module = Module::load(stream.device(), &DIRECT, &[])?;
        // Without points or values there is no work, but for zeros.
        let geometry = Geometry { grid: grid.map(|blocks| blocks.max(1)), threads: THREADS, shared: 0 };
        let kernel = module.prepare(signature, geometry)?;
        let mut axes = [unused(), unused(), unused()];
        for (to, coordinates) in axes.iter_mut().zip(self.points) {
            *to = coordinates.input();
        }
        let [x, y, z] = axes;
        kernel.launch(stream, &[x, y, z, input, output, value(g)])
    }
}
