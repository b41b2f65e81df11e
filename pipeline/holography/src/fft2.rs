//! Two-dimensional DFT in place, `f64`, for estimates that are made now and then; the hot path is `cpu.rs`.

use num_complex::Complex;
use numerics::real::Real;
use rustfft::Fft;
use std::sync::Arc;

/// Forward and inverse transforms of `rows` x `cols`.
pub(super) struct Fft2 {
    rows: usize,
    cols: usize,
    /// Of rows and of columns; forward and inverse.
    transforms: Vec<[Arc<dyn Fft<f64>>; 2]>,
}

impl Fft2 {
    pub(super) fn new(rows: usize, cols: usize) -> Self {
        Self { rows, cols, transforms: f64::transforms(&[cols, rows]) }
    }

    /// sum x exp(-j ..), no scale.
    pub(super) fn forward(&self, grid: &mut Vec<Complex<f64>>) {
        self.run(0, grid);
    }

    /// The inverse: divides by the number of points.
    pub(super) fn inverse(&self, grid: &mut Vec<Complex<f64>>) {
        self.run(1, grid);
        let scale = 1.0 / grid.len() as f64;
        grid.iter_mut().for_each(|x| *x *= scale);
    }

    fn run(&self, direction: usize, grid: &mut Vec<Complex<f64>>) {
        self.transforms[0][direction].process(grid);
        let mut turned = transposed(grid, self.cols);
        self.transforms[1][direction].process(&mut turned);
        *grid = transposed(&turned, self.rows);
    }
}

/// An array with rows of `cols` values, column by column.
pub(super) fn transposed<T: Copy>(array: &[T], cols: usize) -> Vec<T> {
    (0..cols).flat_map(|x| array.iter().skip(x).step_by(cols).copied()).collect()
}
