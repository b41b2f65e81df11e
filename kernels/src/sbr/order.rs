//! Parts of tubes, launch by launch: the kernels of `cuda/sbr_order.cu`.

use super::sizes::LAUNCHES;
use crate::abi::{Sbr, SbrPart};
use crate::calls;
use crate::error::Error;
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::stream::Stream;

/// Counts of each launch, as in the source.
const COPIES: usize = 16;

/// Kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    measure: Kernel,
    starts: Kernel,
    order: Kernel,
}

impl Kernels {
    /// For a card of so many processors.
    pub fn new(module: &Module, processors: usize) -> Result<Self, Error> {
        let prepare =
            |signature, blocks| module.prepare(signature, Geometry::new([blocks, 1, 1], 256, 0)?)?.cached(0);
        Ok(Self {
            measure: prepare(&calls::SBR_MEASURE, 8 * processors)?,
            starts: prepare(&calls::SBR_STARTS, 1)?,
            order: prepare(&calls::SBR_ORDER, 8 * processors)?,
        })
    }
}

/// Lists.
#[derive(Debug)]
pub(super) struct Order {
    /// Where the parts of each launch begin.
    starts: Buffer<u32>,
    /// Of parts.
    pub numbers: Buffer<u32>,
}

impl Order {
    /// For so many parts.
    pub fn new(stream: &mut Stream, parts: usize) -> Result<Self, Error> {
        Ok(Self {
            starts: Buffer::zeros(stream, "parts of launches", COPIES * LAUNCHES)?,
            numbers: Buffer::zeros(stream, "numbers of parts", parts)?,
        })
    }

    /// Of all that are listed.
    pub fn run(
        &mut self,
        stream: &mut Stream,
        kernels: &Kernels,
        parts: &Buffer<SbrPart>,
        counters: &Buffer<u64>,
        numbers: &Sbr,
    ) -> Result<(), Error> {
        let Self { starts, numbers: order } = self;
        stream.fill(starts, 0)?;
        kernels.measure.launch(stream, calls::sbr_measure(parts, &mut *starts, counters, numbers))?;
        kernels.starts.launch(stream, calls::sbr_starts(&mut *starts, numbers))?;
        kernels.order.launch(stream, calls::sbr_order(parts, starts, order, counters, numbers))
    }
}
