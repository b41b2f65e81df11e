//! `cuda/dense.cu`: norms, and numbers of other sizes.

use crate::error::{Error, same, size32};
use crate::kernel::{Argument, Geometry, Module, unused, value};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Program, Signature};
use crate::stream::Stream;
use num_complex::Complex;

type C = Complex<f64>;

/// The source.
pub const PROGRAM: Program = Program {
    name: "dense",
    source: include_str!("../../cuda/dense.cu"),
    kernels: &[&GREATEST, &COLUMN_SUMS, &ROW_SUMS, &ADD_CHUNKS, &ORDER, &NARROW, &ADD],
    samples: &[&[]],
};

const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "dense", name, hot: true, capability: 80, parameters }
}

const ROWS: Parameter = Value("rows", size_of::<u32>());
const GREATEST: Signature = signature("dense_greatest", &[Input("matrix"), Output("greatest"), ROWS]);
const COLUMN_SUMS: Signature =
    signature("dense_column_sums", &[Input("matrix"), Input("weights"), Output("sums"), ROWS]);
const ROW_SUMS: Signature =
    signature("dense_row_sums", &[Input("matrix"), Output("sums"), ROWS, Value("columns", size_of::<u32>())]);
const ADD_CHUNKS: Signature =
    signature("dense_add_chunks", &[Output("sums"), ROWS, Value("chunks", size_of::<u32>())]);
const ORDER: Signature = signature(
    "dense_order",
    &[
        Input("from"),
        Output("to"),
        Input("order"),
        ROWS,
        Value("words", size_of::<u32>()),
        Value("back", size_of::<u32>()),
    ],
);
const NARROW: Signature =
    signature("dense_narrow", &[Input("matrix"), Input("scales"), Output("narrow"), ROWS]);
const ADD: Signature = signature("dense_add", &[Input("narrow"), Input("scales"), Output("matrix"), ROWS]);

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

    fn launch(
        &self,
        stream: &mut Stream,
        signature: &'static Signature,
        grid: [usize; 2],
        arguments: &[Argument<'_>],
    ) -> Result<(), Error> {
        let grid = [size32("blocks", grid[0])?, size32("blocks", grid[1])?, 1];
        let geometry = Geometry { grid, threads: THREADS as u32, shared: 0 };
        self.module.prepare(signature, geometry)?.launch(stream, arguments)
    }

    /// Greatest magnitude of every column.
    pub fn greatest(&self, stream: &mut Stream, matrix: &Buffer<C>) -> Result<Buffer<f64>, Error> {
        let columns = self.columns("matrix", matrix.len())?;
        let mut greatest = Buffer::poisoned(stream, "norms", columns)?;
        let rows = size32("rows", self.rows)?;
        self.launch(stream, &GREATEST, [columns, 1], &[matrix.input(), greatest.output(), value(&rows)])?;
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
        let arguments = [matrix.input(), weights.input(), sums.output(), value(&rows)];
        self.launch(stream, &COLUMN_SUMS, [columns, 1], &arguments)?;
        let mut found = vec![f64::NAN; columns];
        stream.download(&sums, &mut found)?;
        Ok(found)
    }

    /// Sums of magnitudes of every row.
    pub fn row_sums(&self, stream: &mut Stream, matrix: &Buffer<C>) -> Result<Vec<f64>, Error> {
        let columns = self.columns("matrix", matrix.len())?;
        let chunks = columns.div_ceil(CHUNK);
        let mut sums = Buffer::poisoned(stream, "sums", chunks * self.rows)?;
        let (rows, across) = (size32("rows", self.rows)?, size32("columns", columns)?);
        let arguments = [matrix.input(), sums.output(), value(&rows), value(&across)];
        self.launch(stream, &ROW_SUMS, [self.rows.div_ceil(THREADS), chunks], &arguments)?;
        let count = size32("chunks", chunks)?;
        let arguments = [sums.output(), value(&rows), value(&count)];
        self.launch(stream, &ADD_CHUNKS, [self.rows.div_ceil(THREADS), 1], &arguments)?;
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
        let told = [value(&rows), value(&words), value(&back)];
        let mut arguments = vec![from.input(), to.output(), order.input()];
        arguments.extend(told);
        self.launch(stream, &ORDER, [columns, self.rows.div_ceil(THREADS)], &arguments)
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
        let scales = match scales {
            Some(scales) => scales.input(),
            None => unused(),
        };
        let arguments = [matrix.input(), scales, narrow.output(), value(&rows)];
        self.launch(stream, &NARROW, [columns, self.rows.div_ceil(THREADS)], &arguments)
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
        let arguments = [narrow.input(), scales.input(), matrix.output(), value(&rows)];
        self.launch(stream, &ADD, [columns, self.rows.div_ceil(THREADS)], &arguments)
    }
}
