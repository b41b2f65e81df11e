//! `cuda/cutoff.cu`: cutoff and slope of the k-filter, chosen on the card for each hologram from its own data.
//!
//! The order of work is [`Cutoff::fit`], that of [`crate::border`], [`Cutoff::choose`], [`Cutoff::table`].

mod tables;

use crate::abi::{CutoffEstimate, CutoffSettings};
use crate::calls::{self, sources};
use crate::error::{Error, lengths, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::program::Program;
use crate::stream::Stream;
use num_complex::Complex;
use tables::{CAMERA, SMALL};
pub use tables::{Shape, Tables, Waves, Work};

/// The source.
pub const PROGRAM: Program = Program { samples: &[&CAMERA, &SMALL], ..sources::CUTOFF };

/// Threads of a block, as in the source.
const THREADS: usize = 512;
const TABLE_THREADS: usize = 128;

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
        let block = Geometry::new([shape.holograms, 1, 1], THREADS, 0)?;
        let lines = Geometry::new([shape.half_rows(), shape.holograms, 1], TABLE_THREADS, 0)?;
        Ok(Self {
            shape,
            settings,
            noise: module.prepare(&calls::CUTOFF_NOISE, block)?,
            rings: module.prepare(&calls::CUTOFF_RINGS, block)?,
            errors: module.prepare(&calls::CUTOFF_ERRORS, block)?,
            choose: module.prepare(&calls::CUTOFF_CHOOSE, block)?,
            table: module.prepare(&calls::CUTOFF_TABLE, lines)?,
        })
    }

    /// From holograms `[frame][n][y][x]`: noise and flags of each; power of the rings of the tapered
    /// spectrum; the fit of the field's tail, and the error of every filter without the padding's.
    pub fn fit(
        &self,
        stream: &mut Stream,
        holograms: &Buffer<Complex<f32>>,
        tables: &Tables,
        work: &mut Work,
        estimates: &mut Buffer<CutoffEstimate>,
    ) -> Result<(), Error> {
        let Shape { holograms: n, rows, cols, rings: count, circles: all_circles, .. } = self.shape;
        let Tables { hann, twiddles, starts, points, first, kappa, ranges, circles, gains, .. } = tables;
        lengths(&[
            ("holograms", holograms.len(), self.shape.values()),
            ("hann", hann.len(), rows + cols),
            ("twiddles", twiddles.len(), 3 * (rows + cols)),
            ("starts", starts.len(), count + 1),
            ("points", points.len(), 9 * rows * cols),
            ("first", first.len(), n),
            ("kappa", kappa.len(), n * count),
            ("ranges", ranges.len(), self.shape.ranges),
            ("circles", circles.len(), n * all_circles),
            ("gains", gains.len(), self.shape.filters * all_circles),
            ("estimates", estimates.len(), n),
        ])?;
        let (settings, Work { samples, lines, powers, rings, errors }) = (&self.settings, work);
        let call = calls::cutoff_noise(holograms, hann, samples, &mut *estimates, settings);
        self.noise.launch(stream, call)?;
        let call = calls::cutoff_rings(
            holograms,
            hann,
            twiddles,
            starts,
            points,
            lines,
            powers,
            &mut *rings,
            settings,
        );
        self.rings.launch(stream, call)?;
        let call = calls::cutoff_errors(
            &*rings, starts, first, kappa, ranges, circles, gains, errors, estimates, settings,
        );
        self.errors.launch(stream, call)
    }

    /// The filter with the least sum of error and `border`, `[n][filter][tile]`.
    pub fn choose(
        &self,
        stream: &mut Stream,
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
        let (filters, errors, settings) = (&tables.filters, &work.errors, &self.settings);
        let Waves { radii, waves, .. } = waves;
        let call = calls::cutoff_choose(errors, border, filters, radii, waves, estimates, settings);
        self.choose.launch(stream, call)
    }

    /// Filter x propagator/(n_x n_y), `[field][n][grid_rows/2 + 1][grid_cols]`; holograms without a usable filter keep
    /// theirs.
    pub fn table(
        &self,
        stream: &mut Stream,
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
        let Waves { radii, index, waves } = waves;
        let call = calls::cutoff_table(estimates, radii, index, waves, table, &self.settings);
        self.table.launch(stream, call)
    }
}
