//! All stages in one kernel (`kernels/cuda/hologram.cu`): a cluster of blocks for each hologram, whose shared memories hold
//! everything in between.
//!
//! In `f32`, for zeros or LPBP around at most 32 x 32 microphones, without refinement, on grids that are products of two
//! short transforms, on cards with clusters; [`Staged`](super::Staged) has no such limits.

use super::super::design::KFilter;
use super::super::{Error, Padding, Settings};
use super::rung::Rung;
use super::tables::{Operators, twiddles, windows};
use kernels::abi::State;
use kernels::hologram::{Hologram, Shape, Tables};
use kernels::{Buffer, Device, Stream};
use num_complex::Complex;

/// The kernel with its tables.
#[derive(Debug)]
pub struct Fused {
    operators: Operators<f32>,
    kernel: Hologram,
    tables: Tables,
    state: Buffer<State>,
}

/// The kernel's shape, if there is one for these settings on `device`.
pub fn shape(settings: &Settings, device: &Device) -> Option<Shape> {
    let order = match settings.padding {
        Padding::Zero => 0,
        Padding::Lpbp { order } => order,
        Padding::Plpbp { .. } => return None,
    };
    let grid = &settings.grid;
    let shape = Shape {
        rows: grid.aperture.rows,
        cols: grid.aperture.cols,
        grid_rows: grid.rows,
        grid_cols: grid.cols,
        order,
        fields: if settings.velocity { 2 } else { 1 },
    };
    (settings.refinement == 1 && shape.fits(device)).then_some(shape)
}

/// The kernel's tables.
pub fn tables(stream: &mut Stream, operators: &mut Operators<f32>) -> Result<Tables, Error> {
    Ok(Tables {
        operators: operators.upload(stream)?,
        windows: windows(stream, &operators.settings().grid)?,
        twiddles: twiddles(stream, operators.settings())?,
    })
}

impl Fused {
    /// For `shape`, which is that of the operators' settings.
    pub fn new(stream: &mut Stream, shape: Shape, mut operators: Operators<f32>) -> Result<Self, Error> {
        let device = stream.device().clone();
        Ok(Self {
            kernel: Hologram::new(&device, shape, operators.count())?,
            tables: tables(stream, &mut operators)?,
            state: Buffer::zeros(stream, "state", 1)?,
            operators,
        })
    }
}

impl Rung<f32> for Fused {
    fn operators(&self) -> &Operators<f32> {
        &self.operators
    }

    fn is_fused(&self) -> bool {
        true
    }

    fn set_filter(&mut self, stream: &mut Stream, index: usize, filter: KFilter) -> Result<(), Error> {
        self.operators.set_filter(stream, index, filter, &mut self.tables.operators)
    }

    fn execute(
        &mut self,
        stream: &mut Stream,
        holograms: &Buffer<Complex<f32>>,
        fields: &mut Buffer<Complex<f32>>,
    ) -> Result<(), Error> {
        Ok(self.kernel.run(stream, holograms, &self.tables, fields, &mut self.state)?)
    }
}
