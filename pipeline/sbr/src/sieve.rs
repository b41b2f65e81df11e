//! What rays of a beam hit, sixteen at a time in single precision, as far as that can tell; what it cannot tell is left to the exact test.
//!
//! Why edge functions below a margin m decide nothing, and those above it do, [`super::block`] says. The depth of a hit is the mean of the depths of the corners, with the edge functions as weights. Let K be the range of these depths, S the sum of
//! the functions. If all are beyond the margin, exact ones w' have the same signs, so that the mean M' with them is in that range, too, and that with w differs from it by the sum of (w - w') (depth - M')/S: at most 3 m K/S.
//! Parallel rays have one sum S of exact functions. That of the ray through the middle of the beam is within 3 m of it, and 0.2 m more by its rounding, so that it is within 6.2 m of the sum of the functions of any ray. With depths counted
//! from the first corner, M' is at most K, and the mean with that sum differs by 6.2 m K/S more: with the rounding of these terms less than 10 m K/S together.

use super::beam::{least, most};
use super::block::Shadows;
use super::facets::NO_FACET;
use super::lanes::{LANES, bits};
use numerics::simd::multiply_add;

/// Rays at once.
pub const ROW: usize = 16;

/// What is taken is farther than this from where rays begin, over the error of depths, see [`super::before`].
const CLEAR: f32 = 16.0;

type Row<T> = [T; ROW];

/// Sixteen rays; depths in m from the plane of the beam.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub struct Sieve {
    /// Places relative to the centre of the beam, m.
    pub place: [Row<f32>; 2],
    /// Slopes against depth relative to those of the beam.
    pub turn: [Row<f32>; 2],
    /// Product of both, which is the same at all depths.
    pub twist: Row<f32>,
    /// Where they begin.
    pub start: Row<f32>,
    /// Facets that they leave.
    pub leaves: Row<u32>,
    /// Hits are at most this deep.
    pub far: Row<f32>,
    /// And at least this.
    pub close: Row<f32>,
    /// Facets that are nearer than all before, not yet tested exactly.
    pub found: Row<u32>,
}

/// What a facet is to a row of rays, one bit each.
pub struct Offer {
    /// They now hit it.
    pub taken: u32,
    /// Only the exact test can tell.
    pub unclear: u32,
}

/// A facet as a beam sees it, see [`Shadows`].
pub struct Offered {
    edges: [([f32; 3], [f32; 3]); 3],
    centre: f32,
    depths: [f32; 3],
    base: f32,
    rise: [f32; 2],
    wrong: f32,
    near: f32,
    deep: f32,
    /// What edge functions must exceed.
    pub margin: f32,
    /// Its number.
    pub facet: u32,
}

impl Offered {
    /// Facet `index` of a block, of number `facet`.
    #[inline(always)]
    pub fn new(facets: &Shadows, index: usize, facet: u32) -> Self {
        let edge = |k: usize| {
            let (place, turn) = &facets.edges[k];
            (
                [place[0][index], place[1][index], place[2][index]],
                [turn[0][index], turn[1][index], turn[2][index]],
            )
        };
        Self {
            edges: [edge(0), edge(1), edge(2)],
            centre: facets.centre,
            depths: [facets.depth[0][index], facets.depth[1][index], facets.depth[2][index]],
            base: facets.lean.base[index],
            rise: [facets.lean.rise[0][index], facets.lean.rise[1][index]],
            wrong: facets.lean.wrong[index],
            near: facets.near[index],
            deep: facets.deep[index],
            margin: facets.margin[index],
            facet,
        }
    }

    /// Within which a hit is deep; weights are of one sign. Shares of their sum cannot leave the range of numbers.
    #[inline(always)]
    pub fn range<const FMA: bool, const PARALLEL: bool>(
        &self,
        [u, v, w]: [f32; 3],
        wrong: f32,
    ) -> (f32, f32) {
        if PARALLEL {
            let [over_v, over_w] = self.rise;
            let depth = multiply_add::<f32, FMA>(v, over_v, multiply_add::<f32, FMA>(w, over_w, self.base));
            return (depth - self.wrong, depth + self.wrong);
        }
        let [a, b, c] = self.depths;
        let differ = most(most(a, b), c) - least(least(a, b), c);
        let inverse = 1.0 / (u + v + w);
        let rest = multiply_add::<f32, FMA>(v * inverse, b, w * inverse * c);
        let depth = self.centre + multiply_add::<f32, FMA>(u * inverse, a, rest);
        let error = multiply_add::<f32, FMA>(3.0 * self.margin * inverse.abs(), differ, wrong);
        (depth - error, depth + error)
    }
}

/// What only some rays of a row have, and what others have: a part of it is a row of which so many have it, without a comparison.
pub type Parted<T> = [Row<T>; 2];

const LOOKING: Parted<f32> = [[f32::INFINITY; ROW], [f32::NEG_INFINITY; ROW]];

/// A row of which the first `count` are of the first kind.
#[inline(always)]
pub fn first<T: Copy>(some: &Parted<T>, count: usize) -> Row<T> {
    let at = ROW - count.min(ROW);
    some.as_flattened()[at..].first_chunk().copied().unwrap_or(some[1])
}

impl Default for Sieve {
    fn default() -> Self {
        let (zeros, none) = ([0.0; ROW], [NO_FACET; ROW]);
        Self {
            place: [zeros; 2],
            turn: [zeros; 2],
            twist: zeros,
            start: zeros,
            leaves: none,
            far: zeros,
            close: zeros,
            found: none,
        }
    }
}

impl Sieve {
    /// Takes where rays cut the plane along an axis, relative to somewhere; those that do not look for anything are at zero. The first of `around` become at most, the second at least that.
    #[inline(always)]
    pub fn set_place(&mut self, axis: usize, places: &Row<f64>, around: &mut [Row<f32>; 2]) {
        for i in 0..ROW {
            let place = if self.far[i] > 0.0 { places[i] as f32 } else { 0.0 };
            self.place[axis][i] = place;
            around[0][i] = least(around[0][i], place);
            around[1][i] = most(around[1][i], place);
        }
    }

    /// Nothing is hit yet; only the first `count` rays look for something.
    #[inline(always)]
    pub fn begin(&mut self, count: usize) {
        self.far = first(&LOOKING, count);
        self.close = self.far;
        self.found = [NO_FACET; ROW];
    }

    /// Sets the product of places and slopes.
    #[inline(always)]
    pub fn twist(&mut self) {
        for i in 0..ROW {
            self.twist[i] = self.place[0][i] * self.turn[1][i] - self.place[1][i] * self.turn[0][i];
        }
    }

    /// Rays, one bit each, that may hit a facet before what they have hit.
    #[inline(always)]
    pub fn may(&self, facet: &Offered, functions: &[Row<f32>; 3]) -> u32 {
        let mut may = [false; ROW];
        for i in 0..ROW {
            let [u, v, w] = [functions[0][i], functions[1][i], functions[2][i]];
            let (lowest, highest) = (least(least(u, v), w), most(most(u, v), w));
            may[i] = ((lowest >= -facet.margin) | (highest <= facet.margin))
                & (self.far[i] >= facet.near)
                & (self.start[i] <= facet.deep)
                & (self.leaves[i] != facet.facet);
        }
        bits(&may)
    }

    /// Offers a facet; `wrong` is the error of depths.
    #[inline(always)]
    pub fn offer<const FMA: bool, const PARALLEL: bool>(
        &mut self,
        facet: &Offered,
        functions: &[Row<f32>; 3],
        wrong: f32,
    ) -> Offer {
        let (mut taken, mut unclear) = ([false; ROW], [false; ROW]);
        for i in 0..ROW {
            let weights = [functions[0][i], functions[1][i], functions[2][i]];
            let [u, v, w] = weights;
            let (lowest, highest) = (least(least(u, v), w), most(most(u, v), w));
            let may = ((lowest >= -facet.margin) | (highest <= facet.margin))
                & (self.far[i] >= facet.near)
                & (self.start[i] <= facet.deep)
                & (self.leaves[i] != facet.facet);
            let inside = may & ((lowest > facet.margin) | (highest < -facet.margin));
            let (from, to) = facet.range::<FMA, PARALLEL>(weights, wrong);
            let passed = inside & ((to < self.start[i]) | (from > self.far[i]));
            taken[i] = inside & (to < self.close[i]) & (from > self.start[i] + CLEAR * wrong);
            unclear[i] = may & !passed & !taken[i];
            self.far[i] = if taken[i] { to } else { self.far[i] };
            self.close[i] = if taken[i] { from } else { self.close[i] };
            self.found[i] = if taken[i] { facet.facet } else { self.found[i] };
        }
        Offer { taken: bits(&taken), unclear: bits(&unclear) }
    }

    /// Edge functions of a facet.
    #[inline(always)]
    pub fn edges<const FMA: bool, const PARALLEL: bool>(&self, facet: &Offered) -> [Row<f32>; 3] {
        let mut functions = [[0.0; ROW]; 3];
        for i in 0..ROW {
            let (mut x, mut y) = (self.place[0][i], self.place[1][i]);
            if !PARALLEL {
                x = multiply_add::<f32, FMA>(self.turn[0][i], facet.centre, x);
                y = multiply_add::<f32, FMA>(self.turn[1][i], facet.centre, y);
            }
            for (edge, function) in facet.edges.iter().zip(&mut functions) {
                let (place, turn) = edge;
                let mut sum = multiply_add::<f32, FMA>(y, place[2], place[0]);
                sum = multiply_add::<f32, FMA>(x, place[1], sum);
                if !PARALLEL {
                    let mut turned = self.twist[i] * turn[2];
                    turned = multiply_add::<f32, FMA>(self.turn[0][i], turn[0], turned);
                    sum += multiply_add::<f32, FMA>(self.turn[1][i], turn[1], turned);
                }
                function[i] = sum;
            }
        }
        functions
    }

    /// Rays, one bit each, that look for something and have not found anything.
    #[inline(always)]
    pub fn open(&self) -> u32 {
        let mut open = [false; ROW];
        for (open, far) in open.iter_mut().zip(&self.far) {
            *open = *far == f32::INFINITY;
        }
        bits(&open)
    }

    /// Takes the facets of eight rays that were not tested exactly, if there are any.
    #[inline(always)]
    pub fn take(&mut self, half: usize) -> Option<[u32; LANES]> {
        let (halves, _) = self.found.as_chunks_mut::<LANES>();
        let found = halves[half];
        halves[half] = [NO_FACET; LANES];
        (found != [NO_FACET; LANES]).then_some(found)
    }

    /// Eight rays hit at these depths, as the exact test has it.
    #[inline(always)]
    pub fn settle(&mut self, half: usize, depths: [f64; LANES], wrong: f32) {
        let (far, close) = (
            &mut self.far.as_chunks_mut::<LANES>().0[half],
            &mut self.close.as_chunks_mut::<LANES>().0[half],
        );
        for i in 0..LANES {
            let looks = far[i] > f32::NEG_INFINITY;
            far[i] = if looks { depths[i] as f32 + wrong } else { far[i] };
            close[i] = if looks { depths[i] as f32 - wrong } else { close[i] };
        }
    }
}
