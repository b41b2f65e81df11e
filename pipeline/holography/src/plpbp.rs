//! Planar linear predictive border padding: rows and columns at once, each from measured data alone.
//!
//! The thesis names the method (its reference \[6\]) and says that columns do not depend on rows or rows on columns,
//! at the price of more arithmetic; it does not define it. Our definition, with R the continuation of all rows and C
//! that of all columns by [`lpbp`]:
//! ```text
//! left, right of the aperture    R(hologram)
//! above, below                   C(hologram)
//! corners                        (C(R(hologram)) + R(C(hologram)))/2
//! ```
//! that is, the mean of LPBP rows first and LPBP columns first, which differ in the corners only.
//!
//! # Properties
//! - Turning the hologram turns the result; LPBP has no such symmetry.
//! - R and C of the hologram are independent, and so are the two predictions of the corners: two steps deep like
//!   LPBP, but with rows + cols lines in the first step instead of rows.
//! - Work: 192 lines of Burg's recursion instead of 128 on a grid of three times the aperture. The CPU's plan fits the
//!   measured columns once for the borders and once for the corners, 224 in all.
//!
//! # Why not simpler corners
//! One predictor for all rows and one for all columns would give the corners in a single step. That costs accuracy where
//! the data are good: the corners then do not continue the borders, and the seam acts as a source of high wavenumbers.

use super::design::{Aperture, Grid};
use super::fft2::transposed;
use super::{Error, lpbp};
use num_complex::Complex;
use numerics::real::Real;

/// The extended hologram, row by row of the padded grid, without a window.
///
/// The plans do the same in pieces; this form allocates what it needs.
pub fn extend<T: Real>(hologram: &[Complex<T>], grid: &Grid, order: usize) -> Result<Vec<Complex<T>>, Error> {
    let Aperture { rows, cols, pitch } = grid.aperture;
    let rows_first = lpbp::extend(hologram, grid, order)?;
    let turned = Grid::new(Aperture { rows: cols, cols: rows, pitch }, grid.cols, grid.rows)?;
    let columns_first = lpbp::extend(&transposed(hologram, cols), &turned, order)?;
    let half = T::of(0.5);
    let pairs = rows_first.iter().zip(transposed(&columns_first, grid.rows));
    Ok(pairs.map(|(a, b)| (a + b) * half).collect())
}

#[cfg(test)]
mod tests;
