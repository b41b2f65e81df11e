//! `cuda/border.cu`: the error of padding, measured on each hologram by leaving its outermost microphones out.
//!
//! The order of work is `border_pad`, `border_spectrum_x`, `border_spectrum_y`, `border_power`.

use crate::calls::{self, sources};
use crate::cutoff::Waves;
use crate::error::{Error, at_least, lengths};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::program::{Define, Program};
use crate::stream::Stream;
use num_complex::Complex;

/// The source.
pub const PROGRAM: Program = Program { samples: &[&CAMERA, &CAMERA_PLANAR, &SMALL_ZERO], ..sources::BORDER };

/// Threads of a block, as in the source.
const PAD_THREADS: usize = 128;
const SPECTRUM_THREADS: usize = 128;
const POWER_THREADS: usize = 256;
/// Columns that a thread keeps in registers.
const TILE: usize = 12;
/// Even and odd along y and x.
const PARITIES: usize = 4;

const CAMERA_SHAPE: Shape = Shape {
    holograms: 1,
    rows: 32,
    cols: 32,
    grid_rows: 96,
    grid_cols: 96,
    margin: 4,
    order: 6,
    planar: false,
    radii: 957,
    filters: 343,
};
const CAMERA: [Define; 9] = CAMERA_SHAPE.constants();
const CAMERA_PLANAR: [Define; 9] = Shape { planar: true, order: 16, ..CAMERA_SHAPE }.constants();
const SMALL_ZERO: [Define; 9] =
    Shape { rows: 5, cols: 8, grid_rows: 16, grid_cols: 24, margin: 1, order: 0, radii: 99, ..CAMERA_SHAPE }
        .constants();

/// What the kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Holograms.
    pub holograms: usize,
    /// Microphones down a column.
    pub rows: usize,
    /// Microphones along a row.
    pub cols: usize,
    /// Rows of the padded grid.
    pub grid_rows: usize,
    /// Columns of the padded grid.
    pub grid_cols: usize,
    /// Microphones left out on every side.
    pub margin: usize,
    /// Order of the linear prediction; 0 pads with zeros.
    pub order: usize,
    /// Whether rows first and columns first are averaged.
    pub planar: bool,
    /// Distinct k_r of the padded grid.
    pub radii: usize,
    /// Filters tried.
    pub filters: usize,
}

impl Shape {
    /// The source's constants.
    const fn constants(&self) -> [Define; 9] {
        [
            ("ROWS", self.rows as i64),
            ("COLS", self.cols as i64),
            ("GRID_ROWS", self.grid_rows as i64),
            ("GRID_COLS", self.grid_cols as i64),
            ("MARGIN", self.margin as i64),
            ("ORDER", self.order as i64),
            ("PLANAR", self.planar as i64),
            ("RADII", self.radii as i64),
            ("TILE", TILE as i64),
        ]
    }

    /// Rows and columns of a half of the grid with its middle.
    pub fn halves(&self) -> (usize, usize) {
        (self.grid_rows / 2 + 1, self.grid_cols / 2 + 1)
    }

    /// Rows and columns of a half of the inner aperture, the columns rounded up to whole tiles.
    pub fn outputs(&self) -> (usize, usize) {
        ((self.rows - 2 * self.margin).div_ceil(2), self.tiles() * TILE)
    }

    /// Tiles along x that share the work on one filter.
    pub fn tiles(&self) -> usize {
        (self.cols - 2 * self.margin).div_ceil(2).div_ceil(TILE)
    }

    /// Padded fields of each hologram.
    fn variants(&self) -> usize {
        if self.planar { 4 } else { 2 }
    }

    fn grid(&self) -> usize {
        self.grid_rows * self.grid_cols
    }

    /// Bytes of shared memory of a block of `border_power`.
    fn shared(&self) -> usize {
        let (rows, cols) = self.halves();
        16 * PARITIES * rows * TILE + 8 * rows * cols
    }
}

/// Tables, in device memory.
#[derive(Debug)]
pub struct Tables {
    /// Tukey weights of the whole aperture down the rows and along the columns, then those of the inner aperture.
    pub windows: Buffer<f64>,
    /// exp(-j 2 pi i/m) for i = 0..m, m = grid_rows, then grid_cols.
    pub twiddles: Buffer<Complex<f64>>,
    /// exp(+j 2 pi k c/m) for k = 0..=m/2, c the centre of the inner aperture, m as above.
    pub centre: Buffer<Complex<f64>>,
    /// Cosines, then sines, of 2 pi k eta/m: `[k][eta]` for one half of the inner rows from the centre.
    pub along_y: Buffer<f64>,
    /// The same along x, with zeros up to whole tiles.
    pub along_x: Buffer<f64>,
}

/// What the kernels leave for each other.
#[derive(Debug)]
pub struct Work {
    /// `[n][variant][y][x]`.
    padded: Buffer<Complex<f64>>,
    /// `[n][y][kx]`.
    lines: Buffer<Complex<f64>>,
    /// `[n][|kx|][parity][|ky|]`.
    spectrum: Buffer<Complex<f64>>,
    /// `[n][filter][tile]`.
    border: Buffer<f64>,
}

impl Work {
    /// For one shape.
    pub fn new(stream: &mut Stream, shape: &Shape) -> Result<Self, Error> {
        let (n, grid, (rows, cols)) = (shape.holograms, shape.grid(), shape.halves());
        Ok(Self {
            padded: Buffer::poisoned(stream, "padded fields", n * shape.variants() * grid)?,
            lines: Buffer::poisoned(stream, "lines of the border's spectrum", n * grid)?,
            spectrum: Buffer::poisoned(stream, "border's spectrum", n * PARITIES * rows * cols)?,
            border: Buffer::poisoned(stream, "padding's errors", n * shape.filters * shape.tiles())?,
        })
    }

    /// Parts of D, `[n][filter][tile]`.
    pub fn border(&self) -> &Buffer<f64> {
        &self.border
    }
}

/// The kernels of one shape.
#[derive(Debug)]
pub struct Border {
    shape: Shape,
    pad: Kernel,
    spectrum_x: Kernel,
    spectrum_y: Kernel,
    power: Kernel,
}

impl Border {
    /// Compiles and prepares.
    pub fn new(stream: &Stream, shape: Shape) -> Result<Self, Error> {
        let module = Module::load(stream.device(), &PROGRAM, &shape.constants())?;
        let n = shape.holograms;
        let launch = |blocks, threads| Geometry::new([blocks, n, 1], threads, 0);
        let power = Geometry::new([shape.filters, shape.tiles(), n], POWER_THREADS, shape.shared())?;
        Ok(Self {
            shape,
            pad: module.prepare(&calls::BORDER_PAD, launch(shape.variants(), PAD_THREADS)?)?,
            spectrum_x: module
                .prepare(&calls::BORDER_SPECTRUM_X, launch(shape.grid_rows, SPECTRUM_THREADS)?)?,
            spectrum_y: module
                .prepare(&calls::BORDER_SPECTRUM_Y, launch(shape.halves().0, SPECTRUM_THREADS)?)?,
            power: module.prepare(&calls::BORDER_POWER, power)?,
        })
    }

    /// D of every filter (cutoff, slope), from holograms of which the first n `[n][y][x]` are taken.
    pub fn run(
        &self,
        stream: &mut Stream,
        holograms: &Buffer<Complex<f32>>,
        (tables, waves): (&Tables, &Waves),
        filters: &Buffer<Complex<f64>>,
        work: &mut Work,
    ) -> Result<(), Error> {
        let Shape { holograms: n, rows, cols, grid_rows, grid_cols, .. } = self.shape;
        let ((half_rows, half_cols), (out_rows, out_cols)) = (self.shape.halves(), self.shape.outputs());
        let Tables { windows, twiddles, centre, along_y, along_x } = tables;
        let Waves { radii, index, waves } = waves;
        at_least("holograms", holograms.len(), n * rows * cols)?;
        lengths(&[
            ("windows", windows.len(), 2 * (grid_rows + grid_cols)),
            ("twiddles", twiddles.len(), grid_rows + grid_cols),
            ("centre", centre.len(), half_rows + half_cols),
            ("index", index.len(), half_rows * half_cols),
            ("waves", waves.len(), n * self.shape.radii),
            ("filters", filters.len(), self.shape.filters),
            ("radii", radii.len(), self.shape.radii),
            ("along_y", along_y.len(), 2 * half_rows * out_rows),
            ("along_x", along_x.len(), 2 * half_cols * out_cols),
        ])?;
        let Work { padded, lines, spectrum, border } = work;
        self.pad.launch(stream, calls::border_pad(holograms, &mut *padded))?;
        let call = calls::border_spectrum_x(&*padded, windows, twiddles, &mut *lines);
        self.spectrum_x.launch(stream, call)?;
        let call = calls::border_spectrum_y(&*lines, twiddles, centre, index, waves, &mut *spectrum);
        self.spectrum_y.launch(stream, call)?;
        let call = calls::border_power(&*spectrum, filters, radii, index, waves, along_y, along_x, border);
        self.power.launch(stream, call)
    }
}
