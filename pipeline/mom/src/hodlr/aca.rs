//! Adaptive cross approximation: blocks of low rank from some of their rows and columns.
//!
//! A step takes the residual's row i and column j and subtracts their cross, which vanishes on both:
//! R - R(:, j) R(i, :)/R(i, j). Small blocks are filled, and the pivot is the greatest entry of all (full pivoting). Of large
//! ones a row is followed to its greatest entry, and the column there to the next row (partial pivoting). When a cross adds
//! nothing any more, rows that were not looked at - both ends of the block, where halves touch, and some others - have to
//! agree; a row that does not is the next pivot.

use super::budget::Budget;
use super::build::Build;
use super::low_rank::LowRank;
use crate::entries::Source;
use crate::error::Error;
use faer::{Mat, MatRef};
use num_complex::Complex;
use rayon::prelude::*;
use std::ops::Range;

type C = Complex<f64>;

/// Rows and columns of a block that is filled.
const WHOLE: usize = 256;
/// Rows beside both ends that have to agree.
const PROBES: usize = 4;
/// Crosses go on to this part of the tolerance; recompression takes the rest.
const MARGIN: f64 = 0.1;
/// Entries of a vector that are one task.
const TASK: usize = 8192;

/// A block to the tolerance.
pub fn approximate<S: Source>(
    build: &Build<S>,
    rows: Range<usize>,
    columns: Range<usize>,
) -> Result<LowRank, Error> {
    let most = rows.len().max(columns.len());
    let cross = if most <= WHOLE { whole(build, rows, columns) } else { partial(build, rows, columns) }?;
    let taken = cross.numbers();
    let block = cross.low_rank().recompressed(build.tolerance);
    // What recompression saved, before what the inverse needs.
    build.budget.give(taken - (block.left.nrows() + block.right.nrows()) * block.rank());
    Ok(block)
}

/// Crosses that were found.
struct Cross {
    sizes: [usize; 2],
    rank: usize,
    /// Column by column.
    left: Vec<C>,
    right: Vec<C>,
    /// Square of the Frobenius norm of their sum.
    squared: f64,
}

impl Cross {
    fn new(sizes: [usize; 2]) -> Self {
        Self { sizes, rank: 0, left: Vec::new(), right: Vec::new(), squared: 0.0 }
    }

    fn numbers(&self) -> usize {
        (self.sizes[0] + self.sizes[1]) * self.rank
    }

    /// Subtracts the crosses from a row.
    fn subtract_from_row(&self, row: usize, values: &mut [C]) {
        let [m, n] = self.sizes;
        subtract(values, self.right.chunks(n), self.left.chunks(m), row);
    }

    /// Subtracts the crosses from a column.
    fn subtract_from_column(&self, column: usize, values: &mut [C]) {
        let [m, n] = self.sizes;
        subtract(values, self.left.chunks(m), self.right.chunks(n), column);
    }

    /// Adds a cross; gives its Frobenius norm.
    fn push(&mut self, left: &[C], right: &[C], budget: &Budget) -> Result<f64, Error> {
        let [m, n] = self.sizes;
        budget.take(m + n, || {
            format!("a block of {m} times {n} unknowns with a rank of {} or more", self.rank)
        })?;
        let pairs = self.left.par_chunks(m).zip(self.right.par_chunks(n));
        let mixed: f64 = pairs.map(|(u, v)| (product(u, left) * product(v, right)).re).sum();
        let squared = product(left, left).re * product(right, right).re;
        self.squared += squared + 2.0 * mixed;
        self.left.extend_from_slice(left);
        self.right.extend_from_slice(right);
        self.rank += 1;
        Ok(squared.sqrt())
    }

    fn low_rank(self) -> LowRank {
        let [m, n] = self.sizes;
        let of = |values: &[C], size| {
            let mut matrix = Mat::zeros(size, self.rank);
            matrix.copy_from(MatRef::from_column_major_slice(values, size, self.rank));
            matrix
        };
        LowRank { left: of(&self.left, m), right: of(&self.right, n) }
    }
}

/// Subtracts vectors from values, each times entry `at` of its factors.
fn subtract<'a>(
    values: &mut [C],
    vectors: impl Iterator<Item = &'a [C]> + Clone + Sync,
    factors: impl Iterator<Item = &'a [C]> + Clone + Sync,
    at: usize,
) {
    values.par_chunks_mut(TASK).enumerate().for_each(|(task, values)| {
        for (vector, factor) in vectors.clone().zip(factors.clone()) {
            let (factor, part) = (factor[at], &vector[task * TASK..]);
            values.iter_mut().zip(part).for_each(|(value, v)| *value -= factor * v);
        }
    });
}

/// Sum of conj(a) b.
fn product(a: &[C], b: &[C]) -> C {
    a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
}

/// The greatest of entries that `counts`; none if all are zero or no numbers.
fn greatest(values: &[C], counts: impl Fn(usize) -> bool) -> Option<usize> {
    let squares = values.iter().map(|value| value.norm_sqr()).enumerate();
    let candidates = squares.filter(|(at, square)| *square > 0.0 && counts(*at));
    candidates.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
}

/// All entries, and the greatest one as pivot.
fn whole<S: Source>(build: &Build<S>, rows: Range<usize>, columns: Range<usize>) -> Result<Cross, Error> {
    let (m, n) = (rows.len(), columns.len());
    // Row by row.
    let mut rest = vec![C::ZERO; m * n];
    for (row, entries) in rows.zip(rest.chunks_mut(n)) {
        build.source.row(row, columns.clone(), entries);
    }
    let enough = (MARGIN * build.tolerance).powi(2) * product(&rest, &rest).re;
    let mut cross = Cross::new([m, n]);
    while cross.rank < m.min(n) && product(&rest, &rest).re > enough {
        let Some(pivot) = greatest(&rest, |_| true) else { break };
        let (i, j) = (pivot / n, pivot % n);
        let right = rest[i * n..(i + 1) * n].to_vec();
        let inverse = right[j].inv();
        let left: Vec<C> = rest.chunks(n).map(|row| row[j] * inverse).collect();
        for (row, factor) in rest.chunks_mut(n).zip(&left) {
            row.iter_mut().zip(&right).for_each(|(value, v)| *value -= factor * v);
        }
        cross.push(&left, &right, build.budget)?;
    }
    Ok(cross)
}

/// Rows and columns by turns.
fn partial<S: Source>(build: &Build<S>, rows: Range<usize>, columns: Range<usize>) -> Result<Cross, Error> {
    let (m, n) = (rows.len(), columns.len());
    let tolerance = MARGIN * build.tolerance;
    let residual_row = |cross: &Cross, i: usize| {
        let mut row = vec![C::ZERO; n];
        build.source.row(rows.start + i, columns.clone(), &mut row);
        cross.subtract_from_row(i, &mut row);
        row
    };
    let mut cross = Cross::new([m, n]);
    let mut seen = vec![false; m];
    let (mut at, mut rounds) = (m / 2, 0);
    while cross.rank < m.min(n) {
        seen[at] = true;
        let right = residual_row(&cross, at);
        let (mut next, mut step) = (None, 0.0);
        if let Some(j) = greatest(&right, |_| true) {
            let mut left = vec![C::ZERO; m];
            build.source.column(columns.start + j, rows.clone(), &mut left);
            cross.subtract_from_column(j, &mut left);
            let inverse = right[j].inv();
            left.iter_mut().for_each(|value| *value *= inverse);
            step = cross.push(&left, &right, build.budget)?;
            next = greatest(&left, |i| !seen[i]);
        }
        let goes_on = step > tolerance * cross.squared.sqrt();
        if !goes_on {
            rounds += 1;
            next = disagreeing(&cross, &seen, rounds, tolerance, residual_row);
        }
        match next {
            Some(row) => at = row,
            None => break,
        }
    }
    Ok(cross)
}

/// Of rows that were not looked at, the one that is worst, if they are not all within the tolerance.
fn disagreeing(
    cross: &Cross,
    seen: &[bool],
    round: usize,
    tolerance: f64,
    residual_row: impl Fn(&Cross, usize) -> Vec<C>,
) -> Option<usize> {
    let m = seen.len();
    // Multiples of the golden section lie evenly, and elsewhere in every round.
    let place = |probe: usize| {
        let part = ((round * PROBES + probe) as f64 * 0.618_033_988_749_894_9).fract();
        (part * m as f64) as usize
    };
    let mut probes: Vec<usize> = (0..PROBES).map(place).chain([0, m - 1]).filter(|row| !seen[*row]).collect();
    probes.sort_unstable();
    probes.dedup();
    let squares: Vec<f64> = probes
        .iter()
        .map(|row| {
            let rest = residual_row(cross, *row);
            product(&rest, &rest).re
        })
        .collect();
    let expected = squares.iter().sum::<f64>() * m as f64 / probes.len().max(1) as f64;
    let worst = probes.iter().zip(&squares).max_by(|a, b| a.1.total_cmp(b.1)).map(|(row, _)| *row);
    worst.filter(|_| expected > tolerance * tolerance * cross.squared)
}
