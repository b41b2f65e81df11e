//! The roofs of a CPU: its multiply-adds without memory, and its traffic with memory without arithmetic.

use dgtd::cpu::{LANES, Lane};
use numerics::real::Real;
use numerics::simd::{Kernel, dispatch, multiply_add};
use rayon::prelude::*;

/// Multiply-adds between two looks at the clock, of each thread and lane.
const ROUNDS: usize = 1 << 14;

/// Does multiply-adds in registers on every thread of the current pool; returns how many.
pub fn multiply_adds<T: Real>() -> f64 {
    let work = |sums: &mut [Lane<T>; 12]| dispatch(Chains { sums });
    let mut sums = vec![[[T::one(); LANES]; 12]; rayon::current_num_threads()];
    sums.par_iter_mut().for_each(work);
    // A chain that nobody looked at might be left out.
    std::hint::black_box(&sums);
    (sums.len() * ROUNDS * 12 * LANES) as f64
}

struct Chains<'a, T> {
    sums: &'a mut [Lane<T>; 12],
}

impl<T: Real> Kernel for Chains<'_, T> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        // Enough chains to hide the latency of one: twelve of registers of 64 bytes in `f32`, six of pairs of them in `f64`.
        let (parts, _) = self.sums.as_chunks_mut::<6>();
        let [first, second] = parts else { return };
        if WIDE && size_of::<T>() == 4 {
            both::<T, FMA>(first, second);
        } else {
            one::<T, FMA>(first);
            one::<T, FMA>(second);
        }
    }
}

/// Six chains: as many as the compiler keeps in registers as one array.
type Chain<T> = [Lane<T>; 6];

#[inline(always)]
fn round<T: Real, const FMA: bool>(chains: &mut Chain<T>, [factor, term]: [T; 2]) {
    for lanes in chains {
        for lane in lanes {
            *lane = multiply_add::<T, FMA>(*lane, factor, term);
        }
    }
}

#[inline(always)]
fn one<T: Real, const FMA: bool>(chains: &mut Chain<T>) {
    let (mut sum, factors) = (*chains, [0.999, 0.001].map(T::of));
    for _ in 0..ROUNDS {
        round::<T, FMA>(&mut sum, factors);
    }
    *chains = sum;
}

#[inline(always)]
fn both<T: Real, const FMA: bool>(first: &mut Chain<T>, second: &mut Chain<T>) {
    let (mut a, mut b, factors) = (*first, *second, [0.999, 0.001].map(T::of));
    for _ in 0..ROUNDS {
        round::<T, FMA>(&mut a, factors);
        round::<T, FMA>(&mut b, factors);
    }
    (*first, *second) = (a, b);
}

/// What a stage does to memory and nothing else, on arrays of equal length: q' = q + r, r = r + q; returns the bytes read and written.
pub fn traffic<T: Real>(now: &[Lane<T>], next: &mut [Lane<T>], residual: &mut [Lane<T>]) -> f64 {
    const TAKEN: usize = 1 << 10;
    let written = next.par_chunks_mut(TAKEN).zip(residual.par_chunks_mut(TAKEN));
    written
        .zip(now.par_chunks(TAKEN))
        .for_each(|((next, residual), now)| dispatch(Copy { now, next, residual }));
    (4 * size_of_val(now)) as f64
}

struct Copy<'a, T> {
    now: &'a [Lane<T>],
    next: &'a mut [Lane<T>],
    residual: &'a mut [Lane<T>],
}

impl<T: Real> Kernel for Copy<'_, T> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let written = self.next.as_flattened_mut().iter_mut().zip(self.residual.as_flattened_mut());
        for ((next, residual), now) in written.zip(self.now.as_flattened()) {
            *next = *now + *residual;
            *residual += *now;
        }
    }
}
