//! What all rungs can do.

use super::super::design::KFilter;
use super::super::error::Error;
use super::tables::Operators;
use kernels::plain::Float;
use kernels::{Buffer, Stream};
use num_complex::Complex;
use numerics::real::Real;
use std::fmt::Debug;

/// A way from holograms to fields.
pub trait Rung<T: Real + Float>: Debug + Send {
    #[doc(hidden)]
    fn operators(&self) -> &Operators<T>;

    /// Whether one kernel does all.
    fn is_fused(&self) -> bool;

    /// Gives hologram `index` another k-filter; it stays as it was after an error of the filter.
    fn set_filter(&mut self, stream: &mut Stream, index: usize, filter: KFilter) -> Result<(), Error>;

    /// Queues a batch, `[n][y][x]` to `[field][n][y][x]`; the lengths are right.
    fn execute(
        &mut self,
        stream: &mut Stream,
        holograms: &Buffer<Complex<T>>,
        fields: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error>;
}
