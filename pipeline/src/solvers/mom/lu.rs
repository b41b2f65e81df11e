//! LU with partial pivoting on all cores, and solutions of many right-hand sides.
//!
//! Columns are cut into panels. While one thread brings the next panel up to date and factors it, the others take the product
//! of the panel that is done from all that is to its right: no thread waits for a panel, which one thread factors at a fraction of the speed
//! of a product. Right-hand sides are shared among the threads, which then never meet.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{PartialPivLuParams, lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place_with_conj, solve_unit_lower_triangular_in_place,
    solve_unit_upper_triangular_in_place_with_conj, solve_upper_triangular_in_place,
};
use faer::traits::ComplexField;
use faer::{Accum, Conj, MatMut, MatRef, Par, Spec};
use rayon::prelude::*;
use std::ops::Neg;

/// Widths of panels: narrow ones leave less to the one thread that factors, wide ones give products that are bound by arithmetic.
const WIDTHS: std::ops::RangeInclusive<usize> = 64..=256;
/// Panels of a matrix, where their width allows it.
const PANELS: usize = 10;

/// Numbers of a matrix: `Complex<f32>` or `Complex<f64>`.
pub trait Entry: ComplexField + Copy + Send + Sync + Neg<Output = Self> {}

impl<T: ComplexField + Copy + Send + Sync + Neg<Output = T>> Entry for T {}

/// P A = L U, column by column in one matrix: L, whose diagonal is 1, below the diagonal, U above and on it.
#[derive(Debug, Clone)]
pub struct Lu<T> {
    size: usize,
    factors: Vec<T>,
    /// Row of A that is row i of P A.
    rows: Vec<usize>,
}

/// Columns of a matrix from `first` on.
struct Panel<'a, T> {
    first: usize,
    columns: &'a mut [T],
    /// Once factored: row, of those from `first` on, that came to each place.
    rows: Vec<usize>,
}

impl<T: Entry> Lu<T> {
    /// Factors a matrix that is given column by column.
    pub fn new(mut matrix: Vec<T>, size: usize) -> Self {
        let width = size.div_ceil(PANELS).next_multiple_of(*WIDTHS.start()).min(*WIDTHS.end());
        let columns = matrix.chunks_mut((size * width).max(1)).enumerate();
        let panel = |(at, columns)| Panel { first: at * width, columns, rows: Vec::new() };
        let mut panels: Vec<Panel<'_, T>> = columns.map(panel).collect();
        if let Some(panel) = panels.first_mut() {
            panel.factor(size);
        }
        for at in 1..panels.len() {
            let (done, rest) = panels.split_at_mut(at);
            let (done, (next, rest)) = (&done[at - 1], rest.split_at_mut(1));
            rayon::join(
                || {
                    next[0].take(done, size);
                    next[0].factor(size);
                },
                || rest.par_iter_mut().with_max_len(1).for_each(|panel| panel.take(done, size)),
            );
        }
        let orders: Vec<(usize, Vec<usize>)> =
            panels.iter_mut().map(|panel| (panel.first, std::mem::take(&mut panel.rows))).collect();
        panels.par_iter_mut().enumerate().for_each(|(at, panel)| {
            orders[at + 1..].iter().for_each(|(first, rows)| order(panel.columns, size, *first, rows));
        });
        let mut rows: Vec<usize> = (0..size).collect();
        orders.iter().for_each(|(first, places)| order(&mut rows, size, *first, places));
        Self { size, factors: matrix, rows }
    }

    /// The diagonal of U.
    pub fn pivots(&self) -> impl Iterator<Item = T> {
        (0..self.size).map(|i| self.factors[i * (self.size + 1)])
    }

    /// Replaces right-hand sides, column by column, by A^-1 of them.
    pub fn solve(&self, values: &mut [T]) {
        let factors = self.factors();
        self.share(values, |part| {
            order(part, self.size, 0, &self.rows);
            let mut part = columns_mut(part, self.size);
            solve_unit_lower_triangular_in_place(factors, part.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(factors, part, Par::Seq);
        });
    }

    /// Replaces them by A^-H of them.
    pub fn solve_adjoint(&self, values: &mut [T]) {
        let turned = self.factors().transpose();
        self.share(values, |part| {
            let mut all = columns_mut(part, self.size);
            solve_lower_triangular_in_place_with_conj(turned, Conj::Yes, all.as_mut(), Par::Seq);
            solve_unit_upper_triangular_in_place_with_conj(turned, Conj::Yes, all, Par::Seq);
            let mut back = vec![0; self.size];
            self.rows.iter().enumerate().for_each(|(i, row)| back[*row] = i);
            order(part, self.size, 0, &back);
        });
    }

    fn factors(&self) -> MatRef<'_, T> {
        MatRef::from_column_major_slice(&self.factors, self.size, self.size)
    }

    /// Does the work for as many columns at a time as every thread has one share.
    fn share(&self, values: &mut [T], work: impl Fn(&mut [T]) + Sync + Send) {
        let columns = values.len().checked_div(self.size).unwrap_or(0);
        let share = columns.div_ceil(rayon::current_num_threads()) * self.size;
        values.par_chunks_mut(share.max(1)).for_each(work);
    }
}

impl<T: Entry> Panel<'_, T> {
    /// Factors the rows from the diagonal on.
    fn factor(&mut self, size: usize) {
        let (rows, columns) = (size - self.first, self.columns.len() / size);
        self.rows = vec![0; rows];
        let parameters: Spec<PartialPivLuParams, T> = Spec::default();
        let mut memory = MemBuffer::new(lu_in_place_scratch::<usize, T>(rows, columns, Par::Seq, parameters));
        let below = columns_mut(self.columns, size).subrows_mut(self.first, rows);
        let stack = MemStack::new(&mut memory);
        lu_in_place(below, &mut self.rows, &mut vec![0; rows], Par::Seq, stack, parameters);
    }

    /// Takes from this panel what one to its left, which is factored, leaves of it.
    fn take(&mut self, done: &Panel<'_, T>, size: usize) {
        order(self.columns, size, done.first, &done.rows);
        let (width, rows) = (done.columns.len() / size, size - done.first);
        let left = MatRef::from_column_major_slice(&*done.columns, size, width).subrows(done.first, rows);
        let (triangle, below) = left.split_at_row(width);
        let here = columns_mut(self.columns, size).subrows_mut(done.first, rows);
        let (mut above, rest) = here.split_at_row_mut(width);
        solve_unit_lower_triangular_in_place(triangle, above.as_mut(), Par::Seq);
        matmul(rest, Accum::Add, below, above.as_ref(), -T::one_impl(), Par::Seq);
    }
}

fn columns_mut<T>(values: &mut [T], size: usize) -> MatMut<'_, T> {
    let columns = values.len().checked_div(size).unwrap_or(0);
    MatMut::from_column_major_slice_mut(values, size, columns)
}

/// Row `first + rows[i]` of every column comes to place `first + i`.
fn order<T: Copy>(values: &mut [T], size: usize, first: usize, rows: &[usize]) {
    let mut ordered = Vec::with_capacity(rows.len());
    for column in values.chunks_mut(size.max(1)) {
        let column = &mut column[first..];
        ordered.clear();
        ordered.extend(rows.iter().map(|row| column[*row]));
        column.copy_from_slice(&ordered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex;

    type C = Complex<f64>;

    /// Entries in the unit square, with zeros on the diagonal so that rows must change.
    fn matrix(size: usize) -> Vec<C> {
        let entry = |at: usize| {
            let (i, j) = ((at % size) as f64, (at / size) as f64);
            let value = C::new((i * 12.9898 + j * 78.233).sin(), (i * 39.346 - j * 11.135 + 1.0).sin());
            if at.is_multiple_of(size + 1) { C::ZERO } else { value }
        };
        (0..size * size).map(entry).collect()
    }

    fn product(matrix: &[C], x: &[C], adjoint: bool) -> Vec<C> {
        let size = x.len();
        let entry = |i: usize, j: usize| {
            if adjoint { matrix[i * size + j].conj() } else { matrix[j * size + i] }
        };
        (0..size).map(|i| (0..size).map(|j| entry(i, j) * x[j]).sum()).collect()
    }

    /// Sizes below, at and above the widths of panels; the residual of elimination is some roundings of n |A| |x| times its growth, which is small.
    #[test]
    fn residuals_are_roundings_at_sizes_around_the_width_of_panels() {
        for size in [2, 63, 64, 65, 128, 130, 400] {
            let (matrix, columns) = (matrix(size), 3);
            let lu = Lu::new(matrix.clone(), size);
            assert!(lu.pivots().all(|pivot| pivot.norm() > 0.0));
            let right: Vec<C> = (0..size * columns).map(|i| C::cis(i as f64)).collect();
            for adjoint in [false, true] {
                let mut values = right.clone();
                if adjoint {
                    lu.solve_adjoint(&mut values)
                } else {
                    lu.solve(&mut values)
                }
                for (x, b) in values.chunks(size).zip(right.chunks(size)) {
                    let greatest = x.iter().map(|x| x.norm()).fold(1.0, f64::max);
                    let allowed = 10.0 * (size as f64).powi(2) * f64::EPSILON * greatest;
                    let rest = product(&matrix, x, adjoint).into_iter().zip(b).map(|(a, b)| (a - b).norm());
                    let worst = rest.fold(0.0, f64::max);
                    assert!(worst <= allowed, "{size} {adjoint}: {worst:e} of {allowed:e}");
                }
            }
        }
    }

    /// The order of sums does not depend on who does the work.
    #[test]
    fn factors_are_the_same_bits_with_any_number_of_threads() {
        let factors = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Lu::new(matrix(300), 300).factors)
        };
        let alone = factors(1);
        assert!([2, 3].into_iter().all(|threads| factors(threads) == alone));
    }

    #[test]
    fn a_matrix_without_entries_has_nothing_to_solve() {
        let lu = Lu::<C>::new(Vec::new(), 0);
        lu.solve(&mut []);
        assert_eq!(lu.pivots().count(), 0);
    }
}
