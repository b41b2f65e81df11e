//! `cuda/border.cu`: the error of padding, measured on each hologram by leaving its outermost microphones out.
//!
//! The order of work is [`Border::pad`], [`Border::spectrum`], [`Border::power`].

use crate::cutoff::{Waves, lengths};
use crate::error::{Error, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::program::Parameter::{Input, Output};
use crate::program::{Define, Program, Signature};
use crate::queue::Queue;
use crate::stream::Stream;
use num_complex::Complex;

/// The source.
pub const PROGRAM: Program = Program {
    name: "border",
    source: include_str!("../cuda/border.cu"),
    kernels: &[&PAD, &SPECTRUM_X, &SPECTRUM_Y, &POWER],
    samples: &[&CAMERA, &CAMERA_PLANAR, &SMALL_ZERO],
};

const PAD: Signature = Signature {
    module: "border",
    name: "border_pad",
    hot: false,
    capability: 80,
    parameters: &[Input("holograms"), Output("padded")],
};

const SPECTRUM_X: Signature = Signature {
    module: "border",
    name: "border_spectrum_x",
    hot: false,
    capability: 80,
    parameters: &[Input("padded"), Input("windows"), Input("twiddles"), Output("lines")],
};

const SPECTRUM_Y: Signature = Signature {
    module: "border",
    name: "border_spectrum_y",
    hot: false,
    capability: 80,
    parameters: &[
        Input("lines"),
        Input("twiddles"),
        Input("centre"),
        Input("index"),
        Input("waves"),
        Output("spectrum"),
    ],
};

const POWER: Signature = Signature {
    module: "border",
    name: "border_power",
    hot: true,
    capability: 80,
    parameters: &[
        Input("spectrum"),
        Input("filters"),
        Input("radii"),
        Input("index"),
        Input("waves"),
        Input("along_y"),
        Input("along_x"),
        Output("border"),
    ],
};

/// Threads of a block, as in the source.
const PAD_THREADS: u32 = 128;
const SPECTRUM_THREADS: u32 = 128;
const POWER_THREADS: u32 = 256;
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

    /// Padded fields, `[n][variant][y][x]`: whole and inner aperture, rows first; then both with columns first.
    pub fn padded(&self) -> &Buffer<Complex<f64>> {
        &self.padded
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
        let n = size32("holograms", shape.holograms)?;
        let launch = |blocks: usize, threads| {
            Ok(Geometry { grid: [size32("blocks", blocks)?, n, 1], threads, shared: 0 })
        };
        let power = Geometry {
            grid: [size32("filters", shape.filters)?, size32("tiles", shape.tiles())?, n],
            threads: POWER_THREADS,
            shared: size32("shared memory", shape.shared())?,
        };
        Ok(Self {
            shape,
            pad: module.prepare(&PAD, launch(shape.variants(), PAD_THREADS)?)?,
            spectrum_x: module.prepare(&SPECTRUM_X, launch(shape.grid_rows, SPECTRUM_THREADS)?)?,
            spectrum_y: module.prepare(&SPECTRUM_Y, launch(shape.halves().0, SPECTRUM_THREADS)?)?,
            power: module.prepare(&POWER, power)?,
        })
    }

    /// The shape it was made for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Holograms, of which the first n `[n][y][x]` are taken, to padded fields of both apertures.
    pub fn pad(
        &self,
        queue: &mut Queue<'_>,
        holograms: &Buffer<Complex<f32>>,
        work: &mut Work,
    ) -> Result<(), Error> {
        let needed = self.shape.holograms * self.shape.rows * self.shape.cols;
        if holograms.len() < needed {
            return Err(Error::Length { what: "holograms", given: holograms.len(), needed });
        }
        queue.kernel(&self.pad, &[holograms.input(), work.padded.output()])
    }

    /// The spectrum of what moving the border changes.
    pub fn spectrum(
        &self,
        queue: &mut Queue<'_>,
        tables: &Tables,
        waves: &Waves,
        work: &mut Work,
    ) -> Result<(), Error> {
        let Shape { holograms, grid_rows, grid_cols, radii, .. } = self.shape;
        let (half_rows, half_cols) = self.shape.halves();
        lengths(&[
            ("windows", tables.windows.len(), 2 * (grid_rows + grid_cols)),
            ("twiddles", tables.twiddles.len(), grid_rows + grid_cols),
            ("centre", tables.centre.len(), half_rows + half_cols),
            ("index", waves.index.len(), half_rows * half_cols),
            ("waves", waves.waves.len(), holograms * radii),
        ])?;
        let arguments =
            [work.padded.input(), tables.windows.input(), tables.twiddles.input(), work.lines.output()];
        queue.kernel(&self.spectrum_x, &arguments)?;
        let arguments = [
            work.lines.input(),
            tables.twiddles.input(),
            tables.centre.input(),
            waves.index.input(),
            waves.waves.input(),
            work.spectrum.output(),
        ];
        queue.kernel(&self.spectrum_y, &arguments)
    }

    /// D of every filter (cutoff, slope).
    pub fn power(
        &self,
        queue: &mut Queue<'_>,
        tables: &Tables,
        waves: &Waves,
        filters: &Buffer<Complex<f64>>,
        work: &mut Work,
    ) -> Result<(), Error> {
        let (half_rows, half_cols) = self.shape.halves();
        let (out_rows, out_cols) = self.shape.outputs();
        lengths(&[
            ("filters", filters.len(), self.shape.filters),
            ("radii", waves.radii.len(), self.shape.radii),
            ("index", waves.index.len(), half_rows * half_cols),
            ("waves", waves.waves.len(), self.shape.holograms * self.shape.radii),
            ("along_y", tables.along_y.len(), 2 * half_rows * out_rows),
            ("along_x", tables.along_x.len(), 2 * half_cols * out_cols),
        ])?;
        let arguments = [
            work.spectrum.input(),
            filters.input(),
            waves.radii.input(),
            waves.index.input(),
            waves.waves.input(),
            tables.along_y.input(),
            tables.along_x.input(),
            work.border.output(),
        ];
        queue.kernel(&self.power, &arguments)
    }
}
