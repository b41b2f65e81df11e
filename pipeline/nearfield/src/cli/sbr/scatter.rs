//! All directions of a run, in turn over the processes that there are; Ctrl-C keeps those that are finished.

use super::super::progress::Progress;
use super::super::ranks::{OtherFailed, State};
use super::super::{Context, Result};
use super::run::Run;
use num_complex::Complex;
use pipeline::sbr::{Counts, Direction, Error, Matrix, Plan, Watch};

/// Directions that take long have parts of their own.
const FINE: u64 = 1000;

/// What came of it; fields are in the run's cuts, on the first process only.
pub struct Scattered {
    pub counts: Counts,
    /// Whether it was interrupted.
    pub stopped: bool,
}

/// Fields of one incidence after the other, and what they took.
type Part = (Vec<Matrix>, Counts);

/// Some directions to and fro, or all from one transmitter.
fn light(
    plan: &mut Plan,
    transmitter: Option<Direction>,
    directions: &[Direction],
    watch: &mut Watch<'_>,
) -> Result<Part, Error> {
    let responses = match transmitter {
        Some(from) => vec![plan.execute(from, directions, watch)?],
        None => plan.monostatic(directions, watch)?,
    };
    let counts = responses.iter().fold(Counts::default(), |sum, response| sum.plus(response.counts));
    Ok((responses.into_iter().flat_map(|response| response.fields).collect(), counts))
}

pub fn scatter(context: &Context, run: &mut Run, plan: &mut Plan) -> Result<Scattered> {
    let directions = run.cuts.targets();
    let at_once = match run.transmitter {
        Some(_) => directions.len(),
        None if context.ranks.size() == 1 => plan.directions_at_once(),
        // The same on all processes, of which some may have no GPU.
        None => 1,
    };
    let parts: Vec<&[Direction]> = directions.chunks(at_once).collect();
    let ranks = &context.ranks;
    let mut progress = Progress::new(context, "directions", directions.len() as u64 * FINE);
    let mut counts = Counts::default();
    let mut stopped = false;
    for first in (0..parts.len()).step_by(ranks.size()) {
        let (done, together) = ((first * at_once) as u64, (ranks.size() * at_once) as u64);
        let mut watch = |part: usize, all: usize| {
            progress.flow(done * FINE + FINE * together * part as u64 / all.max(1) as u64)
        };
        let own = parts.get(first + ranks.rank());
        let own = own.map(|part| light(plan, run.transmitter, part, &mut watch)).transpose();
        match ranks.worst(state(&own)) {
            State::Fine => {}
            State::Interrupted => {
                stopped = true;
                break;
            }
            State::Failed => return Err(own.err().map_or_else(|| OtherFailed.into(), Into::into)),
        }
        let own = own?;
        let frequencies = run.cuts.frequencies.len();
        let fields = ranks.gather(numbers(own.as_ref(), at_once * frequencies));
        // Only the last part of all may be shorter than the others.
        let left = directions.len() - first * at_once;
        run.cuts.fields.extend(matrices(&fields).take(left.min(ranks.size() * at_once) * frequencies));
        counts = own.map_or(counts, |(_, own)| counts.plus(own));
    }
    Ok(Scattered { counts: Counts::from_array(ranks.sum(counts.to_array())), stopped })
}

fn state(own: &Result<Option<Part>, Error>) -> State {
    match own {
        Ok(_) => State::Fine,
        Err(Error::Stopped { .. }) => State::Interrupted,
        Err(_) => State::Failed,
    }
}

/// Eight numbers of each matrix, and zeros behind them where there are fewer than `results`.
fn numbers(part: Option<&Part>, results: usize) -> Vec<f64> {
    let fields = part.map_or(&[][..], |(fields, _)| fields);
    let entries = fields.iter().flatten().flatten();
    let mut numbers: Vec<f64> = entries.flat_map(|entry| [entry.re, entry.im]).collect();
    numbers.resize(8 * results, 0.0);
    numbers
}

/// The same matrices again.
fn matrices(numbers: &[f64]) -> impl Iterator<Item = Matrix> {
    let matrix = |part: &[f64; 8]| {
        let entry = |at: usize| Complex::new(part[at], part[at + 1]);
        [[entry(0), entry(2)], [entry(4), entry(6)]]
    };
    numbers.as_chunks::<8>().0.iter().map(matrix)
}
