//! Compressed matrices: hierarchically off-diagonal low rank (HODLR).
//!
//! # Formulas
//! Unknowns are halved along the outlines, bodies from each other first, until [`LEAF`] are left. A matrix of two halves is
//! ```text
//! A = [A_1  U_12 V_12^T; U_21 V_21^T  A_2]                                             blocks of low rank         aca
//! A^-1 b = x - [W_1 y_1; W_2 y_2],  x = [A_1^-1 b_1; A_2^-1 b_2],  W_1 = A_1^-1 U_12,  W_2 = A_2^-1 U_21
//! [I  V_12^T W_2; V_21^T W_1  I] [y_1; y_2] = [V_12^T x_2; V_21^T x_1]                 Sherman-Morrison-Woodbury  inverse
//! ```
//! and the halves are such matrices again. Halves touch at one point of the outline, or at two, and kernels are smooth elsewhere:
//! ranks grow with the logarithms of tolerance and size, and on closed bodies by one or two for every wavelength of the shorter half.
//!
//! # Cost
//! r N log N entries and numbers, r^2 N (log N)^2 operations, r the rank.
//!
//! # References
//! Ambikasaran and Darve, J. Sci. Comput. 57, 477 (2013); Bebendorf, Numer. Math. 86, 565 (2000).

mod aca;
mod budget;
mod inverse;
mod low_rank;

pub use budget::{Budget, planned_bytes};
pub use low_rank::LowRank;

use super::Error;
use super::entries::Source;
use super::solve::check_pivots;
use faer::linalg::matmul::matmul;
use faer::linalg::solvers::PartialPivLu;
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use inverse::Coupling;
use num_complex::Complex;
use std::ops::Range;

type C = Complex<f64>;

/// Unknowns of a block of the diagonal that is not halved any more.
pub const LEAF: usize = 96;
/// Rows times columns times columns of a product from which on both halves are worth a task each.
const TASK: usize = 1 << 14;

/// A matrix of a range of unknowns, with what its inverse needs.
pub enum Hodlr {
    /// A block of the diagonal.
    Leaf {
        /// Its entries.
        matrix: Mat<C>,
        /// Its factors.
        factors: PartialPivLu<C>,
    },
    /// Two halves.
    Branch(Box<Branch>),
}

/// Two halves and what is between them.
pub struct Branch {
    halves: [Hodlr; 2],
    /// What the second half gives in the first, and the first in the second.
    between: [LowRank; 2],
    coupling: Coupling,
}

/// Where ranges may be halved.
pub struct Order {
    /// Unknowns of a cell.
    pub cell: usize,
    /// First unknowns of the bodies, and their number.
    pub bodies: Vec<usize>,
}

impl Order {
    /// Where a range is halved, if it is: between bodies, or else between cells.
    fn half(&self, range: &Range<usize>) -> Option<usize> {
        let middle = range.start + range.len() / 2;
        let inside =
            self.bodies.iter().copied().filter(|border| range.start < *border && *border < range.end);
        let cells = range.start + (range.len() / 2).next_multiple_of(self.cell);
        let border = inside.min_by_key(|border| border.abs_diff(middle)).unwrap_or(cells);
        (range.len() > LEAF && border < range.end).then_some(border)
    }
}

/// What all blocks are made of.
pub struct Build<'a, S: Source> {
    /// Entries.
    pub source: &'a S,
    /// Where ranges are halved.
    pub order: &'a Order,
    /// Of a block, in parts of its Frobenius norm.
    pub tolerance: f64,
    /// Memory.
    pub budget: &'a Budget,
}

impl Hodlr {
    /// Compresses and factors the matrix of a range of unknowns.
    pub fn new<S: Source>(build: &Build<S>, range: Range<usize>) -> Result<Self, Error> {
        let Some(border) = build.order.half(&range) else {
            return Self::leaf(build, range);
        };
        let [first, second] = [range.start..border, border..range.end];
        let (halves, between) = rayon::join(
            || {
                let of = |half: &Range<usize>| Self::new(build, half.clone());
                rayon::join(|| of(&first), || of(&second))
            },
            || {
                let of = |rows: &Range<usize>, columns: &Range<usize>| {
                    aca::approximate(build, rows.clone(), columns.clone())
                };
                rayon::join(|| of(&first, &second), || of(&second, &first))
            },
        );
        let (halves, between) = ([halves.0?, halves.1?], [between.0?, between.1?]);
        let coupling = Coupling::new(&halves, &between, build.budget)?;
        Ok(Self::Branch(Box::new(Branch { halves, between, coupling })))
    }

    fn leaf<S: Source>(build: &Build<S>, range: Range<usize>) -> Result<Self, Error> {
        let size = range.len();
        // The entries and both triangles.
        build.budget.take(3 * size * size, || format!("a block of {size} unknowns"))?;
        let mut matrix = Mat::zeros(size, size);
        let mut entries = vec![C::ZERO; size];
        for i in 0..size {
            build.source.row(range.start + i, range.clone(), &mut entries);
            entries.iter().enumerate().for_each(|(j, entry)| matrix[(i, j)] = *entry);
        }
        let factors = matrix.partial_piv_lu();
        check_pivots((0..size).map(|i| factors.U()[(i, i)].norm())).map_err(|(pivot, value)| {
            Error::Singular { pivot: range.start + pivot, unknowns: range.end, value }
        })?;
        Ok(Self::Leaf { matrix, factors })
    }

    /// Rows and columns.
    pub fn size(&self) -> usize {
        match self {
            Self::Leaf { matrix, .. } => matrix.nrows(),
            Self::Branch(branch) => branch.halves.iter().map(Self::size).sum(),
        }
    }

    /// Greatest ranks of the blocks between halves, from the first halving to the last.
    pub fn ranks(&self) -> Vec<usize> {
        let Self::Branch(branch) = self else { return Vec::new() };
        let mut ranks = vec![branch.between.iter().map(LowRank::rank).fold(0, usize::max)];
        for deeper in branch.halves.iter().map(Self::ranks) {
            ranks.resize(ranks.len().max(deeper.len() + 1), 0);
            ranks[1..].iter_mut().zip(deeper).for_each(|(rank, other)| *rank = other.max(*rank));
        }
        ranks
    }

    /// Adds A x, or A^H x, to y.
    pub fn multiply(&self, x: MatRef<C>, mut y: MatMut<C>, adjoint: bool) {
        match self {
            Self::Leaf { matrix, .. } if adjoint => {
                matmul(y, Accum::Add, matrix.adjoint(), x, C::ONE, Par::Seq);
            }
            Self::Leaf { matrix, .. } => matmul(y, Accum::Add, matrix, x, C::ONE, Par::Seq),
            Self::Branch(branch) => {
                let [first, second] = &branch.halves;
                let (x_1, x_2) = x.split_at_row(first.size());
                let (mut y_1, mut y_2) = y.rb_mut().split_at_row_mut(first.size());
                let [upper, lower] = &branch.between;
                both(
                    x.nrows() * x.ncols(),
                    || {
                        let across = if adjoint { lower } else { upper };
                        across.multiply(x_2, y_1.rb_mut(), adjoint);
                        first.multiply(x_1, y_1, adjoint);
                    },
                    || {
                        let across = if adjoint { upper } else { lower };
                        across.multiply(x_1, y_2.rb_mut(), adjoint);
                        second.multiply(x_2, y_2, adjoint);
                    },
                );
            }
        }
    }
}

/// Does both, on two cores where it pays.
fn both(work: usize, first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if work >= TASK {
        rayon::join(first, second);
    } else {
        first();
        second();
    }
}
