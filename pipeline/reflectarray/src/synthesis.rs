//! The whole synthesis: stages that go from few unknowns to all of them, and from many starts to one design.
//!
//! Every stage takes the designs that the one before it kept, lowers its own objective from all of them in lock step, and keeps the best.
//! Sharper soft minima and freer unknowns come later: `Stage` says which, `stages` gives what is usual.

mod explore;
mod on_card;
mod project;
mod stage;

use super::budget;
use super::cpu::{self, Directions};
use super::lbfgs::{self, Minimum, Search};
use super::mask::Mask;
use super::objective::Objective;
use super::positions::Map;
use super::presynthesis;
use super::problem::{Moving, Phases, Positions, Problem};
use super::progress::{Progress, Score, Watch};
use super::score::{directivities, samples, scores};
use super::spacing::{self, Shape};
use super::zernike::Zernike;
use super::{Elements, Error, Model, Result, Spacing};
use kernels::Device;
pub use stage::{Global, Method, Power, Stage, aperiodic, periodic, trade, usual};
use std::f64::consts::TAU;
use std::ops::ControlFlow;

/// What is to be designed.
#[derive(Debug, Clone)]
pub struct Task {
    /// A model for every frequency, and what it counts for; phases are those of the first.
    pub bands: Vec<(Model, f64)>,
    /// Rows and columns of elements.
    pub shape: Shape,
    /// Distance of the elements before they move, m.
    pub pitch: f64,
    /// Limits of elements that may move; without, they stay.
    pub spacing: Option<Spacing>,
    /// Samples that are optimised on.
    pub mask: Mask,
    /// Samples that are scored on: finer ones.
    pub fine: Mask,
    /// mu: what the mean counts for beside the least margin, from 0 to 1.
    pub mean: f64,
    /// Starts.
    pub starts: usize,
}

/// A finished design, or the best so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// Where the elements are, and their phases.
    pub elements: Elements,
    /// Scores of the first band on the fine samples: of all coverages, and of every region.
    pub score: Score,
    /// `None` for regions that are only kept quiet.
    pub regions: Vec<Option<Score>>,
    /// Value of the last stage's objective.
    pub objective: f64,
    /// Iterations of all stages, of the start that won.
    pub iterations: usize,
    /// Whether it was stopped on its way.
    pub stopped: bool,
}

/// A design on its way: the phase of the aperture, where elements are, and the nodes (m) of the map once they move.
#[derive(Debug, Clone)]
struct State {
    phi: Vec<f64>,
    places: [Vec<f64>; 2],
    map: Option<(Map, [Vec<f64>; 2])>,
    value: f64,
    iterations: usize,
}

/// Is told of iterations, the best value and its score.
type Tell<'a> = dyn FnMut(usize, f64, Score) -> ControlFlow<()> + 'a;

/// Relative error of fields while optimising. The gradient is that of what is computed, not of what it approximates, so that searches do not
/// see it; it is 1e-6 dB in a result, which is scored with more digits.
const TOLERANCE: f64 = 1e-7;

/// A synthesis on the device that was chosen when the plan was made.
#[derive(Debug, Clone)]
pub struct Plan {
    task: Task,
    /// A GPU, for stages of phases on an even lattice by the soft minimum of directivities; the CPU has the others.
    device: Option<Device>,
}

impl Plan {
    /// A plan for all cores of the current rayon pool; refuses what cannot be met.
    pub fn on_cpu(task: Task) -> Result<Self> {
        task.check()?;
        Ok(Self { task, device: None })
    }

    /// The same for a GPU.
    pub fn on_cuda(device: &Device, task: Task) -> Result<Self> {
        Ok(Self { device: Some(device.clone()), ..Self::on_cpu(task)? })
    }

    /// What is to be designed.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// All stages, from the phases of a continuous aperture.
    pub fn synthesise(&self, stages: &[Stage], watch: &mut Watch<'_>) -> Result<Design> {
        let (state, stopped) = self.run(self.task.starts(), stages, watch)?;
        self.task.design(&state, stopped)
    }

    /// Stages from elements that are there already.
    pub fn refine(&self, elements: &Elements, stages: &[Stage], watch: &mut Watch<'_>) -> Result<Design> {
        let (state, stopped) = self.run(vec![self.task.state(elements)?], stages, watch)?;
        self.task.design(&state, stopped)
    }

    /// Designs along the front of mean against least directivity: all stages with the task's own mu, then `further` ones
    /// with each of `means` from where the last one ended. A stop leaves those that are finished, and the best so far.
    pub fn front(
        &self,
        stages: &[Stage],
        further: &[Stage],
        means: &[f64],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Design>> {
        let (mut state, mut stopped) = self.run(self.task.starts(), stages, watch)?;
        let mut designs = vec![self.task.design(&state, stopped)?];
        for &mean in means {
            if stopped {
                break;
            }
            let task = Task { mean, ..self.task.clone() };
            let plan = Self { task, device: self.device.clone() };
            plan.task.check()?;
            (state, stopped) = plan.run(vec![state], further, watch)?;
            designs.push(plan.task.design(&state, stopped)?);
        }
        Ok(designs)
    }

    /// All stages; the best state, and whether it was stopped.
    fn run(&self, mut states: Vec<State>, stages: &[Stage], watch: &mut Watch<'_>) -> Result<(State, bool)> {
        let all: f64 = stages.iter().map(|stage| stage.work().0).sum();
        let (mut done, mut stopped) = (0.0, false);
        for stage in stages {
            let (work, local) = stage.work();
            let share = work / all;
            stopped = match stage.method {
                Method::Projections => self.task.project(&mut states, stage, [done, share], watch)?,
                _ => self.stage(&mut states, stage, [done, share * local], watch)?,
            };
            if let (Some(global), false) = (stage.global, stopped) {
                let part = [done + share * local, share * (1.0 - local)];
                stopped = self.task.explore(&mut states, stage, global, part, watch)?;
            }
            done += share;
            states.sort_by(|a, b| a.value.total_cmp(&b.value));
            states.truncate(stage.keep.max(1));
            if stopped {
                break;
            }
        }
        Ok((states.swap_remove(0), stopped))
    }

    /// One stage of all states; whether it was stopped.
    fn stage(
        &self,
        states: &mut [State],
        stage: &Stage,
        [done, share]: [f64; 2],
        watch: &mut Watch<'_>,
    ) -> Result<bool> {
        let iterations = stage.iterations;
        let settings = lbfgs::Settings { iterations, gain: stage.gain(), ..lbfgs::Settings::default() };
        let mut stopped = false;
        let mut tell = |iteration: usize, objective: f64, score: Score| {
            let done = done + share * iteration as f64 / stage.iterations.max(1) as f64;
            let flow = watch(&Progress { stage: &stage.name, iteration, done, objective, score });
            stopped = flow.is_break();
            flow
        };
        match self.device.as_ref().filter(|_| self.task.is_for_card(states, stage)) {
            Some(device) => self.task.on_card(device, states, stage, &settings, &mut tell)?,
            None => self.task.on_cores(states, stage, &settings, &mut tell)?,
        }
        Ok(stopped)
    }
}

impl Task {
    /// Refuses what cannot be met, with the reason.
    pub fn check(&self) -> Result<()> {
        if self.bands.is_empty() || self.shape.is_empty() || self.mask.is_empty() || self.fine.is_empty() {
            let elements = self.shape.len() * self.bands.len();
            let given = format!("{elements} elements and {} directions", self.mask.len());
            return Err(Error::invalid(given, "both must be there"));
        }
        for (model, weight) in &self.bands {
            model.check()?;
            if !(weight.is_finite() && *weight > 0.0) {
                return Err(Error::invalid(format!("weight {weight} of the band"), "it must be positive"));
            }
        }
        if !(0.0..=1.0).contains(&self.mean) {
            return Err(Error::invalid(
                format!("weight {} of the mean", self.mean),
                "it must be from 0 to 1",
            ));
        }
        let lattice = Elements::grid(self.shape.columns, self.shape.rows, self.pitch);
        if !(self.pitch.is_finite() && self.pitch > 0.0) {
            let given = format!("pitch of {} m", self.pitch);
            return Err(Error::invalid(given, "it must be positive and finite"));
        }
        if let Some(limits) = self.spacing {
            spacing::check(&lattice, self.shape, limits)?;
        }
        self.bands.iter().try_for_each(|(model, _)| model.check_light(&lattice))?;
        self.mask.check()?;
        self.fine.check()
    }

    /// beta r of elements at x and y.
    fn paths(&self, [x, y]: &[Vec<f64>; 2]) -> Vec<f64> {
        self.bands[0].0.light(x, y).map(|light| light.path).collect()
    }

    fn lattice(&self) -> Elements {
        Elements::grid(self.shape.columns, self.shape.rows, self.pitch)
    }

    /// Farthest x and y that any spacing allows, m.
    fn reach(&self, states: &[State]) -> [f64; 2] {
        let pitch = self.spacing.map_or(self.pitch, |spacing| spacing.max);
        let lines = [self.shape.columns, self.shape.rows];
        [0, 1].map(|axis: usize| {
            let widest = 0.5 * pitch * (lines[axis] - 1) as f64;
            FARTHER
                * states.iter().flat_map(|state| &state.places[axis]).fold(widest, |far, x| far.max(x.abs()))
        })
    }

    /// The phases that the stages start from.
    fn starts(&self) -> Vec<State> {
        let lattice = self.lattice();
        let phases = presynthesis::starts(&self.bands[0].0, &lattice, &self.mask, self.starts.max(1));
        let places = [lattice.x, lattice.y];
        let state =
            |phi| State { phi, places: places.clone(), map: None, value: f64::INFINITY, iterations: 0 };
        phases.into_iter().map(state).collect()
    }

    fn state(&self, elements: &Elements) -> Result<State> {
        let needed = self.shape.len();
        for given in [elements.x.len(), elements.y.len(), elements.phase.len()] {
            if given != needed {
                return Err(Error::Length { what: "array of elements", given, needed });
            }
        }
        let places = [elements.x.clone(), elements.y.clone()];
        let phi = elements.phase.iter().zip(self.paths(&places)).map(|(phase, path)| phase - path);
        Ok(State { phi: phi.collect(), places, map: None, value: f64::INFINITY, iterations: 0 })
    }

    fn on_cores(
        &self,
        states: &mut [State],
        stage: &Stage,
        settings: &lbfgs::Settings,
        tell: &mut Tell<'_>,
    ) -> Result<()> {
        let objective = self.objective(stage);
        let mut problem = self.problem(states, stage, &*objective)?;
        let starts: Vec<f64> = states.iter().flat_map(|state| unknowns(&problem, state)).collect();
        let mut told = |problem: &Problem<'_>, searches: &[Search]| {
            let row =
                (0..searches.len()).min_by(|a, b| searches[*a].value().total_cmp(&searches[*b].value()));
            let Some((row, score)) = row.and_then(|row| Some((row, problem.score(row)?))) else {
                return ControlFlow::Continue(());
            };
            tell(searches.iter().map(Search::iterations).max().unwrap_or(0), searches[row].value(), score)
        };
        let minima = lbfgs::minimise(&mut problem, &starts, settings, &mut told)?;
        for (row, (minimum, state)) in minima.into_iter().zip(states).enumerate() {
            store(&problem, row, minimum, state);
        }
        Ok(())
    }

    /// What a stage minimises.
    fn objective(&self, stage: &Stage) -> Box<dyn Objective> {
        let incident = || budget::incident(&self.bands[0].0, &self.lattice(), self.pitch * self.pitch);
        stage.objective(&self.mask, self.mean, incident)
    }

    /// How a stage's phases are given.
    fn phases(&self, states: &[State], stage: &Stage) -> Phases {
        stage.zernike.map_or(Phases::Each, |order| {
            let base = states.iter().flat_map(|state| state.phi.iter().copied()).collect();
            Phases::Zernike(Zernike::new(&self.lattice(), order), base)
        })
    }

    /// The functions of a stage. Maps get as many nodes as the stage or they have.
    fn problem<'a>(
        &'a self,
        states: &mut [State],
        stage: &Stage,
        objective: &'a dyn Objective,
    ) -> Result<Problem<'a>> {
        let spacing = self.spacing.filter(|_| stage.nodes > 0);
        if spacing.is_some() {
            states.iter_mut().for_each(|state| self.free(state, stage.nodes));
        }
        let same = states.iter().all(|state| state.places == states[0].places);
        let plans = self.plans(states, same && spacing.is_none())?;
        let positions = match (spacing, &states[0].map) {
            (Some(spacing), Some((map, _))) => Positions::Moving(Moving {
                map: map.clone(),
                shape: self.shape,
                spacing,
                penalty: stage.penalty,
                unit: UNIT * self.bands[0].0.wavelength(),
                reach: self.reach(states),
            }),
            _ => {
                let tables = states[..if same { 1 } else { states.len() }].iter().map(
                    |State { places: [x, y], .. }| {
                        plans.iter().map(|(plan, _)| plan.places(x, y)).collect::<Result<_, _>>()
                    },
                );
                Positions::Fixed(tables.collect::<Result<_, _>>()?)
            }
        };
        let phases = self.phases(states, stage);
        Ok(Problem::new(plans, phases, positions, objective, &self.mask, states.len()))
    }

    fn plans(&self, states: &[State], fixed: bool) -> Result<Vec<(cpu::Plan, f64)>> {
        let (u, v) = samples(&self.mask);
        let directions = Directions { u: &u, v: &v };
        let [x, y] = &states[0].places;
        let plan = |(model, weight): &(Model, f64)| {
            let plan = if fixed {
                cpu::Plan::fixed(model, directions, x, y, TOLERANCE)
            } else {
                cpu::Plan::moving(model, directions, self.shape.len(), self.reach(states), TOLERANCE)
            };
            plan.map(|plan| (plan, *weight))
        };
        self.bands.iter().map(plan).collect()
    }

    /// Gives a state a map with `nodes` nodes or more; elements that lie on no even lattice are nodes themselves.
    fn free(&self, state: &mut State, nodes: usize) {
        let (map, lattice) = (Map::new(self.shape, nodes), self.lattice());
        let width = |lines: usize| self.pitch * (lines - 1) as f64;
        let values = match &state.map {
            Some((old, _)) if old.unknowns() >= map.unknowns() => return,
            Some((old, values)) => [map.refine(old, &values[0]), map.refine(old, &values[1])],
            None if state.places == [lattice.x, lattice.y] => {
                [map.even(width(self.shape.columns), 0), map.even(width(self.shape.rows), 1)]
            }
            None => {
                state.map = Some((Map::new(self.shape, usize::MAX), state.places.clone()));
                return;
            }
        };
        state.map = Some((map, values));
    }

    /// A state as a design, checked and scored.
    fn design(&self, state: &State, stopped: bool) -> Result<Design> {
        let [x, y] = state.places.clone();
        let mut elements = Elements { x, y, phase: Vec::new() };
        if let Some(limits) = self.spacing {
            spacing::retract(&mut elements, self.shape, limits);
        }
        let (model, _) = &self.bands[0];
        let paths = model.light(&elements.x, &elements.y).map(|light| light.path);
        let turns = state.phi.iter().zip(paths).map(|(phi, path)| (phi + path) / TAU);
        elements.phase = turns.map(|turns| TAU * (turns - turns.round())).collect();
        let (regions, score) = scores(&self.fine, &directivities(model, &elements, &self.fine)?);
        let State { value: objective, iterations, .. } = *state;
        Ok(Design { elements, score, regions, objective, iterations, stopped })
    }
}

/// How much farther than even rows elements may be on their way through a stage: rows may be bent and lean.
const FARTHER: f64 = 1.15;
/// Wavelengths that a node moves by for one unit of an unknown, so that a unit does about as much as a radian.
const UNIT: f64 = 0.4;

/// The unknowns of a state.
fn unknowns(problem: &Problem<'_>, state: &State) -> Vec<f64> {
    let mut unknowns = problem.phases.start(&state.phi);
    if let (Positions::Moving(moving), Some((_, values))) = (&problem.positions, &state.map) {
        unknowns.extend(values.iter().flatten().map(|metres| metres / moving.unit));
    }
    unknowns
}

/// Takes a minimum over into its state.
fn store(problem: &Problem<'_>, row: usize, minimum: Minimum, state: &mut State) {
    state.phi = problem.phi(row, &minimum.point);
    let rest = &minimum.point[problem.phase_unknowns()..];
    if let (Positions::Moving(moving), Some((map, values))) = (&problem.positions, &mut state.map) {
        state.places = moving.places(rest);
        for (values, rest) in values.iter_mut().zip(rest.chunks_exact(map.unknowns())) {
            values.iter_mut().zip(rest).for_each(|(metres, unknown)| *metres = unknown * moving.unit);
        }
    }
    state.value = minimum.value;
    state.iterations += minimum.iterations;
}

#[cfg(test)]
mod tests;
