//! Aperture, padded grid, window and wavenumbers.

use super::super::error::Error;
use std::f64::consts::TAU;

/// The microphones: a rectangle of equal pitch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aperture {
    /// Microphones down a column (y).
    pub rows: usize,
    /// Microphones along a row (x).
    pub cols: usize,
    /// Distance of neighbours, m.
    pub pitch: f64,
}

impl Aperture {
    /// The 32 x 32 camera with 2 cm pitch.
    pub const CAMERA: Self = Self { rows: 32, cols: 32, pitch: 0.02 };

    /// Number of microphones.
    pub fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// Whether there are no microphones.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The padded grid with the aperture in its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// What is measured.
    pub aperture: Aperture,
    /// n_y.
    pub rows: usize,
    /// n_x.
    pub cols: usize,
}

impl Grid {
    /// A grid of `rows` x `cols`, neither smaller than the aperture.
    pub fn new(aperture: Aperture, rows: usize, cols: usize) -> Result<Self, Error> {
        if aperture.is_empty() || !(aperture.pitch > 0.0 && aperture.pitch.is_finite()) {
            let Aperture { rows, cols, pitch } = aperture;
            return Err(Error::Aperture { rows, cols, pitch });
        }
        for (grid, measured) in [(rows, aperture.rows), (cols, aperture.cols)] {
            if grid < measured {
                return Err(Error::Grid { grid, measured });
            }
        }
        if rows.checked_mul(cols).is_none_or(|n| n > u32::MAX as usize) {
            return Err(Error::GridSize { rows, cols });
        }
        Ok(Self { aperture, rows, cols })
    }

    /// Three times the aperture each way.
    pub fn triple(aperture: Aperture) -> Result<Self, Error> {
        Self::new(aperture, aperture.rows.saturating_mul(3), aperture.cols.saturating_mul(3))
    }

    /// `side` along the longer edge of the aperture and the other edge in proportion, rounded up.
    pub fn with_side(aperture: Aperture, side: usize) -> Result<Self, Error> {
        let longer = aperture.rows.max(aperture.cols).max(1);
        let scaled = |edge: usize| edge.saturating_mul(side).div_ceil(longer);
        Self::new(aperture, scaled(aperture.rows), scaled(aperture.cols))
    }

    /// Points of the grid.
    #[allow(clippy::len_without_is_empty)] // a grid holds at least one microphone
    pub fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// Row of the grid that holds the first measured row.
    pub fn top(&self) -> usize {
        (self.rows - self.aperture.rows) / 2
    }

    /// Column of the grid that holds the first measured column.
    pub fn left(&self) -> usize {
        (self.cols - self.aperture.cols) / 2
    }

    /// Tukey weights of the grid's rows (first) and columns; the window is their outer product.
    pub fn windows(&self) -> (Vec<f64>, Vec<f64>) {
        (window(self.rows, self.aperture.rows), window(self.cols, self.aperture.cols))
    }

    /// k_y of the rows and k_x of the columns, rad/m, in the order of the DFT.
    pub fn wavenumbers(&self) -> (Vec<f64>, Vec<f64>) {
        (wavenumbers(self.rows, self.aperture.pitch), wavenumbers(self.cols, self.aperture.pitch))
    }
}

/// Tapered cosine of `n` samples with the middle `measured` exactly 1.
///
/// With alpha = 1 - measured/n the sample at distance i from its end has weight (1 - cos(2 pi i/(alpha (n - 1))))/2,
/// which is the usual Tukey window of parameter alpha.
pub fn window(n: usize, measured: usize) -> Vec<f64> {
    let (before, alpha) = ((n - measured) / 2, 1.0 - measured as f64 / n as f64);
    let weight = |i: usize| {
        if (before..before + measured).contains(&i) {
            return 1.0;
        }
        let from_end = i.min(n - 1 - i) as f64;
        0.5 * (1.0 - (TAU * from_end / (alpha * (n - 1) as f64)).cos())
    };
    (0..n).map(weight).collect()
}

/// Wavenumbers of a DFT of `n` samples at `pitch`, rad/m: 0, 1, .., then the negative ones, times 2 pi/(n pitch).
pub fn wavenumbers(n: usize, pitch: f64) -> Vec<f64> {
    let step = TAU / (n as f64 * pitch);
    (0..n).map(|i| if i < n.div_ceil(2) { i as f64 } else { i as f64 - n as f64 } * step).collect()
}
