//! cuBLAS, cuSOLVER and our programs on one card.

use super::functions::{ADJOINT, Blas, Factor, Handle, PLAIN, Solver, check};
use super::norms::Norms;
use crate::calls::sources;
use crate::error::{Error, same};
use crate::kernel::Module;
use crate::memory::Buffer;
use crate::program::{Define, Program};
use crate::stream::Stream;
use num_complex::Complex;
use std::cell::RefCell;
use std::ffi::c_int;
use std::ptr::null_mut;

type C = Complex<f64>;

/// cuBLAS, cuSOLVER and our kernels on one card.
#[derive(Debug)]
pub struct Library {
    pub(super) solver: (&'static Solver, Handle),
    pub(super) blas: (&'static Blas, Handle),
    /// Our kernels beside them.
    module: Module,
    /// Those of LU.
    loaded: RefCell<Vec<Loaded>>,
}

/// A program's name, what it was compiled for, and the result.
type Loaded = (&'static str, Vec<Define>, Module);

// SAFETY: handles may move between threads; they are used by one at a time, as `&mut Stream` is.
unsafe impl Send for Library {}

/// Whether both libraries are on this machine.
pub fn is_present() -> bool {
    Solver::get().is_some() && Blas::get().is_some()
}

/// A size as the libraries take it.
pub fn int(what: &'static str, number: usize) -> Result<c_int, Error> {
    c_int::try_from(number).map_err(|_| Error::Size { what, value: number })
}

impl Library {
    /// Opens both for the card of a stream.
    pub fn new(stream: &Stream) -> Result<Self, Error> {
        let (Some(solver), Some(blas)) = (Solver::get(), Blas::get()) else {
            return Err(Error::NoCusolver);
        };
        stream.device().bind()?;
        let module = Module::load(stream.device(), &sources::DENSE, &[])?;
        let mut new = Self {
            solver: (solver, null_mut()),
            blas: (blas, null_mut()),
            module,
            loaded: RefCell::default(),
        };
        // SAFETY: each call writes one handle, which is destroyed once, in `Drop`.
        check("opening cuSOLVER", "cuSOLVER", unsafe { (solver.cusolverDnCreate)(&raw mut new.solver.1) })?;
        // SAFETY: as above.
        check("opening cuBLAS", "cuBLAS", unsafe { (blas.cublasCreate_v2)(&raw mut new.blas.1) })?;
        Ok(new)
    }

    /// Kernels on matrices of so many rows.
    pub fn norms(&self, rows: usize) -> Norms {
        Norms::new(&self.module, rows)
    }

    /// What is called next goes into the stream.
    pub(super) fn bind(&self, stream: &Stream) -> Result<(), Error> {
        stream.device().bind()?;
        let ((solver, to_solver), (blas, to_blas)) = (self.solver, self.blas);
        // SAFETY: handles and stream are alive and of one card.
        let status = unsafe { (solver.cusolverDnSetStream)(to_solver, stream.raw.cast()) };
        check("cusolverDnSetStream", "cuSOLVER", status)?;
        // SAFETY: as above.
        check("cublasSetStream", "cuBLAS", unsafe { (blas.cublasSetStream_v2)(to_blas, stream.raw.cast()) })
    }

    /// A program for some numbers; the first time it is compiled.
    pub(super) fn load(
        &self,
        stream: &Stream,
        program: &'static Program,
        defines: &[Define],
    ) -> Result<Module, Error> {
        let mut loaded = self.loaded.borrow_mut();
        let known = |known: &&Loaded| known.0 == program.name && known.1 == defines;
        if let Some((_, _, module)) = loaded.iter().find(known) {
            return Ok(module.clone());
        }
        let module = Module::load(stream.device(), program, defines)?;
        loaded.push((program.name, defines.to_vec(), module.clone()));
        Ok(module)
    }

    /// C <- alpha A B + beta C, of `rows` times `inner` and `inner` times `columns`.
    pub fn multiply(
        &self,
        stream: &mut Stream,
        factors: [&Buffer<C>; 2],
        c: &mut Buffer<C>,
        sides: [usize; 3],
        scales: [f64; 2],
    ) -> Result<(), Error> {
        self.product(stream, PLAIN, factors, c, sides, scales)
    }

    /// C <- A^H B, of `rows` times `inner` and `inner` times `columns`.
    pub(super) fn multiply_adjoint(
        &self,
        stream: &mut Stream,
        factors: [&Buffer<C>; 2],
        c: &mut Buffer<C>,
        sides: [usize; 3],
    ) -> Result<(), Error> {
        self.product(stream, ADJOINT, factors, c, sides, [1.0, 0.0])
    }

    fn product(
        &self,
        stream: &mut Stream,
        operation: c_int,
        [a, b]: [&Buffer<C>; 2],
        c: &mut Buffer<C>,
        [rows, inner, columns]: [usize; 3],
        [alpha, beta]: [f64; 2],
    ) -> Result<(), Error> {
        same("first factor", a.len(), rows * inner)?;
        same("second factor", b.len(), inner * columns)?;
        same("product", c.len(), rows * columns)?;
        self.bind(stream)?;
        let [m, n, k] = [int("rows", rows)?, int("columns", columns)?, int("rows", inner)?];
        let factors = [Factor::new(alpha), Factor::new(beta)];
        let step = if operation == PLAIN { m } else { k };
        let (blas, handle) = self.blas;
        let [from, with, to] = [a.memory.address(), b.memory.address(), c.memory.address()];
        let [alpha, beta] = [factors[0].of::<f64>(), factors[1].of::<f64>()];
        // SAFETY: all three have the sizes that are given, in memory that outlives the work; factors are read
        // on the host at once.
        #[rustfmt::skip]
        let status = unsafe {
            (blas.cublasZgemm_v2)(
                handle, operation, PLAIN, m, n, k, alpha, from, step.max(1), with, k.max(1), beta, to, m.max(1),
            )
        };
        check("a product", "cuBLAS", status)
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        let ((solver, to_solver), (blas, to_blas)) = (self.solver, self.blas);
        // SAFETY: each was created at most once, and is destroyed once.
        unsafe {
            if !to_blas.is_null() {
                (blas.cublasDestroy_v2)(to_blas);
            }
            if !to_solver.is_null() {
                (solver.cusolverDnDestroy)(to_solver);
            }
        }
    }
}
