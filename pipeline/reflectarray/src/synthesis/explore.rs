//! The paper's global search of a stage: MLSL over few unknowns, samples and local searches in batches.

use super::super::lbfgs::{self, Functions, Minimum, Search};
use super::super::mlsl;
use super::super::problem::{Phases, Positions, Problem};
use super::super::progress::{Progress, Score, Watch};
use super::super::{Error, Result};
use super::stage::BATCH;
use super::{Global, Stage, State, Task, store, unknowns};
use std::ops::ControlFlow;

/// Minima nearer than this, in parts of the box's sides, are one: searches end early, not in the last digit.
const SAME: f64 = 0.02;

/// Why the search of samples ended before its time.
enum Halt {
    Stopped,
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Task {
    /// Adds the lowest minima of the box to the states; whether it was stopped.
    pub(super) fn explore(
        &self,
        states: &mut Vec<State>,
        stage: &Stage,
        global: Global,
        part: [f64; 2],
        watch: &mut Watch<'_>,
    ) -> Result<bool> {
        let mut rows = vec![self.in_phase(&states[0]); BATCH];
        let objective = self.objective(stage);
        let problem = self.problem(&mut rows, stage, &*objective)?;
        let bounds = bounds(&problem, &unknowns(&problem, &rows[0]), global, self.bands[0].0.wavelength());
        let settings = mlsl::Settings {
            samples: global.samples,
            same: SAME,
            most_samples: global.samples.saturating_mul(global.levels),
            most_searches: global.searches,
            seed: global.seed,
            ..mlsl::Settings::new(bounds.clone())
        };
        let local = lbfgs::Settings {
            iterations: stage.iterations,
            gain: stage.gain(),
            bounds,
            ..lbfgs::Settings::default()
        };
        let expected = global.evaluations(stage.iterations);
        let best = (f64::INFINITY, None);
        let told = Told { name: &stage.name, part, expected, evaluations: 0, best, watch };
        let mut search = Exploration { problem, local, told, found: Vec::new() };
        let stopped = match mlsl::search(&mut search, &settings, |_| {}) {
            Ok(_) => false,
            Err(Halt::Stopped) => true,
            Err(Halt::Failed(error)) => return Err(error),
        };
        let Exploration { problem, mut found, .. } = search;
        found.sort_by(|a, b| a.value.total_cmp(&b.value));
        for minimum in found.into_iter().take(stage.keep) {
            let mut state = rows[0].clone();
            store(&problem, 0, minimum, &mut state);
            states.push(state);
        }
        Ok(stopped)
    }

    /// A state's places, all elements in phase towards the middle of the coverages.
    fn in_phase(&self, state: &State) -> State {
        let beta = self.bands[0].0.wavenumber();
        let sky = self.mask.covered();
        let mean = |axis: usize| sky.iter().map(|at| at[axis]).sum::<f64>() / sky.len().max(1) as f64;
        let [u, v] = [mean(0), mean(1)];
        let places = state.places[0].iter().zip(&state.places[1]);
        let phi = places.map(|(x, y)| -beta * (u * x + v * y)).collect();
        State { phi, iterations: 0, ..state.clone() }
    }
}

/// The box about a point.
fn bounds(problem: &Problem<'_>, centre: &[f64], global: Global, wavelength: f64) -> Vec<[f64; 2]> {
    let phases = match &problem.phases {
        Phases::Each => 0,
        Phases::Zernike(zernike, _) => zernike.len(),
    };
    let unit = match &problem.positions {
        Positions::Fixed(_) => 1.0,
        Positions::Moving(moving) => moving.unit,
    };
    let half = |at: usize| if at < phases { global.range } else { global.shift * wavelength / unit };
    centre.iter().enumerate().map(|(at, x)| [x - half(at), x + half(at)]).collect()
}

/// What is told on the way.
struct Told<'a, 'w> {
    name: &'a str,
    /// Part of the run that is done, and that this takes.
    part: [f64; 2],
    expected: f64,
    evaluations: usize,
    /// Least value and the score there.
    best: (f64, Option<Score>),
    watch: &'a mut Watch<'w>,
}

impl Told<'_, '_> {
    fn tell(&mut self, count: usize, value: f64, score: Option<Score>) -> ControlFlow<()> {
        self.evaluations += count;
        if value < self.best.0 {
            self.best = (value, score);
        }
        let (objective, Some(score)) = self.best else { return ControlFlow::Continue(()) };
        let done = self.part[0] + self.part[1] * (self.evaluations as f64 / self.expected).min(1.0);
        let progress = Progress { stage: self.name, iteration: self.evaluations, done, objective, score };
        (self.watch)(&progress)
    }
}

struct Exploration<'a, 'w, 'p> {
    problem: Problem<'p>,
    local: lbfgs::Settings,
    told: Told<'a, 'w>,
    found: Vec<Minimum>,
}

impl mlsl::Problem for Exploration<'_, '_, '_> {
    type Error = Halt;

    fn values(&mut self, points: &[f64], values: &mut [f64]) -> Result<(), Halt> {
        let n = self.problem.unknowns();
        for (points, values) in points.chunks(BATCH * n).zip(values.chunks_mut(BATCH)) {
            let rows: Vec<usize> = (0..values.len()).collect();
            let mut gradients = vec![f64::NAN; points.len()];
            self.problem.evaluate(&rows, points, values, &mut gradients)?;
            let least = rows.iter().copied().min_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
            let flow = self.told.tell(values.len(), values[least], self.problem.score(least));
            if flow.is_break() {
                return Err(Halt::Stopped);
            }
        }
        Ok(())
    }

    fn descend(&mut self, points: &mut [f64], values: &mut [f64]) -> Result<(), Halt> {
        let n = self.problem.unknowns();
        for (points, values) in points.chunks_mut(BATCH * n).zip(values.chunks_mut(BATCH)) {
            let Self { problem, local, told, found } = self;
            let mut stopped = false;
            let mut watch = |problem: &Problem<'_>, searches: &[Search]| {
                let value = |row: usize| searches[row].value();
                let row = (0..searches.len()).min_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap_or(0);
                let flow = told.tell(searches.len(), value(row), problem.score(row));
                stopped = flow.is_break();
                flow
            };
            let minima = lbfgs::minimise(problem, points, local, &mut watch)?;
            for ((point, value), minimum) in points.chunks_mut(n).zip(values).zip(minima) {
                point.copy_from_slice(&minimum.point);
                *value = minimum.value;
                found.push(minimum);
            }
            if stopped {
                return Err(Halt::Stopped);
            }
        }
        Ok(())
    }
}
