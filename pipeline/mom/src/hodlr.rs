//! Compressed matrices: hierarchically off-diagonal low rank (HODLR).
//!
//! # Formulas
//! Unknowns are halved along the outlines, bodies from each other first, until `LEAF` are left. A matrix of
//! two halves is
//! ```text
//! A = [A_1  U_12 V_12^T; U_21 V_21^T  A_2]                                             blocks of low rank         aca
//! A^-1 b = x - [W_1 y_1; W_2 y_2],  x = [A_1^-1 b_1; A_2^-1 b_2],  W_1 = A_1^-1 U_12,  W_2 = A_2^-1 U_21
//! [I  V_12^T W_2; V_21^T W_1  I] [y_1; y_2] = [V_12^T x_2; V_21^T x_1]                 Sherman-Morrison-Woodbury  inverse
//! ```
//! and the halves are such matrices again. Halves touch at one point of the outline, or at two, and kernels
//! are smooth elsewhere: ranks grow with the logarithms of tolerance and size, and on closed bodies by one or
//! two for every wavelength of the shorter half.
//!
//! # Cost
//! r N log N entries and numbers, r^2 N (log N)^2 operations, r the rank.
//!
//! # References
//! Ambikasaran and Darve, J. Sci. Comput. 57, 477 (2013); Bebendorf, Numer. Math. 86, 565 (2000).

mod aca;
mod budget;
mod build;
mod inverse;
mod low_rank;
mod matrix;

pub use budget::{Budget, planned_bytes};
pub use build::Build;
pub use matrix::Hodlr;

use super::dense::{Matrix, columns};
use super::error::Error;
use super::lu::Lu;
use super::solve::check_pivots;
use crate::hankel::C;
use matrix::{Branch, Coupling};
use std::ops::Range;

impl Hodlr {
    /// Compresses and factors the matrix of a range of unknowns.
    pub fn new(build: &Build, range: Range<usize>) -> Result<Self, Error> {
        let Some(border) = build.half(&range) else {
            return Self::leaf(build, range);
        };
        let [first, second] = [range.start..border, border..range.end];
        let half = |range: &Range<usize>| Self::new(build, range.clone());
        let block = |rows: &Range<usize>, columns: &Range<usize>| {
            aca::approximate(build, rows.clone(), columns.clone())
        };
        let (halves, between) = rayon::join(
            || rayon::join(|| half(&first), || half(&second)),
            || rayon::join(|| block(&first, &second), || block(&second, &first)),
        );
        let (halves, between) = ([halves.0?, halves.1?], [between.0?, between.1?]);
        let coupling = Coupling::new(&halves, &between, build.budget)?;
        Ok(Self::Branch(Box::new(Branch { halves, between, coupling })))
    }

    fn leaf(build: &Build, range: Range<usize>) -> Result<Self, Error> {
        let size = range.len();
        // The entries and both triangles.
        build.budget.take(3 * size * size, || format!("a block of {size} unknowns"))?;
        let mut transpose = vec![C::ZERO; size * size];
        for (i, entries) in transpose.chunks_mut(size).enumerate() {
            build.source.row(range.start + i, range.clone(), entries);
        }
        let matrix = Matrix::transpose(&columns(&transpose, size), size);
        let factors = Lu::new(matrix.entries().to_vec(), size);
        check_pivots(factors.pivots().map(|pivot| pivot.norm())).map_err(|(pivot, value)| {
            Error::Singular { pivot: range.start + pivot, unknowns: range.end, value }
        })?;
        Ok(Self::Leaf { matrix, factors })
    }
}
