//! LU with partial pivoting on all cores, and solutions of many right-hand sides.
//!
//! Columns are cut into panels. All threads bring the next panel up to date; while one factors it, at a
//! fraction of the speed of a product, the others take the product of the panel that is done from all that is
//! to its right. Shares of that product shrink towards its end, so that all threads are done at once.
//! Right-hand sides are shared among the threads, which meet once for each panel: a panel is made ready for
//! products (`product.rs`) by all of them, for all of them.

use super::dense::panel::{exchange, factor};
use super::dense::triangle::{adjoint, lower, upper};
use super::dense::{FEWEST, Products, columns, columns_mut, read, rows, split};
use super::product::{Left, Part};
use num_complex::Complex;
use numerics::parallel;
use pulp::Arch;
use rayon::prelude::*;

/// Widths of panels: narrow ones leave less to the one thread that factors, wide ones give products that are
/// bound by arithmetic.
const LEAST_WIDTH: usize = 64;
const MOST_WIDTH: usize = 128;
/// Panels of a matrix, where their width allows it.
const PANELS: usize = 8;
/// Fewest columns of a share of a product.
const LEAST_SHARE: usize = 128;
/// The same for what all threads wait for; panels are so many shares.
const SMALL_SHARE: usize = 16;

/// P A = L U, column by column in one matrix: L, whose diagonal is 1, below the diagonal, U above and on it.
#[derive(Debug, Clone)]
pub struct Lu<T> {
    size: usize,
    factors: Vec<T>,
    /// Row `i` changes places with row `swaps[i]`, in this order.
    swaps: Vec<usize>,
}

numerics::compiled! { P: Part => Lu<Complex<P>>: new, solve, solve_adjoint }

impl<P: Part> Lu<Complex<P>> {
    /// Factors a matrix that is given column by column.
    #[inline(never)]
    pub fn new(mut matrix: Vec<Complex<P>>, size: usize) -> Self {
        let width = width(size);
        let mut product = Left::new(Arch::new());
        let mut products = Products::new(Arch::new(), width);
        let mut swaps: Vec<Vec<usize>> = Vec::with_capacity(size.div_ceil(width));
        let mut panel_of = |columns: &mut [Complex<P>], first: usize| {
            factor(&mut split(&mut columns_mut(columns, size), first).1, &mut products)
        };
        swaps.extend(matrix.chunks_mut((size * width).max(1)).next().map(|panel| panel_of(panel, 0)));
        for first in (width..size).step_by(width) {
            let (left, right) = matrix.split_at_mut(size * first);
            let panel = columns(&left[size * (first - width)..], size);
            product.pack(&rows(&panel, first..size));
            let triangle = rows(&panel, first - width..first);
            let swapped = &swaps[swaps.len() - 1];
            let done =
                Done { triangle: &triangle, product: &product, size, first: first - width, swaps: swapped };
            let (next, rest) = right.split_at_mut((size * width).min(right.len()));
            let share = width.div_ceil(rayon::current_num_threads()).next_multiple_of(SMALL_SHARE);
            parallel::parts(next, size * share, &|_, share| done.take_from(share));
            let (found, ()) = rayon::join(
                || panel_of(next, first),
                || shares(rest, size).par_bridge().for_each(|share| done.take_from(share)),
            );
            swaps.push(found);
        }
        parallel::parts(&mut matrix, size * SMALL_SHARE, &|at, share| {
            let mut share = columns_mut(share, size);
            for (at, swaps) in swaps.iter().enumerate().skip(at * SMALL_SHARE / width + 1) {
                exchange(&mut split(&mut share, at * width).1, swaps);
            }
        });
        let all =
            swaps.iter().enumerate().flat_map(|(at, swaps)| swaps.iter().map(move |row| at * width + row));
        Self { size, factors: matrix, swaps: all.collect() }
    }

    /// The diagonal of U.
    pub fn pivots(&self) -> impl Iterator<Item = Complex<P>> {
        (0..self.size).map(|i| self.factors[i * (self.size + 1)])
    }

    /// Replaces right-hand sides, column by column, by A^-1 of them, with all threads.
    #[inline(never)]
    pub fn solve(&self, values: &mut [Complex<P>]) {
        if values.len() < FEWEST * self.size {
            return self.share(values, |part| self.solve_alone(part));
        }
        self.share(values, |part| exchange(part, &self.swaps));
        let mut product = Left::new(Arch::new());
        let panels = (0..self.size).step_by(MOST_WIDTH);
        panels.clone().for_each(|first| self.substitute(values, first, false, &mut product));
        panels.rev().for_each(|first| self.substitute(values, first, true, &mut product));
    }

    /// The same on this thread.
    pub fn solve_alone(&self, x: &mut [&mut [Complex<P>]]) {
        let mut products = Products::new(Arch::new(), x.len());
        exchange(x, &self.swaps);
        lower(&self.columns(), x, &mut products);
        upper(&self.columns(), x, &mut products);
    }

    /// Solves for the rows of a panel of L, or of U, and takes them from those below, or above.
    fn substitute(&self, values: &mut [Complex<P>], first: usize, is_upper: bool, product: &mut Left<P>) {
        let last = (first + MOST_WIDTH).min(self.size);
        let columns = values.len() / self.size;
        let panel = &self.columns()[first..last];
        let triangle = rows(panel, first..last);
        product.pack(&rows(panel, if is_upper { 0..first } else { last..self.size }));
        self.share(values, |part| {
            let mut products = Products::new(Arch::new(), columns);
            let (mut above, mut from_first) = split(part, first);
            let (mut solved, mut below) = split(&mut from_first, last - first);
            if is_upper {
                upper(&triangle, &mut solved, &mut products);
                product.take(&mut above, &read(&solved));
            } else {
                lower(&triangle, &mut solved, &mut products);
                product.take(&mut below, &read(&solved));
            }
        });
    }

    /// Replaces them by A^-H of them.
    #[inline(never)]
    pub fn solve_adjoint(&self, values: &mut [Complex<P>]) {
        self.share(values, |part| part.iter_mut().for_each(|x| self.solve_adjoint_alone(x)));
    }

    /// The same for one right-hand side on this thread.
    pub fn solve_adjoint_alone(&self, x: &mut [Complex<P>]) {
        adjoint(&self.columns(), x);
        self.swaps.iter().enumerate().rev().for_each(|(row, other)| x.swap(row, *other));
    }

    fn columns(&self) -> Vec<&[Complex<P>]> {
        columns(&self.factors, self.size)
    }

    /// Does the work for as many columns at a time as every thread has one share.
    fn share(&self, values: &mut [Complex<P>], work: impl Fn(&mut [&mut [Complex<P>]]) + Sync + Send) {
        let columns = values.len().checked_div(self.size).unwrap_or(0);
        let share = columns.div_ceil(rayon::current_num_threads()) * self.size;
        parallel::parts(values, share, &|_, part| work(&mut columns_mut(part, self.size)));
    }
}

fn width(size: usize) -> usize {
    size.div_ceil(PANELS).next_multiple_of(LEAST_WIDTH).clamp(LEAST_WIDTH, MOST_WIDTH)
}

/// A panel that is factored: its triangle, and what is below it, ready for products.
struct Done<'a, P> {
    triangle: &'a [&'a [Complex<P>]],
    product: &'a Left<P>,
    size: usize,
    /// The panel's first row.
    first: usize,
    swaps: &'a [usize],
}

impl<P: Part> Done<'_, P> {
    /// Takes from columns to the right what this panel leaves of them.
    fn take_from(&self, values: &mut [Complex<P>]) {
        let mut columns = columns_mut(values, self.size);
        let mut here = split(&mut columns, self.first).1;
        exchange(&mut here, self.swaps);
        let (mut above, mut rest) = split(&mut here, self.triangle.len());
        // As if there were many columns: how many there are here depends on the number of threads.
        lower(self.triangle, &mut above, &mut Products::new(Arch::new(), FEWEST));
        self.product.take(&mut rest, &read(&above));
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

    /// Sizes below, at and above the widths of panels; the residual of elimination is some roundings of n |A|
    /// |x| times its growth, which is small.
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
    fn factors_and_solutions_are_the_same_bits_with_any_number_of_threads() {
        // 322: some shares of the columns to the right are of two columns.
        for size in [300, 322] {
            let found = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let lu = Lu::new(matrix(size), size);
                    let mut values: Vec<C> = (0..5 * size).map(|i| C::cis(i as f64)).collect();
                    lu.solve(&mut values);
                    (lu.factors, values)
                })
            };
            let alone = found(1);
            assert!([2, 3].into_iter().all(|threads| found(threads) == alone), "{size}");
        }
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
