//! LU in 32 bits by panels: cuSOLVER factors a panel, the exchange of rows is ours, and all that is left is products of cuBLAS, on request with
//! factors rounded to the 11 bits that matrix units multiply at their full rate. While the rest of the matrix is updated, the next panel is factored beside it.

use super::parts::{PANEL, Panel, Part, Triangle, int, panels};
use super::{Library, solver_check};
use crate::error::{Error, size32};
use crate::front_end::same;
use crate::kernel::{Geometry, Kernel, Module, value};
use crate::memory::{Buffer, Memory};
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Signature};
use crate::stream::Stream;
use cudarc::cusolver::sys as solver;
use num_complex::Complex;
use std::ffi::c_int;
use std::sync::Arc;

type Short = Complex<f32>;

const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "dense", name, hot: true, capability: 80, parameters }
}

const fn number(name: &'static str) -> Parameter {
    Value(name, size_of::<u32>())
}

pub(super) const PLAN_SWAPS: Signature =
    signature("dense_plan_swaps", &[Input("pivots"), Output("swaps"), number("first"), number("width")]);
pub(super) const SWAP: Signature = signature(
    "dense_swap",
    &[Input("swaps"), Output("matrix"), number("rows"), number("skip"), number("skipped"), number("back")],
);

/// Factors in 32 bits.
#[derive(Debug)]
pub struct ShortLu {
    size: usize,
    factors: Buffer<Short>,
    /// Of each panel.
    swaps: Vec<Buffer<u32>>,
    module: Module,
    /// Whether products have factors of 11 bits.
    tensor: bool,
}

impl Library {
    /// P A = L U in 32 bits, in place; `tensor`: with products of factors of 11 bits.
    pub fn factor_short(
        &self,
        stream: &mut Stream,
        matrix: Buffer<Short>,
        size: usize,
        tensor: bool,
    ) -> Result<ShortLu, Error> {
        same("matrix", matrix.len(), size * size)?;
        let module = self.module.clone();
        let mut side = Stream::urgent(stream.device())?;
        let work = self.panel_work(stream, &matrix, size)?;
        let pivots = Buffer::<i32>::zeros(stream, "pivots", size)?;
        let states = Buffer::<i32>::zeros(stream, "states of panels", size.div_ceil(PANEL))?;
        let all: Vec<Panel> = panels(size, PANEL).collect();
        let swaps = all.iter().map(|_| Buffer::zeros(stream, "exchanges of rows", 4 * PANEL));
        let swaps = swaps.collect::<Result<_, _>>()?;
        let mut lu = ShortLu { size, factors: matrix, swaps, module, tensor };
        let memory = [pivots.memory.address(), states.memory.address(), work.address()];
        self.factor_panel(stream, &lu, all[0], memory)?;
        for (at, panel) in all.iter().enumerate() {
            lu.exchange(stream, &pivots, *panel)?;
            let Some(next) = all.get(at + 1) else { break };
            self.update(stream, &lu, *panel, [0, next.width], true)?;
            stream.fork(&mut side)?;
            self.factor_panel(&mut side, &lu, *next, memory)?;
            self.update(stream, &lu, *panel, [next.width, panel.rest], false)?;
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
    fn panel_work(&self, stream: &Stream, matrix: &Buffer<Short>, size: usize) -> Result<Arc<Memory>, Error> {
        self.bind(stream)?;
        let (rows, mut values) = (int("rows", size)?, 0);
        let address = matrix.memory.address() as *mut solver::float2;
        let width = rows.min(PANEL as c_int);
        // SAFETY: the matrix has so many values; the call writes one number.
        let planned = unsafe {
            solver::cusolverDnCgetrf_bufferSize(self.solver, rows, width, address, rows, &raw mut values)
        };
        solver_check("planning a panel of LU", planned)?;
        let bytes = usize::try_from(values).unwrap_or(0) * size_of::<Short>();
        Memory::on_device(stream.device(), "work area of LU", bytes)
    }

    fn factor_panel(
        &self,
        stream: &mut Stream,
        lu: &ShortLu,
        Panel { first, width, .. }: Panel,
        [pivots, states, work]: [u64; 3],
    ) -> Result<(), Error> {
        self.bind(stream)?;
        let part = Part::new(&lu.factors, lu.size).at(first, first);
        let number = size_of::<i32>();
        // SAFETY: the panel lies in the matrix, pivots and state in their arrays, and the work area is that of the largest panel; the stream keeps the
        // order, and all is waited for before anything is freed.
        solver_check("a panel of LU", unsafe {
            solver::cusolverDnCgetrf(
                self.solver,
                int("rows", lu.size - first)?,
                int("columns", width)?,
                part.address as *mut solver::float2,
                int("rows", lu.size)?,
                work as *mut solver::float2,
                (pivots + (first * number) as u64) as *mut c_int,
                (states + (first / PANEL * number) as u64) as *mut c_int,
            )
        })
    }

    /// Columns `from` to `to` behind a panel: U = L^-1 A (of all of them, if `solve`), and A - L U below.
    fn update(
        &self,
        stream: &mut Stream,
        lu: &ShortLu,
        panel: Panel,
        [from, to]: [usize; 2],
        solve: bool,
    ) -> Result<(), Error> {
        let Panel { first, width, rest } = panel;
        let (whole, next) = (Part::new(&lu.factors, lu.size), first + width);
        self.bind(stream)?;
        if solve {
            let right = whole.at(first, next);
            self.triangle::<f32>(Triangle::Lower, false, [width, rest], whole.at(first, first), right)?;
        }
        let (a, b) = (whole.at(next, first), whole.at(first, next + from));
        self.subtract::<f32>([a, b, whole.at(next, next + from)], [rest, width, to - from], lu.tensor)
    }

    /// Solutions in the place of right-hand sides.
    pub fn solve_short(
        &self,
        stream: &mut Stream,
        lu: &ShortLu,
        right: &mut Buffer<Short>,
    ) -> Result<(), Error> {
        let columns = lu.columns(right)?;
        let (whole, b) = (Part::new(&lu.factors, lu.size), Part::new(right, lu.size));
        for swaps in &lu.swaps {
            swap(&lu.module, stream, swaps, right, lu.size, [columns, columns, 0, 0])?;
        }
        self.bind(stream)?;
        self.substitute::<f32>([whole, b], [lu.size, columns], lu.tensor)
    }

    /// The same with the adjoint matrix.
    pub fn solve_short_adjoint(
        &self,
        stream: &mut Stream,
        lu: &ShortLu,
        right: &mut Buffer<Short>,
    ) -> Result<(), Error> {
        let columns = lu.columns(right)?;
        let (whole, b) = (Part::new(&lu.factors, lu.size), Part::new(right, lu.size));
        self.bind(stream)?;
        for which in [Triangle::Upper, Triangle::Lower] {
            self.triangle::<f32>(which, true, [lu.size, columns], whole, b)?;
        }
        let mut swaps = lu.swaps.iter().rev();
        swaps.try_for_each(|swaps| swap(&lu.module, stream, swaps, right, lu.size, [columns, columns, 0, 1]))
    }
}

impl ShortLu {
    fn columns(&self, right: &Buffer<Short>) -> Result<usize, Error> {
        let columns = right.len() / self.size;
        same("right-hand sides", right.len(), columns * self.size)?;
        Ok(columns)
    }

    /// Exchanges rows in all columns but those of the panel, where it was done.
    fn exchange(&mut self, stream: &mut Stream, pivots: &Buffer<i32>, panel: Panel) -> Result<(), Error> {
        let Panel { first, width, rest } = panel;
        let swaps = &mut self.swaps[first / PANEL];
        let (from, columns) = (size32("rows", first)?, size32("columns", width)?);
        let plan = prepare(&self.module, &PLAN_SWAPS, 1, PANEL)?;
        plan.launch(stream, &[pivots.input(), swaps.output(), value(&from), value(&columns)])?;
        swap(&self.module, stream, swaps, &mut self.factors, self.size, [first + rest, first, width, 0])
    }
}

/// In columns of a matrix with so many rows: how many columns, from where on how many are passed over, and 1 to take the exchange back.
fn swap(
    module: &Module,
    stream: &mut Stream,
    swaps: &Buffer<u32>,
    matrix: &mut Buffer<Short>,
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
    let kernel = prepare(module, &SWAP, columns, 2 * PANEL)?;
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
