//! `cuda/nufft_direct.cu`: the sums by definition, as products of matrices, in double precision.

use crate::abi::NufftGrid;
use crate::call::Call;
use crate::calls;
use crate::error::{Error, same, size32};
use crate::kernel::{Geometry, Module};
use crate::memory::Buffer;
use crate::stream::Stream;
use num_complex::Complex;

pub use crate::calls::sources::NUFFT_DIRECT as DIRECT;

/// Threads of a block and its results along a side, as in the source.
const THREADS: usize = 256;
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
        let [x, y, z] = self.axes();
        launch(stream, [across, down], calls::direct_modes(x, y, z, strengths, modes, &g))
    }

    /// `c_j = sum_k f[k] exp(i s k . x_j)`.
    pub fn values(
        &self,
        stream: &mut Stream,
        modes: &Buffer<Complex<f64>>,
        values: &mut Buffer<Complex<f64>>,
    ) -> Result<(), Error> {
        let g = self.grid(values.len(), modes.len())?;
        let ([x, y, z], across) = (self.axes(), values.len().div_ceil(SIDE));
        launch(stream, [across, 1], calls::direct_values(x, y, z, modes, values, &g))
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
        let one = [1; 3];
        Ok(NufftGrid {
            n: all,
            modes: all,
            bins: one,
            spread: one,
            gather: one,
            points: size32("points", points)?,
            derivative: 3,
            sign: if self.positive { 1 } else { -1 },
            ..NufftGrid::default()
        })
    }

    fn axes(&self) -> [Option<&Buffer<f64>>; 3] {
        std::array::from_fn(|axis| self.points.get(axis).copied())
    }
}

/// Without points or values there is no work, but for zeros.
fn launch(stream: &mut Stream, [across, down]: [usize; 2], call: Call) -> Result<(), Error> {
    let module = Module::load(stream.device(), &DIRECT, &[])?;
    let geometry = Geometry::new([across.max(1), down.max(1), 1], THREADS, 0)?;
    module.prepare(call.signature, geometry)?.launch(stream, call)
}
