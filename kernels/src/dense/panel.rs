//! Parts of panels of LU: `cuda/lu_panel.cu` where blocks can form clusters, else cuSOLVER.

use super::functions::check;
use super::library::{Library, int};
use super::parts::Part;
use crate::allocation::Memory;
use crate::calls::{self, sources};
use crate::error::{Error, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::{Define, Program};
use crate::stream::Stream;
use num_complex::Complex;
use std::ffi::c_int;
use std::sync::Arc;

/// The source.
pub const LU_PANEL: Program = Program {
    samples: &[&SINGLE[0].defines(4), &DOUBLE[0].defines(8), &DOUBLE[1].defines(8)],
    ..sources::LU_PANEL
};

/// As in the sources: blocks of a cluster, and most columns of a part.
const BLOCKS: usize = 16;
const INNER: usize = 32;

/// How a cluster shares a part of a panel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    columns: usize,
    /// Of a thread.
    rows: usize,
    threads: usize,
}

/// As many columns as registers and shared memory hold, for ever more rows.
const SINGLE: [Shape; 3] = [
    Shape { columns: INNER, rows: 1, threads: 640 },
    Shape { columns: 16, rows: 2, threads: 640 },
    Shape { columns: 8, rows: 4, threads: 640 },
];
/// The same for numbers of 64 bits.
const DOUBLE: [Shape; 4] = [
    Shape { columns: INNER, rows: 1, threads: 384 },
    Shape { columns: 16, rows: 1, threads: 640 },
    Shape { columns: 8, rows: 2, threads: 640 },
    Shape { columns: 4, rows: 4, threads: 640 },
];

impl Shape {
    const fn defines(&self, bytes: i64) -> [Define; 4] {
        let (columns, rows, threads) = (self.columns as i64, self.rows as i64, self.threads as i64);
        [("BYTES", bytes), ("COLUMNS", columns), ("ROWS", rows), ("THREADS", threads)]
    }

    const fn most_rows(&self) -> usize {
        BLOCKS * self.rows * self.threads
    }

    /// Bytes of shared memory of a block.
    const fn shared(&self, bytes: usize) -> usize {
        2 * bytes * self.columns * self.rows * self.threads
    }
}

/// Which panels are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panels {
    /// Ours where the card and the matrix allow it, else the library's.
    Fastest,
    /// cuSOLVER's.
    Library,
}

/// Who factors parts of panels of one matrix.
pub(super) enum Factoring {
    /// A kernel for each shape, fewest rows first.
    Ours(Vec<(Shape, Kernel)>),
    /// cuSOLVER: its exchanges of rows, its state and work area, and the kernel that looks at them.
    Library { pivots: Buffer<i32>, state: Buffer<i32>, area: Arc<Memory>, moves: Kernel },
}

/// What the parts of panels of a matrix have done.
pub(super) struct Found {
    /// For every row of the diagonal the row that comes there, then for each where it goes, if that is below its part.
    pub moves: Buffer<u32>,
    /// The first column without a pivot.
    pub wrong: Buffer<u32>,
}

impl Factoring {
    /// Kernels for panels, or the library's work area for one; `module` is of the program `lu`.
    pub(super) fn new<T: Float>(
        library: &Library,
        stream: &mut Stream,
        module: &Module,
        matrix: &Buffer<Complex<T>>,
        size: usize,
        wanted: Panels,
    ) -> Result<Self, Error> {
        let properties = stream.device().properties();
        let (bytes, shapes) = (size_of::<T>(), if T::BYTES == 4 { &SINGLE[..] } else { &DOUBLE[..] });
        let last = shapes.iter().position(|shape| shape.most_rows() >= size);
        let fits = properties.clusters() && shapes[0].shared(bytes) < properties.shared_memory;
        if let (Panels::Fastest, true, Some(last)) = (wanted, fits, last) {
            let kernel = |shape: &Shape| {
                let module = library.load(stream, &LU_PANEL, &shape.defines(T::BYTES))?;
                let geometry = Geometry::new([BLOCKS, 1, 1], shape.threads, shape.shared(bytes))?;
                Ok((*shape, module.prepare(&calls::LU_PANEL, geometry)?.in_large_clusters()?))
            };
            return Ok(Self::Ours(shapes[..=last].iter().map(kernel).collect::<Result<_, Error>>()?));
        }
        Ok(Self::Library {
            pivots: Buffer::zeros(stream, "pivots", size)?,
            state: Buffer::zeros(stream, "state of a panel", 1)?,
            area: area(library, stream, matrix, size)?,
            moves: module.prepare(&calls::LU_MOVES, Geometry::new([1, 1, 1], INNER, 0)?)?,
        })
    }

    /// Columns of the parts in which a panel with so many rows is factored.
    pub(super) fn columns(&self, rows: usize) -> usize {
        match self {
            Self::Ours(kernels) => fitting(kernels, rows).0.columns,
            Self::Library { .. } => INNER,
        }
    }

    /// Factors `width` columns from `first` on, as many as [`columns`](Self::columns) has for so many rows at most.
    pub(super) fn factor<T: Float>(
        &self,
        library: &Library,
        stream: &mut Stream,
        matrix: &mut Buffer<Complex<T>>,
        [size, rows, first, width]: [usize; 4],
        found: &mut Found,
    ) -> Result<(), Error> {
        let told = (size32("rows", size)?, size32("rows", first)?, size32("columns", width)?);
        let Found { moves, wrong } = found;
        match self {
            Self::Ours(kernels) => {
                let call = calls::lu_panel(matrix, moves, wrong, told.0, told.1, told.2);
                fitting(kernels, rows).1.launch(stream, call)
            }
            Self::Library { pivots, state, area, moves: kernel } => {
                library.bind(stream)?;
                let at = Part::new(matrix, size).at(first, first).address;
                let [m, n, step] = [int("rows", size - first)?, int("columns", width)?, int("rows", size)?];
                let pivot = pivots.memory.address() + (first * size_of::<i32>()) as u64;
                let (info, work) = (state.memory.address(), area.address());
                let (solver, handle) = library.solver;
                let factor = if T::BYTES == 4 { solver.cusolverDnCgetrf } else { solver.cusolverDnZgetrf };
                // SAFETY: the part lies in the matrix, pivots in their array, and the work area is that of
                // the largest part; the stream keeps the order, and all is waited for before it is freed.
                let status = unsafe { factor(handle, m, n, at, step, work, pivot, info) };
                check("a panel of LU", "cuSOLVER", status)?;
                let call = calls::lu_moves(pivots, state, moves, wrong, told.0, told.1, told.2);
                kernel.launch(stream, call)
            }
        }
    }
}

/// cuSOLVER's work area for the largest part of a panel.
fn area<T: Float>(
    library: &Library,
    stream: &Stream,
    matrix: &Buffer<Complex<T>>,
    size: usize,
) -> Result<Arc<Memory>, Error> {
    library.bind(stream)?;
    let (rows, mut values) = (int("rows", size)?, 0);
    let (at, width) = (matrix.memory.address(), rows.min(INNER as c_int));
    let (solver, handle) = library.solver;
    let plan =
        if T::BYTES == 4 { solver.cusolverDnCgetrf_bufferSize } else { solver.cusolverDnZgetrf_bufferSize };
    // SAFETY: the matrix has so many values; the call writes one number.
    let status = unsafe { plan(handle, rows, width, at, rows, &raw mut values) };
    check("planning a panel of LU", "cuSOLVER", status)?;
    let bytes = usize::try_from(values).unwrap_or(0) * size_of::<Complex<T>>();
    Memory::on_device(stream.device(), "work area of LU", bytes)
}

/// The kernel with the most columns that has room for so many rows.
fn fitting(kernels: &[(Shape, Kernel)], rows: usize) -> &(Shape, Kernel) {
    let fits = kernels.iter().find(|(shape, _)| shape.most_rows() >= rows);
    fits.unwrap_or(&kernels[kernels.len() - 1])
}
