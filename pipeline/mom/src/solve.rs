//! Linear systems with many right-hand sides: three solvers, backward errors, condition.

use super::crout::Crout;
use super::dense::{Form, columns, columns_mut, rows, split, take_product};
use super::error::Error;
use super::lu::Lu;
use super::product::Part;
use super::settings::Solver;
use num_complex::Complex;
use numerics::parallel;
use numerics::real::rounded;
use rayon::prelude::*;
use std::convert::Infallible;

type C = Complex<f64>;
type Single = Complex<f32>;

/// Refinement is done at a backward error of so many roundings.
pub const REFINED: f64 = 4.0 * f64::EPSILON;
/// What it must reach, or its matrix was too ill-conditioned for 32 bits.
pub const ACCEPTED: f64 = 1e-14;
/// Steps of refinement: each gains what condition times 2^-24 leaves.
pub const MOST_STEPS: usize = 30;
/// Steps of the estimate of the condition; two are common.
const ESTIMATE_STEPS: usize = 5;
/// Columns whose sums a thread makes at a time.
const SHARE: usize = 64;

/// What is applied to vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// The matrix.
    Matrix,
    /// Its conjugate transpose.
    Adjoint,
}

enum Factors {
    Lu(Lu<C>),
    Single(Lu<Single>),
    Crout(Box<Crout>),
}

/// A matrix and its factors.
pub struct System {
    size: usize,
    /// Column by column.
    matrix: Vec<C>,
    factors: Factors,
    /// Greatest row sum of magnitudes.
    row_norm: f64,
}

/// Solutions and what vouches for them.
#[derive(Debug, Clone)]
pub struct Solved {
    /// Column by column.
    pub values: Vec<C>,
    /// Worst over right-hand sides: |b - A x|/(|A| |x| + |b|), greatest entries and row sums.
    pub backward_error: f64,
    /// Of refinement.
    pub steps: usize,
    /// Rows that the backward error was looked for in.
    pub rows: usize,
}

impl System {
    /// Factors a matrix that is given column by column.
    pub fn new(matrix: Vec<C>, size: usize, solver: Solver) -> Result<Self, Error> {
        let singular = |(pivot, value)| Error::Singular { pivot, unknowns: size, value };
        let factors = match solver {
            Solver::Lu => {
                let factors = Lu::new(converted(&matrix, |value| value), size);
                check_pivots(factors.pivots().map(|pivot| pivot.norm())).map_err(singular)?;
                Factors::Lu(factors)
            }
            Solver::Refine => {
                let factors = Lu::new(converted(&matrix, rounded::<f32>), size);
                check_pivots(factors.pivots().map(|pivot| pivot.norm().into())).map_err(singular)?;
                Factors::Single(factors)
            }
            Solver::Crout => Factors::Crout(Box::new(Crout::new(matrix.clone(), size).map_err(singular)?)),
            Solver::Hodlr => return Err(Error::not_compressed("matrices that are stored")),
        };
        let row_norm = row_norm(&matrix, size);
        Ok(Self { size, matrix, factors, row_norm })
    }

    /// Entries, column by column.
    pub fn matrix(&self) -> &[C] {
        &self.matrix
    }

    /// A^-1 B, for B column by column.
    pub fn solve(&self, right: &[C]) -> Result<Solved, Error> {
        let mut values = self.apply_inverse(right, Operand::Matrix);
        let (mut rest, mut backward_error) = self.residual(&values, right);
        let mut steps = 0;
        if matches!(self.factors, Factors::Single(_)) {
            while backward_error > REFINED && steps < MOST_STEPS {
                let correction = self.apply_inverse(&rest, Operand::Matrix);
                values.par_iter_mut().zip(correction).for_each(|(value, more)| *value += more);
                let before = backward_error;
                (rest, backward_error) = self.residual(&values, right);
                steps += 1;
                let gains = backward_error < 0.5 * before;
                if !gains {
                    break;
                }
            }
            let accepted = backward_error < ACCEPTED;
            if !accepted {
                let condition = self.condition(&vec![1.0; self.size]);
                return Err(Error::Stalled { backward: backward_error, steps, condition });
            }
        }
        Ok(Solved { values, backward_error, steps, rows: self.size })
    }

    /// What the factors give, without refinement.
    fn apply_inverse(&self, right: &[C], operand: Operand) -> Vec<C> {
        match &self.factors {
            Factors::Lu(factors) => substituted(factors, converted(right, |value| value), operand),
            Factors::Single(factors) => {
                // Scaled: a residual of 1e-16 of a right-hand side must not be lost.
                let of_column = |at: usize| greatest(&right[at * self.size..][..self.size]);
                let columns = parallel::map(right.len() / self.size, &of_column);
                let scale = columns.into_iter().fold(f64::MIN_POSITIVE, f64::max);
                let short = converted(right, |value| rounded(value / scale));
                let double = |value: Single| C::new(value.re.into(), value.im.into()) * scale;
                converted(&substituted(factors, short, operand), double)
            }
            Factors::Crout(inverses) => {
                let solve = match operand {
                    Operand::Matrix => Crout::solve,
                    Operand::Adjoint => Crout::solve_adjoint,
                };
                let column = |at: usize| solve(inverses, &right[at * self.size..][..self.size]);
                parallel::map(right.len() / self.size, &column).concat()
            }
        }
    }

    /// B - A X and the worst backward error.
    fn residual(&self, values: &[C], right: &[C]) -> (Vec<C>, f64) {
        let mut rest = converted(right, |value| value);
        let share = self.size.div_ceil(rayon::current_num_threads());
        let (matrix, values_of) = (columns(&self.matrix, self.size), columns(values, self.size));
        take_rows(&mut columns_mut(&mut rest, self.size), &matrix, &values_of, share);
        let error = |column: usize| {
            let [rest, values, right] =
                [&rest, values, right].map(|all| &all[column * self.size..][..self.size]);
            part_of(greatest(rest), self.row_norm * greatest(values) + greatest(right))
        };
        let worst = parallel::map(right.len() / self.size, &error).into_iter().fold(0.0, nan_max);
        (rest, worst)
    }

    /// Estimate of |B| |B^-1| in the norm of column sums, B = D A D^-1 with a diagonal D (Higham, algorithm 15.1, without its last guard):
    /// a lower bound that is seldom less than a third of it.
    pub fn condition(&self, diagonal: &[f64]) -> f64 {
        let column_sum = |j: usize| {
            let column = self.matrix[j * self.size..][..self.size].iter();
            column.zip(diagonal).map(|(entry, d)| entry.norm() * d).sum::<f64>() / diagonal[j]
        };
        let norm = parallel::map(self.size, &column_sum).into_iter().fold(0.0, nan_max);
        let inverse = |right: &[C], operand| Ok::<_, Infallible>(self.apply_inverse(right, operand));
        let Ok(estimate) = estimate(self.size, diagonal, inverse);
        norm * estimate
    }
}

/// Estimate of |B^-1| in the norm of column sums, B = D A D^-1, from what gives A^-1 b or A^-H b.
pub fn estimate<E>(
    size: usize,
    diagonal: &[f64],
    mut inverse: impl FnMut(&[C], Operand) -> Result<Vec<C>, E>,
) -> Result<f64, E> {
    let times = |v: &[C]| -> Vec<C> { v.iter().zip(diagonal).map(|(v, d)| v * d).collect() };
    let over = |v: &[C]| -> Vec<C> { v.iter().zip(diagonal).map(|(v, d)| v / d).collect() };
    let mut x = vec![C::new(1.0 / size as f64, 0.0); size];
    let mut estimate = 0.0;
    for _ in 0..ESTIMATE_STEPS {
        let y = times(&inverse(&over(&x), Operand::Matrix)?);
        let sum: f64 = y.iter().map(|value| value.norm()).sum();
        let grows = sum > estimate;
        if !grows {
            break;
        }
        estimate = sum;
        let sign = |value: &C| if value.norm() > 0.0 { value / value.norm() } else { C::ONE };
        let signs: Vec<C> = y.iter().map(sign).collect();
        let z = over(&inverse(&times(&signs), Operand::Adjoint)?);
        let at = (0..size).max_by(|a, b| z[*a].norm_sqr().total_cmp(&z[*b].norm_sqr())).unwrap_or(0);
        x = vec![C::ZERO; size];
        x[at] = C::ONE;
    }
    Ok(estimate)
}

/// What LU makes of right-hand sides.
fn substituted<P: Part>(
    factors: &Lu<Complex<P>>,
    mut right: Vec<Complex<P>>,
    operand: Operand,
) -> Vec<Complex<P>> {
    match operand {
        Operand::Matrix => factors.solve(&mut right),
        Operand::Adjoint => factors.solve_adjoint(&mut right),
    }
    right
}

/// Other numbers for numbers; all cores write, and thereby take the memory of large matrices.
fn converted<A: Copy + Sync, B: Send>(values: &[A], one: impl Fn(A) -> B + Sync + Send) -> Vec<B> {
    values.par_iter().map(|value| one(*value)).collect()
}

/// Takes A X from `rest`; a thread takes at most `share` rows.
fn take_rows(rest: &mut [&mut [C]], matrix: &[&[C]], values: &[&[C]], share: usize) {
    let count = matrix[0].len();
    if count <= share {
        return take_product(rest, Form::Plain, matrix, values);
    }
    let at = (count / 2).next_multiple_of(share);
    let (mut above, mut below) = split(rest, at);
    let (first, second) = (rows(matrix, 0..at), rows(matrix, at..count));
    rayon::join(
        || take_rows(&mut above, &first, values, share),
        || take_rows(&mut below, &second, values, share),
    );
}

/// The greatest magnitude.
pub fn greatest(values: &[C]) -> f64 {
    values.iter().map(C::norm_sqr).fold(0.0, nan_max).sqrt()
}

/// A part of the whole; nothing of nothing is nothing: a wave along a strip puts nothing on the right.
pub fn part_of(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}

/// The greater one; what is no number stays none.
pub fn nan_max(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// Number and magnitude of the first pivot that is zero or no number.
pub fn check_pivots(pivots: impl Iterator<Item = f64>) -> Result<(), (usize, f64)> {
    pivots.enumerate().find(|(_, value)| !(*value > 0.0 && value.is_finite())).map_or(Ok(()), Err)
}

/// The greatest sum of magnitudes of a row.
fn row_norm(matrix: &[C], size: usize) -> f64 {
    let add = |mut sums: Vec<f64>, column: &[C]| {
        sums.iter_mut().zip(column).for_each(|(sum, entry)| *sum += entry.norm_sqr().sqrt());
        sums
    };
    let columns: Vec<&[C]> = matrix.chunks((size * SHARE).max(1)).collect();
    let share = |at: usize| columns[at].chunks(size).fold(vec![0.0; size], add);
    let shares: Vec<Vec<f64>> = parallel::map(columns.len(), &share);
    (0..size).map(|row| shares.iter().map(|sums| sums[row]).sum()).fold(0.0, nan_max)
}
