//! `cuda/roof.cu`: what a card does at most, beside which kernels are measured.

use crate::error::{Error, size32};
use crate::kernel::{Geometry, Kernel, Module, value};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Program, Signature};
use crate::stream::Stream;

/// The source.
pub const PROGRAM: Program = Program {
    name: "roof",
    source: include_str!("../cuda/roof.cu"),
    kernels: &[&MULTIPLY_ADDS, &TRAFFIC],
    samples: &[&[("BYTES", 4)], &[("BYTES", 8)]],
};

const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "roof", name, hot: false, capability: 80, parameters }
}

const MULTIPLY_ADDS: Signature =
    signature("roof_multiply_adds", &[Output("sums"), Input("factors"), Value("rounds", size_of::<u32>())]);
const TRAFFIC: Signature = signature(
    "roof_traffic",
    &[Input("now"), Output("next"), Output("residual"), Value("count", size_of::<u64>())],
);

/// Threads of a block, chains of a thread and bytes that it moves of each array, as in the source.
const THREADS: u32 = 256;
const CHAINS: u32 = 8;
const MOVED: usize = 64;
/// Blocks for each multiprocessor: as many threads as it holds.
const BLOCKS: usize = 8;
/// Multiply-adds of a chain: some milliseconds.
const ROUNDS: u32 = 1 << 16;
/// Bytes of each array, beyond every cache.
const BYTES: usize = 1 << 29;

/// Multiply-adds a second in numbers of a kind, the best of `runs`.
pub fn multiply_adds<T: Float>(stream: &mut Stream, runs: usize) -> Result<f64, Error> {
    let module = Module::load(stream.device(), &PROGRAM, &[("BYTES", T::BYTES)])?;
    let blocks = size32("blocks", BLOCKS * stream.device().properties().multiprocessors)?;
    let kernel = prepared(&module, &MULTIPLY_ADDS, blocks)?;
    let mut sums = Buffer::<T>::zeros(stream, "sums", (blocks * THREADS) as usize)?;
    let factors = Buffer::<T>::zeros(stream, "factors", 2)?;
    let best = best(stream, runs, |stream| {
        kernel.launch(stream, &[sums.output(), factors.input(), value(&ROUNDS)])
    })?;
    Ok(f64::from(blocks) * f64::from(THREADS * CHAINS) * f64::from(ROUNDS) / best)
}

/// Bytes a second that are read and written where as many are read as written, the best of `runs`.
pub fn traffic<T: Float>(stream: &mut Stream, runs: usize) -> Result<f64, Error> {
    let module = Module::load(stream.device(), &PROGRAM, &[("BYTES", T::BYTES)])?;
    let blocks = BYTES / (MOVED * THREADS as usize);
    let kernel = prepared(&module, &TRAFFIC, size32("blocks", blocks)?)?;
    let mut array = |what| Buffer::<T>::zeros(stream, what, BYTES / size_of::<T>());
    let (now, mut next, mut residual) = (array("fields")?, array("fields")?, array("residuals")?);
    let count = (BYTES / 16) as u64;
    let best = best(stream, runs, |stream| {
        kernel.launch(stream, &[now.input(), next.output(), residual.output(), value(&count)])
    })?;
    Ok(4.0 * BYTES as f64 / best)
}

fn prepared(module: &Module, signature: &'static Signature, blocks: u32) -> Result<Kernel, Error> {
    module.prepare(signature, Geometry { grid: [blocks, 1, 1], threads: THREADS, shared: 0 })
}

/// Shortest seconds by the card's clock; the first run does not count.
fn best(
    stream: &mut Stream,
    runs: usize,
    mut work: impl FnMut(&mut Stream) -> Result<(), Error>,
) -> Result<f64, Error> {
    work(stream)?;
    (0..runs).try_fold(f64::INFINITY, |least, _| Ok(least.min(stream.time(&mut work)?)))
}
