//! Linear systems with many right-hand sides: three solvers, backward errors, condition.

use super::Error;
use super::crout::Crout;
use super::settings::Solver;
use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::{Mat, MatRef};
use num_complex::Complex;
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

enum Factors {
    Lu(PartialPivLu<C>),
    Single(PartialPivLu<Single>),
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
        let whole = MatRef::from_column_major_slice(&matrix, size, size);
        let singular = |(pivot, value)| Error::Singular { pivot, unknowns: size, value };
        let factors = match solver {
            Solver::Lu => {
                let factors = whole.partial_piv_lu();
                check_pivots((0..size).map(|i| factors.U()[(i, i)].norm())).map_err(singular)?;
                Factors::Lu(factors)
            }
            Solver::Refine => {
                let narrow = Mat::from_fn(size, size, |i, j| single(whole[(i, j)]));
                let factors = narrow.partial_piv_lu();
                let pivots = (0..size).map(|i| f64::from(factors.U()[(i, i)].norm()));
                check_pivots(pivots).map_err(singular)?;
                Factors::Single(factors)
            }
            Solver::Crout => Factors::Crout(Box::new(Crout::new(matrix.clone(), size).map_err(singular)?)),
            Solver::Hodlr => return Err(Error::NotCompressed { what: "matrices that are stored" }),
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
        let mut values = self.apply_inverse(right);
        let (mut rest, mut backward_error) = self.residual(&values, right);
        let mut steps = 0;
        if matches!(self.factors, Factors::Single(_)) {
            while backward_error > REFINED && steps < MOST_STEPS {
                let correction = self.apply_inverse(&rest);
                values.iter_mut().zip(correction).for_each(|(value, more)| *value += more);
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
    fn apply_inverse(&self, right: &[C]) -> Vec<C> {
        let columns = right.len() / self.size;
        match &self.factors {
            Factors::Lu(factors) => {
                let solved = factors.solve(MatRef::from_column_major_slice(right, self.size, columns));
                (0..columns).flat_map(|j| solved.col_as_slice(j).to_vec()).collect()
            }
            Factors::Single(factors) => {
                // A residual of 1e-16 of the right-hand side must not be lost in 32 bits.
                let scale = right.iter().map(|value| value.norm()).fold(f64::MIN_POSITIVE, f64::max);
                let narrow =
                    Mat::from_fn(self.size, columns, |i, j| single(right[j * self.size + i] / scale));
                let solved = factors.solve(&narrow);
                let wide = |value: &Single| C::new(value.re.into(), value.im.into()) * scale;
                (0..columns)
                    .flat_map(|j| solved.col_as_slice(j).iter().map(wide).collect::<Vec<C>>())
                    .collect()
            }
            Factors::Crout(inverses) => right.par_chunks(self.size).flat_map(|b| inverses.solve(b)).collect(),
        }
    }

    fn apply_inverse_adjoint(&self, right: &[C]) -> Vec<C> {
        match &self.factors {
            Factors::Lu(factors) => {
                let solved = factors.solve_adjoint(MatRef::from_column_major_slice(right, self.size, 1));
                solved.col_as_slice(0).to_vec()
            }
            Factors::Single(factors) => {
                let narrow = Mat::from_fn(self.size, 1, |i, _| single(right[i]));
                let solved = factors.solve_adjoint(&narrow);
                solved.col_as_slice(0).iter().map(|v| C::new(v.re.into(), v.im.into())).collect()
            }
            Factors::Crout(inverses) => inverses.solve_adjoint(right),
        }
    }

    /// B - A X and the worst backward error.
    fn residual(&self, values: &[C], right: &[C]) -> (Vec<C>, f64) {
        let columns = right.len() / self.size;
        let of = |slice| MatRef::from_column_major_slice(slice, self.size, columns);
        let matrix = MatRef::from_column_major_slice(&self.matrix, self.size, self.size);
        let rest = of(right) - matrix * of(values);
        let greatest = |slice: &[C]| slice.iter().map(|value| value.norm()).fold(0.0, nan_max);
        let error = |j: usize| {
            let part = j * self.size..(j + 1) * self.size;
            let allowed = self.row_norm * greatest(&values[part.clone()]) + greatest(&right[part]);
            part_of(greatest(rest.col_as_slice(j)), allowed)
        };
        let worst = (0..columns).map(error).fold(0.0, nan_max);
        ((0..columns).flat_map(|j| rest.col_as_slice(j).to_vec()).collect(), worst)
    }

    /// Estimate of |B| |B^-1| in the norm of column sums, B = D A D^-1 with a diagonal D (Higham, algorithm 15.1, without its last guard):
    /// a lower bound that is seldom less than a third of it.
    pub fn condition(&self, diagonal: &[f64]) -> f64 {
        let column_sum = |(j, column): (usize, &[C])| {
            column.iter().zip(diagonal).map(|(entry, d)| entry.norm() * d).sum::<f64>() / diagonal[j]
        };
        let norm = self.matrix.par_chunks(self.size).enumerate().map(column_sum).reduce(|| 0.0, nan_max);
        let inverse = |right: &[C], adjoint| match adjoint {
            true => Ok::<_, Infallible>(self.apply_inverse_adjoint(right)),
            false => Ok(self.apply_inverse(right)),
        };
        let Ok(estimate) = estimate(self.size, diagonal, inverse);
        norm * estimate
    }
}

/// Estimate of |B^-1| in the norm of column sums, B = D A D^-1, from what gives A^-1 b or, if its flag is set, A^-H b.
pub fn estimate<E>(
    size: usize,
    diagonal: &[f64],
    mut inverse: impl FnMut(&[C], bool) -> Result<Vec<C>, E>,
) -> Result<f64, E> {
    let times = |v: &[C]| -> Vec<C> { v.iter().zip(diagonal).map(|(v, d)| v * d).collect() };
    let over = |v: &[C]| -> Vec<C> { v.iter().zip(diagonal).map(|(v, d)| v / d).collect() };
    let mut x = vec![C::new(1.0 / size as f64, 0.0); size];
    let mut estimate = 0.0;
    for _ in 0..ESTIMATE_STEPS {
        let y = times(&inverse(&over(&x), false)?);
        let sum: f64 = y.iter().map(|value| value.norm()).sum();
        let grows = sum > estimate;
        if !grows {
            break;
        }
        estimate = sum;
        let sign = |value: &C| if value.norm() > 0.0 { value / value.norm() } else { C::ONE };
        let signs: Vec<C> = y.iter().map(sign).collect();
        let z = over(&inverse(&times(&signs), true)?);
        let at = (0..size).max_by(|a, b| z[*a].norm_sqr().total_cmp(&z[*b].norm_sqr())).unwrap_or(0);
        x = vec![C::ZERO; size];
        x[at] = C::ONE;
    }
    Ok(estimate)
}

/// A part of the whole; nothing of nothing is nothing: a wave along a strip puts nothing on the right.
pub fn part_of(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}

/// The greater one; what is no number stays none.
pub fn nan_max(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

fn single(value: C) -> Single {
    Single::new(value.re as f32, value.im as f32)
}

/// Number and magnitude of the first pivot that is zero or no number.
pub fn check_pivots(pivots: impl Iterator<Item = f64>) -> Result<(), (usize, f64)> {
    pivots.enumerate().find(|(_, value)| !(*value > 0.0 && value.is_finite())).map_or(Ok(()), Err)
}

fn row_norm(matrix: &[C], size: usize) -> f64 {
    let mut sums = vec![0.0; size];
    for column in matrix.chunks(size) {
        sums.iter_mut().zip(column).for_each(|(sum, entry)| *sum += entry.norm());
    }
    sums.into_iter().fold(0.0, nan_max)
}
