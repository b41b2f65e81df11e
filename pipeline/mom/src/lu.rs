//! LU with partial pivoting on all cores, and solutions of many right-hand sides.
//!
//! Columns are cut into panels. While one thread brings the next panel up to date and factors it, the others take the product
//! of the panel that is done from all that is to its right: no thread waits for a panel, which one thread factors at a fraction of the speed
//! of a product. Shares of that product shrink towards its end, so that all threads are done at once. Right-hand sides are shared among the threads, which meet
//! once for each panel: a panel is made ready for products (`product.rs`) by all of them, for all of them.

use super::product::{Left, Part};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{PartialPivLuParams, lu_in_place, lu_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place_with_conj, solve_unit_lower_triangular_in_place,
    solve_unit_upper_triangular_in_place_with_conj, solve_upper_triangular_in_place,
};
use faer::{Conj, MatMut, MatRef, Par, Spec};
use num_complex::Complex;
use numerics::parallel;
use pulp::Arch;
use rayon::prelude::*;

/// Widths of panels: narrow ones leave less to the one thread that factors, wide ones give products that are bound by arithmetic.
const LEAST_WIDTH: usize = 64;
const MOST_WIDTH: usize = 128;
/// Panels of a matrix, where their width allows it.
const PANELS: usize = 8;
/// Fewest right-hand sides that pay for copies of the factors.
const FEWEST: usize = 4;
/// Fewest columns of a share of a product.
const LEAST_SHARE: usize = 128;

/// P A = L U, column by column in one matrix: L, whose diagonal is 1, below the diagonal, U above and on it.
#[derive(Debug, Clone)]
pub struct Lu<T> {
    size: usize,
    factors: Vec<T>,
    moves: Moves,
}

/// Rows that change places: where to and where from.
type Moves = Vec<[usize; 2]>;

numerics::compiled! { P: Part => Lu<Complex<P>>: new, solve, solve_adjoint }

impl<P: Part> Lu<Complex<P>> {
    /// Factors a matrix that is given column by column.
    #[inline(never)]
    pub fn new(mut matrix: Vec<Complex<P>>, size: usize) -> Self {
        let width = width(size);
        let firsts: Vec<usize> = (0..size).step_by(width).collect();
        let mut product = Left::new(Arch::new());
        let mut moves: Vec<Moves> = Vec::with_capacity(firsts.len());
        moves.extend(matrix.chunks_mut((size * width).max(1)).next().map(|panel| factor(panel, size, 0)));
        for first in &firsts[1.min(firsts.len())..] {
            let (left, right) = matrix.split_at_mut(size * first);
            let panel = MatRef::from_column_major_slice(&left[size * (first - width)..], size, width);
            let (triangle, below) = panel.subrows(first - width, size + width - first).split_at_row(width);
            product.pack(below);
            let done = Done { triangle, product: &product, size, moves: &moves[moves.len() - 1] };
            let (next, rest) = right.split_at_mut((size * width).min(right.len()));
            let (found, ()) = rayon::join(
                || {
                    done.take_from(next);
                    factor(next, size, *first)
                },
                || shares(rest, size).par_bridge().for_each(|share| done.take_from(share)),
            );
            moves.push(found);
        }
        parallel::parts(&mut matrix, size * width, &|at, panel| {
            moves[at + 1..].iter().for_each(|moves| exchange(panel, size, moves.iter().copied()));
        });
        let mut rows: Vec<usize> = (0..size).collect();
        moves.iter().for_each(|moves| exchange(&mut rows, size, moves.iter().copied()));
        Self { size, factors: matrix, moves: changes(&rows, 0) }
    }

    /// The diagonal of U.
    pub fn pivots(&self) -> impl Iterator<Item = Complex<P>> {
        (0..self.size).map(|i| self.factors[i * (self.size + 1)])
    }

    /// Replaces right-hand sides, column by column, by A^-1 of them.
    #[inline(never)]
    pub fn solve(&self, values: &mut [Complex<P>]) {
        self.share(values, |part| exchange(part, self.size, self.moves.iter().copied()));
        if values.len() < FEWEST * self.size {
            return self.share(values, |part| {
                let mut part = columns_mut(part, self.size);
                solve_unit_lower_triangular_in_place(self.factors(), part.as_mut(), Par::Seq);
                solve_upper_triangular_in_place(self.factors(), part, Par::Seq);
            });
        }
        let mut product = Left::new(Arch::new());
        let panels = (0..self.size).step_by(MOST_WIDTH);
        panels.clone().for_each(|first| self.substitute(values, first, false, &mut product));
        panels.rev().for_each(|first| self.substitute(values, first, true, &mut product));
    }

    /// Solves for the rows of a panel of L, or of U, and takes them from those below, or above.
    fn substitute(&self, values: &mut [Complex<P>], first: usize, upper: bool, product: &mut Left<P>) {
        let width = MOST_WIDTH.min(self.size - first);
        let (from, to) = if upper { (0, first + width) } else { (first, self.size) };
        let border = if upper { first } else { width };
        let panel = self.factors().submatrix(from, first, to - from, width).split_at_row(border);
        let (triangle, others) = if upper { (panel.1, panel.0) } else { panel };
        product.pack(others);
        self.share(values, |part| {
            let part = columns_mut(part, self.size).subrows_mut(from, to - from);
            let part = part.split_at_row_mut(border);
            let (mut solved, rest) = if upper { (part.1, part.0) } else { part };
            if upper {
                solve_upper_triangular_in_place(triangle, solved.as_mut(), Par::Seq);
            } else {
                solve_unit_lower_triangular_in_place(triangle, solved.as_mut(), Par::Seq);
            }
            product.take(rest, solved.as_ref());
        });
    }

    /// Replaces them by A^-H of them.
    #[inline(never)]
    pub fn solve_adjoint(&self, values: &mut [Complex<P>]) {
        let turned = self.factors().transpose();
        self.share(values, |part| {
            let mut all = columns_mut(part, self.size);
            solve_lower_triangular_in_place_with_conj(turned, Conj::Yes, all.as_mut(), Par::Seq);
            solve_unit_upper_triangular_in_place_with_conj(turned, Conj::Yes, all, Par::Seq);
            exchange(part, self.size, self.moves.iter().map(|[to, from]| [*from, *to]));
        });
    }

    fn factors(&self) -> MatRef<'_, Complex<P>> {
        MatRef::from_column_major_slice(&self.factors, self.size, self.size)
    }

    /// Does the work for as many columns at a time as every thread has one share.
    fn share(&self, values: &mut [Complex<P>], work: impl Fn(&mut [Complex<P>]) + Sync + Send) {
        let columns = values.len().checked_div(self.size).unwrap_or(0);
        let share = columns.div_ceil(rayon::current_num_threads()) * self.size;
        parallel::parts(values, share, &|_, part| work(part));
    }
}

fn width(size: usize) -> usize {
    size.div_ceil(PANELS).next_multiple_of(LEAST_WIDTH).clamp(LEAST_WIDTH, MOST_WIDTH)
}

/// Factors columns from row `first` on, and gives the rows that have changed places.
fn factor<P: Part>(columns: &mut [Complex<P>], size: usize, first: usize) -> Moves {
    let (rows, width) = (size - first, columns.len() / size);
    let mut places = vec![0; rows];
    let parameters: Spec<PartialPivLuParams, Complex<P>> = Spec::default();
    let mut memory =
        MemBuffer::new(lu_in_place_scratch::<usize, Complex<P>>(rows, width, Par::Seq, parameters));
    let below = columns_mut(columns, size).subrows_mut(first, rows);
    let stack = MemStack::new(&mut memory);
    lu_in_place(below, &mut places, &mut vec![0; rows], Par::Seq, stack, parameters);
    changes(&places, first)
}

/// A panel that is factored: its triangle, and what is below it, ready for products.
struct Done<'a, P> {
    triangle: MatRef<'a, Complex<P>>,
    product: &'a Left<P>,
    size: usize,
    moves: &'a Moves,
}

impl<P: Part> Done<'_, P> {
    /// Takes from columns to the right what this panel leaves of them.
    fn take_from(&self, columns: &mut [Complex<P>]) {
        exchange(columns, self.size, self.moves.iter().copied());
        let (width, below) = (self.triangle.ncols(), self.product.rows());
        let here = columns_mut(columns, self.size).subrows_mut(self.size - width - below, width + below);
        let (mut above, rest) = here.split_at_row_mut(width);
        solve_unit_lower_triangular_in_place(self.triangle, above.as_mut(), Par::Seq);
        self.product.take(rest, above.as_ref());
    }
}

/// Columns in shares of what is left over the threads.
fn shares<T>(mut columns: &mut [T], size: usize) -> impl Iterator<Item = &mut [T]> {
    let parts = rayon::current_num_threads();
    std::iter::from_fn(move || {
        let share = (columns.len() / size).div_ceil(parts).next_multiple_of(LEAST_SHARE) * size;
        columns.split_off_mut(..share.min(columns.len())).filter(|share| !share.is_empty())
    })
}

fn columns_mut<T>(values: &mut [T], size: usize) -> MatMut<'_, T> {
    let columns = values.len().checked_div(size).unwrap_or(0);
    MatMut::from_column_major_slice_mut(values, size, columns)
}

/// Of rows from `first` on, those whose place has another one's number.
fn changes(rows: &[usize], first: usize) -> Moves {
    let moves = rows.iter().enumerate().filter(|(to, from)| to != *from);
    moves.map(|(to, from)| [first + to, first + from]).collect()
}

/// Brings rows of every column to other places.
fn exchange<T: Copy>(values: &mut [T], size: usize, moves: impl Iterator<Item = [usize; 2]> + Clone) {
    let mut moved = Vec::new();
    for column in values.chunks_mut(size.max(1)) {
        moved.clear();
        moved.extend(moves.clone().map(|[_, from]| column[from]));
        moves.clone().zip(&moved).for_each(|([to, _], value)| column[to] = *value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let sizes = [2, 63, 64, 65, 128, 130, 400].into_iter();
        for (size, columns) in sizes.flat_map(|size| [(size, FEWEST - 1), (size, FEWEST), (size, 17)]) {
            let matrix = matrix(size);
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

    /// A column of zeros stays one through products, and is found where it is.
    #[test]
    fn a_matrix_without_an_inverse_has_a_pivot_of_nothing() {
        let (size, at) = (200, 150);
        let mut matrix = matrix(size);
        matrix[at * size..(at + 1) * size].fill(C::ZERO);
        let pivots: Vec<C> = Lu::new(matrix, size).pivots().collect();
        assert!(pivots[..at].iter().all(|pivot| pivot.norm() > 0.0 && pivot.is_finite()));
        assert!(pivots[at].norm() == 0.0 || pivots[at].is_nan(), "{}", pivots[at]);
    }

    #[test]
    fn a_matrix_without_entries_has_nothing_to_solve() {
        let lu = Lu::<C>::new(Vec::new(), 0);
        lu.solve(&mut []);
        assert_eq!(lu.pivots().count(), 0);
    }
}
