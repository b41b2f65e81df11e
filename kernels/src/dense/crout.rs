//! `cuda/crout.cu`: the thesis's LU, for comparison.

use super::library::Library;
use super::norms::Norms;
use crate::error::{Error, same, size32};
use crate::kernel::{Argument, Geometry, Module, value};
use crate::memory::Buffer;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Program, Signature};
use crate::stream::Stream;
use num_complex::Complex;

type C = Complex<f64>;

/// The source.
pub const CROUT: Program = Program {
    name: "crout",
    source: include_str!("../../cuda/crout.cu"),
    kernels: &[&STEP, &GATHER, &INVERT],
    samples: &[&[]],
};

const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "crout", name, hot: true, capability: 80, parameters }
}

const SIZE: Parameter = Value("size", size_of::<u32>());
const STEP: Signature = signature(
    "crout_step",
    &[
        Output("matrix"),
        Output("lower"),
        Output("order"),
        Output("pivots"),
        Value("at", size_of::<u32>()),
        SIZE,
    ],
);
const GATHER: Signature =
    signature("crout_gather", &[Output("matrix"), Input("lower"), Input("order"), Input("pivots"), SIZE]);
const INVERT: Signature =
    signature("crout_invert", &[Input("factors"), Output("lower"), Output("upper"), SIZE]);
/// As in the source.
const THREADS: usize = 256;
/// Blocks of an iteration for each multiprocessor.
const BLOCKS: usize = 4;

/// Inverses of both triangles of P A = L U.
#[derive(Debug)]
pub struct Crout {
    size: usize,
    lower: Buffer<C>,
    upper: Buffer<C>,
    order: Buffer<u32>,
    norms: Norms,
}

impl Crout {
    /// Factors and inverts; a pivot that is none is refused with its magnitude.
    pub fn new(
        stream: &mut Stream,
        library: &Library,
        mut matrix: Buffer<C>,
        size: usize,
    ) -> Result<Self, Error> {
        same("matrix", matrix.len(), size * size)?;
        let module = Module::load(stream.device(), &CROUT, &[])?;
        let rows: Vec<u32> = (0..size32("rows", size)?).collect();
        let mut crout = Self {
            size,
            lower: Buffer::zeros(stream, "L", size * size)?,
            upper: Buffer::zeros(stream, "U", size * size)?,
            order: Buffer::from_slice(stream, "order of rows", &rows)?,
            norms: library.norms(size),
        };
        let pivots = crout.iterate(stream, &module, &mut matrix)?;
        let mut found = vec![C::new(f64::NAN, f64::NAN); size];
        stream.download(&pivots, &mut found)?;
        if let Some(pivot) = found.iter().position(|pivot| !(pivot.norm_sqr() > 0.0 && pivot.is_finite())) {
            return Err(Error::SingularMatrix { pivot, size });
        }
        let number = size32("rows", size)?;
        let Self { lower, upper, order, .. } = &mut crout;
        let arguments = [matrix.output(), lower.input(), order.input(), pivots.input(), value(&number)];
        launch(&module, stream, &GATHER, [size, size.div_ceil(THREADS)], &arguments)?;
        let arguments = [matrix.input(), lower.output(), upper.output(), value(&number)];
        launch(&module, stream, &INVERT, [size, 1], &arguments)?;
        Ok(crout)
    }

    /// All iterations; the pivots.
    fn iterate(
        &mut self,
        stream: &mut Stream,
        module: &Module,
        matrix: &mut Buffer<C>,
    ) -> Result<Buffer<C>, Error> {
        let mut pivots = Buffer::zeros(stream, "pivots", self.size)?;
        let most = BLOCKS * stream.device().properties().multiprocessors;
        let number = size32("rows", self.size)?;
        let Self { lower, order, .. } = self;
        // The last iteration has no columns left, and one block for its pivot.
        let blocks = size32("blocks", most.min(self.size))?;
        let geometry = Geometry { grid: [blocks, 1, 1], threads: THREADS as u32, shared: 0 };
        let kernel = module.prepare(&STEP, geometry)?.cached(0)?;
        for at in 0..number {
            kernel.launch(
                stream,
                &[
                    matrix.output(),
                    lower.output(),
                    order.output(),
                    pivots.output(),
                    value(&at),
                    value(&number),
                ],
            )?;
        }
        Ok(pivots)
    }
}

impl Library {
    /// A^-1 B, or A^-H B where the inverses are given adjoint.
    pub fn solve_crout(
        &self,
        stream: &mut Stream,
        crout: &Crout,
        right: &Buffer<C>,
        adjoint: bool,
    ) -> Result<Buffer<C>, Error> {
        let (size, columns) = (crout.size, right.len() / crout.size);
        same("right-hand sides", right.len(), size * columns)?;
        let (sides, plain) = ([size, size, columns], [1.0, 0.0]);
        let mut first = Buffer::unwritten(stream, "right-hand sides", right.len())?;
        let mut second = Buffer::unwritten(stream, "right-hand sides", right.len())?;
        if adjoint {
            self.multiply_adjoint(stream, [&crout.upper, right], &mut first, sides)?;
            self.multiply_adjoint(stream, [&crout.lower, &first], &mut second, sides)?;
            crout.norms.order(stream, &second, &mut first, &crout.order, true)?;
            return Ok(first);
        }
        crout.norms.order(stream, right, &mut first, &crout.order, false)?;
        self.multiply(stream, [&crout.lower, &first], &mut second, sides, plain)?;
        self.multiply(stream, [&crout.upper, &second], &mut first, sides, plain)?;
        Ok(first)
    }
}

fn launch(
    module: &Module,
    stream: &mut Stream,
    signature: &'static Signature,
    grid: [usize; 2],
    arguments: &[Argument<'_>],
) -> Result<(), Error> {
    let grid = [size32("blocks", grid[0])?, size32("blocks", grid[1])?, 1];
    let geometry = Geometry { grid, threads: THREADS as u32, shared: 0 };
    module.prepare(signature, geometry)?.cached(0)?.launch(stream, arguments)
}
