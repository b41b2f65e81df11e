//! Dense matrices of an element: at most some hundred rows, made once when a plan is made.

use std::ops::{Index, IndexMut};

/// Rows of real numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// The matrix with these entries.
    pub fn new(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let values = (0..rows * columns).map(|at| entry(at / columns, at % columns)).collect();
        Self { rows, columns, values }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    /// Rows as columns.
    pub fn transposed(&self) -> Self {
        Self::new(self.columns, self.rows, |row, column| self[(column, row)])
    }

    /// self other
    ///
    /// # Panics
    /// Where self has not as many columns as other has rows.
    pub fn times(&self, other: &Self) -> Self {
        assert_eq!(self.columns, other.rows, "columns of one, rows of the other");
        Self::new(self.rows, other.columns, |row, column| {
            self.row(row).iter().enumerate().map(|(k, value)| value * other[(k, column)]).sum()
        })
    }

    /// The inverse, by elimination with row pivots; none of a matrix that has none.
    ///
    /// # Panics
    /// Where the matrix is not square.
    pub fn inverse(&self) -> Option<Self> {
        assert_eq!(self.rows, self.columns, "only a square matrix has an inverse");
        let n = self.rows;
        // The matrix and beside it what becomes its inverse.
        let mut both = Self::new(n, 2 * n, |row, column| match column.checked_sub(n) {
            None => self[(row, column)],
            Some(column) => f64::from(u8::from(row == column)),
        });
        for k in 0..n {
            let pivot = (k..n).max_by(|a, b| both[(*a, k)].abs().total_cmp(&both[(*b, k)].abs()))?;
            let scale = 1.0 / both[(pivot, k)];
            if !scale.is_finite() {
                return None;
            }
            for column in 0..2 * n {
                let value = both[(pivot, column)];
                both[(pivot, column)] = both[(k, column)];
                both[(k, column)] = value * scale;
            }
            for row in (0..n).filter(|row| *row != k) {
                let factor = both[(row, k)];
                for column in k..2 * n {
                    both[(row, column)] -= factor * both[(k, column)];
                }
            }
        }
        Some(Self::new(n, n, |row, column| both[(row, n + column)]))
    }

    /// Largest sum of magnitudes of a row.
    pub fn norm(&self) -> f64 {
        (0..self.rows).map(|row| self.row(row).iter().map(|value| value.abs()).sum()).fold(0.0, f64::max)
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.values[row * self.columns + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.values[row * self.columns + column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_undoes_the_matrix_and_singular_ones_have_none() {
        // Zeros on the diagonal: only pivots get past them.
        let a =
            Matrix::new(4, 4, |row, column| if row == column { 0.0 } else { 1.0 + (row * column) as f64 });
        let unit = a.inverse().unwrap().times(&a);
        // Entries up to 10, a condition below 1e3: 1e3 roundings.
        let wrong = Matrix::new(4, 4, |row, column| unit[(row, column)] - f64::from(u8::from(row == column)));
        assert!(wrong.norm() < 1e-12, "{wrong:?}");
        assert_eq!(Matrix::new(3, 3, |row, _| row as f64).inverse(), None);
        assert_eq!(a.transposed()[(1, 3)], a[(3, 1)]);
    }
}
