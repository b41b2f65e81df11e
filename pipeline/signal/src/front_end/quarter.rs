//! DFT bins of a few frequencies on a window folded to a quarter: the kernel of `Dot`, `Average` and `Bits`.
//!
//! ```text
//! X[k] = 2/S sum_t w[t] x[t] exp(-j 2 pi k t/N),    w[N - t] = w[t],    S = sum w
//! E+-[t] = u[t] (x[t] + x[N-t]) +- v[t] (x[N/2-t] + x[N/2+t])        u[t] = g w[t], v[t] = g w[N/2-t]
//! O+-[t] = u[t] (x[t] - x[N-t]) +- v[t] (x[N/2-t] - x[N/2+t])        t = 0 .. N/4
//! even k:  X = sum_t E+[t] cos - j O-[t] sin          odd k:  X = sum_t E-[t] cos - j O+[t] sin
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `N` | samples, a multiple of 4; sample N is sample 0 again |
//! | `w`, `S` | window and its sum |
//! | `g` | 2/S, but 1/S at `t = 0` and `t = N/4`, where the fold counts every sample twice |
//! | `cos`, `sin` | of `2 pi k t/N` |
//!
//! The sine and cosine of `t` serve four samples, so a bin costs `N/2` multiply-adds instead of `2 N`, behind a
//! fold of `2.5 N` operations that all bins share. Tiles of the folded window stay in the first cache while the
//! bins, up to four at a time in registers, pass over them. A tile is summed before it joins the total, which
//! keeps the rounding error in `f32` near `(sqrt(TILE) + sqrt(N/4/TILE)) 2^-24` of the sum of magnitudes.

use super::lanes::{LANES, Line, Pair};
use super::settings::Taper;
use numerics::real::Real;
use numerics::simd::multiply_add;
use std::f64::consts::TAU;
use std::ops::Range;

/// Folded samples that are handled together: 16 KiB of `f32`.
pub const TILE: usize = 32;

/// Where the kernel gets its samples.
pub trait Source<T> {
    /// `x[t] + x[N-t]`, `x[t] - x[N-t]`, `x[N/2-t] + x[N/2+t]`, `x[N/2-t] - x[N/2+t]`.
    fn quad(&self, t: usize) -> [Line<T>; 4];
}

/// Bins of one parity that share the registers.
struct Group<T> {
    odd: bool,
    bins: usize,
    /// Cosine and negative sine, `[t][bin]`.
    twiddles: Vec<[T; 2]>,
}

/// The plan: weights and twiddles.
pub struct Quarter<T> {
    weights: Vec<[T; 2]>,
    groups: Vec<Group<T>>,
    /// The bins' numbers in the order of the sums.
    pub order: Vec<usize>,
}

impl<T: Real> Quarter<T> {
    /// A plan for `bins` of `n` samples, a multiple of 4.
    pub fn new(n: usize, bins: &[usize], taper: Taper) -> Self {
        let window = taper.window(n);
        let scale = 2.0 / window.iter().sum::<f64>();
        let weight = |t: usize| {
            let gain = if t == 0 || 4 * t == n { 0.5 * scale } else { scale };
            [gain * window[t], gain * window[n / 2 - t]].map(T::of)
        };
        let mut order: Vec<usize> = (0..bins.len()).collect();
        order.sort_by_key(|&b| bins[b] % 2);
        let even = order.partition_point(|&b| bins[b].is_multiple_of(2));
        let mut groups = Vec::new();
        for (odd, mut rest) in [(false, &order[..even]), (true, &order[even..])] {
            while !rest.is_empty() {
                let (group, after) = rest.split_at(1 << rest.len().ilog2().min(2));
                rest = after;
                let twiddles = (0..=n / 4).flat_map(|t| group.iter().map(move |&b| twiddle(bins[b] * t, n)));
                groups.push(Group { odd, bins: group.len(), twiddles: twiddles.collect() });
            }
        }
        Self { weights: (0..=n / 4).map(weight).collect(), groups, order }
    }

    /// Tiles of the folded window.
    pub fn tiles(&self) -> usize {
        self.weights.len().div_ceil(TILE)
    }

    /// Folded samples of a tile.
    pub fn samples(&self, tile: usize) -> Range<usize> {
        tile * TILE..self.weights.len().min((tile + 1) * TILE)
    }

    /// Adds one tile's part of all bins of a block.
    #[inline(always)]
    pub fn add_tile<const FMA: bool, const WIDE: bool>(
        &self,
        tile: usize,
        source: &impl Source<T>,
        folded: &mut Folded<T>,
        sums: &mut [Pair<T>],
    ) {
        let samples = self.samples(tile);
        let Folded { even, odd } = folded;
        for (t, (even, odd)) in samples.clone().zip(even.iter_mut().zip(odd.iter_mut())) {
            fold::<T, FMA>(&source.quad(t), self.weights[t], even, odd);
        }
        let mut sums = sums;
        for group in &self.groups {
            let folded = if group.odd { &odd[..samples.len()] } else { &even[..samples.len()] };
            let twiddles = &group.twiddles[samples.start * group.bins..];
            let (these, rest) = sums.split_at_mut(group.bins);
            sums = rest;
            group_sums::<T, FMA, WIDE>(group.bins, folded, twiddles, these);
        }
    }
}

/// A tile of the folded window: `E+`, `O-` for even bins, `E-`, `O+` for odd ones.
pub struct Folded<T> {
    even: [Pair<T>; TILE],
    odd: [Pair<T>; TILE],
}

impl<T: Real> Folded<T> {
    #[inline(always)]
    pub fn new() -> Self {
        let zero = [[Line([T::zero(); LANES]); 2]; TILE];
        Self { even: zero, odd: zero }
    }
}

/// `cos` and `-sin` of `2 pi m/n`.
fn twiddle<T: Real>(m: usize, n: usize) -> [T; 2] {
    // Reduced in integers: the angle is exact to its own rounding however large k t is.
    let (sine, cosine) = (TAU * (m % n) as f64 / n as f64).sin_cos();
    [T::of(cosine), T::of(-sine)]
}

/// One folded sample.
#[inline(always)]
fn fold<T: Real, const FMA: bool>(
    quad: &[Line<T>; 4],
    [u, v]: [T; 2],
    even: &mut Pair<T>,
    odd: &mut Pair<T>,
) {
    for lane in 0..LANES {
        let (sum, difference) = (u * quad[0].0[lane], u * quad[1].0[lane]);
        even[0].0[lane] = multiply_add::<T, FMA>(v, quad[2].0[lane], sum);
        odd[0].0[lane] = multiply_add::<T, FMA>(-v, quad[2].0[lane], sum);
        even[1].0[lane] = multiply_add::<T, FMA>(-v, quad[3].0[lane], difference);
        odd[1].0[lane] = multiply_add::<T, FMA>(v, quad[3].0[lane], difference);
    }
}

/// Adds a tile's part of a group of 4, 2 or 1 bins, as many lanes at a time as keep all sums in registers.
#[inline(always)]
fn group_sums<T: Real, const FMA: bool, const WIDE: bool>(
    bins: usize,
    folded: &[Pair<T>],
    twiddles: &[[T; 2]],
    sums: &mut [Pair<T>],
) {
    macro_rules! by_size {
        ($lanes:literal) => {
            match bins {
                4 => tile_sums::<T, FMA, 4, $lanes>(folded, twiddles, sums),
                2 => tile_sums::<T, FMA, 2, $lanes>(folded, twiddles, sums),
                _ => tile_sums::<T, FMA, 1, $lanes>(folded, twiddles, sums),
            }
        };
    }
    match (WIDE, size_of::<T>()) {
        (true, 4) => by_size!(32),
        (true, _) => by_size!(16),
        (false, 4) => by_size!(8),
        (false, _) => by_size!(4),
    }
}

/// `B` bins of a tile, `W` lanes after the other.
#[inline(always)]
fn tile_sums<T: Real, const FMA: bool, const B: usize, const W: usize>(
    folded: &[Pair<T>],
    twiddles: &[[T; 2]],
    sums: &mut [Pair<T>],
) {
    for part in 0..LANES / W {
        let mut tile = [[[T::zero(); W]; 2]; B];
        for ([even, odd], twiddles) in folded.iter().zip(twiddles.as_chunks::<B>().0) {
            let (even, odd) = (&even.0.as_chunks::<W>().0[part], &odd.0.as_chunks::<W>().0[part]);
            for (sum, [cosine, sine]) in tile.iter_mut().zip(twiddles) {
                for lane in 0..W {
                    sum[0][lane] = multiply_add::<T, FMA>(even[lane], *cosine, sum[0][lane]);
                    sum[1][lane] = multiply_add::<T, FMA>(odd[lane], *sine, sum[1][lane]);
                }
            }
        }
        for (sum, tile) in sums.iter_mut().zip(tile) {
            for (line, tile) in sum.iter_mut().zip(tile) {
                for (x, y) in line.0.as_chunks_mut::<W>().0[part].iter_mut().zip(tile) {
                    *x += y;
                }
            }
        }
    }
}
