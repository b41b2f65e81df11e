//! Blocks of low rank, U V^T.

use crate::hankel::C;
use crate::solve::Operand;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// U V^T.
#[derive(Debug, Clone)]
pub struct LowRank {
    /// U, a column for every rank.
    pub left: Mat<C>,
    pub right: Mat<C>,
}

impl LowRank {
    pub fn rank(&self) -> usize {
        self.left.ncols()
    }

    /// The same to `tolerance` of its Frobenius norm, with the least rank: QR of both factors, and the singular values of what is left.
    pub fn recompressed(self, tolerance: f64) -> Self {
        if self.rank() == 0 {
            return self;
        }
        let (left, right) = (self.left.qr(), self.right.qr());
        let core = left.thin_R() * right.thin_R().transpose();
        // What is no number has no singular values; the certificate refuses it.
        let Ok(svd) = core.thin_svd() else { return self };
        let values: Vec<f64> = svd.S().column_vector().iter().map(|value| value.re).collect();
        let rank = kept(&values, tolerance);
        let scaled = Mat::from_fn(core.nrows(), rank, |i, j| svd.U()[(i, j)] * values[j]);
        let turned = Mat::from_fn(core.ncols(), rank, |i, j| svd.V()[(i, j)].conj());
        Self { left: left.compute_thin_Q() * scaled, right: right.compute_thin_Q() * turned }
    }

    /// Adds U V^T x, or its adjoint's product, to y.
    pub fn multiply(&self, x: MatRef<C>, y: MatMut<C>, operand: Operand) {
        if self.rank() == 0 {
            return;
        }
        let mut inner = Mat::zeros(self.rank(), x.ncols());
        match operand {
            Operand::Matrix => {
                matmul(inner.as_mut(), Accum::Replace, self.right.transpose(), x, C::ONE, Par::Seq);
                matmul(y, Accum::Add, self.left.as_ref(), inner.as_ref(), C::ONE, Par::Seq);
            }
            Operand::Adjoint => {
                matmul(inner.as_mut(), Accum::Replace, self.left.adjoint(), x, C::ONE, Par::Seq);
                matmul(y, Accum::Add, self.right.conjugate(), inner.as_ref(), C::ONE, Par::Seq);
            }
        }
    }
}

/// How many of falling singular values are kept: those that are left out are `tolerance` of all, root of squares.
fn kept(values: &[f64], tolerance: f64) -> usize {
    let all: f64 = values.iter().map(|value| value * value).sum();
    let mut rest = 0.0;
    let left_out = values.iter().rev().take_while(|value| {
        rest += **value * **value;
        rest <= tolerance * tolerance * all
    });
    values.len() - left_out.count()
}
