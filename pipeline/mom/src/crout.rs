//! The thesis's solver: Crout's LU with partial updates, and explicit inverses of both triangles.
//!
//! As soon as row and column j are final, their product is taken from all that is left ("partial update"), so that every
//! step is one barrier. Then L^-1 and U^-1 are made, a column at a time, and every right-hand side costs two products with
//! triangles. What the thesis lacks is pivoting; without it the method fails on equations with small diagonals.

use crate::hankel::C;
use numerics::parallel;

/// Inverses of the triangles of P A = L U, column by column in one matrix: below the diagonal L^-1, whose diagonal is 1, above and on it U^-1.
#[derive(Debug, Clone)]
pub struct Crout {
    size: usize,
    inverses: Vec<C>,
    /// Row of A that is row i of P A.
    rows: Vec<usize>,
}

impl Crout {
    /// Factors and inverts a matrix given column by column; the number and the magnitude of the first pivot that is none.
    pub fn new(mut matrix: Vec<C>, size: usize) -> Result<Self, (usize, f64)> {
        let rows = factor(&mut matrix, size)?;
        let mut inverses = vec![C::ZERO; size * size];
        parallel::parts(&mut inverses, size, &|j, column| {
            lower_column(&matrix, size, j, column);
            upper_column(&matrix, size, j, column);
        });
        Ok(Self { size, inverses, rows })
    }

    pub fn solve(&self, b: &[C]) -> Vec<C> {
        let mut y: Vec<C> = self.rows.iter().map(|row| b[*row]).collect();
        let right = y.clone();
        for (j, value) in right.iter().enumerate() {
            let column = &self.inverses[j * self.size..][..self.size];
            y[j + 1..].iter_mut().zip(&column[j + 1..]).for_each(|(y, l)| *y += l * value);
        }
        let mut x = vec![C::ZERO; self.size];
        for (j, value) in y.iter().enumerate() {
            let column = &self.inverses[j * self.size..][..=j];
            x.iter_mut().zip(column).for_each(|(x, u)| *x += u * value);
        }
        x
    }

    pub fn solve_adjoint(&self, b: &[C]) -> Vec<C> {
        let product =
            |column: &[C], values: &[C]| column.iter().zip(values).map(|(a, v)| a.conj() * v).sum::<C>();
        let column = |j: usize| &self.inverses[j * self.size..][..self.size];
        let y: Vec<C> = (0..self.size).map(|j| product(&column(j)[..=j], b)).collect();
        let mut x = vec![C::ZERO; self.size];
        for j in 0..self.size {
            x[self.rows[j]] = y[j] + product(&column(j)[j + 1..], &y[j + 1..]);
        }
        x
    }
}

/// L below the diagonal and U above, in place; rows in their new order.
fn factor(matrix: &mut [C], size: usize) -> Result<Vec<usize>, (usize, f64)> {
    let mut rows: Vec<usize> = (0..size).collect();
    for j in 0..size {
        let column = &mut matrix[j * size..(j + 1) * size];
        let (pivot, largest) = (j..size)
            .map(|i| (i, column[i].norm_sqr()))
            .fold((j, -1.0), |best, next| if next.1 > best.1 { next } else { best });
        if !(largest > 0.0 && largest.is_finite()) {
            return Err((j, largest.max(0.0).sqrt()));
        }
        rows.swap(j, pivot);
        parallel::parts(matrix, size, &|_, column| column.swap(j, pivot));
        let (done, rest) = matrix.split_at_mut((j + 1) * size);
        let column = &mut done[j * size..];
        let inverse = column[j].inv();
        column[j + 1..].iter_mut().for_each(|entry| *entry *= inverse);
        let below = &column[j + 1..];
        parallel::parts(rest, size, &|_, column| {
            let factor = column[j];
            column[j + 1..].iter_mut().zip(below).for_each(|(entry, l)| *entry -= l * factor);
        });
    }
    Ok(rows)
}

/// Column j of L^-1, below the diagonal.
fn lower_column(factors: &[C], size: usize, j: usize, column: &mut [C]) {
    let first = &factors[j * size..][..size];
    column[j + 1..].iter_mut().zip(&first[j + 1..]).for_each(|(x, l)| *x = -l);
    for m in j + 1..size {
        let (value, next) = (column[m], &factors[m * size..][..size]);
        column[m + 1..].iter_mut().zip(&next[m + 1..]).for_each(|(x, l)| *x -= l * value);
    }
}

/// Column j of U^-1, down to the diagonal.
fn upper_column(factors: &[C], size: usize, j: usize, column: &mut [C]) {
    column[j] = C::ONE;
    for m in (0..=j).rev() {
        let next = &factors[m * size..][..size];
        column[m] *= next[m].inv();
        let value = column[m];
        column[..m].iter_mut().zip(next).for_each(|(x, u)| *x -= u * value);
    }
}
