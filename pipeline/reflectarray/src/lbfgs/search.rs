//! One start of the optimiser.

use super::super::vector::{add, dot};
use std::collections::VecDeque;

/// When to stop, and how much to remember.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Pairs of steps and changes of the gradient that are kept.
    pub memory: usize,
    /// Most iterations of each start.
    pub iterations: usize,
    /// A start has converged when [`PATIENCE`] iterations in a row each gain less than this.
    pub gain: f64,
    /// A start has converged when no component of its projected gradient is larger.
    pub gradient: f64,
    /// Length of the first step.
    pub first_step: f64,
    /// Lower and upper bound of every unknown; none at all where empty.
    pub bounds: Vec<[f64; 2]>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { memory: 12, iterations: 500, gain: 1e-7, gradient: 1e-9, first_step: 0.1, bounds: Vec::new() }
    }
}

/// Iterations without gain after which a start rests.
pub const PATIENCE: usize = 5;

/// What became of a start.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// Best point.
    pub point: Vec<f64>,
    /// Value there.
    pub value: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Whether it came to rest, rather than to the end of its iterations.
    pub converged: bool,
}

/// Part of the slope that a step must gain, and part of it that may remain (weak Wolfe conditions).
const WOLFE: [f64; 2] = [1e-4, 0.9];
/// Trials along one direction.
const TRIALS: usize = 30;

/// A start on its way.
#[derive(Debug, Clone)]
pub struct Search {
    /// Best point, its value and gradient.
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    /// Where value and gradient are wanted next.
    trial: Vec<f64>,
    /// The trial is the point less `step` times this.
    direction: Vec<f64>,
    /// Step and its bracket.
    step: f64,
    bracket: [f64; 2],
    trials: usize,
    pairs: VecDeque<Pair>,
    iterations: usize,
    idle: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Fresh,
    Moves,
    Converged,
    /// Out of iterations, or of steps that gain.
    Ended,
}

/// A step, and what the gradient changed by.
#[derive(Debug, Clone)]
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    sy: f64,
}

impl Search {
    pub(super) fn new(start: &[f64], settings: &Settings) -> Self {
        let mut trial = start.to_vec();
        project(&mut trial, &settings.bounds);
        let zeros = || vec![0.0; start.len()];
        Self {
            point: trial.clone(),
            value: f64::INFINITY,
            gradient: zeros(),
            trial,
            direction: zeros(),
            step: 0.0,
            bracket: [0.0, f64::INFINITY],
            trials: 0,
            pairs: VecDeque::new(),
            iterations: 0,
            idle: 0,
            state: State::Fresh,
        }
    }

    /// Best value.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Steps taken.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether it wants another evaluation.
    pub fn moves(&self) -> bool {
        matches!(self.state, State::Fresh | State::Moves)
    }

    /// Where.
    pub(super) fn trial(&self) -> &[f64] {
        &self.trial
    }

    pub(super) fn minimum(self) -> Minimum {
        let converged = self.state == State::Converged;
        Minimum { point: self.point, value: self.value, iterations: self.iterations, converged }
    }

    /// Takes what was found at the trial.
    pub(super) fn learn(&mut self, value: f64, gradient: &[f64], settings: &Settings) {
        let usable = value.is_finite() && gradient.iter().all(|g| g.is_finite());
        if self.state == State::Fresh {
            if !usable {
                self.state = State::Ended;
                return;
            }
            (self.value, self.state) = (value, State::Moves);
            self.gradient.copy_from_slice(gradient);
            return self.turn(settings);
        }
        self.trials += 1;
        let moved = self.slope(&self.gradient);
        if !usable || value > self.value + WOLFE[0] * moved || moved >= 0.0 {
            self.bracket[1] = self.step;
        } else if self.slope(gradient) < WOLFE[1] * moved && self.trials < TRIALS {
            self.bracket[0] = self.step;
        } else {
            return self.take(value, gradient, settings);
        }
        if self.trials >= TRIALS {
            return self.stuck(settings);
        }
        let [low, high] = self.bracket;
        self.aim(if high.is_finite() { 0.5 * (low + high) } else { 2.0 * low }, settings);
    }

    /// What a gradient gains over the step to the trial.
    fn slope(&self, gradient: &[f64]) -> f64 {
        self.trial.iter().zip(&self.point).zip(gradient).map(|((t, p), g)| (t - p) * g).sum()
    }

    /// No step along the direction gains: without memory once more, then the end.
    fn stuck(&mut self, settings: &Settings) {
        if self.pairs.is_empty() {
            self.state = State::Ended;
        } else {
            self.pairs.clear();
            self.turn(settings);
        }
    }

    /// The trial becomes the point.
    fn take(&mut self, value: f64, gradient: &[f64], settings: &Settings) {
        let s: Vec<f64> = self.trial.iter().zip(&self.point).map(|(t, p)| t - p).collect();
        let y: Vec<f64> = gradient.iter().zip(&self.gradient).map(|(new, old)| new - old).collect();
        let sy = dot(&s, &y);
        if sy > f64::EPSILON * dot(&y, &y) {
            if self.pairs.len() >= settings.memory.max(1) {
                self.pairs.pop_front();
            }
            self.pairs.push_back(Pair { s, y, sy });
        }
        self.idle = if self.value - value < settings.gain { self.idle + 1 } else { 0 };
        self.value = value;
        self.point.copy_from_slice(&self.trial);
        self.gradient.copy_from_slice(gradient);
        self.iterations += 1;
        if self.idle >= PATIENCE {
            self.state = State::Converged;
        } else if self.iterations >= settings.iterations {
            self.state = State::Ended;
        } else {
            self.turn(settings);
        }
    }

    /// A new direction from here.
    fn turn(&mut self, settings: &Settings) {
        self.direction.copy_from_slice(&self.gradient);
        self.freeze(&settings.bounds);
        if self.direction.iter().all(|d| d.abs() <= settings.gradient) {
            self.state = State::Converged;
            return;
        }
        let steepest = dot(&self.direction, &self.direction);
        self.recursion();
        self.freeze(&settings.bounds);
        if dot(&self.gradient, &self.direction) <= 0.0 || self.pairs.is_empty() {
            self.pairs.clear();
            self.direction.copy_from_slice(&self.gradient);
            self.freeze(&settings.bounds);
            let scale = settings.first_step / steepest.sqrt();
            self.direction.iter_mut().for_each(|d| *d *= scale);
        }
        (self.bracket, self.trials) = ([0.0, f64::INFINITY], 0);
        self.aim(1.0, settings);
    }

    /// Sets to zero what lies on a bound and would leave it.
    fn freeze(&mut self, bounds: &[[f64; 2]]) {
        let places = self.gradient.iter().zip(&self.point).zip(bounds);
        for (d, ((g, x), [low, high])) in self.direction.iter_mut().zip(places) {
            if (*x <= *low && *g > 0.0) || (*x >= *high && *g < 0.0) {
                *d = 0.0;
            }
        }
    }

    /// H g by the two loops over the pairs.
    fn recursion(&mut self) {
        let Self { direction, pairs, .. } = self;
        let mut alphas = Vec::with_capacity(pairs.len());
        for pair in pairs.iter().rev() {
            let alpha = dot(&pair.s, direction) / pair.sy;
            add(direction, -alpha, &pair.y);
            alphas.push(alpha);
        }
        if let Some(last) = pairs.back() {
            let scale = last.sy / dot(&last.y, &last.y);
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for (pair, alpha) in pairs.iter().zip(alphas.iter().rev()) {
            let beta = dot(&pair.y, direction) / pair.sy;
            add(direction, alpha - beta, &pair.s);
        }
    }

    /// The trial at `step` along the direction, inside the bounds.
    fn aim(&mut self, step: f64, settings: &Settings) {
        self.step = step;
        self.trial.copy_from_slice(&self.point);
        add(&mut self.trial, -step, &self.direction);
        project(&mut self.trial, &settings.bounds);
    }
}

fn project(point: &mut [f64], bounds: &[[f64; 2]]) {
    for (x, [low, high]) in point.iter_mut().zip(bounds) {
        *x = x.max(*low).min(*high);
    }
}
