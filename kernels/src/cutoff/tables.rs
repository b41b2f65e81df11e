//! Sizes, tables and working memory of the rule.

use crate::abi::{CutoffCircle, CutoffWave};
use crate::error::Error;
use crate::memory::Buffer;
use crate::program::Define;
use crate::stream::Stream;
use num_complex::Complex;

/// Microphones along a line that fourth differences take.
const DIFFERENCE: usize = 5;

const CAMERA_SHAPE: Shape = Shape {
    holograms: 1,
    frames: 1,
    rows: 32,
    cols: 32,
    grid_rows: 96,
    grid_cols: 96,
    rings: 68,
    radii: 957,
    circles: 450,
    ranges: 33,
    filters: 343,
    tiles: 1,
};
pub(super) const CAMERA: [Define; 10] = CAMERA_SHAPE.constants();
pub(super) const SMALL: [Define; 10] =
    Shape { rows: 5, cols: 8, grid_rows: 16, grid_cols: 24, rings: 17, radii: 99, ..CAMERA_SHAPE }
        .constants();

/// What the kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Scenes that get a filter each.
    pub holograms: usize,
    /// Holograms of each scene.
    pub frames: usize,
    /// Microphones down a column.
    pub rows: usize,
    /// Microphones along a row.
    pub cols: usize,
    /// Rows of the padded grid.
    pub grid_rows: usize,
    /// Columns of the padded grid.
    pub grid_cols: usize,
    /// Rings of the tapered spectrum.
    pub rings: usize,
    /// Distinct k_r of the padded grid.
    pub radii: usize,
    /// Circles of the integral over k-space.
    pub circles: usize,
    /// Ranges tried.
    pub ranges: usize,
    /// Filters tried.
    pub filters: usize,
    /// Parts of the padding's error, [`crate::border::Shape::tiles`].
    pub tiles: usize,
}

impl Shape {
    /// The source's constants.
    pub(super) const fn constants(&self) -> [Define; 10] {
        [
            ("ROWS", self.rows as i64),
            ("COLS", self.cols as i64),
            ("GRID_ROWS", self.grid_rows as i64),
            ("GRID_COLS", self.grid_cols as i64),
            ("RINGS", self.rings as i64),
            ("RADII", self.radii as i64),
            ("CIRCLES", self.circles as i64),
            ("DEPTHS", self.ranges as i64),
            ("FILTERS", self.filters as i64),
            ("BORDER_TILES", self.tiles as i64),
        ]
    }

    /// Values of all frames of all scenes.
    pub(super) fn values(&self) -> usize {
        self.frames * self.holograms * self.rows * self.cols
    }

    pub(super) fn half_rows(&self) -> usize {
        self.grid_rows / 2 + 1
    }
}

/// Tables of the rule, in device memory.
#[derive(Debug)]
pub struct Tables {
    /// Hann window down the rows, then along the columns.
    pub hann: Buffer<f64>,
    /// exp(-j 2 pi i/m) for i = 0..m, m = 3 rows, then 3 cols.
    pub twiddles: Buffer<Complex<f64>>,
    /// Where each ring's points start in `points`, and the end of the last.
    pub starts: Buffer<u32>,
    /// Points of the tapered spectrum, 3 rows x 3 cols, ring by ring.
    pub points: Buffer<u32>,
    /// First evanescent ring of each hologram.
    pub first: Buffer<u32>,
    /// kappa of the rings, `[n][ring]`, rad/m.
    pub kappa: Buffer<f64>,
    /// Ranges z_h + h to try, m.
    pub ranges: Buffer<f64>,
    /// The integral's circles, `[n][circle]`.
    pub circles: Buffer<CutoffCircle>,
    /// Gains of all filters on the circles, `[filter][circle]`.
    pub gains: Buffer<f64>,
    /// Cutoff (rad/m) and slope of the filters to try.
    pub filters: Buffer<Complex<f64>>,
}

/// The propagator of each hologram.
#[derive(Debug)]
pub struct Waves {
    /// Distinct k_r of the padded grid, rad/m.
    pub radii: Buffer<f64>,
    /// Which of them is at |ky|, |kx|: `[grid_rows/2 + 1][grid_cols/2 + 1]`.
    pub index: Buffer<u32>,
    /// `[n][radius]`.
    pub waves: Buffer<CutoffWave>,
}

/// What the kernels leave for each other.
#[derive(Debug)]
pub struct Work {
    /// Fourth differences, `[n][frame][rows - 4][cols - 4]`.
    pub(super) samples: Buffer<Complex<f64>>,
    /// Tapered rows transformed along x, `[n][rows][3 cols]`.
    pub(super) lines: Buffer<Complex<f64>>,
    /// Power of the tapered spectrum, `[n][3 rows][3 cols]`.
    pub(super) powers: Buffer<f64>,
    /// `[n][ring]`.
    pub(super) rings: Buffer<f64>,
    /// `[n][filter]`, without D.
    pub(super) errors: Buffer<f64>,
}

impl Work {
    /// For one shape.
    pub fn new(stream: &mut Stream, shape: &Shape) -> Result<Self, Error> {
        let Shape { holograms, frames, rows, cols, rings, filters, .. } = *shape;
        let residuals = (rows + 1).saturating_sub(DIFFERENCE) * (cols + 1).saturating_sub(DIFFERENCE);
        Ok(Self {
            samples: Buffer::poisoned(stream, "fourth differences", holograms * frames * residuals)?,
            lines: Buffer::poisoned(stream, "tapered rows", holograms * rows * 3 * cols)?,
            powers: Buffer::poisoned(stream, "tapered spectrum", holograms * 9 * rows * cols)?,
            rings: Buffer::poisoned(stream, "rings", holograms * rings)?,
            errors: Buffer::poisoned(stream, "errors", holograms * filters)?,
        })
    }
}
