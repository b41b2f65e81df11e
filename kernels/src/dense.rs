//! Dense complex systems: LU of cuSOLVER, products of cuBLAS, and `cuda/dense.cu` beside them. Matrices lie column by column.

mod crout;
mod norms;
mod parts;
mod short;

use crate::error::{Error, size32};
use crate::front_end::same;
use crate::kernel::Module;
use crate::memory::{Buffer, Memory};
use crate::stream::Stream;
use cudarc::cublas::sys as blas;
use cudarc::cusolver::sys as solver;
use num_complex::Complex;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

pub use crout::{CROUT, Crout};
pub use norms::{Norms, PROGRAM};
use parts::Part;
pub use short::ShortLu;

type C = Complex<f64>;

/// cuSOLVER and cuBLAS on one card.
#[derive(Debug)]
pub struct Library {
    solver: solver::cusolverDnHandle_t,
    parameters: solver::cusolverDnParams_t,
    blas: blas::cublasHandle_t,
    /// Our kernels beside them.
    module: Module,
}

// SAFETY: handles may move between threads; they are used by one at a time, as `&mut Stream` is.
unsafe impl Send for Library {}

fn solver_check(what: &'static str, status: solver::cusolverStatus_t) -> Result<(), Error> {
    status.result().map_err(|error| Error::Solver { what, code: format!("{:?}", error.0) })
}

fn blas_check(what: &'static str, status: blas::cublasStatus_t) -> Result<(), Error> {
    status.result().map_err(|error| Error::Solver { what, code: format!("{:?}", error.0) })
}

/// Whether both libraries are on this machine.
pub fn is_present() -> bool {
    // SAFETY: loads the libraries, whose initialisers are safe to run at any time.
    unsafe { solver::is_culib_present() && blas::is_culib_present() }
}

impl Library {
    /// Opens both for the card of a stream.
    pub fn new(stream: &Stream) -> Result<Self, Error> {
        if !is_present() {
            return Err(Error::NoCusolver);
        }
        stream.device().bind()?;
        let module = Module::load(stream.device(), &PROGRAM, &[])?;
        let mut new = Self { solver: null_mut(), parameters: null_mut(), blas: null_mut(), module };
        // SAFETY: each call writes one handle, which is destroyed once, in `Drop`.
        solver_check("opening cuSOLVER", unsafe { solver::cusolverDnCreate(&raw mut new.solver) })?;
        // SAFETY: as above.
        solver_check("opening cuSOLVER", unsafe { solver::cusolverDnCreateParams(&raw mut new.parameters) })?;
        // SAFETY: as above.
        blas_check("opening cuBLAS", unsafe { blas::cublasCreate_v2(&raw mut new.blas) })?;
        Ok(new)
    }

    /// Kernels on matrices of so many rows.
    pub fn norms(&self, rows: usize) -> Norms {
        Norms::new(&self.module, rows)
    }

    /// What is called next goes into the stream.
    fn bind(&self, stream: &Stream) -> Result<(), Error> {
        stream.device().bind()?;
        // SAFETY: handles and stream are alive and of one card.
        solver_check("cusolverDnSetStream", unsafe {
            solver::cusolverDnSetStream(self.solver, stream.raw.cast())
        })?;
        // SAFETY: as above.
        blas_check("cublasSetStream", unsafe { blas::cublasSetStream_v2(self.blas, stream.raw.cast()) })
    }

    /// P A = L U, in place.
    pub fn factor(&self, stream: &mut Stream, matrix: Buffer<C>, size: usize) -> Result<Lu, Error> {
        same("matrix", matrix.len(), size * size)?;
        self.bind(stream)?;
        let (order, kind) = (size as i64, solver::cudaDataType::CUDA_C_64F);
        let address = matrix.memory.address() as *mut c_void;
        let (mut device_bytes, mut host_bytes) = (0, 0);
        // SAFETY: the matrix has so many values; the call writes two numbers.
        solver_check("planning LU", unsafe {
            solver::cusolverDnXgetrf_bufferSize(
                self.solver,
                self.parameters,
                order,
                order,
                kind,
                address,
                order,
                kind,
                &raw mut device_bytes,
                &raw mut host_bytes,
            )
        })?;
        let work = Memory::on_device(stream.device(), "work area of LU", device_bytes)?;
        let mut host = vec![0u8; host_bytes];
        let pivots = Buffer::<i64>::zeros(stream, "pivots", size)?;
        let info = Buffer::<i32>::zeros(stream, "state of LU", 1)?;
        // SAFETY: matrix, pivots and work areas have the sizes that were asked for, and live until the stream was waited for.
        solver_check("LU", unsafe {
            solver::cusolverDnXgetrf(
                self.solver,
                self.parameters,
                order,
                order,
                kind,
                address,
                order,
                pivots.memory.address() as *mut i64,
                kind,
                work.address() as *mut c_void,
                device_bytes,
                host.as_mut_ptr().cast(),
                host_bytes,
                info.memory.address() as *mut c_int,
            )
        })?;
        let mut state = [0];
        stream.download(&info, &mut state)?;
        let [state] = state;
        match state {
            0 => Ok(Lu { size, order: rows_of(stream, &pivots)?, factors: matrix, pivots, info }),
            _ => Err(Error::SingularMatrix { pivot: usize::try_from(state - 1).unwrap_or(0), size }),
        }
    }

    /// A^-1 B, in panels of products: cuSOLVER's own substitution is slower for hundreds of right-hand sides.
    pub fn solve(
        &self,
        stream: &mut Stream,
        norms: &Norms,
        lu: &Lu,
        right: &Buffer<C>,
    ) -> Result<Buffer<C>, Error> {
        let mut values = Buffer::unwritten(stream, "solutions", right.len())?;
        norms.order(stream, right, &mut values, &lu.order, false)?;
        self.bind(stream)?;
        let parts = [Part::new(&lu.factors, lu.size), Part::new(&values, lu.size)];
        self.substitute::<f64>(parts, [lu.size, right.len() / lu.size], false)?;
        Ok(values)
    }

    /// A^-H b in the place of right-hand sides.
    pub fn solve_adjoint(
        &self,
        stream: &mut Stream,
        lu: &mut Lu,
        right: &mut Buffer<C>,
    ) -> Result<(), Error> {
        let columns = right.len() / lu.size;
        same("right-hand sides", right.len(), columns * lu.size)?;
        self.bind(stream)?;
        let (order, kind) = (lu.size as i64, solver::cudaDataType::CUDA_C_64F);
        // SAFETY: factors, pivots and right-hand sides have the sizes that are given, in memory that outlives the work.
        solver_check("solving with LU", unsafe {
            solver::cusolverDnXgetrs(
                self.solver,
                self.parameters,
                solver::cublasOperation_t::CUBLAS_OP_C,
                order,
                columns as i64,
                kind,
                lu.factors.memory.address() as *const c_void,
                order,
                lu.pivots.memory.address() as *const i64,
                kind,
                right.memory.address() as *mut c_void,
                order,
                lu.info.memory.address() as *mut c_int,
            )
        })
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
        let number = |what, value| size32(what, value).map(|value| value as c_int);
        let [m, n, k] = [number("rows", rows)?, number("columns", columns)?, number("rows", inner)?];
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
            if !self.parameters.is_null() {
                let _ = solver::cusolverDnDestroyParams(self.parameters);
            }
            if !self.solver.is_null() {
                let _ = solver::cusolverDnDestroy(self.solver);
            }
        }
    }
}

/// Rows of A in the order of P A, from cuSOLVER's exchanges, which count from 1.
fn rows_of(stream: &mut Stream, pivots: &Buffer<i64>) -> Result<Buffer<u32>, Error> {
    let mut exchanges = vec![0; pivots.len()];
    stream.download(pivots, &mut exchanges)?;
    let mut rows: Vec<u32> = (0..size32("rows", exchanges.len())?).collect();
    for (row, exchange) in exchanges.iter().enumerate() {
        let other = usize::try_from(exchange - 1).unwrap_or(row).min(rows.len() - 1);
        rows.swap(row, other);
    }
    Buffer::from_slice(stream, "order of rows", &rows)
}

/// Factors of a matrix.
#[derive(Debug)]
pub struct Lu {
    size: usize,
    factors: Buffer<C>,
    pivots: Buffer<i64>,
    order: Buffer<u32>,
    /// Where the library says what it found.
    info: Buffer<i32>,
}
