//! What rays of a beam hit, sixteen at a time in single precision, as far as that can tell; what it cannot tell is left to the exact test.
//!
//! Why edge functions below a margin decide nothing, and those above it do, [`super::block`] says. The depth of a hit is the mean of the depths of the corners, with the edge functions as weights. If all of these are beyond the
//! margin m, it is wrong by at most 3 m D / S beside what the depths of corners are wrong by, D being how far these differ and S the sum of the functions.

use super::beam::{least, most};
use super::block::Shadows;
use super::facets::NO_FACET;
use super::lanes::{LANES, bits};
use crate::simd::multiply_add;

/// Rays at once.
pub const ROW: usize = 16;

type Row<T> = [T; ROW];

/// Sixteen rays; depths in m from the plane of the beam.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub struct Sieve {
    /// Places relative to the centre of the beam, m.
    pub place: [Row<f32>; 2],
    /// Slopes against depth relative to those of the beam.
    pub turn: [Row<f32>; 2],
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

/// What a facet is to a row of rays.
pub struct Offer {
    /// Some now hit it.
    pub taken: bool,
    /// Rays, one bit each, for which only the exact test can tell.
    pub unclear: u32,
}

impl Default for Sieve {
    fn default() -> Self {
        let (zeros, none) = ([0.0; ROW], [NO_FACET; ROW]);
        Self {
            place: [zeros; 2],
            turn: [zeros; 2],
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
        for i in 0..ROW {
            self.far[i] = if i < count { f32::INFINITY } else { f32::NEG_INFINITY };
        }
        self.close = self.far;
        self.found = [NO_FACET; ROW];
    }

    /// Offers facet `index` of a block, of number `facet`; `wrong` is the error of depths.
    #[inline(always)]
    pub fn offer<const FMA: bool, const PARALLEL: bool>(
        &mut self,
        facets: &Shadows,
        (index, facet): (usize, u32),
        wrong: f32,
    ) -> Offer {
        let depths = [facets.depth[0][index], facets.depth[1][index], facets.depth[2][index]];
        let (near, margin) = (facets.near[index], facets.margin[index]);
        let deep = most(most(depths[0], depths[1]), depths[2]) + wrong;
        let functions = self.edges::<FMA, PARALLEL>(facets, index);
        let (mut may, mut inside) = ([false; ROW], [false; ROW]);
        for i in 0..ROW {
            let [u, v, w] = [functions[0][i], functions[1][i], functions[2][i]];
            let (lowest, highest) = (least(least(u, v), w), most(most(u, v), w));
            may[i] = ((lowest >= -margin) | (highest <= margin))
                & (self.far[i] >= near)
                & (self.start[i] <= deep)
                & (self.leaves[i] != facet);
            inside[i] = may[i] & ((lowest > margin) | (highest < -margin));
        }
        if bits(&may) == 0 {
            return Offer { taken: false, unclear: 0 };
        }
        let (mut taken, mut unclear) = ([false; ROW], [false; ROW]);
        let steep = 3.0 * margin * (deep - near);
        for i in 0..ROW {
            let weights = [functions[0][i], functions[1][i], functions[2][i]];
            let (from, to) = range::<FMA>(weights, depths, [steep, wrong]);
            let passed = inside[i] & ((to < self.start[i]) | (from > self.far[i]));
            taken[i] = inside[i] & (to < self.close[i]) & (from > self.start[i] + wrong);
            unclear[i] = may[i] & !passed & !taken[i];
            self.far[i] = if taken[i] { to } else { self.far[i] };
            self.close[i] = if taken[i] { from } else { self.close[i] };
            self.found[i] = if taken[i] { facet } else { self.found[i] };
        }
        Offer { taken: bits(&taken) != 0, unclear: bits(&unclear) }
    }

    #[inline(always)]
    fn edges<const FMA: bool, const PARALLEL: bool>(&self, facets: &Shadows, index: usize) -> [Row<f32>; 3] {
        let [x, y] = &self.place;
        let [sx, sy] = &self.turn;
        let mut functions = [[0.0; ROW]; 3];
        for i in 0..ROW {
            let mut places = [[0.0; 2]; 3];
            for (corner, place) in places.iter_mut().enumerate() {
                let [cx, cy] = &facets.place[corner];
                *place = [cx[index] - x[i], cy[index] - y[i]];
                if !PARALLEL {
                    let depth = facets.depth[corner][index];
                    *place = [
                        multiply_add::<f32, FMA>(-sx[i], depth, place[0]),
                        multiply_add::<f32, FMA>(-sy[i], depth, place[1]),
                    ];
                }
            }
            let [a, b, c] = places;
            functions[0][i] = multiply_add::<f32, FMA>(c[0], b[1], -(c[1] * b[0]));
            functions[1][i] = multiply_add::<f32, FMA>(a[0], c[1], -(a[1] * c[0]));
            functions[2][i] = multiply_add::<f32, FMA>(b[0], a[1], -(b[1] * a[0]));
        }
        functions
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

/// Within which a hit is deep; weights are of one sign, `steep` over their sum is the error that they make.
#[inline(always)]
fn range<const FMA: bool>([u, v, w]: [f32; 3], [a, b, c]: [f32; 3], [steep, wrong]: [f32; 2]) -> (f32, f32) {
    let inverse = 1.0 / (u + v + w);
    let depth = inverse * multiply_add::<f32, FMA>(u, a, multiply_add::<f32, FMA>(v, b, w * c));
    let error = multiply_add::<f32, FMA>(steep, inverse.abs(), wrong);
    (depth - error, depth + error)
}
