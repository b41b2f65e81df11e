//! `cuda/dense.cu`: norms, and numbers of other sizes.

use crate::call::Call;
use crate::calls;
use crate::error::{Error, same, size32};
use crate::kernel::{Geometry, Module};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;
use num_complex::Complex;

type C = Complex<f64>;

/// As in the source.
const THREADS: usize = 256;
const CHUNK: usize = 256;

/// Kernels on matrices of so many rows.
#[derive(Debug)]
pub struct Norms {
    module: Module,
    rows: usize,
}

impl Norms {
    pub(super) fn new(module: &Module, rows: usize) -> Self {
        Self { module: module.clone(), rows }
    }

    fn columns(&self, what: &'static str, values: usize) -> Result<usize, Error> {
        let columns = values / self.rows;
        same(what, values, columns * self.rows)?;
        Ok(columns)
    }

    fn launch(&self, stream: &mut Stream, [x, y]: [usize; 2], call: Call) -> Result<(), Error> {
        self.module.prepare(call.signature, Geometry::new([x, y, 1], THREADS, 0)?)?.launch(stream, call)
    }

    /// Greatest magnitude of every column.
    pub fn greatest(&self, stream: &mut Stream, matrix: &Buffer<C>) -> Result<Buffer<f64>, Error> {
        let columns = self.columns("matrix", matrix.len())?;
        let mut greatest = Buffer::poisoned(stream, "norms", columns)?;
        let rows = size32("rows", self.rows)?;
        self.launch(stream, [columns, 1], calls::dense_greatest(matrix, &mut greatest, rows))?;
        Ok(greatest)
    }

    /// Sums of magnitudes of every column, weighted row by row.
    pub fn column_sums(
        &self,
        stream: &mut Stream,
        matrix: &Buffer<C>,
        weights: &[f64],
    ) -> Result<Vec<f64>, Error> {
        same("weights", weights.len(), self.rows)?;
        let columns = self.columns("matrix", matrix.len())?;
        let mut sums = Buffer::poisoned(stream, "sums", columns)?;
        let weights = Buffer::from_slice(stream, "weights", weights)?;
        let rows = size32("rows", self.rows)?;
        let call = calls::dense_column_sums(matrix, &weights, &mut sums, rows);
        self.launch(stream, [columns, 1], call)?;
        stream.values(&sums)
    }

    /// Sums of magnitudes of every row.
    pub fn row_sums(&self, stream: &mut Stream, matrix: &Buffer<C>) -> Result<Vec<f64>, Error> {
        let columns = self.columns("matrix", matrix.len())?;
        let chunks = columns.div_ceil(CHUNK);
        let mut sums = Buffer::poisoned(stream, "sums", chunks * self.rows)?;
        let (rows, across) = (size32("rows", self.rows)?, size32("columns", columns)?);
        let call = calls::dense_row_sums(matrix, &mut sums, rows, across);
        self.launch(stream, [self.rows.div_ceil(THREADS), chunks], call)?;
        let call = calls::dense_add_chunks(&mut sums, rows, size32("chunks", chunks)?);
        self.launch(stream, [self.rows.div_ceil(THREADS), 1], call)?;
        let mut found = vec![f64::NAN; self.rows];
        stream.download_front(&sums, &mut found)?;
        Ok(found)
    }

    /// Rows in another order: row i is that of `order[i]`, or, if `back`, becomes it.
    pub fn order<T: Float>(
        &self,
        stream: &mut Stream,
        from: &Buffer<Complex<T>>,
        to: &mut Buffer<Complex<T>>,
        order: &Buffer<u32>,
        back: bool,
    ) -> Result<(), Error> {
        let columns = self.columns("matrix", from.len())?;
        same("matrix", to.len(), from.len())?;
        same("order of rows", order.len(), self.rows)?;
        let (rows, back) = (size32("rows", self.rows)?, u32::from(back));
        let words = size32("words", size_of::<Complex<T>>() / size_of::<u64>())?;
        let call = calls::dense_order(from.untyped(), to.untyped(), order, rows, words, back);
        self.launch(stream, [columns, self.rows.div_ceil(THREADS)], call)
    }

    /// The columns over their scales, where there are some, in 32 bits.
    pub fn narrow(
        &self,
        stream: &mut Stream,
        matrix: &Buffer<C>,
        scales: Option<&Buffer<f64>>,
        narrow: &mut Buffer<Complex<f32>>,
    ) -> Result<(), Error> {
        let columns = self.columns("matrix", matrix.len())?;
        same("32-bit matrix", narrow.len(), matrix.len())?;
        same("scales", scales.map_or(columns, Buffer::len), columns)?;
        let rows = size32("rows", self.rows)?;
        let call = calls::dense_narrow(matrix, scales, narrow, rows);
        self.launch(stream, [columns, self.rows.div_ceil(THREADS)], call)
    }

    /// Adds 32-bit columns times their scales.
    pub fn add(
        &self,
        stream: &mut Stream,
        narrow: &Buffer<Complex<f32>>,
        scales: &Buffer<f64>,
        matrix: &mut Buffer<C>,
    ) -> Result<(), Error> {
        let columns = self.columns("matrix", matrix.len())?;
        same("32-bit matrix", narrow.len(), matrix.len())?;
        same("scales", scales.len(), columns)?;
        let rows = size32("rows", self.rows)?;
        let call = calls::dense_add(narrow, scales, matrix, rows);
        self.launch(stream, [columns, self.rows.div_ceil(THREADS)], call)
    }
}
