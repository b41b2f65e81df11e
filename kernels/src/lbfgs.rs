//! `cuda/lbfgs.cu`: limited-memory BFGS of many starts in lock step, without the host.
//!
//! A round is an evaluation of all trials, then `compare`, `decide` and `move_on`: every start either takes its trial or shortens its step.

use crate::abi::{LbfgsSearch, LbfgsSettings};
use crate::error::{Error, same, size32};
use crate::kernel::{Geometry, Kernel, Module, value};
use crate::memory::Buffer;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Program, Signature};
use crate::stream::Stream;

/// The source.
pub const PROGRAM: Program = Program {
    name: "lbfgs",
    source: include_str!("../cuda/lbfgs.cu"),
    kernels: &[&COMPARE, &DECIDE, &MOVE_ON],
    samples: &[&[]],
};

const SETTINGS: Parameter = Value("settings", size_of::<LbfgsSettings>());

const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "lbfgs", name, hot: true, capability: 80, parameters }
}

const COMPARE: Signature = signature(
    "compare",
    &[
        Input("moves"),
        Input("points"),
        Input("trials"),
        Input("gradients"),
        Input("new_gradients"),
        Input("steps"),
        Input("changes"),
        Output("sums"),
        SETTINGS,
    ],
);
const DECIDE: Signature = signature(
    "decide",
    &[
        Input("values"),
        Input("sums"),
        Output("products"),
        Output("coefficients"),
        Output("searches"),
        Output("moves"),
        SETTINGS,
    ],
);
const MOVE_ON: Signature = signature(
    "move_on",
    &[
        Input("searches"),
        Input("coefficients"),
        Output("points"),
        Output("trials"),
        Output("gradients"),
        Input("new_gradients"),
        Output("directions"),
        Output("steps"),
        Output("changes"),
        SETTINGS,
    ],
);

/// Pairs of steps and changes of the gradient that a start remembers, as in the source.
pub const PAIRS: usize = 12;
const VECTORS: usize = 2 * PAIRS;
/// Products of a trial, as in the source.
const SUMS: usize = 3 * VECTORS + 8;
/// Unknowns of a block of `compare`; threads of the three kernels.
const SLICE: usize = 512;
const THREADS: [u32; 3] = [1024, 128, 256];

/// States of a start, as in the source.
pub const MOVES: u32 = 1;
/// It came to rest.
pub const CONVERGED: u32 = 2;

/// Before the first evaluation.
const FRESH: LbfgsSearch = LbfgsSearch {
    value: f64::INFINITY,
    squared: 0.0,
    step: 0.0,
    low: 0.0,
    high: f64::INFINITY,
    state: 0,
    iterations: 0,
    idle: 0,
    trials: 0,
    pairs: 0,
    next: 0,
    taken: 0,
    stored: 0,
    turned: 0,
    reserved: 0,
};

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
        let module = Module::load(stream.device(), &PROGRAM, &[])?;
        let count = size32("starts", starts)?;
        let [compare, decide, move_on] = THREADS;
        let prepare =
            |signature, grid, threads| module.prepare(signature, Geometry { grid, threads, shared: 0 });
        let zeros = |stream: &mut Stream, length| Buffer::zeros(stream, "vectors of a search", length);
        Ok(Self {
            compare: prepare(&COMPARE, [settings.parts, count, 1], compare)?,
            decide: prepare(&DECIDE, [count, 1, 1], decide)?,
            move_on: prepare(&MOVE_ON, [settings.unknowns.div_ceil(move_on), count, 1], move_on)?,
            searches: Buffer::from_slice(stream, "searches", &vec![FRESH; starts])?,
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
        for (what, given, needed) in [
            ("trials", trials.len(), self.points.len()),
            ("gradients", gradients.len(), self.points.len()),
            ("values", values.len(), self.searches.len()),
            ("designs that move", moves.len(), self.searches.len()),
        ] {
            same(what, given, needed)?;
        }
        let settings = &self.settings;
        self.compare.launch(
            stream,
            &[
                moves.input(),
                self.points.input(),
                trials.input(),
                self.gradients.input(),
                gradients.input(),
                self.steps.input(),
                self.changes.input(),
                self.sums.output(),
                value(settings),
            ],
        )?;
        self.decide.launch(
            stream,
            &[
                values.input(),
                self.sums.input(),
                self.products.output(),
                self.coefficients.output(),
                self.searches.output(),
                moves.output(),
                value(settings),
            ],
        )?;
        self.move_on.launch(
            stream,
            &[
                self.searches.input(),
                self.coefficients.input(),
                self.points.output(),
                trials.output(),
                self.gradients.output(),
                gradients.input(),
                self.directions.output(),
                self.steps.output(),
                self.changes.output(),
                value(settings),
            ],
        )
    }

    /// Where the starts are; waits for the card.
    pub fn searches(&self, stream: &mut Stream) -> Result<Vec<LbfgsSearch>, Error> {
        let mut searches = vec![FRESH; self.searches.len()];
        stream.download(&self.searches, &mut searches)?;
        Ok(searches)
    }

    /// Their best points, `[start][unknown]`; waits for the card.
    pub fn points(&self, stream: &mut Stream) -> Result<Vec<f64>, Error> {
        let mut points = vec![f64::NAN; self.points.len()];
        stream.download(&self.points, &mut points)?;
        Ok(points)
    }
}
