//! Currents of several incidences.

use num_complex::Complex;

/// Currents of several incidences.
#[derive(Debug, Clone)]
pub struct Currents {
    /// Where the waves travel, degrees.
    pub incidences_deg: Vec<f64>,
    /// The unknowns of the equation, `[incidence][node]`: J_z or H_z, A/m.
    pub unknowns: Vec<Complex<f64>>,
    /// What makes the current of an unknown: 1, or -1 with TE.
    pub sign: f64,
    /// Worst of all incidences: see [`Solved`](super::solve::Solved).
    pub backward_error: f64,
    /// Steps of refinement.
    pub steps: usize,
    /// Rows of the matrix that the backward error was looked for in: all of them, or with [`Solver::Hodlr`](super::Solver::Hodlr) some.
    pub rows: usize,
}

impl Currents {
    /// Unknowns of one incidence.
    pub fn of(&self, at: usize) -> &[Complex<f64>] {
        let count = self.unknowns.len() / self.incidences_deg.len();
        &self.unknowns[at * count..(at + 1) * count]
    }

    /// J_z or J_t of one incidence, A/m.
    pub fn density(&self, at: usize) -> Vec<Complex<f64>> {
        self.of(at).iter().map(|value| value * self.sign).collect()
    }
}
