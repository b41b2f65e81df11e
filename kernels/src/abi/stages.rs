//! `abi/stages.h`.

use crate::plain::Plain;

/// Sizes of a batch of holograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Shape {
    /// Holograms.
    pub count: u32,
    /// Microphones down a column.
    pub rows: u32,
    /// Microphones along a row.
    pub cols: u32,
    /// Rows of the padded grid.
    pub grid_rows: u32,
    /// Columns of the padded grid.
    pub grid_cols: u32,
}

layout!(Shape, 20, count = 0, rows = 4, cols = 8, grid_rows = 12, grid_cols = 16);

/// Sample n of line i of hologram h lies at `first + h hologram + i line + n sample`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Strides {
    /// Place of the first sample.
    pub first: u64,
    /// Step from one hologram to the next.
    pub hologram: u64,
    /// Step from one line to the next.
    pub line: u64,
    /// Step from one sample to the next.
    pub sample: u64,
}

layout!(Strides, 32, first = 0, hologram = 8, line = 16, sample = 24);

/// Lines to be continued at both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Lines {
    /// Measured samples.
    pub input: Strides,
    /// All samples.
    pub output: Strides,
    /// Holograms.
    pub count: u32,
    /// Lines of a hologram.
    pub lines: u32,
    /// Samples added before.
    pub before: u32,
    /// Samples measured.
    pub measured: u32,
    /// Samples in all.
    pub total: u32,
    /// Order of the linear prediction.
    pub order: u32,
}

layout!(
    Lines,
    88,
    input = 0,
    output = 32,
    count = 64,
    lines = 68,
    before = 72,
    measured = 76,
    total = 80,
    order = 84,
);

/// Lines to be transformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Dft {
    /// Of the values to be transformed.
    pub input: Strides,
    /// Of the kept values only.
    pub output: Strides,
    /// Holograms.
    pub count: u32,
    /// Lines of a hologram.
    pub lines: u32,
    /// N.
    pub length: u32,
    /// u: the table of twiddles has N u entries.
    pub refinement: u32,
    /// Its first entry.
    pub table: u32,
    /// First input that is not zero.
    pub from: u32,
    /// Inputs from there that are not zero.
    pub terms: u32,
    /// First output that is kept.
    pub first: u32,
    /// Outputs that are kept.
    pub kept: u32,
    /// 0.
    pub reserved: u32,
}

layout!(
    Dft,
    104,
    input = 0,
    output = 32,
    count = 64,
    lines = 68,
    length = 72,
    refinement = 76,
    table = 80,
    from = 84,
    terms = 88,
    first = 92,
    kept = 96,
    reserved = 100,
);
