//! All directions of a run, in turn over the processes that there are; Ctrl-C keeps those that are finished.

use super::super::Context;
use super::super::exit::Interrupted;
use super::super::progress::Progress;
use super::super::ranks::{OtherFailed, State};
use super::run::Run;
use num_complex::Complex;
use pipeline::solvers::sbr::tube::Counts;
use pipeline::solvers::sbr::{Direction, Error, Matrix, Plan, Response};
use std::ops::ControlFlow;

/// Directions that take long have parts of their own.
const FINE: u64 = 1000;

/// What came of it; fields are in the run's cuts, on the first process only.
pub struct Scattered {
    pub counts: Counts,
    /// Whether it was interrupted.
    pub stopped: bool,
}

/// Computes all directions.
pub fn scatter(context: &Context, run: &mut Run, plan: &Plan) -> anyhow::Result<Scattered> {
    let directions = run.cuts.targets();
    let parts = if run.transmitter.is_some() { 1 } else { directions.len() };
    let ranks = &context.ranks;
    let mut progress = Progress::new(context, "directions", parts as u64 * FINE);
    let mut counts = Counts::default();
    let mut stopped = false;
    for first in (0..parts).step_by(ranks.size()) {
        let part = first + ranks.rank();
        let own = (part < parts).then(|| {
            let (from, to) = match run.transmitter {
                Some(from) => (from, directions.as_slice()),
                None => (directions[part], &directions[part..=part]),
            };
            one(plan, (from, to), &mut progress, (first as u64, ranks.size() as u64))
        });
        let own = own.transpose();
        match ranks.worst(state(&own)) {
            State::Fine => {}
            State::Interrupted => {
                stopped = true;
                break;
            }
            State::Failed => return Err(own.err().map_or_else(|| OtherFailed.into(), Into::into)),
        }
        let response = own?;
        let results =
            run.cuts.frequencies.len() * if run.transmitter.is_some() { directions.len() } else { 1 };
        let fields = ranks.gather(numbers(response.as_ref(), results));
        run.cuts.fields.extend(matrices(&fields).take((parts - first).min(ranks.size()) * results));
        counts = response.map_or(counts, |response| counts.plus(response.counts));
    }
    Ok(Scattered { counts: Counts::from_array(ranks.sum(counts.to_array())), stopped })
}

fn state(own: &Result<Option<Response>, Error>) -> State {
    match own {
        Ok(_) => State::Fine,
        Err(Error::Stopped { .. }) => State::Interrupted,
        Err(_) => State::Failed,
    }
}

/// One direction of incidence; `done` directions were finished before, and `at_once` are computed at the same time.
fn one(
    plan: &Plan,
    (from, to): (Direction, &[Direction]),
    progress: &mut Progress<'_>,
    (done, at_once): (u64, u64),
) -> Result<Response, Error> {
    let mut watch = |part: usize, parts: usize| {
        let fine = FINE * at_once * part as u64 / parts.max(1) as u64;
        match progress.at(done * FINE + fine) {
            Ok(()) => ControlFlow::Continue(()),
            Err(Interrupted) => ControlFlow::Break(()),
        }
    };
    plan.execute(from, to, &mut watch)
}

/// Eight numbers of each matrix; zeros for a process that has nothing to do.
fn numbers(response: Option<&Response>, results: usize) -> Vec<f64> {
    let Some(response) = response else { return vec![0.0; 8 * results] };
    response.fields.iter().flatten().flatten().flat_map(|entry| [entry.re, entry.im]).collect()
}

/// The same matrices again.
fn matrices(numbers: &[f64]) -> impl Iterator<Item = Matrix> {
    let matrix = |part: &[f64; 8]| {
        let entry = |at: usize| Complex::new(part[at], part[at + 1]);
        [[entry(0), entry(2)], [entry(4), entry(6)]]
    };
    numbers.as_chunks::<8>().0.iter().map(matrix)
}
