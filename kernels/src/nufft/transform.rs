//! The kernels of one shape; between the fine grid and modes.

use super::constants::{Constants, SAMPLES, SAMPLES_PLANE, Shape};
use crate::abi::NufftGrid;
use crate::calls::{self, sources};
use crate::error::{Error, at_least, below, same, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::Program;
use crate::stream::Stream;
use num_complex::Complex;

/// From points to the fine grid and back, and from there to modes and back.
pub const KERNELS: Program = Program { samples: SAMPLES, ..sources::NUFFT };
/// Spreading in two dimensions.
pub const PLANE: Program = Program { samples: SAMPLES_PLANE, ..sources::NUFFT_PLANE };
/// The sort of points.
pub const POINTS: Program = Program { samples: SAMPLES, ..sources::NUFFT_POINTS };

/// Threads of a block of `modes_from_grid` and `grid_from_modes`, as in the source.
const MODE_THREADS: usize = 256;
/// Points of a bin from which on `spread_plane`, where a bin is one warp's, takes longer than `spread`, where tiles have parts.
pub(super) const CROWD: u32 = 4096;

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
    pub(super) constants: Constants,
    pub(super) grid: NufftGrid,
    pub(super) module: Module,
    pub(super) sorting: Module,
    pub(super) plane: Option<Kernel>,
    pub(super) spread: Kernel,
    pub(super) interpolate: Kernel,
    pub(super) modes_from_grid: Kernel,
    pub(super) grid_from_modes: Kernel,
    pub(super) polynomials: Buffer<T>,
    pub(super) factors: Buffer<T>,
    pub(super) fine: usize,
    pub(super) modes: usize,
}

numerics::compiled! { T: Float => Nufft<T>: new, modes_from_grid, grid_from_modes }

impl<T: Float> Nufft<T> {
    /// Compiles and prepares. `polynomials` are `[power, highest first][width]`, `factors` those of all modes of x, then of y and z.
    #[inline(never)]
    pub fn new(stream: &mut Stream, shape: &Shape, polynomials: &[T], factors: &[T]) -> Result<Self, Error> {
        let device = stream.device().clone();
        let constants = Constants::new(shape, T::BYTES == 8, &device)?;
        same("polynomials", polynomials.len(), (shape.degree + 1) * shape.width)?;
        same("factors of modes", factors.len(), shape.modes.iter().sum())?;
        let grid = constants.grid(shape, &device)?;
        let defines = constants.defines();
        let module = Module::load(&device, &KERNELS, &defines)?;
        let sorting = Module::load(&device, &POINTS, &defines)?;
        let plane = constants.plane(&device, &grid)?.map(|(by_rows, geometry)| {
            let signature = if by_rows { &calls::SPREAD_ROWS } else { &calls::SPREAD_PLANE };
            Module::load(&device, &PLANE, &defines)?.prepare(signature, geometry)
        });
        let plane = plane.transpose()?;
        let tiles = |tiles: [u32; 3]| tiles.iter().product::<u32>() as usize;
        let along = |signature, n: [u32; 3]| {
            let grid = [(n[0] as usize).div_ceil(MODE_THREADS), ((n[1] * n[2]) as usize).min(65_535), 1];
            module.prepare(signature, Geometry::new(grid, MODE_THREADS, 0)?)
        };
        let by_tiles = |signature, tiles: usize, (warps, shared): (usize, usize)| {
            module.prepare(signature, Geometry::new([tiles, 1, 1], 32 * warps, shared)?)
        };
        Ok(Self {
            plane,
            spread: by_tiles(&calls::SPREAD, tiles(grid.spread), constants.spread_block())?,
            interpolate: by_tiles(&calls::INTERPOLATE, tiles(grid.gather), constants.gather_block())?,
            modes_from_grid: along(&calls::MODES_FROM_GRID, grid.modes)?,
            grid_from_modes: along(&calls::GRID_FROM_MODES, grid.n)?,
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

    /// The transformed grid's modes, `[kz][ky][kx]`.
    #[inline(never)]
    pub fn modes_from_grid(
        &self,
        stream: &mut Stream,
        grid: &Buffer<Complex<T>>,
        order: Order,
        modes: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        same("fine grid", grid.len(), self.fine)?;
        let g = self.ordered(modes.len(), order)?;
        self.modes_from_grid.launch(stream, calls::modes_from_grid(grid, &self.factors, modes, &g))
    }

    /// The modes to the grid that is to be transformed, all of which is written.
    #[inline(never)]
    pub fn grid_from_modes(
        &self,
        stream: &mut Stream,
        modes: &Buffer<Complex<T>>,
        order: Order,
        grid: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        same("fine grid", grid.len(), self.fine)?;
        let g = self.ordered(modes.len(), order)?;
        self.grid_from_modes.launch(stream, calls::grid_from_modes(modes, &self.factors, grid, &g))
    }

    fn ordered(&self, modes: usize, order: Order) -> Result<NufftGrid, Error> {
        at_least("modes", modes, (order.batch + 1).saturating_mul(self.modes))?;
        if let Some(axis) = order.derivative {
            below("axis of a derivative", axis, self.constants.axes)?;
        }
        Ok(NufftGrid {
            batch: size32("right-hand side", order.batch)?,
            derivative: size32("axis", order.derivative.unwrap_or(3))?,
            sign: if order.positive { 1 } else { -1 },
            ..self.grid
        })
    }
}
