//! Lines of a stack of arrays, shared between threads, and their turning.

use super::super::lpbp::LANES;
use num_complex::Complex;
use numerics::real::Real;
use rayon::prelude::*;

/// Up to sixteen neighbouring lines of one hologram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    pub hologram: usize,
    pub line: usize,
    pub count: usize,
}

/// Runs `work` on all groups of `stack`, `[hologram][line][length]` with `lines` lines each; every worker takes a run
/// of neighbouring groups, on a thread of its own.
pub fn for_groups<W: Send, A: Send>(
    workers: &mut [W],
    stack: &mut [A],
    length: usize,
    lines: usize,
    work: impl Fn(&mut W, Group, &mut [A]) + Sync,
) {
    let run = |worker: &mut W, first: usize, mut part: &mut [A]| {
        let mut at = first;
        while !part.is_empty() {
            let line = at % lines;
            let count = LANES.min(lines - line).min(part.len() / length);
            let (group, rest) = part.split_at_mut(count * length);
            work(worker, Group { hologram: at / lines, line, count }, group);
            (at, part) = (at + count, rest);
        }
    };
    if stack.is_empty() {
        return;
    }
    let threads = workers.len().min(rayon::current_num_threads()).max(1);
    let share = (stack.len() / length).div_ceil(threads).next_multiple_of(LANES);
    if let ([worker], _) | ([worker, ..], 1) = (&mut *workers, threads) {
        return run(worker, 0, stack);
    }
    let parts = stack.par_chunks_mut(share * length).zip(workers);
    parts.enumerate().with_max_len(1).for_each(|(i, (part, worker))| run(worker, i * share, part));
}

/// Turns `count` columns of `source` (rows of `stride`) into lines of `long`; rows of the source beyond the shorter of
/// the two are left.
pub fn gather<T: Copy>(source: &[T], stride: usize, count: usize, lines: &mut [T], long: usize) {
    for (n, row) in source.chunks(stride).enumerate().take(long) {
        for (l, value) in row.iter().take(count).enumerate() {
            lines[l * long + n] = *value;
        }
    }
}

/// spectrum x operator, opened to the length of `line`.
pub fn multiply<T: Real>(spectrum: &[Complex<T>], operator: &[Complex<T>], line: &mut [Complex<T>]) {
    for ((y, x), h) in line.iter_mut().zip(spectrum).zip(operator) {
        *y = x * h;
    }
    open(line, spectrum.len());
}

/// Moves the negative wavenumbers of the first `n` values to the end of a longer line and fills the middle with zeros;
/// an even `n` leaves half of its highest wavenumber on both sides, so that the finer samples do not lean to one.
pub fn open<T: Real>(line: &mut [Complex<T>], n: usize) {
    let long = line.len();
    if long == n {
        return;
    }
    let (positive, negative) = (n.div_ceil(2), n / 2);
    line.copy_within(positive..n, long - negative);
    line[positive..long - negative].fill(Complex::default());
    if n.is_multiple_of(2) {
        let half = line[long - negative] * T::of(0.5);
        line[long - negative] = half;
        line[positive] = half;
    }
}
