//! Blocks of low rank, U V^T.

use crate::dense::orthogonal::{Qr, singular};
use crate::dense::{Form, Matrix, add_product};
use crate::hankel::C;
use crate::solve::Operand;

/// U V^T.
#[derive(Debug, Clone)]
pub struct LowRank {
    /// U, a column for every rank.
    pub left: Matrix<C>,
    pub right: Matrix<C>,
}

impl LowRank {
    pub fn rank(&self) -> usize {
        self.left.columns().len()
    }

    /// The same to `tolerance` of its Frobenius norm, with the least rank: QR of both factors, and the
    /// singular values of what is left.
    pub fn recompressed(self, tolerance: f64) -> Self {
        let entries = self.left.entries().iter().chain(self.right.entries());
        // What is no number has no singular values; the certificate refuses it.
        if self.rank() == 0 || !entries.into_iter().all(|entry| entry.is_finite()) {
            return self;
        }
        let size = self.rank();
        let (left, right) = (Qr::new(self.left), Qr::new(self.right));
        let [scaled, turned] = singular(size, |i, j| (0..size).map(|k| left.r(i, k) * right.r(j, k)).sum());
        let values: Vec<f64> = scaled.columns().iter().map(|column| norm(column)).collect();
        let rank = kept(&values, tolerance);
        let (scaled, turned) = (scaled.columns(), turned.columns());
        let scaled = Matrix::of(size, rank, |i, j| scaled[j][i]);
        let turned = Matrix::of(size, rank, |i, j| turned[j][i].conj());
        Self { left: left.times(&scaled), right: right.times(&turned) }
    }

    /// Adds U V^T x, or its adjoint's product, to y.
    pub fn multiply(&self, x: &[&[C]], y: &mut [&mut [C]], operand: Operand) {
        let ([first, second], [one, other]) = match operand {
            Operand::Matrix => ([&self.right, &self.left], [Form::Transpose, Form::Plain]),
            Operand::Adjoint => ([&self.left, &self.right], [Form::Adjoint, Form::Conjugate]),
        };
        let mut inner = Matrix::of(self.rank(), x.len(), |_, _| C::ZERO);
        add_product(&mut inner.columns_mut(), one, &first.columns(), x);
        add_product(y, other, &second.columns(), &inner.columns());
    }
}

fn norm(column: &[C]) -> f64 {
    column.iter().map(C::norm_sqr).sum::<f64>().sqrt()
}

/// How many of falling singular values are kept: those that are left out are `tolerance` of all, root of
/// squares.
fn kept(values: &[f64], tolerance: f64) -> usize {
    let all: f64 = values.iter().map(|value| value * value).sum();
    let mut rest = 0.0;
    let left_out = values.iter().rev().take_while(|value| {
        rest += **value * **value;
        rest <= tolerance * tolerance * all
    });
    values.len() - left_out.count()
}
