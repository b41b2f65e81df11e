//! Parts of tubes, launch by launch: the kernels of `cuda/sbr_order.cu`.

use super::signatures::{MEASURE, ORDER, STARTS};
use super::sizes::LAUNCHES;
use crate::abi::{Sbr, SbrPart};
use crate::error::Error;
use crate::kernel::{Geometry, Kernel, Module, value};
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
    pub fn new(module: &Module, processors: u32) -> Result<Self, Error> {
        let prepare = |signature, blocks| {
            module.prepare(signature, Geometry { grid: [blocks, 1, 1], threads: 256, shared: 0 })?.cached(0)
        };
        Ok(Self {
            measure: prepare(&MEASURE, 8 * processors)?,
            starts: prepare(&STARTS, 1)?,
            order: prepare(&ORDER, 8 * processors)?,
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
        let of_all = || value(numbers);
        kernels.measure.launch(stream, &[parts.input(), starts.output(), counters.input(), of_all()])?;
        kernels.starts.launch(stream, &[starts.output(), of_all()])?;
        let arguments = [parts.input(), starts.output(), order.output(), counters.input(), of_all()];
        kernels.order.launch(stream, &arguments)
    }
}
