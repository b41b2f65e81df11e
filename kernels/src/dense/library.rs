//! cuBLAS, cuSOLVER and our programs on one card.

use super::norms::Norms;
use crate::calls::sources;
use crate::error::{Error, same};
use crate::kernel::Module;
use crate::memory::Buffer;
use crate::program::{Define, Program};
use crate::stream::Stream;
use cudarc::cublas::sys as blas;
use cudarc::cusolver::sys as solver;
use num_complex::Complex;
use std::cell::RefCell;
use std::ffi::c_int;
use std::ptr::null_mut;

type C = Complex<f64>;

/// cuBLAS, cuSOLVER and our kernels on one card.
#[derive(Debug)]
pub struct Library {
    pub(super) solver: solver::cusolverDnHandle_t,
    pub(super) blas: blas::cublasHandle_t,
    /// Our kernels beside them.
    module: Module,
    /// Those of LU.
    loaded: RefCell<Vec<Loaded>>,
}

/// A program's name, what it was compiled for, and the result.
type Loaded = (&'static str, Vec<Define>, Module);

// SAFETY: handles may move between threads; they are used by one at a time, as `&mut Stream` is.
unsafe impl Send for Library {}

pub(super) fn solver_check(what: &'static str, status: solver::cusolverStatus_t) -> Result<(), Error> {
    status.result().map_err(|error| Error::Library {
        what,
        library: "cuSOLVER",
        code: format!("{:?}", error.0),
    })
}

pub(super) fn blas_check(what: &'static str, status: blas::cublasStatus_t) -> Result<(), Error> {
    status.result().map_err(|error| Error::Library {
        what,
        library: "cuBLAS",
        code: format!("{:?}", error.0),
    })
}

/// Whether both libraries are on this machine.
pub fn is_present() -> bool {
    // SAFETY: loads the libraries, whose initialisers are safe to run at any time.
    unsafe { solver::is_culib_present() && blas::is_culib_present() }
}

/// A size as the libraries take it.
pub fn int(what: &'static str, number: usize) -> Result<c_int, Error> {
    c_int::try_from(number).map_err(|_| Error::Size { what, value: number })
}

impl Library {
    /// Opens both for the card of a stream.
    pub fn new(stream: &Stream) -> Result<Self, Error> {
        if !is_present() {
            return Err(Error::NoCusolver);
        }
        stream.device().bind()?;
        let module = Module::load(stream.device(), &sources::DENSE, &[])?;
        let mut new = Self { solver: null_mut(), blas: null_mut(), module, loaded: RefCell::default() };
        // SAFETY: each call writes one handle, which is destroyed once, in `Drop`.
        solver_check("opening cuSOLVER", unsafe { solver::cusolverDnCreate(&raw mut new.solver) })?;
        // SAFETY: as above.
        blas_check("opening cuBLAS", unsafe { blas::cublasCreate_v2(&raw mut new.blas) })?;
        Ok(new)
    }

    /// Kernels on matrices of so many rows.
    pub fn norms(&self, rows: usize) -> Norms {
        Norms::new(&self.module, rows)
    }

    /// What is called next goes into the stream.
    pub(super) fn bind(&self, stream: &Stream) -> Result<(), Error> {
        stream.device().bind()?;
        // SAFETY: handles and stream are alive and of one card.
        solver_check("cusolverDnSetStream", unsafe {
            solver::cusolverDnSetStream(self.solver, stream.raw.cast())
        })?;
        // SAFETY: as above.
        blas_check("cublasSetStream", unsafe { blas::cublasSetStream_v2(self.blas, stream.raw.cast()) })
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
        self.product(stream, blas::cublasOperation_t::CUBLAS_OP_N, factors, c, sides, scales)
    }

    /// C <- A^H B, of `rows` times `inner` and `inner` times `columns`.
    pub(super) fn multiply_adjoint(
        &self,
        stream: &mut Stream,
        factors: [&Buffer<C>; 2],
        c: &mut Buffer<C>,
        sides: [usize; 3],
    ) -> Result<(), Error> {
        self.product(stream, blas::cublasOperation_t::CUBLAS_OP_C, factors, c, sides, [1.0, 0.0])
    }

    fn product(
        &self,
        stream: &mut Stream,
        operation: blas::cublasOperation_t,
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
        let (alpha, beta) = (blas::double2 { x: alpha, y: 0.0 }, blas::double2 { x: beta, y: 0.0 });
        let plain = blas::cublasOperation_t::CUBLAS_OP_N;
        let step = if operation == plain { m } else { k };
        // SAFETY: all three have the sizes that are given, in memory that outlives the work; factors are read on the host at once.
        blas_check("a product", unsafe {
            blas::cublasZgemm_v2(
                self.blas,
                operation,
                plain,
                m,
                n,
                k,
                &raw const alpha,
                a.memory.address() as *const blas::double2,
                step.max(1),
                b.memory.address() as *const blas::double2,
                k.max(1),
                &raw const beta,
                c.memory.address() as *mut blas::double2,
                m.max(1),
            )
        })
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: each was created at most once, and is destroyed once.
        unsafe {
            if !self.blas.is_null() {
                let _ = blas::cublasDestroy_v2(self.blas);
            }
            if !self.solver.is_null() {
                let _ = solver::cusolverDnDestroy(self.solver);
            }
        }
    }
}
