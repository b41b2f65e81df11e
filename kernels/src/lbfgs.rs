//! `cuda/lbfgs.cu`: limited-memory BFGS of many starts in lock step, without the host.
//!
//! A round is an evaluation of all trials, then `compare`, `decide` and `move_on`: every start either takes its trial or shortens its step.

use crate::abi::{LbfgsSearch, LbfgsSettings};
use crate::calls::{self, sources};
use crate::error::{Error, lengths, same, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::stream::Stream;

/// Pairs of steps and changes of the gradient that a start remembers, as in the source.
pub const PAIRS: usize = 12;
const VECTORS: usize = 2 * PAIRS;
/// Products of a trial, as in the source.
const SUMS: usize = 3 * VECTORS + 8;
/// Unknowns of a block of `compare`; threads of the three kernels.
const SLICE: usize = 512;
const THREADS: [usize; 3] = [1024, 128, 256];

/// States of a start, as in the source.
pub const MOVES: u32 = 1;
/// It came to rest.
pub const CONVERGED: u32 = 2;

/// Starts on their way.
#[derive(Debug)]
pub struct Lbfgs {
    settings: LbfgsSettings,
    compare: Kernel,
    decide: Kernel,
    move_on: Kernel,
    searches: Buffer<LbfgsSearch>,
    points: Buffer<f64>,
    gradients: Buffer<f64>,
    directions: Buffer<f64>,
    steps: Buffer<f64>,
    changes: Buffer<f64>,
    sums: Buffer<f64>,
    products: Buffer<f64>,
    coefficients: Buffer<f64>,
}

/// What a round reads and writes beside the searches: trials and what was found there.
#[derive(Debug)]
pub struct Round<'a> {
    /// 1 for starts that want another evaluation.
    pub moves: &'a mut Buffer<u32>,
    /// `[start][unknown]`.
    pub trials: &'a mut Buffer<f64>,
    /// Of every start.
    pub values: &'a Buffer<f64>,
    /// `[start][unknown]`.
    pub gradients: &'a Buffer<f64>,
}

impl Lbfgs {
    /// From `points`, `[start][unknown]`; the first trials are these. Numbers that follow from them (`unknowns`, `parts`) are set here.
    pub fn new(
        stream: &mut Stream,
        points: &[f64],
        starts: usize,
        settings: &LbfgsSettings,
    ) -> Result<Self, Error> {
        let n = points.len() / starts.max(1);
        same("points", points.len(), starts * n)?;
        let parts = n.div_ceil(SLICE).max(1);
        let settings =
            LbfgsSettings { unknowns: size32("unknowns", n)?, parts: size32("parts", parts)?, ..*settings };
        let module = Module::load(stream.device(), &sources::LBFGS, &[])?;
        let [compare, decide, move_on] = THREADS;
        let prepare = |signature, [x, y]: [usize; 2], threads| {
            module.prepare(signature, Geometry::new([x, y, 1], threads, 0)?)
        };
        let zeros = |stream: &mut Stream, length| Buffer::zeros(stream, "vectors of a search", length);
        // Before the first evaluation.
        let fresh = LbfgsSearch { value: f64::INFINITY, high: f64::INFINITY, ..Default::default() };
        Ok(Self {
            compare: prepare(&calls::COMPARE, [parts, starts], compare)?,
            decide: prepare(&calls::DECIDE, [starts, 1], decide)?,
            move_on: prepare(&calls::MOVE_ON, [n.div_ceil(move_on), starts], move_on)?,
            searches: Buffer::from_slice(stream, "searches", &vec![fresh; starts])?,
            points: Buffer::from_slice(stream, "points", points)?,
            gradients: zeros(stream, points.len())?,
            directions: zeros(stream, points.len())?,
            steps: zeros(stream, PAIRS * points.len())?,
            changes: zeros(stream, PAIRS * points.len())?,
            sums: zeros(stream, starts * parts * SUMS)?,
            products: zeros(stream, starts * VECTORS * VECTORS)?,
            coefficients: zeros(stream, starts * (VECTORS + 1))?,
            settings,
        })
    }

    /// Queues what follows an evaluation of all trials.
    pub fn advance(&mut self, stream: &mut Stream, round: Round<'_>) -> Result<(), Error> {
        let Round { moves, trials, values, gradients } = round;
        lengths(&[
            ("trials", trials.len(), self.points.len()),
            ("gradients", gradients.len(), self.points.len()),
            ("values", values.len(), self.searches.len()),
            ("designs that move", moves.len(), self.searches.len()),
        ])?;
        let settings = &self.settings;
        let Self { searches, points, gradients: old, directions, steps, changes, .. } = self;
        let Self { sums, products, coefficients, .. } = self;
        let call = calls::compare(
            &*moves, &*points, &*trials, &*old, gradients, &*steps, &*changes, &mut *sums, settings,
        );
        self.compare.launch(stream, call)?;
        let call =
            calls::decide(values, &*sums, products, &mut *coefficients, &mut *searches, moves, settings);
        self.decide.launch(stream, call)?;
        let call = calls::move_on(
            &*searches,
            &*coefficients,
            points,
            trials,
            old,
            gradients,
            directions,
            steps,
            changes,
            settings,
        );
        self.move_on.launch(stream, call)
    }

    /// Where the starts are; waits for the card.
    pub fn searches(&self, stream: &mut Stream) -> Result<Vec<LbfgsSearch>, Error> {
        stream.values(&self.searches)
    }

    /// Their best points, `[start][unknown]`; waits for the card.
    pub fn points(&self, stream: &mut Stream) -> Result<Vec<f64>, Error> {
        stream.values(&self.points)
    }
}
