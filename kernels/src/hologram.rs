//! `cuda/hologram.cu`: a hologram in one kernel, or a batch of them.

use crate::abi::{self, State};
use crate::call::UNUSED;
use crate::calls::{self, sources};
use crate::device::Device;
use crate::error::{Error, lengths, same, size32};
use crate::graph::{Builder, NodeId};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::{Buffer, Mapped};
use crate::program::{Define, Program};
use crate::signal::Signal;
use crate::stream::Stream;
use num_complex::Complex;

/// The source.
pub const PROGRAM: Program =
    Program { samples: &[&CAMERA, &CAMERA_VELOCITY, &SMALL_ZERO], ..sources::HOLOGRAM };

/// Threads of a block, as in the source.
const THREADS: usize = 384;
/// Blocks that share a hologram: the most that every card with clusters has.
const CLUSTER: usize = 8;
/// Lengths of short transforms in `fft.cuh`.
const RADICES: [usize; 6] = [1, 2, 3, 4, 6, 8];

const CAMERA_SHAPE: Shape = Shape { rows: 32, cols: 32, grid_rows: 96, grid_cols: 96, order: 8, fields: 1 };
const CAMERA: [Define; 14] = CAMERA_SHAPE.constants();
const CAMERA_VELOCITY: [Define; 14] = Shape { order: 6, fields: 2, ..CAMERA_SHAPE }.constants();
const SMALL_ZERO: [Define; 14] =
    Shape { rows: 5, cols: 8, grid_rows: 16, grid_cols: 24, order: 0, fields: 1 }.constants();

/// What a kernel is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Microphones down a column.
    pub rows: usize,
    /// Microphones along a row.
    pub cols: usize,
    /// Rows of the padded grid.
    pub grid_rows: usize,
    /// Columns of the padded grid.
    pub grid_cols: usize,
    /// Order of the linear prediction; 0 pads with zeros.
    pub order: usize,
    /// 1: pressure; 2: pressure and normal velocity.
    pub fields: usize,
}

impl Shape {
    /// Most microphones of a line: one for each lane of a warp.
    pub const LONGEST: usize = 32;
    /// Highest order that stays in registers.
    pub const HIGHEST_ORDER: usize = 16;

    /// Whether there is a fused kernel for this shape on `device`.
    pub fn fits(&self, device: &Device) -> bool {
        let lines = self.rows.max(self.cols) <= Self::LONGEST && self.order <= Self::HIGHEST_ORDER;
        let order = self.order < self.rows.min(self.cols);
        let memory = self.shared() <= device.properties().shared_memory;
        device.properties().clusters() && lines && order && memory && self.has_radices()
    }

    fn has_radices(&self) -> bool {
        radices(self.grid_rows)[0] > 0 && radices(self.grid_cols)[0] > 0
    }

    /// Bytes of `struct Shared`; the source refuses to compile if it needs more.
    const fn shared(&self) -> usize {
        let (columns, lines) = (self.grid_cols.div_ceil(CLUSTER), self.grid_rows.div_ceil(CLUSTER));
        let (measured, kept) = (self.rows.div_ceil(CLUSTER), self.cols.div_ceil(CLUSTER));
        let (row, column) = (spread(self.grid_cols), spread(self.grid_rows));
        let lanes = if self.order > 8 { 16 } else { 8 };
        let models = larger(columns, measured).next_multiple_of(32 / lanes);
        let model = 16 * lanes * (larger(self.order, 1) + 3);
        let scratch = larger(scratch(larger(columns, kept), self.grid_rows), scratch(lines, self.grid_cols));
        let field = larger(lines * row, self.rows * self.cols);
        let complex = columns * column
            + lines * row
            + self.fields * (kept * column + field)
            + self.grid_rows
            + self.grid_cols;
        let arrivals = 8 * (2 + 2 * self.fields);
        let bytes = larger(models * model, 8 * scratch) + 8 * complex + 4 * (self.grid_rows + self.grid_cols);
        (bytes + arrivals + 8 + 256).next_multiple_of(16)
    }

    /// The source's constants.
    const fn constants(&self) -> [Define; 14] {
        let (y, x) = (radices(self.grid_rows), radices(self.grid_cols));
        [
            ("ROWS", self.rows as i64),
            ("COLS", self.cols as i64),
            ("GRID_ROWS", self.grid_rows as i64),
            ("GRID_COLS", self.grid_cols as i64),
            ("ROWS_A", y[0] as i64),
            ("ROWS_B", y[1] as i64),
            ("ROWS_C", y[2] as i64),
            ("COLS_A", x[0] as i64),
            ("COLS_B", x[1] as i64),
            ("COLS_C", x[2] as i64),
            ("ORDER", self.order as i64),
            ("FIELDS", self.fields as i64),
            ("CLUSTER", CLUSTER as i64),
            ("SHARED_BYTES", self.shared() as i64),
        ]
    }
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Distance of lines of `length` samples in shared memory, as in the source.
const fn spread(length: usize) -> usize {
    length + (24 - length % 16) % 16
}

/// Places for `count` lines of `n` samples between the passes of their transform, as in the source.
const fn scratch(count: usize, n: usize) -> usize {
    2 * count * (n + n / 4)
}

/// `n` as a product of three short transforms of about equal length, the longest last; zeros if there is none.
const fn radices(n: usize) -> [usize; 3] {
    let (mut best, mut i) = ([0, 0, 0], 0);
    let kinds = RADICES.len();
    while i < kinds * kinds * kinds {
        let (a, b, c) = (RADICES[i / kinds / kinds], RADICES[i / kinds % kinds], RADICES[i % kinds]);
        if a * b * c == n && a <= b && b <= c && (best[0] == 0 || c < best[2]) {
            best = [a, b, c];
        }
        i += 1;
    }
    best
}

/// Tables of a kernel, all in device memory.
#[derive(Debug)]
pub struct Tables {
    /// `[field][hologram][ky = 0..=grid_rows/2][kx]`.
    pub operators: Buffer<Complex<f32>>,
    /// Tukey weights along y, then along x.
    pub windows: Buffer<f32>,
    /// exp(-j 2 pi i/n) for i = 0..n, n = grid_rows, then grid_cols.
    pub twiddles: Buffer<Complex<f32>>,
}

/// The kernel for a batch of `count` holograms of one shape.
#[derive(Debug)]
pub struct Hologram {
    kernel: Kernel,
    shape: Shape,
    count: usize,
}

impl Hologram {
    /// Compiles and prepares; refuses shapes that [`Shape::fits`] does not like.
    pub fn new(device: &Device, shape: Shape, count: usize) -> Result<Self, Error> {
        let refused = Error::Geometry {
            module: PROGRAM.name,
            kernel: calls::HOLOGRAM.name,
            what: "microphones along a line, or a grid without short radices,",
            asked: shape.rows.max(shape.cols),
            limit: Shape::LONGEST,
            device: device.properties().name.clone(),
        };
        if !shape.fits(device) {
            return Err(refused);
        }
        let module = Module::load(device, &PROGRAM, &shape.constants())?;
        let geometry = Geometry::new([count.saturating_mul(CLUSTER), 1, 1], THREADS, shape.shared())?;
        Ok(Self { kernel: module.prepare(&calls::HOLOGRAM, geometry)?, shape, count })
    }

    /// The shape it was made for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Clusters of a launch, each of which signals.
    pub fn signals(&self) -> usize {
        self.count
    }

    /// Holograms `[n][y][x]` to fields `[field][n][y][x]`.
    pub fn run(
        &self,
        stream: &mut Stream,
        bins: &Buffer<Complex<f32>>,
        tables: &Tables,
        fields: &mut Buffer<Complex<f32>>,
        state: &mut Buffer<State>,
    ) -> Result<(), Error> {
        self.check(bins.len(), tables, fields.len(), state.len())?;
        let Tables { operators, windows, twiddles } = tables;
        let settings = self.settings(0)?;
        let call = calls::hologram(bins, operators, windows, twiddles, fields, state, UNUSED, &settings);
        self.kernel.launch(stream, call)
    }

    /// The same as a node of a graph that ends an iteration: the fields go to host memory, the state moves on by
    /// the rows that its front end took, and the signals, one for each hologram, show the number of
    /// iterations.
    pub fn add_to(
        &self,
        graph: &mut Builder,
        bins: &Buffer<Complex<f32>>,
        tables: &Tables,
        fields: &mut Mapped<Complex<f32>>,
        (state, signal): (&mut Buffer<State>, &mut Signal),
    ) -> Result<NodeId, Error> {
        self.check(bins.len(), tables, fields.len(), state.len())?;
        same("signals", signal.flags.len(), self.signals())?;
        let (settings, flags) = (self.settings(1)?, &mut signal.flags);
        let Tables { operators, windows, twiddles } = tables;
        let call = calls::hologram(bins, operators, windows, twiddles, fields, state, flags, &settings);
        graph.kernel(&self.kernel, call)
    }

    fn settings(&self, signal: u32) -> Result<abi::Hologram, Error> {
        Ok(abi::Hologram { count: size32("holograms", self.count)?, signal })
    }

    fn check(&self, bins: usize, tables: &Tables, fields: usize, state: usize) -> Result<(), Error> {
        let Shape { rows, cols, grid_rows, grid_cols, fields: kinds, .. } = self.shape;
        let table = self.count * kinds * (grid_rows / 2 + 1) * grid_cols;
        lengths(&[
            ("bins", bins, self.count * rows * cols),
            ("operators", tables.operators.len(), table),
            ("windows", tables.windows.len(), grid_rows + grid_cols),
            ("twiddles", tables.twiddles.len(), grid_rows + grid_cols),
            ("fields", fields, self.count * kinds * rows * cols),
            ("state", state, 1),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_grids_have_short_radices_and_others_have_none() {
        assert_eq!(radices(96), [4, 4, 6]);
        assert_eq!(radices(64), [4, 4, 4]);
        assert_eq!(radices(24), [2, 3, 4]);
        assert_eq!(radices(256), [4, 8, 8]);
        assert_eq!(radices(97), [0, 0, 0]);
        assert_eq!(radices(1), [1, 1, 1]);
    }
}
