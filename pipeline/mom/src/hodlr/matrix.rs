//! A matrix of halves with blocks of low rank between them, and its products.

use super::low_rank::LowRank;
use crate::dense::{Form, Matrix, add_product, rows, split};
use crate::hankel::C;
use crate::lu::Lu;
use crate::solve::Operand;

/// Rows times columns times columns of a product from which on both halves are worth a task each.
const TASK: usize = 1 << 14;

/// A matrix of a range of unknowns, with what its inverse needs.
pub enum Hodlr {
    /// A block of the diagonal.
    Leaf {
        matrix: Matrix<C>,
        factors: Lu<C>,
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
    pub solved: [Matrix<C>; 2],
    /// Factors of [I  V_12^T W_2; V_21^T W_1  I]; none where nothing is between the halves.
    pub factors: Option<Lu<C>>,
}

impl Hodlr {
    pub fn size(&self) -> usize {
        match self {
            Self::Leaf { matrix, .. } => matrix.rows(),
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
    pub fn multiply(&self, x: &[&[C]], y: &mut [&mut [C]], operand: Operand) {
        match self {
            Self::Leaf { matrix, .. } => {
                let form = match operand {
                    Operand::Matrix => Form::Plain,
                    Operand::Adjoint => Form::Adjoint,
                };
                add_product(y, form, &matrix.columns(), x);
            }
            Self::Branch(branch) => {
                let [first, second] = &branch.halves;
                let (at, size) = (first.size(), self.size());
                let (x_1, x_2) = (rows(x, 0..at), rows(x, at..size));
                let (mut y_1, mut y_2) = split(y, at);
                let [mut across_1, mut across_2] = branch.between.each_ref();
                if operand == Operand::Adjoint {
                    std::mem::swap(&mut across_1, &mut across_2);
                }
                both(
                    size * x.len(),
                    || {
                        across_1.multiply(&x_2, &mut y_1, operand);
                        first.multiply(&x_1, &mut y_1, operand);
                    },
                    || {
                        across_2.multiply(&x_1, &mut y_2, operand);
                        second.multiply(&x_2, &mut y_2, operand);
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
