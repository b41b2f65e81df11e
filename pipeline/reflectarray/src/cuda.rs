//! The card's twin of [`problem`](super::problem) and [`cpu`](super::cpu), with the optimiser of [`lbfgs`](super::lbfgs) on the card, too.
//!
//! | stage | what it does |
//! |---|---|
//! | excite | a = f exp(j psi), and its sums with T_k over every row |
//! | far | moments, lines of directions with the same v, the field at every direction |
//! | power | a convolution by cuFFT, beside the far field |
//! | back | h, its sums over lines, moments, the gradient at every row |
//! | step | products of vectors, a decision for every start, the next trial |
//!
//! All starts are in lock step, and nothing but a few numbers for the progress leaves the card on the way. Elements lie row by row on an even lattice
//! and change the phase only. Results have the same bits each time.

mod tables;

use super::decibels::DECIBELS;
use super::lbfgs::{Minimum, PATIENCE, Settings};
use super::objective::SoftMinimum;
use super::problem::Phases;
use super::progress::Score;
use super::{Error, Model, Result};
use kernels::abi::{LbfgsSearch, LbfgsSettings};
use kernels::lbfgs::{CONVERGED, Lbfgs, MOVES, PAIRS};
use kernels::reflectarray::{Band, Designs};
use kernels::{Captured, Device, Stream};
use std::ops::ControlFlow;
use tables::Layout;

/// Rounds between two looks at the searches: so many that waiting for the card is a small part, and a stop is obeyed in milliseconds.
const ROUNDS: usize = 16;

/// All starts of a stage, on a card.
pub struct Problem {
    stream: Stream,
    side: Stream,
    bands: Vec<Band>,
    designs: Designs,
}

/// What all starts share.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// A model for every frequency, and what it counts for; phases are those of the first.
    pub bands: &'a [(Model, f64)],
    /// x and y of the elements, m.
    pub places: [&'a [f64]; 2],
    /// u and v of the directions, in the order of the objective's.
    pub directions: [&'a [f64]; 2],
    /// Relative error of fields.
    pub tolerance: f64,
}

/// Where the best start is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best {
    /// Its value.
    pub value: f64,
    /// Score of its last evaluation, on the optimiser's samples and in the first band.
    pub score: Score,
    /// Most iterations of any start.
    pub iterations: usize,
}

impl Problem {
    /// For `starts` designs.
    pub fn new(
        device: &Device,
        scene: &Scene<'_>,
        phases: &Phases,
        objective: &SoftMinimum,
        starts: usize,
    ) -> Result<Self> {
        let Scene { bands, places: [x, y], directions: [u, v], tolerance } = *scene;
        let (mut stream, side) = (device.stream()?, device.stream()?);
        let (base, polynomials) = match phases {
            Phases::Each => (Vec::new(), Vec::new()),
            Phases::Zernike(zernike, base) => (base.clone(), zernike.values()),
        };
        let designs = Designs::new(&mut stream, starts, x.len(), &base, &polynomials)?;
        let layout = Layout::new(u, v);
        let mut made = Vec::new();
        for (model, weight) in bands {
            let tables = layout.tables(model, &bands[0].0, [x, y], tolerance)?;
            let goal = layout.goal(objective, *weight);
            made.push(Band::new(&mut stream, &tables, &goal, &designs, made.is_empty())?);
        }
        Ok(Self { stream, side, bands: made, designs })
    }

    /// Values and gradients at points, both `[start][unknown]`.
    pub fn evaluate(&mut self, points: &[f64], values: &mut [f64], gradients: &mut [f64]) -> Result<()> {
        let Self { stream, side, bands, designs } = self;
        stream.upload(points, &mut designs.unknowns)?;
        evaluate(stream, side, bands, designs)?;
        stream.download(&designs.values, values)?;
        Ok(stream.download(designs.gradients(), gradients)?)
    }

    /// Seconds of the card for each of `count` evaluations in a row, as a graph, of the points that it has.
    pub fn time(&mut self, count: usize) -> Result<f64> {
        let Self { stream, side, bands, designs } = self;
        let mut graph = Captured::new(stream, |stream| evaluate(stream, side, bands, designs))?;
        graph.launch(stream)?;
        let all = stream.time(|stream| (0..count).try_for_each(|_| graph.launch(stream)))?;
        Ok(all / count.max(1) as f64)
    }

    /// Minimises from `starts`, `[start][unknown]`, without bounds; as [`lbfgs::minimise`](super::lbfgs::minimise) does. `watch` is told from
    /// time to time, and may stop all with the best so far.
    pub fn minimise(
        &mut self,
        starts: &[f64],
        settings: &Settings,
        watch: &mut dyn FnMut(Best) -> ControlFlow<()>,
    ) -> Result<Vec<Minimum>> {
        let (count, n) = (self.designs.count(), self.designs.unknowns());
        if !settings.bounds.is_empty() {
            return Err(Error::NotOnCard("bounds of unknowns"));
        }
        if settings.memory != PAIRS {
            return Err(Error::Length { what: "memory of pairs", given: settings.memory, needed: PAIRS });
        }
        if starts.len() != count * n {
            let given = format!("starts of {} numbers for {n} unknowns", starts.len());
            return Err(Error::invalid(given, "it must be a multiple, and there must be unknowns"));
        }
        let Self { stream, side, bands, designs } = self;
        stream.upload(starts, &mut designs.unknowns)?;
        stream.upload(&vec![1; count], &mut designs.moves)?;
        let mut search = Lbfgs::new(stream, starts, count, &limits(settings))?;
        let mut round = Captured::new(stream, |stream| {
            evaluate(stream, side, bands, designs)?;
            search.advance(stream, designs.round())
        })?;
        let mut searches;
        loop {
            (0..ROUNDS).try_for_each(|_| round.launch(stream))?;
            searches = search.searches(stream)?;
            let flow = best(stream, designs, &searches)?.map_or(ControlFlow::Continue(()), &mut *watch);
            if flow.is_break() || searches.iter().all(|search| search.state > MOVES) {
                break;
            }
        }
        let points = search.points(stream)?;
        Ok(searches.iter().zip(points.chunks_exact(n)).map(minimum).collect())
    }
}

/// Queues an evaluation of all designs in all bands.
fn evaluate(
    stream: &mut Stream,
    side: &mut Stream,
    bands: &mut [Band],
    designs: &mut Designs,
) -> Result<(), kernels::Error> {
    for band in bands.iter_mut() {
        band.evaluate(stream, side, designs)?;
    }
    bands.last().map_or(Ok(()), |band| band.collect(stream, designs))
}

fn limits(settings: &Settings) -> LbfgsSettings {
    let &Settings { gain, gradient, first_step, .. } = settings;
    let [iterations, patience] =
        [settings.iterations, PATIENCE].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    LbfgsSettings { gain, gradient, first_step, iterations, patience, unknowns: 0, parts: 0 }
}

fn best(
    stream: &mut Stream,
    designs: &Designs,
    searches: &[LbfgsSearch],
) -> Result<Option<Best>, kernels::Error> {
    let scores = stream.values(&designs.scores)?;
    let row = (0..searches.len()).min_by(|a, b| searches[*a].value.total_cmp(&searches[*b].value));
    Ok(row.map(|row| {
        let [d_mean_db, d_min_db] = [scores[2 * row], scores[2 * row + 1]].map(|ln| DECIBELS * ln);
        let iterations = searches.iter().map(|search| search.iterations as usize).max().unwrap_or(0);
        Best { value: searches[row].value, score: Score { d_mean_db, d_min_db }, iterations }
    }))
}

fn minimum((search, point): (&LbfgsSearch, &[f64])) -> Minimum {
    Minimum {
        point: point.to_vec(),
        value: search.value,
        iterations: search.iterations as usize,
        converged: search.state == CONVERGED,
    }
}
