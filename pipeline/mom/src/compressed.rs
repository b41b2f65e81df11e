//! Linear systems whose matrix is never stored: compressed, factored, refined, and certified by rows of the true matrix.
//!
//! Steps of refinement use the compressed matrix, and end at rounding. What they cannot see is what compression left out: the
//! backward error that vouches for a solution has rows of the matrix itself, entry by entry as the dense fill has them. Up to
//! [`ALL_ROWS`] unknowns these are all rows. Beyond, [`SAMPLED_ROWS`] rows without order are looked at: at 99 of 100 such
//! choices fewer than 1 row in 100 is worse than what is stated.

use super::Error;
use super::dense::{Inner, columns, columns_mut};
use super::design::Bodies;
use super::entries::{Entries, Rules};
use super::hodlr::{Budget, Build, Hodlr};
use super::settings::Settings;
use super::solve::{Operand, Solved, estimate, greatest, nan_max, part_of};
use crate::hankel::C;
use numerics::parallel;
use numerics::random::SplitMix64;
use std::convert::Infallible;

/// Most unknowns whose backward error is that of all rows.
pub const ALL_ROWS: usize = 4096;
/// Rows that are looked at beyond: 0.99^512 is 0.006.
pub const SAMPLED_ROWS: usize = 512;
const MOST_STEPS: usize = 8;
/// A backward error of so many tolerances is no solution: blocks are within their tolerance in the mean of rows, not in every row.
const REFUSED: f64 = 100.0;

/// What compression made of the matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Compression {
    /// Greatest ranks, from the first halving of the unknowns to the last.
    pub ranks: Vec<usize>,
    /// Of blocks and their inverse.
    pub gib: f64,
}

pub struct Compressed {
    hodlr: Hodlr,
    rules: Rules,
    tolerance: f64,
    compression: Compression,
}

impl Compressed {
    /// Compresses and factors; `free_gib` must hold it all.
    pub fn new(bodies: &Bodies, settings: &Settings, free_gib: f64) -> Result<Self, Error> {
        let rules = Rules::new(bodies, settings)?;
        let (budget, tolerance) = (Budget::new(free_gib), settings.tolerance);
        let build = Build { source: Entries { bodies, rules: &rules }, tolerance, budget: &budget };
        let hodlr = Hodlr::new(&build, 0..bodies.mesh.nodes.len())?;
        let compression = Compression { ranks: hodlr.ranks(), gib: budget.taken_gib() };
        Ok(Self { hodlr, rules, tolerance, compression })
    }

    pub fn compression(&self) -> &Compression {
        &self.compression
    }

    /// A x, or A^H x, column by column.
    pub fn multiply(&self, x: &[C], operand: Operand) -> Vec<C> {
        let size = self.hodlr.size();
        let mut y = vec![C::ZERO; x.len()];
        self.hodlr.multiply(&columns(x, size), &mut columns_mut(&mut y, size), operand);
        y
    }

    fn inverse(&self, right: &[C], operand: Operand) -> Vec<C> {
        let size = self.hodlr.size();
        let mut x = right.to_vec();
        let mut columns = columns_mut(&mut x, size);
        match operand {
            Operand::Matrix => self.hodlr.solve(&mut columns),
            Operand::Adjoint => self.hodlr.solve_adjoint(&mut columns),
        }
        x
    }

    /// Solutions of the compressed matrix to rounding, column by column, and steps of refinement.
    pub fn refined(&self, right: &[C]) -> (Vec<C>, usize) {
        let rest = |values: &[C]| -> Vec<C> {
            let products = self.multiply(values, Operand::Matrix);
            right.iter().zip(products).map(|(right, product)| right - product).collect()
        };
        let mut values = self.inverse(right, Operand::Matrix);
        let mut residual = rest(&values);
        for step in 0..MOST_STEPS {
            let correction = self.inverse(&residual, Operand::Matrix);
            let next: Vec<C> = values.iter().zip(correction).map(|(value, more)| value + more).collect();
            let next_residual = rest(&next);
            let gains = greatest(&next_residual) < 0.5 * greatest(&residual);
            if !gains {
                return (values, step);
            }
            (values, residual) = (next, next_residual);
        }
        (values, MOST_STEPS)
    }

    /// Solutions, column by column, with the backward error of the true matrix.
    pub fn solve(&self, bodies: &Bodies, right: &[C]) -> Result<Solved, Error> {
        let (values, steps) = self.refined(right);
        let rows = sample(self.hodlr.size());
        let backward_error = self.backward_error(bodies, &rows, &values, right);
        let limit = REFUSED * self.tolerance;
        let accepted = backward_error < limit;
        let (rows, tolerance) = (rows.len(), self.tolerance);
        if !accepted {
            return Err(Error::Uncertified { backward: backward_error, limit, rows, tolerance });
        }
        Ok(Solved { values, backward_error, steps, rows })
    }

    /// Worst over right-hand sides and rows: |b - A x|/(|A| |x| + |b|), with the greatest row sum of these rows.
    fn backward_error(&self, bodies: &Bodies, rows: &[usize], values: &[C], right: &[C]) -> f64 {
        let size = self.hodlr.size();
        let source = Entries { bodies, rules: &self.rules };
        let columns = right.len() / size;
        let of_row = |at: usize| {
            let (row, mut entries) = (rows[at], vec![C::ZERO; size]);
            source.row(row, 0..size, &mut entries);
            let sum: f64 = entries.iter().map(|entry| entry.norm()).sum();
            let rest = |j: usize| {
                let product = Inner::of(&entries, &values[j * size..][..size]).plain();
                (right[j * size + row] - product).norm()
            };
            let rest: Vec<f64> = (0..columns).map(rest).collect();
            (sum, rest)
        };
        let found: Vec<(f64, Vec<f64>)> = parallel::map(rows.len(), &of_row);
        let norm = found.iter().map(|(sum, _)| *sum).fold(0.0, nan_max);
        let error = |j: usize| {
            let part = j * size..(j + 1) * size;
            let rest = found.iter().map(|(_, rest)| rest[j]).fold(0.0, nan_max);
            part_of(rest, norm * greatest(&values[part.clone()]) + greatest(&right[part]))
        };
        (0..columns).map(error).fold(0.0, nan_max)
    }

    /// Estimate of |B| |B^-1| in the norm of column sums, B = D A D^-1 with a diagonal D; both are lower bounds that are seldom less than a third.
    pub fn condition(&self, diagonal: &[f64]) -> f64 {
        let size = self.hodlr.size();
        let product = |x: &[C], operand| Ok::<_, Infallible>(self.multiply(x, operand));
        let inverse = |x: &[C], operand| Ok::<_, Infallible>(self.inverse(x, operand));
        let (Ok(norm), Ok(inverse)) = (estimate(size, diagonal, product), estimate(size, diagonal, inverse));
        norm * inverse
    }
}

/// All rows, or some of them without order, the same ones every time.
fn sample(size: usize) -> Vec<usize> {
    if size <= ALL_ROWS {
        return (0..size).collect();
    }
    let mut random = SplitMix64::new(0x9e37_79b9_7f4a_7c15);
    (0..SAMPLED_ROWS).map(|_| (random.integer() % size as u64) as usize).collect()
}
