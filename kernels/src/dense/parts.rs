//! Parts of matrices in device memory, and what cuBLAS does with them.

use super::functions::{
    ADJOINT, ANY_WAY, Factor, IN_32, IN_64, IN_TF32, LEFT, LONG, PLAIN, SHORT, UNIT_LOWER, UPPER, check,
};
use super::library::{Library, int};
use crate::error::Error;
use crate::memory::Buffer;
use crate::plain::{Float, Plain};

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
        let [fill, diagonal] = if is_upper { UPPER } else { UNIT_LOWER };
        let (m, n) = (int("rows", rows)?, int("columns", columns)?);
        let (a, b) = (int("rows", factors.step)?, int("rows", right.step)?);
        let (from, to, one) = (factors.address, right.address, Factor::new(1.0));
        let (blas, handle) = self.blas;
        let solve = if T::BYTES == 4 { blas.cublasCtrsm_v2 } else { blas.cublasZtrsm_v2 };
        // SAFETY: both parts lie in matrices of such numbers that outlive the work; the factor is read on the
        // host at once.
        let status =
            unsafe { solve(handle, LEFT, fill, ADJOINT, diagonal, m, n, one.of::<T>(), from, a, to, b) };
        check("a triangle", "cuBLAS", status)
    }

    /// C <- C - A B; `fast`: 32-bit factors are rounded to the 11 bits of matrix units, and 64-bit products
    /// are three real ones (Gauss), whose errors are small beside the magnitude of a sum, not beside its
    /// real or imaginary part.
    pub(super) fn subtract<T: Float>(
        &self,
        [a, b, c]: [Part; 3],
        [rows, inner, columns]: [usize; 3],
        fast: bool,
    ) -> Result<(), Error> {
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        let [m, n, k] = [int("rows", rows)?, int("columns", columns)?, int("rows", inner)?];
        let [of_a, of_b, of_c] = [int("rows", a.step)?, int("rows", b.step)?, int("rows", c.step)?];
        let [a, b, c] = [a.address, b.address, c.address];
        let factors = [Factor::new(-1.0), Factor::new(1.0)];
        let [minus, one] = [factors[0].of::<T>(), factors[1].of::<T>()];
        let (kind, sums) = match (T::BYTES, fast) {
            (4, true) => (SHORT, IN_TF32),
            (4, false) => (SHORT, IN_32),
            _ => (LONG, IN_64),
        };
        let (blas, handle) = self.blas;
        // SAFETY: as in `triangle`.
        #[rustfmt::skip]
        let status = unsafe {
            if kind == LONG && fast {
                (blas.cublasZgemm3m)(handle, PLAIN, PLAIN, m, n, k, minus, a, of_a, b, of_b, one, c, of_c)
            } else {
                (blas.cublasGemmEx)(
                    handle, PLAIN, PLAIN, m, n, k, minus, a, kind, of_a, b, kind, of_b, one, c, kind, of_c, sums, ANY_WAY,
                )
            }
        };
        check("a product", "cuBLAS", status)
    }
}
