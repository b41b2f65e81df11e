//! Adaptive cross approximation: blocks of low rank from some of their rows and columns.
//!
//! A step takes the residual's row i and column j and subtracts their cross, which vanishes on both: R - R(:,
//! j) R(i, :)/R(i, j). Small blocks are filled, and the pivot is the greatest entry of all (full pivoting).
//! Of large ones a row is followed to its greatest entry, and the column there to the next row (partial
//! pivoting). When a cross adds nothing any more, rows that were not looked at - both ends of the block,
//! where halves touch, and some others - have to agree; a row that does not is the next pivot.

use super::budget::Budget;
use super::build::Build;
use super::low_rank::LowRank;
use crate::dense::Matrix;
use crate::error::Error;
use crate::hankel::C;
use numerics::parallel;
use std::ops::Range;

/// Rows and columns of a block that is filled.
const WHOLE: usize = 256;
/// Rows beside both ends that have to agree.
const PROBES: usize = 4;
/// Crosses go on to this part of the tolerance; recompression takes the rest.
const MARGIN: f64 = 0.1;
/// Entries of a vector that are one task.
const TASK: usize = 8192;

/// A block to the tolerance.
pub fn approximate(build: &Build, rows: Range<usize>, columns: Range<usize>) -> Result<LowRank, Error> {
    let most = rows.len().max(columns.len());
    let cross = if most <= WHOLE { whole(build, rows, columns) } else { partial(build, rows, columns) }?;
    let taken = (cross.sizes[0] + cross.sizes[1]) * cross.rank();
    let block = cross.low_rank().recompressed(build.tolerance);
    // What recompression saved, before what the inverse needs.
    build.budget.give(taken - (block.left.rows() + block.right.rows()) * block.rank());
    Ok(block)
}

/// Crosses that were found: columns and rows.
struct Cross {
    sizes: [usize; 2],
    left: Vec<Vec<C>>,
    right: Vec<Vec<C>>,
    /// Square of the Frobenius norm of their sum.
    squared: f64,
}

impl Cross {
    fn new(sizes: [usize; 2]) -> Self {
        Self { sizes, left: Vec::new(), right: Vec::new(), squared: 0.0 }
    }

    fn rank(&self) -> usize {
        self.left.len()
    }

    /// Adds a cross; gives its Frobenius norm.
    fn push(&mut self, left: Vec<C>, right: Vec<C>, budget: &Budget) -> Result<f64, Error> {
        let [m, n] = self.sizes;
        budget.take(m + n, || {
            format!("a block of {m} times {n} unknowns with a rank of {} or more", self.rank())
        })?;
        let both = |at: usize| (product(&self.left[at], &left) * product(&self.right[at], &right)).re;
        let mixed: f64 = parallel::map(self.left.len(), &both).into_iter().sum();
        let squared = product(&left, &left).re * product(&right, &right).re;
        self.squared += squared + 2.0 * mixed;
        self.left.push(left);
        self.right.push(right);
        Ok(squared.sqrt())
    }

    fn low_rank(&self) -> LowRank {
        let of = |vectors: &[Vec<C>], size| Matrix::of(size, vectors.len(), |i, j| vectors[j][i]);
        LowRank { left: of(&self.left, self.sizes[0]), right: of(&self.right, self.sizes[1]) }
    }
}

/// Subtracts vectors from values, each times entry `at` of its factors.
fn subtract(values: &mut [C], vectors: &[Vec<C>], factors: &[Vec<C>], at: usize) {
    parallel::parts(values, TASK, &|task, values| {
        for (vector, factor) in vectors.iter().zip(factors) {
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
fn whole(build: &Build, rows: Range<usize>, columns: Range<usize>) -> Result<Cross, Error> {
    let (m, n) = (rows.len(), columns.len());
    // Row by row.
    let mut rest = vec![C::ZERO; m * n];
    for (row, entries) in rows.zip(rest.chunks_mut(n)) {
        build.source.row(row, columns.clone(), entries);
    }
    let enough = (MARGIN * build.tolerance).powi(2) * product(&rest, &rest).re;
    let mut cross = Cross::new([m, n]);
    while cross.rank() < m.min(n) && product(&rest, &rest).re > enough {
        let Some(pivot) = greatest(&rest, |_| true) else { break };
        let (i, j) = (pivot / n, pivot % n);
        let right = rest[i * n..(i + 1) * n].to_vec();
        let inverse = right[j].inv();
        let left: Vec<C> = rest.chunks(n).map(|row| row[j] * inverse).collect();
        for (row, factor) in rest.chunks_mut(n).zip(&left) {
            row.iter_mut().zip(&right).for_each(|(value, v)| *value -= factor * v);
        }
        cross.push(left, right, build.budget)?;
    }
    Ok(cross)
}

/// Rows and columns by turns.
fn partial(build: &Build, rows: Range<usize>, columns: Range<usize>) -> Result<Cross, Error> {
    let (m, n) = (rows.len(), columns.len());
    let tolerance = MARGIN * build.tolerance;
    let residual_row = |cross: &Cross, i: usize| {
        let mut row = vec![C::ZERO; n];
        build.source.row(rows.start + i, columns.clone(), &mut row);
        subtract(&mut row, &cross.right, &cross.left, i);
        row
    };
    let mut cross = Cross::new([m, n]);
    let mut seen = vec![false; m];
    let (mut at, mut rounds) = (m / 2, 0);
    while cross.rank() < m.min(n) {
        seen[at] = true;
        let right = residual_row(&cross, at);
        let (mut next, mut step) = (None, 0.0);
        if let Some(j) = greatest(&right, |_| true) {
            let mut left = vec![C::ZERO; m];
            build.source.column(columns.start + j, rows.clone(), &mut left);
            subtract(&mut left, &cross.left, &cross.right, j);
            let inverse = right[j].inv();
            left.iter_mut().for_each(|value| *value *= inverse);
            next = greatest(&left, |i| !seen[i]);
            step = cross.push(left, right, build.budget)?;
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
    let square = |rest: Vec<C>| product(&rest, &rest).re;
    let squares: Vec<f64> = probes.iter().map(|row| square(residual_row(cross, *row))).collect();
    let expected = squares.iter().sum::<f64>() * m as f64 / probes.len().max(1) as f64;
    let worst = probes.iter().zip(&squares).max_by(|a, b| a.1.total_cmp(b.1)).map(|(row, _)| *row);
    worst.filter(|_| expected > tolerance * tolerance * cross.squared)
}
