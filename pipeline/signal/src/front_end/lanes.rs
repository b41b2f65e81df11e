//! Channels side by side: what all front ends are vectorised over.
//!
//! A line holds one number of each of [`LANES`] channels and starts a cache line; a block of channels is a run of
//! lines. Loops over a line become vector instructions when they are inlined into [`dispatch`](numerics::simd::dispatch).

use num_complex::Complex;
use numerics::real::Real;
use rayon::prelude::*;

/// Channels of a block.
pub const LANES: usize = 32;

/// One number of each channel of a block.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Line<T>(pub [T; LANES]);

/// Real and imaginary part of one bin of a block.
pub type Pair<T> = [Line<T>; 2];

/// Zeros, real and imaginary.
pub fn zero_pair<T: Real>() -> Pair<T> {
    [Line([T::zero(); LANES]); 2]
}

/// As many workers as the present pool has threads, but no more than there are items.
pub fn workers<W: Clone>(items: usize, worker: W) -> Vec<W> {
    vec![worker; rayon::current_num_threads().clamp(1, items.max(1))]
}

/// Deals items of `size` elements (the last may be shorter) out to the workers, each with its own scratch
/// memory, in equal runs; `work` gets the item's number. A single worker runs in the calling thread.
pub fn share<W: Send, D: Send>(
    workers: &mut [W],
    data: &mut [D],
    size: usize,
    work: impl Fn(&mut W, usize, &mut [D]) + Sync,
) {
    let each = data.len().div_ceil(size).div_ceil(workers.len());
    let run = |(number, (worker, run)): (usize, (&mut W, &mut [D]))| {
        for (i, item) in run.chunks_mut(size).enumerate() {
            work(worker, number * each + i, item);
        }
    };
    if workers.len() == 1 {
        workers.iter_mut().zip(data.chunks_mut(each * size)).enumerate().for_each(run);
    } else {
        workers.par_iter_mut().zip(data.par_chunks_mut(each * size)).enumerate().for_each(run);
    }
}

/// Puts the bins of all blocks, `[block][slot]`, into stacked images, `[bin][place]`.
///
/// `order[slot]` is the bin, `places[LANES block + lane]` the channel's place; lanes beyond the last channel have
/// none.
pub fn scatter<T: Real>(sums: &[Pair<T>], order: &[usize], places: &[usize], out: &mut [Complex<T>]) {
    let channels = out.len() / order.len();
    for (block, places) in sums.chunks_exact(order.len()).zip(places.chunks(LANES)) {
        for ([re, im], bin) in block.iter().zip(order) {
            let image = &mut out[bin * channels..][..channels];
            for ((re, im), place) in re.0.iter().zip(&im.0).zip(places) {
                if let Some(pixel) = image.get_mut(*place) {
                    *pixel = Complex::new(*re, *im);
                }
            }
        }
    }
}
