//! Between the fine grid and the modes: FFTs along one axis after the other, without the parts that nobody wants.
//!
//! Every stage takes lines along one axis and turns the array by one axis, so that the next lines are contiguous:
//! `[z][y][x]` becomes `[kx][z][y]`, then `[ky][kx][z]`, then `[kz][ky][kx]`. Of n fine points only N modes go on, and only they are
//! transformed along the other axes. The way back is the same in the other direction.

use num_complex::Complex;
use numerics::real::Real;
use rayon::prelude::*;
use rustfft::Fft;
use std::sync::Arc;

/// Lines that are transformed together, if there are as many: what they give and take from others is a cache line.
const BLOCK: usize = 8;

/// Lines that are transformed together.
pub fn block_of(lines: usize) -> usize {
    BLOCK.min(lines)
}

/// Lines in whole blocks.
pub fn in_blocks(lines: usize) -> usize {
    lines.next_multiple_of(block_of(lines).max(1))
}

/// How an axis is run.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// exp(+i ..).
    pub positive: bool,
    /// Every mode is multiplied by its number k as well.
    pub derivative: bool,
}

/// One axis.
pub struct Axis<T> {
    /// Fine points.
    pub n: usize,
    /// Modes.
    pub modes: usize,
    /// What a mode is multiplied by, from -N/2 on; the same times k.
    factors: [Vec<T>; 2],
    /// exp(-i ..) and exp(+i ..).
    transforms: [Arc<dyn Fft<T>>; 2],
}

impl<T: Real> Axis<T> {
    /// With FFTs of `n` points.
    pub fn new(transforms: [Arc<dyn Fft<T>>; 2], n: usize, factors: &[f64]) -> Self {
        let modes = factors.len();
        let first = -((modes / 2) as f64);
        let times_k = factors.iter().enumerate().map(|(i, f)| T::of(f * (first + i as f64)));
        let factors = [factors.iter().map(|f| T::of(*f)).collect(), times_k.collect()];
        Self { n, modes, factors, transforms }
    }

    /// Runs of modes: (first mode, first point of the FFT, how many).
    fn runs(&self) -> [(usize, usize, usize); 2] {
        let negative = self.modes / 2;
        [(0, self.n - negative, negative), (negative, 0, self.modes - negative)]
    }

    /// From lines to modes. `fill` makes a line of fine points; `out` is `[line/block][mode][line % block]`.
    pub fn to_modes(
        &self,
        way: Way,
        lines: usize,
        out: &mut [Complex<T>],
        fill: impl Fn(usize, &mut [Complex<T>]) + Sync,
    ) {
        let fft = &self.transforms[usize::from(way.positive)];
        let factors = &self.factors[usize::from(way.derivative)];
        let zero = Complex::default();
        let size = block_of(lines);
        let memory = || (vec![zero; size * self.n], vec![zero; fft.get_inplace_scratch_len()]);
        let block = |(work, scratch): &mut (Vec<Complex<T>>, Vec<Complex<T>>),
                     (block, out): (usize, &mut [Complex<T>])| {
            let first = block * size;
            let count = size.min(lines - first);
            for (i, line) in work.chunks_exact_mut(self.n).take(count).enumerate() {
                fill(first + i, line);
            }
            fft.process_with_scratch(&mut work[..count * self.n], scratch);
            for (mode, point, run) in self.runs() {
                for i in 0..run {
                    let factor = factors[mode + i];
                    let to = &mut out[(mode + i) * size..][..size];
                    for (b, to) in to.iter_mut().enumerate().take(count) {
                        *to = work[b * self.n + point + i].scale(factor);
                    }
                }
            }
        };
        shared(out, self.modes * size, memory, block);
    }

    /// From modes, `[mode][line]`, to fine points, `[line][point]`.
    pub fn to_points(&self, way: Way, modes: &[Complex<T>], out: &mut [Complex<T>]) {
        self.each_line(way, modes, out, self.n, |line| line, |from, to| to.copy_from_slice(from));
    }

    /// The same into any array with places of `size` values: place p gets line `line_of(p)` through `put`.
    pub fn each_line<D: Send>(
        &self,
        way: Way,
        modes: &[Complex<T>],
        out: &mut [D],
        size: usize,
        line_of: impl Fn(usize) -> usize + Sync,
        put: impl Fn(&[Complex<T>], &mut [D]) + Sync,
    ) {
        let lines = modes.len() / self.modes;
        let fft = &self.transforms[usize::from(way.positive)];
        let factors = &self.factors[usize::from(way.derivative)];
        let zero = Complex::default();
        let together = block_of(out.len() / size);
        let memory = || (vec![zero; together * self.n], vec![zero; fft.get_inplace_scratch_len()]);
        let block = |(work, scratch): &mut (Vec<Complex<T>>, Vec<Complex<T>>),
                     (block, out): (usize, &mut [D])| {
            let first = block * together;
            let count = out.len() / size;
            work.fill(zero);
            let from: [usize; BLOCK] = std::array::from_fn(|b| line_of(first + b.min(count - 1)));
            for (mode, point, run) in self.runs() {
                for i in 0..run {
                    let factor = factors[mode + i];
                    let row = &modes[(mode + i) * lines..][..lines];
                    for b in 0..count {
                        work[b * self.n + point + i] = row[from[b]].scale(factor);
                    }
                }
            }
            fft.process_with_scratch(&mut work[..count * self.n], scratch);
            for (line, out) in work.chunks_exact(self.n).zip(out.chunks_exact_mut(size)) {
                put(line, out);
            }
        };
        shared(out, together * size, memory, block);
    }
}

/// Deals chunks of `data` out to the threads, each with memory of its own; one thread does it by itself.
fn shared<D: Send, M: Send>(
    data: &mut [D],
    size: usize,
    memory: impl Fn() -> M + Sync + Send,
    work: impl Fn(&mut M, (usize, &mut [D])) + Sync + Send,
) {
    if rayon::current_num_threads() == 1 || data.len() <= size {
        let mut memory = memory();
        data.chunks_mut(size).enumerate().for_each(|chunk| work(&mut memory, chunk));
    } else {
        data.par_chunks_mut(size).enumerate().for_each_init(memory, work);
    }
}

/// A line of the next stage from `lines` lines of the one before, `[line/block][mode][line % block]` with `modes` modes: the values of
/// `mode` at lines `first` and on.
pub fn turned<T: Real>(
    blocks: &[Complex<T>],
    (lines, modes): (usize, usize),
    mode: usize,
    first: usize,
    line: &mut [Complex<T>],
) {
    let size = block_of(lines);
    let (mut at, mut rest) = (first, line);
    while !rest.is_empty() {
        let (block, offset) = (at / size, at % size);
        let count = (size - offset).min(rest.len());
        let (to, after) = rest.split_at_mut(count);
        to.copy_from_slice(&blocks[(block * modes + mode) * size + offset..][..count]);
        (at, rest) = (at + count, after);
    }
}
