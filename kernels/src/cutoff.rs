//! `cuda/cutoff.cu`: cutoff and slope of the k-filter, chosen on the card for each hologram from its own data.
//!
//! The order of work is [`Cutoff::noise`], [`Cutoff::rings`], [`Cutoff::errors`], those of [`crate::border`],
//! [`Cutoff::choose`], [`Cutoff::table`].

mod tables;

use crate::abi::{CutoffEstimate, CutoffSettings};
use crate::error::{Error, size32};
use crate::kernel::{Geometry, Kernel, Module, value};
use crate::memory::Buffer;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Program, Signature};
use crate::queue::Queue;
use crate::stream::Stream;
use num_complex::Complex;
use tables::{CAMERA, SMALL};
pub use tables::{Shape, Tables, Waves, Work};

/// The source.
pub const PROGRAM: Program = Program {
    name: "cutoff",
    source: include_str!("../cuda/cutoff.cu"),
    kernels: &[&NOISE, &RINGS, &ERRORS, &CHOOSE, &TABLE],
    samples: &[&CAMERA, &SMALL],
};

const SETTINGS: Parameter = Value("settings", size_of::<CutoffSettings>());

const NOISE: Signature = Signature {
    module: "cutoff",
    name: "cutoff_noise",
    hot: false,
    capability: 80,
    parameters: &[Input("holograms"), Input("hann"), Output("samples"), Output("estimates"), SETTINGS],
};

const RINGS: Signature = Signature {
    module: "cutoff",
    name: "cutoff_rings",
    hot: false,
    capability: 80,
    parameters: &[
        Input("holograms"),
        Input("hann"),
        Input("twiddles"),
        Input("starts"),
        Input("points"),
        Output("lines"),
        Output("powers"),
        Output("rings"),
        SETTINGS,
    ],
};

const ERRORS: Signature = Signature {
    module: "cutoff",
    name: "cutoff_errors",
    hot: false,
    capability: 80,
    parameters: &[
        Input("rings"),
        Input("starts"),
        Input("first"),
        Input("kappa"),
        Input("ranges"),
        Input("circles"),
        Input("gains"),
        Output("errors"),
        Output("estimates"),
        SETTINGS,
    ],
};

const CHOOSE: Signature = Signature {
    module: "cutoff",
    name: "cutoff_choose",
    hot: false,
    capability: 80,
    parameters: &[
        Input("errors"),
        Input("border"),
        Input("filters"),
        Input("radii"),
        Input("waves"),
        Output("estimates"),
        SETTINGS,
    ],
};

const TABLE: Signature = Signature {
    module: "cutoff",
    name: "cutoff_table",
    hot: false,
    capability: 80,
    parameters: &[
        Input("estimates"),
        Input("radii"),
        Input("index"),
        Input("waves"),
        Output("table"),
        SETTINGS,
    ],
};

/// Threads of a block, as in the source.
const THREADS: u32 = 512;
const TABLE_THREADS: u32 = 128;
/// The kernels of one shape.
#[derive(Debug)]
pub struct Cutoff {
    shape: Shape,
    settings: CutoffSettings,
    noise: Kernel,
    rings: Kernel,
    errors: Kernel,
    choose: Kernel,
    table: Kernel,
}

impl Cutoff {
    /// Compiles and prepares; `settings.frames` is the shape's.
    pub fn new(stream: &Stream, shape: Shape, settings: CutoffSettings) -> Result<Self, Error> {
        lengths(&[("frames of the settings", settings.frames as usize, shape.frames)])?;
        // Places in the data of a scene are 32-bit numbers on the card.
        size32("values of a scene", shape.frames.saturating_mul(shape.rows * shape.cols))?;
        let module = Module::load(stream.device(), &PROGRAM, &shape.constants())?;
        let holograms = size32("holograms", shape.holograms)?;
        let block = Geometry { grid: [holograms, 1, 1], threads: THREADS, shared: 0 };
        let lines = [size32("half rows", shape.half_rows())?, holograms, 1];
        Ok(Self {
            shape,
            settings,
            noise: module.prepare(&NOISE, block)?,
            rings: module.prepare(&RINGS, block)?,
            errors: module.prepare(&ERRORS, block)?,
            choose: module.prepare(&CHOOSE, block)?,
            table: module.prepare(&TABLE, Geometry { grid: lines, threads: TABLE_THREADS, shared: 0 })?,
        })
    }

    /// The shape it was made for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Noise and flags of each hologram, from `[frame][n][y][x]`.
    pub fn noise(
        &self,
        queue: &mut Queue<'_>,
        holograms: &Buffer<Complex<f32>>,
        tables: &Tables,
        work: &mut Work,
        estimates: &mut Buffer<CutoffEstimate>,
    ) -> Result<(), Error> {
        lengths(&[
            ("holograms", holograms.len(), self.shape.values()),
            ("hann", tables.hann.len(), self.shape.rows + self.shape.cols),
            ("estimates", estimates.len(), self.shape.holograms),
        ])?;
        let arguments = [
            holograms.input(),
            tables.hann.input(),
            work.samples.output(),
            estimates.output(),
            value(&self.settings),
        ];
        queue.kernel(&self.noise, &arguments)
    }

    /// Power of the rings of the tapered spectrum.
    pub fn rings(
        &self,
        queue: &mut Queue<'_>,
        holograms: &Buffer<Complex<f32>>,
        tables: &Tables,
        work: &mut Work,
    ) -> Result<(), Error> {
        let Shape { rows, cols, rings, .. } = self.shape;
        lengths(&[
            ("holograms", holograms.len(), self.shape.values()),
            ("hann", tables.hann.len(), rows + cols),
            ("twiddles", tables.twiddles.len(), 3 * (rows + cols)),
            ("starts", tables.starts.len(), rings + 1),
            ("points", tables.points.len(), 9 * rows * cols),
        ])?;
        let arguments = [
            holograms.input(),
            tables.hann.input(),
            tables.twiddles.input(),
            tables.starts.input(),
            tables.points.input(),
            work.lines.output(),
            work.powers.output(),
            work.rings.output(),
            value(&self.settings),
        ];
        queue.kernel(&self.rings, &arguments)
    }

    /// The fit of the field's tail, and the error of every filter without the padding's.
    pub fn errors(
        &self,
        queue: &mut Queue<'_>,
        tables: &Tables,
        work: &mut Work,
        estimates: &mut Buffer<CutoffEstimate>,
    ) -> Result<(), Error> {
        let Shape { holograms, rings, circles, ranges, filters, .. } = self.shape;
        lengths(&[
            ("starts", tables.starts.len(), rings + 1),
            ("first", tables.first.len(), holograms),
            ("kappa", tables.kappa.len(), holograms * rings),
            ("ranges", tables.ranges.len(), ranges),
            ("circles", tables.circles.len(), holograms * circles),
            ("gains", tables.gains.len(), filters * circles),
            ("estimates", estimates.len(), holograms),
        ])?;
        let arguments = [
            work.rings.input(),
            tables.starts.input(),
            tables.first.input(),
            tables.kappa.input(),
            tables.ranges.input(),
            tables.circles.input(),
            tables.gains.input(),
            work.errors.output(),
            estimates.output(),
            value(&self.settings),
        ];
        queue.kernel(&self.errors, &arguments)
    }

    /// The filter with the least sum of error and `border`, `[n][filter][tile]`.
    pub fn choose(
        &self,
        queue: &mut Queue<'_>,
        (tables, waves): (&Tables, &Waves),
        (work, border): (&Work, &Buffer<f64>),
        estimates: &mut Buffer<CutoffEstimate>,
    ) -> Result<(), Error> {
        let Shape { holograms, radii, filters, tiles, .. } = self.shape;
        lengths(&[
            ("border", border.len(), holograms * filters * tiles),
            ("filters", tables.filters.len(), filters),
            ("radii", waves.radii.len(), radii),
            ("waves", waves.waves.len(), holograms * radii),
            ("estimates", estimates.len(), holograms),
        ])?;
        let arguments = [
            work.errors.input(),
            border.input(),
            tables.filters.input(),
            waves.radii.input(),
            waves.waves.input(),
            estimates.output(),
            value(&self.settings),
        ];
        queue.kernel(&self.choose, &arguments)
    }

    /// Filter x propagator/(n_x n_y), `[field][n][grid_rows/2 + 1][grid_cols]`; holograms without a usable filter keep
    /// theirs.
    pub fn table(
        &self,
        queue: &mut Queue<'_>,
        estimates: &Buffer<CutoffEstimate>,
        waves: &Waves,
        table: &mut Buffer<Complex<f32>>,
    ) -> Result<(), Error> {
        let Shape { holograms, radii, grid_cols, .. } = self.shape;
        let half = self.shape.half_rows();
        lengths(&[
            ("estimates", estimates.len(), holograms),
            ("radii", waves.radii.len(), radii),
            ("index", waves.index.len(), half * (grid_cols / 2 + 1)),
            ("waves", waves.waves.len(), holograms * radii),
            ("table", table.len(), self.settings.fields as usize * holograms * half * grid_cols),
        ])?;
        let arguments = [
            estimates.input(),
            waves.radii.input(),
            waves.index.input(),
            waves.waves.input(),
            table.output(),
            value(&self.settings),
        ];
        queue.kernel(&self.table, &arguments)
    }
}

/// Refuses the first of (what, given, needed) that differs.
pub(crate) fn lengths(checks: &[(&'static str, usize, usize)]) -> Result<(), Error> {
    match checks.iter().find(|(_, given, needed)| given != needed) {
        Some(&(what, given, needed)) => Err(Error::Length { what, given, needed }),
        None => Ok(()),
    }
}
