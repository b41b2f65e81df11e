//! Parts of matrices in device memory, and what cuBLAS does with them.

use super::library::{Library, blas_check, int};
use crate::error::Error;
use crate::memory::Buffer;
use crate::plain::{Float, Plain};
use cudarc::cublas::sys as blas;
use std::ffi::c_void;

/// Columns in a row.
#[derive(Clone, Copy)]
pub struct Panel {
    /// The first one.
    pub first: usize,
    /// How many.
    pub width: usize,
    /// Rows behind the diagonal of the last one.
    pub rest: usize,
}

impl Panel {
    /// All columns of a matrix.
    pub fn whole(size: usize) -> Self {
        Self { first: 0, width: size, rest: 0 }
    }

    /// The first column behind it.
    pub fn end(&self) -> usize {
        self.first + self.width
    }

    /// Panels of so many columns.
    pub fn cut(self, columns: usize) -> impl DoubleEndedIterator<Item = Self> {
        (0..self.width.div_ceil(columns)).map(move |at| {
            let (first, before) = (self.first + at * columns, at * columns);
            let width = columns.min(self.width - before);
            Self { first, width, rest: self.width - before - width + self.rest }
        })
    }
}

/// A part of a matrix in device memory: an address and the step to the next column.
#[derive(Clone, Copy)]
pub struct Part {
    /// As the card sees it.
    pub address: u64,
    step: usize,
    bytes: usize,
}

impl Part {
    /// A whole matrix with so many rows.
    pub fn new<T: Plain>(buffer: &Buffer<T>, step: usize) -> Self {
        Self { address: buffer.memory.address(), step, bytes: size_of::<T>() }
    }

    /// From a row and a column on.
    pub fn at(self, row: usize, column: usize) -> Self {
        let offset = (column * self.step + row) * self.bytes;
        Self { address: self.address + offset as u64, ..self }
    }
}

impl Library {
    /// B <- T^-H B for U, or for L, whose diagonal is 1. Both parts lie in their matrices, as callers
    /// choose them.
    pub(super) fn triangle<T: Float>(
        &self,
        is_upper: bool,
        [rows, columns]: [usize; 2],
        factors: Part,
        right: Part,
    ) -> Result<(), Error> {
        let (fill, diagonal) = if is_upper {
            (blas::cublasFillMode_t::CUBLAS_FILL_MODE_UPPER, blas::cublasDiagType_t::CUBLAS_DIAG_NON_UNIT)
        } else {
            (blas::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER, blas::cublasDiagType_t::CUBLAS_DIAG_UNIT)
        };
        let operation = blas::cublasOperation_t::CUBLAS_OP_C;
        let side = blas::cublasSideMode_t::CUBLAS_SIDE_LEFT;
        let (m, n) = (int("rows", rows)?, int("columns", columns)?);
        let (a, b) = (int("rows", factors.step)?, int("rows", right.step)?);
        let (short, long) = (blas::float2 { x: 1.0, y: 0.0 }, blas::double2 { x: 1.0, y: 0.0 });
        let (from, to) = (factors.address, right.address);
        // SAFETY: both parts lie in matrices of such numbers that outlive the work; the factor is read on the host at once.
        blas_check("a triangle", unsafe {
            if T::BYTES == 4 {
                let one = &raw const short;
                blas::cublasCtrsm_v2(
                    self.blas,
                    side,
                    fill,
                    operation,
                    diagonal,
                    m,
                    n,
                    one,
                    from as *const _,
                    a,
                    to as *mut _,
                    b,
                )
            } else {
                let one = &raw const long;
                blas::cublasZtrsm_v2(
                    self.blas,
                    side,
                    fill,
                    operation,
                    diagonal,
                    m,
                    n,
                    one,
                    from as *const _,
                    a,
                    to as *mut _,
                    b,
                )
            }
        })
    }

    /// C <- C - A B; `fast`: 32-bit factors are rounded to the 11 bits of matrix units, and 64-bit products are three real ones (Gauss), whose errors are small beside the magnitude of a sum, not beside its real or imaginary part.
    pub(super) fn subtract<T: Float>(
        &self,
        [a, b, c]: [Part; 3],
        [rows, inner, columns]: [usize; 3],
        fast: bool,
    ) -> Result<(), Error> {
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        let plain = blas::cublasOperation_t::CUBLAS_OP_N;
        let [m, n, k] = [int("rows", rows)?, int("columns", columns)?, int("rows", inner)?];
        let steps = [int("rows", a.step)?, int("rows", b.step)?, int("rows", c.step)?];
        // Of the library's own types: it reads them with instructions that want their alignment.
        let short = [-1.0, 1.0].map(|x| blas::float2 { x, y: 0.0 });
        let long = [-1.0, 1.0].map(|x| blas::double2 { x, y: 0.0 });
        if T::BYTES == 8 && fast {
            // SAFETY: as in `triangle`.
            return blas_check("a product", unsafe {
                blas::cublasZgemm3m(
                    self.blas,
                    plain,
                    plain,
                    m,
                    n,
                    k,
                    &raw const long[0],
                    a.address as *const _,
                    steps[0],
                    b.address as *const _,
                    steps[1],
                    &raw const long[1],
                    c.address as *mut _,
                    steps[2],
                )
            });
        }
        let (kind, compute, scales) = match (T::BYTES, fast) {
            (4, true) => (
                blas::cudaDataType::CUDA_C_32F,
                blas::cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32,
                [(&raw const short[0]).cast::<c_void>(), (&raw const short[1]).cast()],
            ),
            (4, false) => (
                blas::cudaDataType::CUDA_C_32F,
                blas::cublasComputeType_t::CUBLAS_COMPUTE_32F,
                [(&raw const short[0]).cast(), (&raw const short[1]).cast()],
            ),
            _ => (
                blas::cudaDataType::CUDA_C_64F,
                blas::cublasComputeType_t::CUBLAS_COMPUTE_64F,
                [(&raw const long[0]).cast(), (&raw const long[1]).cast()],
            ),
        };
        // SAFETY: as in `triangle`.
        blas_check("a product", unsafe {
            blas::cublasGemmEx(
                self.blas,
                plain,
                plain,
                m,
                n,
                k,
                scales[0],
                a.address as *const c_void,
                kind,
                steps[0],
                b.address as *const c_void,
                kind,
                steps[1],
                scales[1],
                c.address as *mut c_void,
                kind,
                steps[2],
                compute,
                blas::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        })
    }
}
