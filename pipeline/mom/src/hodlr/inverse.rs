//! The inverse by Sherman, Morrison and Woodbury, from the leaves up.

use super::budget::Budget;
use super::low_rank::LowRank;
use super::matrix::{Branch, Coupling, Hodlr, both};
use crate::error::Error;
use crate::hankel::C;
use crate::solve::check_pivots;
use faer::linalg::matmul::matmul;
use faer::linalg::solvers::Solve;
use faer::prelude::ReborrowMut;
use faer::traits::Conjugate;
use faer::{Accum, Mat, MatMut, MatRef, Par};

const SET: bool = true;
const SUBTRACT: bool = false;

impl Coupling {
    pub fn new(halves: &[Hodlr; 2], between: &[LowRank; 2], budget: &Budget) -> Result<Self, Error> {
        let ranks = [between[0].rank(), between[1].rank()];
        let size = ranks[0] + ranks[1];
        let numbers = halves[0].size() * ranks[0] + halves[1].size() * ranks[1] + 2 * size * size;
        budget.take(numbers, || {
            format!("the inverse of {} unknowns with ranks of {ranks:?}", halves[0].size() + halves[1].size())
        })?;
        let of = |at: usize| {
            let mut columns = between[at].left.clone();
            halves[at].solve(columns.as_mut());
            columns
        };
        let (first, second) = rayon::join(|| of(0), || of(1));
        let mut matrix = Mat::<C>::identity(size, size);
        let (top, bottom) = matrix.as_mut().split_at_row_mut(ranks[0]);
        if size > 0 {
            product(top.split_at_col_mut(ranks[0]).1, SET, between[0].right.transpose(), second.as_ref());
            product(bottom.split_at_col_mut(ranks[0]).0, SET, between[1].right.transpose(), first.as_ref());
        }
        let factors = (size > 0).then(|| matrix.partial_piv_lu());
        let pivots = factors.iter().flat_map(|factors| (0..size).map(|i| factors.U()[(i, i)].norm()));
        check_pivots(pivots).map_err(|(pivot, value)| Error::Singular { pivot, unknowns: size, value })?;
        Ok(Self { solved: [first, second], factors })
    }
}

/// y = a b, or y -= a b, which may have no rows, columns or terms: then y stays.
fn product(y: MatMut<C>, set: bool, a: MatRef<impl Conjugate<Canonical = C>>, b: MatRef<C>) {
    let (accum, factor) = if set { (Accum::Replace, C::ONE) } else { (Accum::Add, -C::ONE) };
    if y.nrows() > 0 && y.ncols() > 0 && b.nrows() > 0 {
        matmul(y, accum, a, b, factor, Par::Seq);
    }
}

impl Hodlr {
    /// Replaces right-hand sides by solutions.
    pub fn solve(&self, mut x: MatMut<C>) {
        match self {
            Self::Leaf { factors, .. } => factors.solve_in_place(x),
            Self::Branch(branch) => {
                let Branch { halves, between, coupling } = branch.as_ref();
                let work = x.nrows() * x.ncols();
                let (mut x_1, mut x_2) = x.rb_mut().split_at_row_mut(halves[0].size());
                both(work, || halves[0].solve(x_1.rb_mut()), || halves[1].solve(x_2.rb_mut()));
                let Some(factors) = &coupling.factors else { return };
                let ranks = [between[0].rank(), between[1].rank()];
                let mut y = Mat::zeros(ranks[0] + ranks[1], x_1.ncols());
                let (y_1, y_2) = y.as_mut().split_at_row_mut(ranks[0]);
                both(
                    work,
                    || product(y_1, SET, between[0].right.transpose(), x_2.as_ref()),
                    || product(y_2, SET, between[1].right.transpose(), x_1.as_ref()),
                );
                factors.solve_in_place(y.as_mut());
                let (y_1, y_2) = y.as_ref().split_at_row(ranks[0]);
                let [solved_1, solved_2] = &coupling.solved;
                both(
                    work,
                    || product(x_1, SUBTRACT, solved_1.as_ref(), y_1),
                    || product(x_2, SUBTRACT, solved_2.as_ref(), y_2),
                );
            }
        }
    }

    /// The same with the adjoint: the steps of [`Hodlr::solve`] in the opposite order.
    pub fn solve_adjoint(&self, mut x: MatMut<C>) {
        match self {
            Self::Leaf { factors, .. } => factors.solve_adjoint_in_place(x),
            Self::Branch(branch) => {
                let Branch { halves, between, coupling } = branch.as_ref();
                let (mut x_1, mut x_2) = x.rb_mut().split_at_row_mut(halves[0].size());
                if let Some(factors) = &coupling.factors {
                    let ranks = [between[0].rank(), between[1].rank()];
                    let mut y = Mat::zeros(ranks[0] + ranks[1], x_1.ncols());
                    let (y_1, y_2) = y.as_mut().split_at_row_mut(ranks[0]);
                    let [solved_1, solved_2] = &coupling.solved;
                    product(y_1, SET, solved_1.adjoint(), x_1.as_ref());
                    product(y_2, SET, solved_2.adjoint(), x_2.as_ref());
                    factors.solve_adjoint_in_place(y.as_mut());
                    let (y_1, y_2) = y.as_ref().split_at_row(ranks[0]);
                    product(x_2.rb_mut(), SUBTRACT, between[0].right.conjugate(), y_1);
                    product(x_1.rb_mut(), SUBTRACT, between[1].right.conjugate(), y_2);
                }
                halves[0].solve_adjoint(x_1);
                halves[1].solve_adjoint(x_2);
            }
        }
    }
}
