//! Multi-level single linkage: all the minima of a function in a box, by few local searches, with a rule that says when to stop.
//!
//! Level after level, N more points are drawn in the unit cube that the box is scaled to. A sample is linked to the nearest one with a
//! lower value within the critical distance
//!
//! ```text
//! r_k = pi^(-1/2) (Gamma(1 + n/2) sigma ln(k N)/(k N))^(1/n)
//! ```
//!
//! if the function is lower midway between them, too. A search from here is then likely to end where the one from there does; only samples
//! without a link start one. With sigma > 2 the chance that a further sample starts a search tends to zero, and with sigma > 4 all levels together start
//! finitely many (Rinnooy Kan and Timmer, theorem 8 of part I). The look midway is an addition: it keeps links from bridging the barrier between two basins while r_k is still long.
//!
//! Every sample is a trial that leads to one of the w minima found, by a search of its own or by its links. With t trials and no prior knowledge of how many
//! minima there are nor of the sizes of their basins, the expected number of minima and the expected part of the cube in basins not yet seen are
//! (Boender and Rinnooy Kan)
//!
//! ```text
//! w (t - 1)/(t - w - 2)        1 - (t - w - 1)(t + w)/(t (t - 1))
//! ```
//!
//! The search stops when the first is below w + 1/2, the second below [`Settings::unseen`], and [`Settings::quiet`] levels in a row found nothing
//! new, since links are only likely to be right. The rule needs t of about 2 w^2.
//!
//! Values of samples and local searches are asked for a level at a time, so that the caller can compute them in batches. Samples are a k-d tree that
//! knows the least value of every branch: a level costs O(t log t), not O(t^2).
//!
//! References: Rinnooy Kan and Timmer, Math. Progr. 39, 27 and 57 (1987); Boender and Rinnooy Kan, Math. Progr. 37, 59 (1987).

mod tree;

use super::{Error, Result};
use numerics::parallel;
use numerics::random::SplitMix64;
use tree::Tree;

/// What is minimised, and how it goes downhill.
pub trait Problem {
    /// Why it may fail; also the way to interrupt.
    type Error: From<Error>;

    /// Values at points: `values.len()` points of as many coordinates as the box has, one point after the other.
    fn values(&mut self, points: &[f64], values: &mut [f64]) -> Result<(), Self::Error>;

    /// Local searches from points within the box: replaces them by minima in the box, and gives the values there.
    fn descend(&mut self, points: &mut [f64], values: &mut [f64]) -> Result<(), Self::Error>;
}

/// How to search.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The box: least and largest value of every coordinate.
    pub bounds: Vec<[f64; 2]>,
    /// Samples of a level, N.
    pub samples: usize,
    /// Width of the links: above 2; shorter links cost searches and miss fewer minima.
    pub sigma: f64,
    /// Minima nearer than this, in parts of the box's sides, are one.
    pub same: f64,
    /// Part of the box that may be in basins not seen.
    pub unseen: f64,
    /// Levels without a new minimum before the end.
    pub quiet: usize,
    /// Samples beyond which no level begins, whatever the rule says.
    pub most_samples: usize,
    /// Local searches beyond which none begins, whatever the rule says.
    pub most_searches: usize,
    /// Seed of the samples.
    pub seed: u64,
}

impl Settings {
    /// The usual settings for a box.
    pub fn new(bounds: Vec<[f64; 2]>) -> Self {
        let samples = 100 * bounds.len().max(1);
        Self {
            bounds,
            samples,
            sigma: 2.5,
            same: 1e-3,
            unseen: 0.005,
            quiet: 6,
            most_samples: 200 * samples,
            most_searches: usize::MAX,
            seed: 1,
        }
    }

    fn check(&self) -> Result<()> {
        let positive = |name: &str, value: f64| {
            let allowed = "it must be finite and above 0";
            let wrong = || Error::invalid(format!("{name} of the search: {value}"), allowed);
            if value.is_finite() && value > 0.0 { Ok(()) } else { Err(wrong()) }
        };
        positive("coordinates", self.bounds.len() as f64)?;
        for (at, &[low, high]) in self.bounds.iter().enumerate() {
            if !(low.is_finite() && high.is_finite() && low < high) {
                let given = format!("coordinate {at} of the search runs from {low} to {high}");
                return Err(Error::invalid(given, "it must rise between finite numbers"));
            }
        }
        positive("samples", self.samples as f64)?;
        positive("quiet levels", self.quiet as f64)?;
        positive("sigma", self.sigma)?;
        positive("distance of minima", self.same)?;
        positive("part unseen", self.unseen)
    }

    /// From parts of the sides to coordinates.
    fn place(&self, part: &[f64]) -> impl Iterator<Item = f64> {
        part.iter().zip(&self.bounds).map(|(t, [low, high])| low + t * (high - low))
    }

    /// From coordinates to parts of the sides.
    fn part(&self, place: &[f64]) -> Vec<f64> {
        place.iter().zip(&self.bounds).map(|(x, [low, high])| (x - low) / (high - low)).collect()
    }
}

/// A local minimum.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// Where.
    pub point: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Searches that ended here.
    pub searches: usize,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// No more minima are expected.
    Complete,
    /// [`Settings::most_samples`] or [`Settings::most_searches`] came before that.
    Limit,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The minima, lowest first.
    pub minima: Vec<Minimum>,
    /// Samples taken.
    pub samples: usize,
    /// Local searches made.
    pub searches: usize,
    /// Expected number of minima.
    pub expected: f64,
    /// Expected part of the box in basins not seen.
    pub unseen: f64,
    /// Why it ended.
    pub stop: Stop,
}

/// Searches until no more minima are expected. `level` sees the outcome so far after every level.
pub fn search<P: Problem>(
    problem: &mut P,
    settings: &Settings,
    mut level: impl FnMut(&Outcome),
) -> Result<Outcome, P::Error> {
    settings.check()?;
    let mut state = State::new(settings);
    let mut quiet = 0;
    loop {
        state.sample(problem)?;
        let mut starts = state.starts(problem)?;
        let room = settings.most_searches.saturating_sub(state.searches);
        let cut = starts.len() > room;
        starts.truncate(room);
        let fresh = state.descend(problem, starts)?;
        quiet = if fresh { 0 } else { quiet + 1 };
        let mut outcome = state.outcome();
        level(&outcome);
        let complete =
            !cut && outcome.expected < outcome.minima.len() as f64 + 0.5 && outcome.unseen < settings.unseen;
        if complete && quiet >= settings.quiet {
            outcome.stop = Stop::Complete;
            return Ok(outcome);
        }
        if cut || outcome.samples.saturating_add(settings.samples) > settings.most_samples {
            return Ok(outcome);
        }
    }
}

/// A search in progress; points are parts of the box's sides.
struct State<'s> {
    settings: &'s Settings,
    random: SplitMix64,
    points: Vec<f64>,
    values: Vec<f64>,
    /// Samples from which a search was made.
    started: Vec<bool>,
    /// The lower sample that a search from here would pass.
    links: Vec<Option<usize>>,
    minima: Vec<(Vec<f64>, Minimum)>,
    searches: usize,
}

impl<'s> State<'s> {
    fn new(settings: &'s Settings) -> Self {
        let random = SplitMix64::new(settings.seed);
        let (points, values, started) = (Vec::new(), Vec::new(), Vec::new());
        Self { settings, random, points, values, started, links: Vec::new(), minima: Vec::new(), searches: 0 }
    }

    fn axes(&self) -> usize {
        self.settings.bounds.len()
    }

    /// Draws a level's samples and takes their values.
    fn sample<P: Problem>(&mut self, problem: &mut P) -> Result<(), P::Error> {
        let count = self.settings.samples;
        let parts: Vec<f64> = (0..count * self.axes()).map(|_| self.random.uniform()).collect();
        let places: Vec<f64> = parts.chunks(self.axes()).flat_map(|part| self.settings.place(part)).collect();
        let mut values = vec![f64::NAN; count];
        problem.values(&places, &mut values)?;
        self.points.extend(parts);
        // What is no number is nobody's lower neighbour.
        self.values.extend(values.into_iter().map(|v| if v.is_nan() { f64::INFINITY } else { v }));
        self.started.resize(self.values.len(), false);
        self.links.resize(self.values.len(), None);
        Ok(())
    }

    /// Samples that no link leads down from, of which no search was made yet.
    fn starts<P: Problem>(&mut self, problem: &mut P) -> Result<Vec<usize>, P::Error> {
        let tree = Tree::new(&self.points, &self.values, self.axes());
        let reach = critical_distance(self.axes(), self.values.len(), self.settings.sigma);
        let open = |&at: &usize| !self.started[at] && self.values[at].is_finite();
        let open: Vec<usize> = (0..self.values.len()).filter(open).collect();
        let lower: Vec<Option<usize>> = parallel::map(open.len(), &|number| {
            let at = open[number];
            tree.nearest_lower(self.part(at), self.values[at], reach)
        });
        let lower: Vec<(usize, Option<usize>)> = open.iter().copied().zip(lower).collect();
        self.link(problem, &lower)?;
        let known = |at: usize| {
            self.minima.iter().any(|(part, _)| distance(part, self.part(at)) < self.settings.same)
        };
        Ok(open.into_iter().filter(|&at| self.links[at].is_none() && !known(at)).collect())
    }

    /// Renews the links of samples, given with their nearest lower ones.
    fn link<P: Problem>(
        &mut self,
        problem: &mut P,
        lower: &[(usize, Option<usize>)],
    ) -> Result<(), P::Error> {
        let changed = lower.iter().filter(|(at, to)| self.links[*at] != *to);
        let changed: Vec<(usize, Option<usize>)> = changed.copied().collect();
        let fresh: Vec<(usize, usize)> = changed.iter().filter_map(|&(at, to)| Some((at, to?))).collect();
        let middle = |&(at, to): &(usize, usize)| -> Vec<f64> {
            let ends = self.part(at).iter().zip(self.part(to));
            self.settings.place(&ends.map(|(a, b)| 0.5 * (a + b)).collect::<Vec<f64>>()).collect()
        };
        let middles: Vec<f64> = fresh.iter().flat_map(middle).collect();
        let mut values = vec![f64::NAN; fresh.len()];
        if !fresh.is_empty() {
            problem.values(&middles, &mut values)?;
        }
        changed.iter().for_each(|&(at, _)| self.links[at] = None);
        for (&(at, to), value) in fresh.iter().zip(values) {
            self.links[at] = (value < self.values[at]).then_some(to);
        }
        Ok(())
    }

    fn part(&self, at: usize) -> &[f64] {
        &self.points[at * self.axes()..(at + 1) * self.axes()]
    }

    /// Makes the searches; whether any found a minimum that was not known.
    fn descend<P: Problem>(&mut self, problem: &mut P, starts: Vec<usize>) -> Result<bool, P::Error> {
        if starts.is_empty() {
            return Ok(false);
        }
        let n = self.axes();
        let mut places: Vec<f64> =
            starts.iter().flat_map(|&at| self.settings.place(&self.points[at * n..(at + 1) * n])).collect();
        let mut values = vec![f64::NAN; starts.len()];
        problem.descend(&mut places, &mut values)?;
        self.searches += starts.len();
        starts.into_iter().for_each(|at| self.started[at] = true);
        let mut fresh = false;
        for (place, value) in places.chunks(n).zip(values).filter(|(_, value)| value.is_finite()) {
            fresh |= self.note(place, value);
        }
        Ok(fresh)
    }

    /// Counts a minimum; whether it is new.
    fn note(&mut self, place: &[f64], value: f64) -> bool {
        let part = self.settings.part(place);
        let same = self.settings.same;
        if let Some((known, minimum)) =
            self.minima.iter_mut().find(|(known, _)| distance(known, &part) < same)
        {
            minimum.searches += 1;
            if value < minimum.value {
                (*known, minimum.point, minimum.value) = (part, place.to_vec(), value);
            }
            return false;
        }
        self.minima.push((part, Minimum { point: place.to_vec(), value, searches: 1 }));
        true
    }

    fn outcome(&self) -> Outcome {
        let trials = self.values.iter().filter(|value| value.is_finite()).count() as f64;
        let found = self.minima.len() as f64;
        let enough = found > 0.0 && trials > found + 2.0;
        let expected = if enough { found * (trials - 1.0) / (trials - found - 2.0) } else { f64::INFINITY };
        let seen = (trials - found - 1.0) * (trials + found) / (trials * (trials - 1.0));
        let mut minima: Vec<Minimum> = self.minima.iter().map(|(_, minimum)| minimum.clone()).collect();
        minima.sort_by(|a, b| a.value.total_cmp(&b.value));
        Outcome {
            minima,
            samples: self.values.len(),
            searches: self.searches,
            expected,
            unseen: if enough { 1.0 - seen } else { 1.0 },
            stop: Stop::Limit,
        }
    }
}

/// r_k for `samples` points of `axes` coordinates in the unit cube.
fn critical_distance(axes: usize, samples: usize, sigma: f64) -> f64 {
    let n = axes as f64;
    let t = samples.max(2) as f64;
    ((ln_gamma_half(axes + 2) + (sigma * t.ln() / t).ln()) / n).exp() / std::f64::consts::PI.sqrt()
}

/// ln Gamma(m/2), by the recurrence from Gamma(1/2) or Gamma(1).
fn ln_gamma_half(m: usize) -> f64 {
    let first = if m.is_multiple_of(2) { 0.0 } else { 0.5 * std::f64::consts::PI.ln() };
    let factors = (1..m.saturating_sub(1)).rev().step_by(2);
    first + factors.map(|twice| (0.5 * twice as f64).ln()).sum::<f64>()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests;
