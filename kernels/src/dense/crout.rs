//! `cuda/crout.cu`: the thesis's LU, for comparison.

use super::library::Library;
use super::norms::Norms;
use crate::call::Call;
use crate::calls::{self, sources};
use crate::error::{Error, same, size32};
use crate::kernel::{Geometry, Module};
use crate::memory::Buffer;
use crate::stream::Stream;
use num_complex::Complex;

type C = Complex<f64>;

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
        let module = Module::load(stream.device(), &sources::CROUT, &[])?;
        let rows: Vec<u32> = (0..size32("rows", size)?).collect();
        let mut crout = Self {
            size,
            lower: Buffer::zeros(stream, "L", size * size)?,
            upper: Buffer::zeros(stream, "U", size * size)?,
            order: Buffer::from_slice(stream, "order of rows", &rows)?,
            norms: library.norms(size),
        };
        let pivots = crout.iterate(stream, &module, &mut matrix)?;
        let found = stream.values(&pivots)?;
        if let Some(pivot) = found.iter().position(|pivot| !(pivot.norm_sqr() > 0.0 && pivot.is_finite())) {
            return Err(Error::SingularMatrix { pivot, size });
        }
        let number = size32("rows", size)?;
        let Self { lower, upper, order, .. } = &mut crout;
        let call = calls::crout_gather(&mut matrix, &*lower, &*order, &pivots, number);
        launch(&module, stream, [size, size.div_ceil(THREADS)], call)?;
        launch(&module, stream, [size, 1], calls::crout_invert(&matrix, lower, upper, number))?;
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
        let geometry = Geometry::new([most.min(self.size), 1, 1], THREADS, 0)?;
        let kernel = module.prepare(&calls::CROUT_STEP, geometry)?.cached(0)?;
        for at in 0..number {
            let call = calls::crout_step(&mut *matrix, &mut *lower, &mut *order, &mut pivots, at, number);
            kernel.launch(stream, call)?;
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

fn launch(module: &Module, stream: &mut Stream, [x, y]: [usize; 2], call: Call) -> Result<(), Error> {
    module.prepare(call.signature, Geometry::new([x, y, 1], THREADS, 0)?)?.cached(0)?.launch(stream, call)
}
