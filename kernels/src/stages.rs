//! `cuda/stages.cu`: holography stage by stage, any size, `f32` or `f64`; the readable rung of
//! [`hologram`](crate::hologram).
//!
//! | type | kernels |
//! |---|---|
//! | [`OnGrid`] | `pad_scale`, `pad_zero`, `pad_average`, `pad_window`, `propagate_multiply` |
//! | [`Extend`] | `pad_extend` |
//! | [`Dft`] | `transform`, `propagate_inverse` |

mod compiled;
mod dft;
mod extend;
mod strides;

use crate::abi::stages as abi;
use crate::calls;
use crate::error::{Error, at_least, same, size32};
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;
use compiled::THREADS;
pub use compiled::{PROGRAM, Stages};
pub use dft::{Dft, Direction, Transform};
pub use extend::{Extend, Lines};
use num_complex::Complex;
use std::marker::PhantomData;
pub use strides::Strides;

/// What [`OnGrid::scale`] writes for a hologram without a value that is not finite.
pub const ALL_FINITE: u32 = u32::MAX;

/// Sizes of a batch of holograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Holograms.
    pub count: usize,
    /// Microphones down a column.
    pub rows: usize,
    /// Microphones along a row.
    pub cols: usize,
    /// Rows of the padded grid.
    pub grid_rows: usize,
    /// Columns of the padded grid.
    pub grid_cols: usize,
}

impl Shape {
    fn abi(&self) -> Result<abi::Shape, Error> {
        let Self { count, rows, cols, grid_rows, grid_cols } = *self;
        for (what, grid, measured) in
            [("rows of the grid", grid_rows, rows), ("columns of the grid", grid_cols, cols)]
        {
            at_least(what, grid, measured)?;
        }
        size32("points of the grid", grid_rows.saturating_mul(grid_cols))?;
        Ok(abi::Shape {
            count: size32("holograms", count)?,
            rows: size32("rows", rows)?,
            cols: size32("columns", cols)?,
            grid_rows: size32("rows of the grid", grid_rows)?,
            grid_cols: size32("columns of the grid", grid_cols)?,
        })
    }

    /// Values of all holograms.
    fn measured(&self) -> usize {
        self.count * self.rows * self.cols
    }

    /// Values of all padded fields.
    fn padded(&self) -> usize {
        self.count * self.grid_rows * self.grid_cols
    }

    /// Values of one table of operators for all holograms.
    fn table(&self) -> usize {
        self.count * (self.grid_rows / 2 + 1) * self.grid_cols
    }
}

/// The kernels that work on every point for itself.
#[derive(Debug)]
pub struct OnGrid<T> {
    scale: Kernel,
    zero: Kernel,
    average: Kernel,
    window: Kernel,
    multiply: Kernel,
    shape: Shape,
    abi: abi::Shape,
    number: PhantomData<T>,
}

impl<T: Float> OnGrid<T> {
    /// Prepared for `shape`.
    pub fn new(stages: &Stages<T>, shape: Shape) -> Result<Self, Error> {
        let abi = shape.abi()?;
        let points = (shape.grid_rows * shape.grid_cols).checked_mul(shape.count);
        let each = |signature| stages.prepare(signature, points);
        Ok(Self {
            // One block for each hologram.
            scale: stages.prepare(&calls::PAD_SCALE, shape.count.checked_mul(THREADS))?,
            zero: each(&calls::PAD_ZERO)?,
            average: each(&calls::PAD_AVERAGE)?,
            window: each(&calls::PAD_WINDOW)?,
            multiply: each(&calls::PROPAGATE_MULTIPLY)?,
            shape,
            abi,
            number: PhantomData,
        })
    }

    /// Holograms `[n][y][x]` to the power of two that brings each into [1, 2), the holograms times it, and the index
    /// of each one's first value that is not finite, or [`ALL_FINITE`]. With such a value the scale is NaN.
    pub fn scale(
        &self,
        stream: &mut Stream,
        holograms: &Buffer<Complex<T>>,
        scales: &mut Buffer<T>,
        not_finite: &mut Buffer<u32>,
        scaled: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        let Shape { count, .. } = self.shape;
        same("holograms", holograms.len(), self.shape.measured())?;
        same("scales", scales.len(), count)?;
        same("not_finite", not_finite.len(), count)?;
        same("scaled", scaled.len(), self.shape.measured())?;
        self.scale.launch(stream, calls::pad_scale(holograms, scales, not_finite, scaled, &self.abi))
    }

    /// Holograms `[n][y][x]` between zeros, to fields `[n][x][y]`.
    pub fn zero(
        &self,
        stream: &mut Stream,
        holograms: &Buffer<Complex<T>>,
        field: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        same("holograms", holograms.len(), self.shape.measured())?;
        same("field", field.len(), self.shape.padded())?;
        self.zero.launch(stream, calls::pad_zero(holograms, field, &self.abi))
    }

    /// The mean of `field` and `other`, into `field`.
    pub fn average(
        &self,
        stream: &mut Stream,
        other: &Buffer<Complex<T>>,
        field: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        same("other", other.len(), self.shape.padded())?;
        same("field", field.len(), self.shape.padded())?;
        self.average.launch(stream, calls::pad_average(other, field, &self.abi))
    }

    /// Fields `[n][x][y]` times weights along y, times weights along x (`windows` has both, in this order), divided by
    /// the hologram's scale.
    pub fn window(
        &self,
        stream: &mut Stream,
        scales: &Buffer<T>,
        windows: &Buffer<T>,
        field: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        same("scales", scales.len(), self.shape.count)?;
        same("windows", windows.len(), self.shape.grid_rows + self.shape.grid_cols)?;
        same("field", field.len(), self.shape.padded())?;
        self.window.launch(stream, calls::pad_window(scales, windows, field, &self.abi))
    }

    /// Spectra `[n][ky][kx]` times table number `field` of `operators`, `[field][n][ky = 0..=grid_rows/2][kx]`.
    pub fn multiply(
        &self,
        stream: &mut Stream,
        spectrum: &Buffer<Complex<T>>,
        (operators, field): (&Buffer<Complex<T>>, u32),
        product: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        let tables = operators.len() / self.shape.table().max(1);
        if usize::try_from(field).is_ok_and(|field| field >= tables)
            || !operators.len().is_multiple_of(self.shape.table())
        {
            let problem =
                format!("{} values have no whole table {field} of {}", operators.len(), self.shape.table());
            let (module, kernel) = (PROGRAM.name, calls::PROPAGATE_MULTIPLY.name);
            return Err(Error::Argument { module, kernel, argument: "operators".into(), problem });
        }
        same("spectrum", spectrum.len(), self.shape.padded())?;
        same("product", product.len(), self.shape.padded())?;
        self.multiply
            .launch(stream, calls::propagate_multiply(spectrum, operators, product, &self.abi, field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_that_make_no_sense_are_refused() {
        let good = Shape { count: 2, rows: 5, cols: 7, grid_rows: 15, grid_cols: 21 };
        assert!(good.abi().is_ok());
        let small = Shape { grid_cols: 6, ..good };
        assert_eq!(small.abi(), Err(Error::Length { what: "columns of the grid", given: 6, needed: 7 }));
        let large = Shape { grid_rows: 1 << 31, ..good };
        assert!(matches!(large.abi(), Err(Error::Size { what: "points of the grid", .. })));
    }
}
