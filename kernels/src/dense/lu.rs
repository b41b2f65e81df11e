//! LU with partial pivoting by panels, in 32 or 64 bits: cuSOLVER factors a panel, the exchange of rows is ours, and all that is left is products of cuBLAS, in
//! 32 bits on request with factors rounded to the 11 bits that matrix units multiply at their full rate. A panel takes longer than all products beside it until
//! matrices have some 10 000 rows: the next one is factored while the rest of the matrix is updated, and only its own columns are waited for.

use super::parts::{PANEL, Panel, Part, Triangle, int, panels};
use super::{Library, solver_check};
use crate::error::{Error, size32};
use crate::front_end::same;
use crate::kernel::{Geometry, Kernel, Module, value};
use crate::memory::{Buffer, Memory};
use crate::plain::Float;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Signature};
use crate::stream::Stream;
use cudarc::cusolver::sys as solver;
use num_complex::Complex;
use std::ffi::c_int;
use std::sync::Arc;

const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "dense", name, hot: true, capability: 80, parameters }
}

const fn number(name: &'static str) -> Parameter {
    Value(name, size_of::<u32>())
}

const OF_SWAP: &[Parameter] =
    &[Input("swaps"), Output("matrix"), number("rows"), number("skip"), number("skipped"), number("back")];

pub(super) const PLAN_SWAPS: Signature =
    signature("dense_plan_swaps", &[Input("pivots"), Output("swaps"), number("first"), number("width")]);
pub(super) const SWAP_32: Signature = signature("dense_swap_32", OF_SWAP);
pub(super) const SWAP_64: Signature = signature("dense_swap_64", OF_SWAP);

/// Factors of a matrix.
#[derive(Debug)]
pub struct Lu<T: Float> {
    size: usize,
    factors: Buffer<Complex<T>>,
    /// Of each panel.
    swaps: Vec<Buffer<u32>>,
    module: Module,
    /// Whether products of 32-bit numbers have factors of 11 bits.
    tensor: bool,
}

impl Library {
    /// P A = L U, in place; `tensor`: 32-bit products have factors of 11 bits.
    pub fn factor<T: Float>(
        &self,
        stream: &mut Stream,
        matrix: Buffer<Complex<T>>,
        size: usize,
        tensor: bool,
    ) -> Result<Lu<T>, Error> {
        same("matrix", matrix.len(), size * size)?;
        let module = self.module.clone();
        let mut side = Stream::urgent(stream.device())?;
        let work = self.panel_work(stream, &matrix, size)?;
        let pivots = Buffer::<i32>::zeros(stream, "pivots", size)?;
        let states = Buffer::<i32>::zeros(stream, "states of panels", size.div_ceil(PANEL))?;
        let all: Vec<Panel> = panels(size).collect();
        let swaps = all.iter().map(|_| Buffer::zeros(stream, "exchanges of rows", 4 * PANEL));
        let swaps = swaps.collect::<Result<_, _>>()?;
        let mut lu = Lu { size, factors: matrix, swaps, module, tensor };
        let memory = [pivots.memory.address(), states.memory.address(), work.address()];
        self.factor_panel(stream, &lu, all[0], memory)?;
        for (at, panel) in all.iter().enumerate() {
            let Panel { first, width, rest } = *panel;
            lu.plan_exchange(stream, &pivots, *panel)?;
            let Some(next) = all.get(at + 1) else {
                lu.exchange(stream, at, [first, first, 0])?;
                break;
            };
            lu.exchange(stream, at, [next.width, 0, next.first])?;
            self.update(stream, &lu, *panel, [0, next.width])?;
            stream.fork(&mut side)?;
            self.factor_panel(&mut side, &lu, *next, memory)?;
            lu.exchange(stream, at, [first + rest - next.width, first, width + next.width])?;
            self.update(stream, &lu, *panel, [next.width, rest])?;
            stream.join(&mut side)?;
        }
        let mut found = vec![-1; states.len()];
        stream.download(&states, &mut found)?;
        match found.iter().zip(&all).find(|(state, _)| **state != 0) {
            None => Ok(lu),
            Some((state, panel)) => {
                let pivot = panel.first + usize::try_from(state - 1).unwrap_or(0);
                Err(Error::SingularMatrix { pivot, size })
            }
        }
    }

    /// Work area for the largest panel.
    fn panel_work<T: Float>(
        &self,
        stream: &Stream,
        matrix: &Buffer<Complex<T>>,
        size: usize,
    ) -> Result<Arc<Memory>, Error> {
        self.bind(stream)?;
        let (rows, mut values) = (int("rows", size)?, 0);
        let (width, address) = (rows.min(PANEL as c_int), matrix.memory.address());
        // SAFETY: the matrix has so many values; the call writes one number.
        solver_check("planning a panel of LU", unsafe {
            if T::BYTES == 4 {
                let matrix = address as *mut solver::float2;
                solver::cusolverDnCgetrf_bufferSize(self.solver, rows, width, matrix, rows, &raw mut values)
            } else {
                let matrix = address as *mut solver::double2;
                solver::cusolverDnZgetrf_bufferSize(self.solver, rows, width, matrix, rows, &raw mut values)
            }
        })?;
        let bytes = usize::try_from(values).unwrap_or(0) * size_of::<Complex<T>>();
        Memory::on_device(stream.device(), "work area of LU", bytes)
    }

    fn factor_panel<T: Float>(
        &self,
        stream: &mut Stream,
        lu: &Lu<T>,
        Panel { first, width, .. }: Panel,
        [pivots, states, work]: [u64; 3],
    ) -> Result<(), Error> {
        self.bind(stream)?;
        let panel = Part::new(&lu.factors, lu.size).at(first, first).address;
        let (rows, columns, step) =
            (int("rows", lu.size - first)?, int("columns", width)?, int("rows", lu.size)?);
        let pivots = (pivots + (first * size_of::<i32>()) as u64) as *mut c_int;
        let state = (states + (first / PANEL * size_of::<i32>()) as u64) as *mut c_int;
        // SAFETY: the panel lies in the matrix, pivots and state in their arrays, and the work area is that of the largest panel; the stream keeps the
        // order, and all is waited for before anything is freed.
        solver_check("a panel of LU", unsafe {
            if T::BYTES == 4 {
                let (panel, work) = (panel as *mut solver::float2, work as *mut solver::float2);
                solver::cusolverDnCgetrf(self.solver, rows, columns, panel, step, work, pivots, state)
            } else {
                let (panel, work) = (panel as *mut solver::double2, work as *mut solver::double2);
                solver::cusolverDnZgetrf(self.solver, rows, columns, panel, step, work, pivots, state)
            }
        })
    }

    /// Columns `from` to `to` behind a panel: U = L^-1 A, and A - L U below.
    fn update<T: Float>(
        &self,
        stream: &mut Stream,
        lu: &Lu<T>,
        Panel { first, width, rest }: Panel,
        [from, to]: [usize; 2],
    ) -> Result<(), Error> {
        let (whole, next) = (Part::new(&lu.factors, lu.size), first + width);
        let (own, left) = (whole.at(first, first), whole.at(next, first));
        let (above, below) = (whole.at(first, next + from), whole.at(next, next + from));
        self.bind(stream)?;
        self.triangle::<T>(Triangle::Lower, false, [width, to - from], own, above)?;
        self.subtract::<T>([left, above, below], [rest, width, to - from], lu.tensor)
    }

    /// Solutions in the place of right-hand sides.
    pub fn solve<T: Float>(
        &self,
        stream: &mut Stream,
        lu: &Lu<T>,
        right: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        let columns = lu.columns(right)?;
        let (whole, b) = (Part::new(&lu.factors, lu.size), Part::new(right, lu.size));
        for swaps in &lu.swaps {
            swap(&lu.module, stream, swaps, right, lu.size, [columns, columns, 0, 0])?;
        }
        self.bind(stream)?;
        self.substitute::<T>([whole, b], [lu.size, columns], lu.tensor)
    }

    /// The same with the adjoint matrix.
    pub fn solve_adjoint<T: Float>(
        &self,
        stream: &mut Stream,
        lu: &Lu<T>,
        right: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        let columns = lu.columns(right)?;
        let (whole, b) = (Part::new(&lu.factors, lu.size), Part::new(right, lu.size));
        self.bind(stream)?;
        for which in [Triangle::Upper, Triangle::Lower] {
            self.triangle::<T>(which, true, [lu.size, columns], whole, b)?;
        }
        let mut swaps = lu.swaps.iter().rev();
        swaps.try_for_each(|swaps| swap(&lu.module, stream, swaps, right, lu.size, [columns, columns, 0, 1]))
    }
}

impl<T: Float> Lu<T> {
    fn columns(&self, right: &Buffer<Complex<T>>) -> Result<usize, Error> {
        let columns = right.len() / self.size;
        same("right-hand sides", right.len(), columns * self.size)?;
        Ok(columns)
    }

    /// What the exchanges of a panel amount to.
    fn plan_exchange(
        &mut self,
        stream: &mut Stream,
        pivots: &Buffer<i32>,
        Panel { first, width, .. }: Panel,
    ) -> Result<(), Error> {
        let swaps = &mut self.swaps[first / PANEL];
        let (from, columns) = (size32("rows", first)?, size32("columns", width)?);
        let plan = prepare(&self.module, &PLAN_SWAPS, 1, PANEL)?;
        plan.launch(stream, &[pivots.input(), swaps.output(), value(&from), value(&columns)])
    }

    /// Exchanges rows as a panel wants it, in so many columns, from one on so many others being passed over.
    fn exchange(
        &mut self,
        stream: &mut Stream,
        panel: usize,
        [columns, skip, skipped]: [usize; 3],
    ) -> Result<(), Error> {
        let Self { module, swaps, factors, size, .. } = self;
        swap(module, stream, &swaps[panel], factors, *size, [columns, skip, skipped, 0])
    }
}

/// In columns of a matrix with so many rows: how many columns, from where on how many are passed over, and 1 to take the exchange back.
fn swap<T: Float>(
    module: &Module,
    stream: &mut Stream,
    swaps: &Buffer<u32>,
    matrix: &mut Buffer<Complex<T>>,
    rows: usize,
    [columns, skip, skipped, back]: [usize; 4],
) -> Result<(), Error> {
    if columns == 0 {
        return Ok(());
    }
    let mut told = [0; 4];
    for (told, number) in told.iter_mut().zip([rows, skip, skipped, back]) {
        *told = size32("rows", number)?;
    }
    let signature = if T::BYTES == 4 { &SWAP_32 } else { &SWAP_64 };
    let kernel = prepare(module, signature, columns, 2 * PANEL)?;
    let mut arguments = vec![swaps.input(), matrix.output()];
    arguments.extend(told.iter().map(value));
    kernel.launch(stream, &arguments)
}

fn prepare(
    module: &Module,
    signature: &'static Signature,
    blocks: usize,
    threads: usize,
) -> Result<Kernel, Error> {
    let grid = [size32("blocks", blocks)?, 1, 1];
    module.prepare(signature, Geometry { grid, threads: size32("threads", threads)?, shared: 0 })
}
