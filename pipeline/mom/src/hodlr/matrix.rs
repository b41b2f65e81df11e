//! A matrix of halves with blocks of low rank between them, and its products.

use super::low_rank::LowRank;
use crate::hankel::C;
use crate::solve::Operand;
use faer::linalg::matmul::matmul;
use faer::linalg::solvers::PartialPivLu;
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Rows times columns times columns of a product from which on both halves are worth a task each.
const TASK: usize = 1 << 14;

/// A matrix of a range of unknowns, with what its inverse needs.
pub enum Hodlr {
    /// A block of the diagonal.
    Leaf {
        matrix: Mat<C>,
        factors: PartialPivLu<C>,
    },
    Branch(Box<Branch>),
}

pub struct Branch {
    pub halves: [Hodlr; 2],
    /// What the second half gives in the first, and the first in the second.
    pub between: [LowRank; 2],
    pub coupling: Coupling,
}

/// What joins the inverses of two halves.
pub struct Coupling {
    /// W_1 and W_2: the inverses of the halves times U_12 and U_21.
    pub solved: [Mat<C>; 2],
    /// Factors of [I  V_12^T W_2; V_21^T W_1  I]; none where nothing is between the halves.
    pub factors: Option<PartialPivLu<C>>,
}

impl Hodlr {
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
    pub fn multiply(&self, x: MatRef<C>, mut y: MatMut<C>, operand: Operand) {
        match self {
            Self::Leaf { matrix, .. } => match operand {
                Operand::Matrix => matmul(y, Accum::Add, matrix, x, C::ONE, Par::Seq),
                Operand::Adjoint => matmul(y, Accum::Add, matrix.adjoint(), x, C::ONE, Par::Seq),
            },
            Self::Branch(branch) => {
                let [first, second] = &branch.halves;
                let (x_1, x_2) = x.split_at_row(first.size());
                let (mut y_1, mut y_2) = y.rb_mut().split_at_row_mut(first.size());
                let [mut across_1, mut across_2] = branch.between.each_ref();
                if operand == Operand::Adjoint {
                    std::mem::swap(&mut across_1, &mut across_2);
                }
                both(
                    x.nrows() * x.ncols(),
                    || {
                        across_1.multiply(x_2, y_1.rb_mut(), operand);
                        first.multiply(x_1, y_1, operand);
                    },
                    || {
                        across_2.multiply(x_1, y_2.rb_mut(), operand);
                        second.multiply(x_2, y_2, operand);
                    },
                );
            }
        }
    }
}

/// Does both, on two cores where it pays.
pub fn both(work: usize, first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if work >= TASK {
        rayon::join(first, second);
    } else {
        first();
        second();
    }
}
