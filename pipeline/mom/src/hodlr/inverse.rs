//! The inverse by Sherman, Morrison and Woodbury, from the leaves up.

use super::budget::Budget;
use super::low_rank::LowRank;
use super::matrix::{Branch, Coupling, Hodlr, both};
use crate::dense::{Form, Matrix, add_product, read, rows, split, take_product};
use crate::error::Error;
use crate::hankel::C;
use crate::lu::Lu;
use crate::solve::check_pivots;

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
            halves[at].solve(&mut columns.columns_mut());
            columns
        };
        let (first, second) = rayon::join(|| of(0), || of(1));
        let mut matrix = Matrix::of(size, size, |i, j| if i == j { C::ONE } else { C::ZERO });
        let mut columns = matrix.columns_mut();
        let (left, right) = columns.split_at_mut(ranks[0]);
        let couple = |y: &mut [&mut [C]], at: usize, x: &Matrix<C>| {
            add_product(y, Form::Transpose, &between[at].right.columns(), &x.columns());
        };
        couple(&mut split(right, ranks[0]).0, 0, &second);
        couple(&mut split(left, ranks[0]).1, 1, &first);
        let factors = (size > 0).then(|| Lu::new(matrix.entries().to_vec(), size));
        let pivots = factors.iter().flat_map(|factors| factors.pivots().map(|pivot| pivot.norm()));
        check_pivots(pivots).map_err(|(pivot, value)| Error::Singular { pivot, unknowns: size, value })?;
        Ok(Self { solved: [first, second], factors })
    }
}

impl Hodlr {
    /// Replaces right-hand sides by solutions.
    pub fn solve(&self, x: &mut [&mut [C]]) {
        match self {
            Self::Leaf { factors, .. } => factors.solve_alone(x),
            Self::Branch(branch) => {
                let Branch { halves, between, coupling } = branch.as_ref();
                let work = self.size() * x.len();
                let (mut x_1, mut x_2) = split(x, halves[0].size());
                both(work, || halves[0].solve(&mut x_1), || halves[1].solve(&mut x_2));
                let Some(factors) = &coupling.factors else { return };
                let ranks = [between[0].rank(), between[1].rank()];
                let mut y = Matrix::of(ranks[0] + ranks[1], x_1.len(), |_, _| C::ZERO);
                let mut columns = y.columns_mut();
                let (mut y_1, mut y_2) = split(&mut columns, ranks[0]);
                let [v_1, v_2] = between.each_ref().map(|block| block.right.columns());
                both(
                    work,
                    || add_product(&mut y_1, Form::Transpose, &v_1, &read(&x_2)),
                    || add_product(&mut y_2, Form::Transpose, &v_2, &read(&x_1)),
                );
                factors.solve_alone(&mut columns);
                let columns = read(&columns);
                let (y_1, y_2) = (rows(&columns, 0..ranks[0]), rows(&columns, ranks[0]..ranks[0] + ranks[1]));
                let [solved_1, solved_2] = coupling.solved.each_ref().map(Matrix::columns);
                both(
                    work,
                    || take_product(&mut x_1, Form::Plain, &solved_1, &y_1),
                    || take_product(&mut x_2, Form::Plain, &solved_2, &y_2),
                );
            }
        }
    }

    /// The same with the adjoint: the steps of [`Hodlr::solve`] in the opposite order.
    pub fn solve_adjoint(&self, x: &mut [&mut [C]]) {
        match self {
            Self::Leaf { factors, .. } => x.iter_mut().for_each(|x| factors.solve_adjoint_alone(x)),
            Self::Branch(branch) => {
                let Branch { halves, between, coupling } = branch.as_ref();
                let (mut x_1, mut x_2) = split(x, halves[0].size());
                if let Some(factors) = &coupling.factors {
                    let ranks = [between[0].rank(), between[1].rank()];
                    let mut y = Matrix::of(ranks[0] + ranks[1], x_1.len(), |_, _| C::ZERO);
                    let mut columns = y.columns_mut();
                    let (mut y_1, mut y_2) = split(&mut columns, ranks[0]);
                    let [solved_1, solved_2] = coupling.solved.each_ref().map(Matrix::columns);
                    add_product(&mut y_1, Form::Adjoint, &solved_1, &read(&x_1));
                    add_product(&mut y_2, Form::Adjoint, &solved_2, &read(&x_2));
                    columns.iter_mut().for_each(|y| factors.solve_adjoint_alone(y));
                    let columns = read(&columns);
                    let (y_1, y_2) =
                        (rows(&columns, 0..ranks[0]), rows(&columns, ranks[0]..ranks[0] + ranks[1]));
                    take_product(&mut x_2, Form::Conjugate, &between[0].right.columns(), &y_1);
                    take_product(&mut x_1, Form::Conjugate, &between[1].right.columns(), &y_2);
                }
                halves[0].solve_adjoint(&mut x_1);
                halves[1].solve_adjoint(&mut x_2);
            }
        }
    }
}
