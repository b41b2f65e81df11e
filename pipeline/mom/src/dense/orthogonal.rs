//! Orthogonal factors: Householder's QR, and Jacobi's singular value decomposition of small matrices.

use super::{Inner, Matrix, add, split};
use crate::hankel::C;
use pulp::Arch;

/// Sweeps over all pairs of columns; ten are common.
const MOST_SWEEPS: usize = 40;

/// Q R of columns that are at least as long as they are many: R on and above the diagonal, and the vectors of
/// the reflections I - v v^H that make Q, whose entries before their own row are zero.
pub struct Qr {
    matrix: Matrix<C>,
    vectors: Vec<Vec<C>>,
}

impl Qr {
    pub fn new(mut matrix: Matrix<C>) -> Self {
        let mut vectors = Vec::new();
        let mut columns = matrix.columns_mut();
        for j in 0..columns.len() {
            let (column, rest) = columns[j..].split_at_mut(1);
            let vector = reflection(&column[0][j..]);
            reflect(&vector, &mut split(column, j).1);
            reflect(&vector, &mut split(rest, j).1);
            vectors.push(vector);
        }
        Self { matrix, vectors }
    }

    /// An entry of R.
    pub fn r(&self, i: usize, j: usize) -> C {
        if i <= j { self.matrix.entries()[j * self.matrix.rows() + i] } else { C::ZERO }
    }

    /// Q times a matrix of as many rows as R has.
    pub fn times(&self, small: &Matrix<C>) -> Matrix<C> {
        let entries = small.columns();
        let entry = |i: usize, j: usize| entries[j].get(i).copied().unwrap_or(C::ZERO);
        let mut product = Matrix::of(self.matrix.rows(), entries.len(), entry);
        let mut columns = product.columns_mut();
        for (j, vector) in self.vectors.iter().enumerate().rev() {
            reflect(vector, &mut split(&mut columns, j).1);
        }
        product
    }
}

/// v of I - v v^H, which leaves of a column its first entry.
fn reflection(column: &[C]) -> Vec<C> {
    let norm = column.iter().map(C::norm_sqr).sum::<f64>().sqrt();
    let mut vector = column.to_vec();
    if norm == 0.0 {
        return vector;
    }
    let head = column[0].norm();
    let turn = if head > 0.0 { column[0] / head } else { C::ONE };
    vector[0] += turn * norm;
    let scale = (norm * (norm + head)).sqrt().recip();
    vector.iter_mut().for_each(|value| *value *= scale);
    vector
}

/// (I - v v^H) of columns.
fn reflect(vector: &[C], columns: &mut [&mut [C]]) {
    for column in columns {
        let factor = -Inner::of(vector, column).conjugate();
        add(Arch::new(), &mut [column], &[vector], &[&[factor]]);
    }
}

/// A V of a square matrix whose columns are orthogonal, the longest one first: A's left singular vectors
/// times its singular values; and V (one-sided Jacobi; Golub and Van Loan, 8.6.3).
pub fn singular(size: usize, entry: impl Fn(usize, usize) -> C) -> [Matrix<C>; 2] {
    let mut left = Matrix::of(size, size, entry);
    let mut right = Matrix::of(size, size, |i, j| if i == j { C::ONE } else { C::ZERO });
    let (mut a, mut v) = (left.columns_mut(), right.columns_mut());
    for _ in 0..MOST_SWEEPS {
        let mut turned = false;
        for q in 1..size {
            for p in 0..q {
                turned |= turn([&mut a, &mut v], p, q);
            }
        }
        if !turned {
            break;
        }
    }
    let squared = |column: &&mut [C]| column.iter().map(C::norm_sqr).sum::<f64>();
    let mut order: Vec<(f64, usize)> = a.iter().map(squared).zip(0..).collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    let sorted = |columns: &[&mut [C]]| Matrix::of(size, size, |i, j| columns[order[j].1][i]);
    [sorted(&a), sorted(&v)]
}

/// Turns two columns of both matrices so that those of the first are orthogonal; whether they were not.
fn turn(matrices: [&mut [&mut [C]]; 2], p: usize, q: usize) -> bool {
    let squared = |column: &[C]| Inner::of(column, column).conjugate().re;
    let [alpha, beta] = [p, q].map(|at| squared(matrices[0][at]));
    let mixed = Inner::of(matrices[0][p], matrices[0][q]).conjugate();
    let size = mixed.norm();
    // Rounding of a sum of so many products.
    let turns = size > matrices[0][p].len() as f64 * f64::EPSILON * (alpha * beta).sqrt();
    if !turns {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * size);
    let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let cosine = tangent.hypot(1.0).recip();
    let (sine, phase) = (cosine * tangent, mixed / size);
    for columns in matrices {
        let (before, from_q) = columns.split_at_mut(q);
        for (x, y) in before[p].iter_mut().zip(from_q[0].iter_mut()) {
            let turned = *y * phase.conj();
            (*x, *y) = (*x * cosine - turned * sine, *x * sine + turned * cosine);
        }
    }
    true
}
