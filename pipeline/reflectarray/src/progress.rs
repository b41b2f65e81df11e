//! What a run reports on its way, and how it is stopped.

use std::ops::ControlFlow;

/// Directivity over a region, or over all coverages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Mean of the decibels over the interior samples, dBi.
    pub d_mean_db: f64,
    /// Least directivity over all samples, boundary included, dBi.
    pub d_min_db: f64,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// Name of the stage.
    pub stage: &'a str,
    /// Iterations of this stage.
    pub iteration: usize,
    /// Part of the whole run that is done, from 0 to 1, as far as one knows.
    pub done: f64,
    /// What is minimised.
    pub objective: f64,
    /// Over all coverages, on the optimiser's samples.
    pub score: Score,
}

/// Is told of every iteration; its break ends the run with the best so far.
pub type Watch<'a> = dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'a;
