//! Limited-memory BFGS within bounds, many starts in lock step: every round evaluates one trial of each start that still moves,
//! in one batch.
//!
//! Each start is a state machine ([`Search`]): it proposes a trial, is told value and gradient there, and either takes the step or
//! changes its length. Steps satisfy the weak Wolfe conditions, found by doubling and halving. Bounds are kept by projection: what
//! lies on a bound and would leave it is frozen for the step, as in Bertsekas' two-metric method. Nothing is random.
//!
//! Nocedal and Wright, Numerical Optimization, 2006, algorithms 7.4 and 3.5; Bertsekas, SIAM J. Control Optim. 20, 221 (1982).

mod search;

use super::{Error, Result};
pub use search::{Minimum, PATIENCE, Search, Settings};
use std::ops::ControlFlow;

/// Functions of the same number of unknowns, one for each start, evaluated together.
pub trait Functions {
    /// Number of unknowns.
    fn unknowns(&self) -> usize;

    /// Value and gradient of function `rows[i]` at point i, for all i; `points` and `gradients` are `[i][unknown]`. A value that
    /// is not finite says that the point is not allowed; its gradient is not read.
    fn evaluate(
        &mut self,
        rows: &[usize],
        points: &[f64],
        values: &mut [f64],
        gradients: &mut [f64],
    ) -> Result<()>;
}

/// Minimises all functions from `starts`, `[start][unknown]`. `watch` is told after every round, and may stop all with the best so far.
pub fn minimise<F: Functions + ?Sized>(
    functions: &mut F,
    starts: &[f64],
    settings: &Settings,
    watch: &mut dyn FnMut(&F, &[Search]) -> ControlFlow<()>,
) -> Result<Vec<Minimum>> {
    let n = functions.unknowns();
    if n == 0 || !starts.len().is_multiple_of(n) {
        let given = format!("starts of {} numbers for {n} unknowns", starts.len());
        return Err(Error::invalid(given, "it must be a multiple, and there must be unknowns"));
    }
    let bounds = settings.bounds.len();
    if bounds != 0 && bounds != n {
        return Err(Error::Length { what: "array of bounds", given: bounds, needed: n });
    }
    let mut searches: Vec<Search> =
        starts.chunks_exact(n).map(|start| Search::new(start, settings)).collect();
    let mut batch = Batch::default();
    while batch.gather(&searches) {
        batch.evaluate(functions, n)?;
        for (i, &row) in batch.rows.iter().enumerate() {
            searches[row].learn(batch.values[i], &batch.gradients[i * n..][..n], settings);
        }
        if watch(functions, &searches).is_break() {
            break;
        }
    }
    Ok(searches.into_iter().map(Search::minimum).collect())
}

/// The trials of one round.
#[derive(Default)]
struct Batch {
    rows: Vec<usize>,
    points: Vec<f64>,
    values: Vec<f64>,
    gradients: Vec<f64>,
}

impl Batch {
    /// Takes the trials of all that still move; false where none does.
    fn gather(&mut self, searches: &[Search]) -> bool {
        self.rows.clear();
        self.points.clear();
        for (row, search) in searches.iter().enumerate().filter(|(_, search)| search.moves()) {
            self.rows.push(row);
            self.points.extend_from_slice(search.trial());
        }
        !self.rows.is_empty()
    }

    fn evaluate<F: Functions + ?Sized>(&mut self, functions: &mut F, n: usize) -> Result<()> {
        self.values.resize(self.rows.len(), f64::NAN);
        self.gradients.resize(self.rows.len() * n, f64::NAN);
        let Self { rows, points, values, gradients } = self;
        functions.evaluate(rows, points, values, gradients)
    }
}

#[cfg(test)]
mod tests;
