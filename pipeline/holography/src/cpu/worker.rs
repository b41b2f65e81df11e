//! What threads work with.

use super::super::lpbp::{Extender, Extent, LANES, Lines, Weights};
use super::super::{Error, Settings};
use num_complex::Complex;
use numerics::real::Real;
use rustfft::Fft;
use std::sync::Arc;

/// FFTs along rows and columns, and back.
pub struct Transforms<T> {
    pub rows: Arc<dyn Fft<T>>,
    pub cols: Arc<dyn Fft<T>>,
    pub rows_back: Arc<dyn Fft<T>>,
    pub cols_back: Arc<dyn Fft<T>>,
}

/// What one thread needs for itself.
pub struct Worker<T> {
    /// Of rows and of columns, if padding predicts.
    extenders: Option<[Extender<T>; 2]>,
    /// Sixteen lines of the finest transform.
    pub lines: Vec<Complex<T>>,
    pub scratch: Vec<Complex<T>>,
}

impl<T: Real> Transforms<T> {
    pub fn new(settings: &Settings) -> Self {
        let (grid, u) = (&settings.grid, settings.refinement);
        let lengths = [grid.cols, grid.rows, grid.cols * u, grid.rows * u];
        let planned = T::transforms(&lengths);
        let of = |length: usize, inverse: bool| planned[length][usize::from(inverse)].clone();
        Self { rows: of(0, false), cols: of(1, false), rows_back: of(2, true), cols_back: of(3, true) }
    }

    fn scratch(&self) -> usize {
        let all = [&self.rows, &self.cols, &self.rows_back, &self.cols_back];
        all.iter().map(|fft| fft.get_inplace_scratch_len()).max().unwrap_or(0)
    }
}

impl<T: Real> Worker<T> {
    pub fn new(settings: &Settings, transforms: &Transforms<T>) -> Result<Self, Error> {
        let (row, col) = Extent::of(&settings.grid);
        let both = |order| Ok::<_, Error>([Extender::new(row, order)?, Extender::new(col, order)?]);
        let extenders = settings.padding.order().map(both).transpose()?;
        let longest = row.total.max(col.total) * settings.refinement;
        let zeros = |n: usize| vec![Complex::default(); n];
        Ok(Self { extenders, lines: zeros(LANES * longest), scratch: zeros(transforms.scratch()) })
    }

    /// Extends rows, if padding predicts.
    pub fn extend_rows(&mut self, lines: Lines<'_, T>, weights: Weights<'_, T>, out: &mut [Complex<T>]) {
        if let Some([rows, _]) = &mut self.extenders {
            rows.extend(lines, weights, out);
        }
    }

    /// The same for columns.
    pub fn extend_cols(&mut self, lines: Lines<'_, T>, weights: Weights<'_, T>, out: &mut [Complex<T>]) {
        if let Some([_, cols]) = &mut self.extenders {
            cols.extend(lines, weights, out);
        }
    }
}
