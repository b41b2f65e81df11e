//! `cuda/nufft.cu`, `cuda/nufft_plane.cu` and `cuda/nufft_points.cu`: between points, fine grid and modes of a NUFFT.
//!
//! | type | kernels |
//! |---|---|
//! | [`Points`] | sort: `bin_points`, `count_digits`, `scan_digits`, `move_by_digit`, `find_starts`, `count_tiles`, `list_parts` |
//! | [`Direct`] | `direct_modes`, `direct_values` of `cuda/nufft_direct.cu`: the sums by definition |
//! | [`Nufft`] | `spread_plane` or `spread_rows` in two dimensions, `spread` in others and where points crowd; `interpolate`; `modes_from_grid`, `grid_from_modes` |
//! | [`Phases`] | `turn`, `turn_in_place` of `cuda/nufft_type3.cu`, for sums between points and points |
//! | [`Rungs`] | `spread_by_points`, `spread_nested`, `interpolate_by_points` of `cuda/nufft_rungs.cu` |
//!
//! A transform is `spread`, an FFT of the fine grid ([`Fft`](crate::Fft)), and `modes_from_grid`; or `grid_from_modes`, that FFT, and `interpolate`.

mod constants;
mod direct;
mod points;
mod rungs;
mod type_3;

use crate::abi::NufftGrid;
use crate::error::{Error, same, size32};
use crate::kernel::{Argument, Geometry, Kernel, Module, unused, value};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Program, Signature};
use crate::stream::Stream;
use constants::{Constants, SAMPLES, SAMPLES_PLANE};
pub use direct::{DIRECT, Direct};
use num_complex::Complex;
pub use points::Points;
pub use rungs::{RUNGS, Rungs};
pub use type_3::{Phases, TYPE_3};

/// From points to the fine grid and back, and from there to modes and back.
pub const KERNELS: Program = Program {
    name: "nufft",
    source: include_str!("../cuda/nufft.cu"),
    kernels: &[&SPREAD, &INTERPOLATE, &MODES_FROM_GRID, &GRID_FROM_MODES],
    samples: SAMPLES,
};
/// Spreading in two dimensions.
pub const PLANE: Program = Program {
    name: "nufft_plane",
    source: include_str!("../cuda/nufft_plane.cu"),
    kernels: &[&SPREAD_PLANE, &SPREAD_ROWS],
    samples: SAMPLES_PLANE,
};
/// The sort of points.
pub const POINTS: Program = Program {
    name: "nufft_points",
    source: include_str!("../cuda/nufft_points.cu"),
    kernels: points::KERNELS,
    samples: SAMPLES,
};

const GRID: Parameter = Value("g", size_of::<NufftGrid>());

const fn signature(name: &'static str, hot: bool, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "nufft", name, hot, capability: 80, parameters }
}

const SPREAD: Signature = signature(
    "spread",
    false,
    &[
        Input("points"),
        Input("starts"),
        Input("parts"),
        Input("owners"),
        Input("strengths"),
        Input("polynomials"),
        Output("partial"),
        Output("arrived"),
        Output("grid"),
        GRID,
    ],
);
const SPREAD_PLANE: Signature = Signature {
    module: "nufft_plane",
    name: "spread_plane",
    hot: true,
    capability: 80,
    parameters: &[
        Input("points"),
        Input("starts"),
        Input("strengths"),
        Input("polynomials"),
        Output("grid"),
        GRID,
    ],
};
const SPREAD_ROWS: Signature = Signature { name: "spread_rows", ..SPREAD_PLANE };
const INTERPOLATE: Signature = signature(
    "interpolate",
    false,
    &[
        Input("points"),
        Input("starts"),
        Input("parts"),
        Input("owners"),
        Input("grid"),
        Input("polynomials"),
        Output("values"),
        GRID,
    ],
);
const MODES_FROM_GRID: Signature =
    signature("modes_from_grid", true, &[Input("grid"), Input("factors"), Output("modes"), GRID]);
const GRID_FROM_MODES: Signature =
    signature("grid_from_modes", true, &[Input("modes"), Input("factors"), Output("grid"), GRID]);

/// Threads of a block of `modes_from_grid` and `grid_from_modes`, as in the source.
const MODE_THREADS: usize = 256;
/// Points of a bin from which on `spread_plane`, where a bin is one warp's, takes longer than `spread`, where tiles have parts.
const CROWD: u32 = 4096;

/// What a transform is made for. Axes are x first.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Fine points; multiples of 8 where there are two axes.
    pub n: Vec<usize>,
    /// Modes.
    pub modes: Vec<usize>,
    /// Fine points that a window covers.
    pub width: usize,
    /// Degree of its polynomials.
    pub degree: usize,
}

/// What the modes are multiplied by beside their factors, and which right-hand side it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Order {
    /// Number of the right-hand side.
    pub batch: usize,
    /// Axis whose i s k is a factor.
    pub derivative: Option<usize>,
    /// Whether s is +1.
    pub positive: bool,
}

/// The kernels for one shape, with the window's tables.
#[derive(Debug)]
pub struct Nufft<T> {
    constants: Constants,
    grid: NufftGrid,
    module: Module,
    sorting: Module,
    plane: Option<Kernel>,
    spread: Kernel,
    interpolate: Kernel,
    modes_from_grid: Kernel,
    grid_from_modes: Kernel,
    polynomials: Buffer<T>,
    factors: Buffer<T>,
    fine: usize,
    modes: usize,
}

impl<T: Float> Nufft<T> {
    /// Compiles and prepares. `polynomials` are `[power, highest first][width]`, `factors` those of all modes of x, then of y and z.
    pub fn new(stream: &mut Stream, shape: &Shape, polynomials: &[T], factors: &[T]) -> Result<Self, Error> {
        let device = stream.device().clone();
        let constants = Constants::new(shape, T::BYTES == 8, &device)?;
        same("polynomials", polynomials.len(), (shape.degree + 1) * shape.width)?;
        same("factors of modes", factors.len(), shape.modes.iter().sum())?;
        let grid = constants.grid(shape, &device)?;
        let defines = constants.defines();
        let module = Module::load(&device, &KERNELS, &defines)?;
        let sorting = Module::load(&device, &POINTS, &defines)?;
        let tiles = |tiles: [u32; 3]| tiles.iter().product();
        let rows = |n: [u32; 3]| [n[0].div_ceil(MODE_THREADS as u32), (n[1] * n[2]).min(65_535), 1];
        let along = |signature, n| {
            module.prepare(signature, Geometry { grid: rows(n), threads: MODE_THREADS as u32, shared: 0 })
        };
        let by_tiles = |signature, tiles: u32, (warps, shared): (usize, usize)| {
            let (threads, shared) = (size32("threads", 32 * warps)?, size32("shared memory", shared)?);
            module.prepare(signature, Geometry { grid: [tiles, 1, 1], threads, shared })
        };
        Ok(Self {
            plane: constants.plane(&device, &grid, &defines)?,
            spread: by_tiles(&SPREAD, tiles(grid.spread), constants.spread_block())?,
            interpolate: by_tiles(&INTERPOLATE, tiles(grid.gather), constants.gather_block())?,
            modes_from_grid: along(&MODES_FROM_GRID, grid.modes)?,
            grid_from_modes: along(&GRID_FROM_MODES, grid.n)?,
            polynomials: Buffer::from_slice(stream, "polynomials", polynomials)?,
            factors: Buffer::from_slice(stream, "factors of modes", factors)?,
            fine: shape.n.iter().product(),
            modes: shape.modes.iter().product(),
            constants,
            grid,
            module,
            sorting,
        })
    }

    /// Number of fine points.
    pub fn fine_points(&self) -> usize {
        self.fine
    }

    /// The strengths of right-hand side `batch` to the fine grid, all of which is written.
    pub fn spread(
        &self,
        stream: &mut Stream,
        points: &mut Points<T>,
        strengths: &Buffer<Complex<T>>,
        batch: usize,
        grid: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        at_least("strengths", strengths.len(), (batch + 1).saturating_mul(points.len()))?;
        same("fine grid", grid.len(), self.fine)?;
        let mut g = points.grid(self.grid, batch)?;
        if let Some(kernel) = self.plane.as_ref().filter(|_| points.crowd() <= CROWD) {
            let [sorted, starts] = points.sorted();
            let arguments =
                [sorted, starts, strengths.input(), self.polynomials.input(), grid.output(), value(&g)];
            return kernel.launch(stream, &arguments);
        }
        let (lists, sorted) = points.spread_lists();
        g.listed = u32::from(lists.is_some());
        let [sorted, starts] = sorted;
        let (kernel, [parts, owners], [partial, arrived]) = match lists {
            Some(lists) => lists,
            None => (&self.spread, [unused(), unused()], [unused(), unused()]),
        };
        let arguments = [
            sorted,
            starts,
            parts,
            owners,
            strengths.input(),
            self.polynomials.input(),
            partial,
            arrived,
            grid.output(),
            value(&g),
        ];
        kernel.launch(stream, &arguments)
    }

    /// The fine grid's values at the points, for right-hand side `batch`.
    pub fn interpolate(
        &self,
        stream: &mut Stream,
        points: &Points<T>,
        grid: &Buffer<Complex<T>>,
        batch: usize,
        values: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        at_least("values at points", values.len(), (batch + 1).saturating_mul(points.len()))?;
        same("fine grid", grid.len(), self.fine)?;
        let mut g = points.grid(self.grid, batch)?;
        let lists = points.gather_lists();
        g.listed = u32::from(lists.is_some());
        let (kernel, [parts, owners]) = lists.unwrap_or((&self.interpolate, [unused(), unused()]));
        let [sorted, starts] = points.sorted();
        let arguments = [
            sorted,
            starts,
            parts,
            owners,
            grid.input(),
            self.polynomials.input(),
            values.output(),
            value(&g),
        ];
        kernel.launch(stream, &arguments)
    }

    /// The transformed grid's modes, `[kz][ky][kx]`.
    pub fn modes_from_grid(
        &self,
        stream: &mut Stream,
        grid: &Buffer<Complex<T>>,
        order: Order,
        modes: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        same("fine grid", grid.len(), self.fine)?;
        let g = self.ordered(modes.len(), order)?;
        let arguments = [grid.input(), self.factors.input(), modes.output(), value(&g)];
        self.modes_from_grid.launch(stream, &arguments)
    }

    /// The modes to the grid that is to be transformed, all of which is written.
    pub fn grid_from_modes(
        &self,
        stream: &mut Stream,
        modes: &Buffer<Complex<T>>,
        order: Order,
        grid: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        same("fine grid", grid.len(), self.fine)?;
        let g = self.ordered(modes.len(), order)?;
        let arguments = [modes.input(), self.factors.input(), grid.output(), value(&g)];
        self.grid_from_modes.launch(stream, &arguments)
    }

    fn ordered(&self, modes: usize, order: Order) -> Result<NufftGrid, Error> {
        at_least("modes", modes, (order.batch + 1).saturating_mul(self.modes))?;
        let axes = self.constants.axes;
        let derivative = order.derivative.unwrap_or(3);
        if order.derivative.is_some_and(|axis| axis >= axes) {
            return Err(Error::Length { what: "axis of a derivative", given: derivative, needed: axes });
        }
        Ok(NufftGrid {
            batch: size32("right-hand side", order.batch)?,
            derivative: size32("axis", derivative)?,
            sign: if order.positive { 1 } else { -1 },
            ..self.grid
        })
    }
}

fn at_least(what: &'static str, given: usize, needed: usize) -> Result<(), Error> {
    if given >= needed { Ok(()) } else { Err(Error::Length { what, given, needed }) }
}

/// The kernel of a list, its inputs, and its outputs.
type Listed<'a> = (&'a Kernel, [Argument<'a>; 2], [Argument<'a>; 2]);
