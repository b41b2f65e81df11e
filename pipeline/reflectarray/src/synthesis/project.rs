//! Iterated projections as a stage: the paper's comparison.

use super::super::decibels::DECIBELS;
use super::super::objective::{Masks, Objective};
use super::super::progress::{Progress, Watch};
use super::super::projections::Iterated;
use super::super::score::scores;
use super::super::{Elements, Result};
use super::{Stage, State, Task};
use rayon::prelude::*;

/// A start on its way.
struct Walk {
    iterated: Iterated,
    phase: Vec<f64>,
    /// Least functional so far, the phases that had it, and their directivities, dBi.
    value: f64,
    best: Vec<f64>,
    dbi: Vec<f64>,
    steps: usize,
}

impl Walk {
    /// Looks at the phases, and goes on to the next ones unless they are within all masks.
    fn step(&mut self, masks: &Masks) -> Result<()> {
        if self.value == 0.0 {
            return Ok(());
        }
        let before = self.phase.clone();
        self.iterated.step(&mut self.phase)?;
        // The functional of D = 2 level/power, at a power of 1.
        let levels: Vec<f64> = self.iterated.directivities().map(|d| 0.5 * d).collect();
        let (value, _) = masks.value(&levels, 1.0, &mut vec![f64::NAN; levels.len()]);
        if value < self.value {
            (self.value, self.best) = (value, before);
            self.dbi = levels.iter().map(|level| DECIBELS * (2.0 * level).ln()).collect();
        }
        self.steps += 1;
        Ok(())
    }
}

impl Task {
    /// One stage of all states; whether it was stopped. The first frequency alone counts, and elements stay.
    pub(super) fn project(
        &self,
        states: &mut [State],
        stage: &Stage,
        [done, share]: [f64; 2],
        watch: &mut Watch<'_>,
    ) -> Result<bool> {
        let masks = Masks::new(&self.mask, 0.0);
        let mut walks = states.iter().map(|state| self.walk(state)).collect::<Result<Vec<_>, _>>()?;
        let mut stopped = false;
        for iteration in 1..=stage.iterations {
            walks.par_iter_mut().try_for_each(|walk| walk.step(&masks))?;
            let Some(best) = walks.iter().min_by(|a, b| a.value.total_cmp(&b.value)) else { break };
            if best.dbi.is_empty() {
                break;
            }
            let (objective, score) = (best.value, scores(&self.mask, &best.dbi).1);
            let done = done + share * iteration as f64 / stage.iterations as f64;
            stopped = watch(&Progress { stage: &stage.name, iteration, done, objective, score }).is_break();
            if stopped || walks.iter().all(|walk| walk.value == 0.0) {
                break;
            }
        }
        for (walk, state) in walks.into_iter().zip(states) {
            let paths = self.paths(&state.places);
            state.phi = walk.best.iter().zip(paths).map(|(phase, path)| phase - path).collect();
            state.value = walk.value;
            state.iterations += walk.steps;
        }
        Ok(stopped)
    }

    fn walk(&self, state: &State) -> Result<Walk> {
        let phase: Vec<f64> =
            state.phi.iter().zip(self.paths(&state.places)).map(|(phi, path)| phi + path).collect();
        let [x, y] = state.places.clone();
        let elements = Elements { x, y, phase: phase.clone() };
        let iterated = Iterated::new(&self.bands[0].0, &elements, &self.mask, self.pitch * self.pitch)?;
        let (value, best) = (f64::INFINITY, phase.clone());
        Ok(Walk { iterated, phase, value, best, dbi: Vec::new(), steps: 0 })
    }
}
