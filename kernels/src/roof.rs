//! `cuda/roof.cu`: what a card does at most, beside which kernels are measured.

use crate::calls::{self, sources};
use crate::error::Error;
use crate::kernel::{Geometry, Module};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::Program;
use crate::stream::Stream;

/// The source.
pub const PROGRAM: Program = Program { samples: &[&[("BYTES", 4)], &[("BYTES", 8)]], ..sources::ROOF };

/// Threads of a block, chains of a thread and bytes that it moves of each array, as in the source.
const THREADS: usize = 256;
const CHAINS: usize = 8;
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
    let blocks = BLOCKS * stream.device().properties().multiprocessors;
    let kernel = module.prepare(&calls::ROOF_MULTIPLY_ADDS, Geometry::new([blocks, 1, 1], THREADS, 0)?)?;
    let mut sums = Buffer::<T>::zeros(stream, "sums", blocks * THREADS)?;
    let factors = Buffer::<T>::zeros(stream, "factors", 2)?;
    let best = best(stream, runs, |stream| {
        kernel.launch(stream, calls::roof_multiply_adds(&mut sums, &factors, ROUNDS))
    })?;
    Ok(blocks as f64 * (THREADS * CHAINS) as f64 * f64::from(ROUNDS) / best)
}

/// Bytes a second that are read and written where as many are read as written, the best of `runs`.
pub fn traffic<T: Float>(stream: &mut Stream, runs: usize) -> Result<f64, Error> {
    let module = Module::load(stream.device(), &PROGRAM, &[("BYTES", T::BYTES)])?;
    let blocks = BYTES / (MOVED * THREADS);
    let kernel = module.prepare(&calls::ROOF_TRAFFIC, Geometry::new([blocks, 1, 1], THREADS, 0)?)?;
    let mut array = |what| Buffer::<T>::zeros(stream, what, BYTES / size_of::<T>());
    let (now, mut next, mut residual) = (array("fields")?, array("fields")?, array("residuals")?);
    let count = (BYTES / 16) as u64;
    let best = best(stream, runs, |stream| {
        kernel.launch(stream, calls::roof_traffic(&now, &mut next, &mut residual, count))
    })?;
    Ok(4.0 * BYTES as f64 / best)
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
