//! The source compiled for a type of number.

use crate::calls::sources;
use crate::device::Device;
use crate::error::Error;
use crate::kernel::{Geometry, Kernel, Module};
use crate::plain::Float;
use crate::program::{Program, Signature};
use std::marker::PhantomData;

/// The source.
pub const PROGRAM: Program =
    Program { samples: &[&[(REAL_BYTES, 4)], &[(REAL_BYTES, 8)]], ..sources::STAGES };

/// Which number the source is compiled for.
pub(super) const REAL_BYTES: &str = "REAL_BYTES";
/// Threads of a block, as in the source.
pub(super) const THREADS: usize = 256;

/// The source compiled for numbers of type `T`.
#[derive(Debug)]
pub struct Stages<T> {
    module: Module,
    number: PhantomData<T>,
}

impl<T: Float> Stages<T> {
    /// Compiles, or takes from the cache.
    pub fn new(device: &Device) -> Result<Self, Error> {
        let module = Module::load(device, &PROGRAM, &[(REAL_BYTES, T::BYTES)])?;
        Ok(Self { module, number: PhantomData })
    }

    /// A kernel with one thread for each of `items`.
    pub(super) fn prepare(
        &self,
        signature: &'static Signature,
        items: Option<usize>,
    ) -> Result<Kernel, Error> {
        let items = items.ok_or(Error::Size { what: "threads of a launch", value: usize::MAX })?;
        self.module.prepare(signature, Geometry::new([items.div_ceil(THREADS), 1, 1], THREADS, 0)?)
    }
}
