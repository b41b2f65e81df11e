//! The filter of a packet: sixteen rays against one facet in single precision, with error bounds.
//!
//! The outcome for a ray is hit, miss, or undecided; the exact test decides the latter. Lemma 2 bounds the
//! rounding error of edge functions by the margin. The depth of a hit is the mean of the depths of the
//! corners, weighted by the edge functions (lemma 4).

use super::interval::{ROW, Row, bit_mask, max, min};
use super::lanes::LANES;
use super::projected::Projected;
use crate::facets::NO_FACET;
use numerics::simd::multiply_add;

/// Least depth of a hit behind the origin of its ray, over the bound on the error of depths (lemma 8).
const MIN_CLEARANCE: f32 = 16.0;

/// Sixteen rays of a packet and their hits; depths are in m from the plane of the packet.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    /// Places on the plane relative to the centre of the packet, m.
    pub place: [Row<f32>; 2],
    /// Slopes against depth relative to the middle of the packet's.
    pub slope: [Row<f32>; 2],
    /// Product `place x slope`, which is the same at all depths, m.
    pub twist: Row<f32>,
    /// Depths of the origins.
    pub start: Row<f32>,
    pub leaves: Row<u32>,
    /// Upper bounds on the depths of the hits.
    pub far: Row<f32>,
    /// Lower bounds on the depths of the hits.
    pub close: Row<f32>,
    /// Facets that were accepted and not yet tested exactly.
    pub found: Row<u32>,
}

/// The outcome of one facet: bit masks of rays.
pub struct Outcome {
    /// The facet is the nearest so far.
    pub accepted: u32,
    /// The exact test must decide.
    pub undecided: u32,
}

/// One of the facets of [`Projected`].
pub struct Candidate {
    edges: [([f32; 3], [f32; 3]); 3],
    centre: f32,
    depths: [f32; 3],
    base: f32,
    factors: [f32; 2],
    depth_error: f32,
    near: f32,
    deep: f32,
    /// Margin of the edge functions, m2.
    pub margin: f32,
    pub facet: u32,
}

impl Candidate {
    /// The facet at place `index` of a block, and its number.
    #[inline(always)]
    pub fn new(facets: &Projected, index: usize, facet: u32) -> Self {
        let edge = |k: usize| {
            let (place, slope) = &facets.edges[k];
            (
                [place[0][index], place[1][index], place[2][index]],
                [slope[0][index], slope[1][index], slope[2][index]],
            )
        };
        Self {
            edges: [edge(0), edge(1), edge(2)],
            centre: facets.centre,
            depths: [facets.depth[0][index], facets.depth[1][index], facets.depth[2][index]],
            base: facets.planes.base[index],
            factors: [facets.planes.factors[0][index], facets.planes.factors[1][index]],
            depth_error: facets.planes.error[index],
            near: facets.near[index],
            deep: facets.deep[index],
            margin: facets.margin[index],
            facet,
        }
    }

    /// Interval of the depth of a hit, for edge functions of one sign. Shares of their sum cannot overflow.
    #[inline(always)]
    pub fn depth<const FMA: bool, const PARALLEL: bool>(
        &self,
        [u, v, w]: [f32; 3],
        depth_error: f32,
    ) -> (f32, f32) {
        if PARALLEL {
            let [over_v, over_w] = self.factors;
            let depth = multiply_add::<f32, FMA>(v, over_v, multiply_add::<f32, FMA>(w, over_w, self.base));
            return (depth - self.depth_error, depth + self.depth_error);
        }
        let [a, b, c] = self.depths;
        let range = max(max(a, b), c) - min(min(a, b), c);
        let inverse = 1.0 / (u + v + w);
        let rest = multiply_add::<f32, FMA>(v * inverse, b, w * inverse * c);
        let depth = self.centre + multiply_add::<f32, FMA>(u * inverse, a, rest);
        let error = multiply_add::<f32, FMA>(3.0 * self.margin * inverse.abs(), range, depth_error);
        (depth - error, depth + error)
    }
}

/// Two values, sixteen times each. Any sixteen neighbours are a row whose first rays have the first value.
pub type Split<T> = [Row<T>; 2];

/// Bounds on depths at the start: rays that are present may hit at any depth, others at none.
const OPEN: Split<f32> = [[f32::INFINITY; ROW], [f32::NEG_INFINITY; ROW]];

/// The row whose first `count` rays have the first value; no comparison is needed.
#[inline(always)]
pub fn first<T: Copy>(some: &Split<T>, count: usize) -> Row<T> {
    let at = ROW - count.min(ROW);
    some.as_flattened()[at..].first_chunk().copied().unwrap_or(some[1])
}

impl Default for Filter {
    fn default() -> Self {
        let (zeros, none) = ([0.0; ROW], [NO_FACET; ROW]);
        Self {
            place: [zeros; 2],
            slope: [zeros; 2],
            twist: zeros,
            start: zeros,
            leaves: none,
            far: zeros,
            close: zeros,
            found: none,
        }
    }
}

impl Filter {
    /// Sets the places of rays on the plane along an axis, 0 for absent rays, and updates their minima and
    /// maxima.
    #[inline(always)]
    pub fn set_place(&mut self, axis: usize, places: &Row<f64>, bounds: &mut [Row<f32>; 2]) {
        for i in 0..ROW {
            let place = if self.far[i] > 0.0 { places[i] as f32 } else { 0.0 };
            self.place[axis][i] = place;
            bounds[0][i] = min(bounds[0][i], place);
            bounds[1][i] = max(bounds[1][i], place);
        }
    }

    /// Begins without hits; only the first `count` rays are present.
    #[inline(always)]
    pub fn begin(&mut self, count: usize) {
        self.far = first(&OPEN, count);
        self.close = self.far;
        self.found = [NO_FACET; ROW];
    }

    /// Sets the products of places and slopes.
    #[inline(always)]
    pub fn set_twist(&mut self) {
        for i in 0..ROW {
            self.twist[i] = self.place[0][i] * self.slope[1][i] - self.place[1][i] * self.slope[0][i];
        }
    }

    /// Bit mask of the rays that may hit a facet before their nearest hit so far.
    #[inline(always)]
    pub fn may_hit(&self, facet: &Candidate, functions: &[Row<f32>; 3]) -> u32 {
        let mut may_hit = [false; ROW];
        for i in 0..ROW {
            let [u, v, w] = [functions[0][i], functions[1][i], functions[2][i]];
            let (lowest, highest) = (min(min(u, v), w), max(max(u, v), w));
            may_hit[i] = ((lowest >= -facet.margin) | (highest <= facet.margin))
                & (self.far[i] >= facet.near)
                & (self.start[i] <= facet.deep)
                & (self.leaves[i] != facet.facet);
        }
        bit_mask(&may_hit)
    }

    /// Tests a facet against all rays and keeps it for those that accept it.
    #[inline(always)]
    pub fn test<const FMA: bool, const PARALLEL: bool>(
        &mut self,
        facet: &Candidate,
        functions: &[Row<f32>; 3],
        depth_error: f32,
    ) -> Outcome {
        let (mut accepted, mut undecided) = ([false; ROW], [false; ROW]);
        for i in 0..ROW {
            let weights = [functions[0][i], functions[1][i], functions[2][i]];
            let [u, v, w] = weights;
            let (lowest, highest) = (min(min(u, v), w), max(max(u, v), w));
            let may_hit = ((lowest >= -facet.margin) | (highest <= facet.margin))
                & (self.far[i] >= facet.near)
                & (self.start[i] <= facet.deep)
                & (self.leaves[i] != facet.facet);
            let inside = may_hit & ((lowest > facet.margin) | (highest < -facet.margin));
            let (from, to) = facet.depth::<FMA, PARALLEL>(weights, depth_error);
            let passed = inside & ((to < self.start[i]) | (from > self.far[i]));
            accepted[i] =
                inside & (to < self.close[i]) & (from > self.start[i] + MIN_CLEARANCE * depth_error);
            undecided[i] = may_hit & !passed & !accepted[i];
            self.far[i] = if accepted[i] { to } else { self.far[i] };
            self.close[i] = if accepted[i] { from } else { self.close[i] };
            self.found[i] = if accepted[i] { facet.facet } else { self.found[i] };
        }
        Outcome { accepted: bit_mask(&accepted), undecided: bit_mask(&undecided) }
    }

    /// Edge functions of a facet.
    #[inline(always)]
    pub fn edges<const FMA: bool, const PARALLEL: bool>(&self, facet: &Candidate) -> [Row<f32>; 3] {
        let mut functions = [[0.0; ROW]; 3];
        for i in 0..ROW {
            let (mut x, mut y) = (self.place[0][i], self.place[1][i]);
            if !PARALLEL {
                x = multiply_add::<f32, FMA>(self.slope[0][i], facet.centre, x);
                y = multiply_add::<f32, FMA>(self.slope[1][i], facet.centre, y);
            }
            for (edge, function) in facet.edges.iter().zip(&mut functions) {
                let (place, slope) = edge;
                let mut sum = multiply_add::<f32, FMA>(y, place[2], place[0]);
                sum = multiply_add::<f32, FMA>(x, place[1], sum);
                if !PARALLEL {
                    let mut turned = self.twist[i] * slope[2];
                    turned = multiply_add::<f32, FMA>(self.slope[0][i], slope[0], turned);
                    sum += multiply_add::<f32, FMA>(self.slope[1][i], slope[1], turned);
                }
                function[i] = sum;
            }
        }
        functions
    }

    /// Bit mask of the rays that are present and have no hit.
    #[inline(always)]
    pub fn open(&self) -> u32 {
        let mut open = [false; ROW];
        for (open, far) in open.iter_mut().zip(&self.far) {
            *open = *far == f32::INFINITY;
        }
        bit_mask(&open)
    }

    /// Takes the facets of eight rays that were accepted and not tested exactly, if there are any.
    #[inline(always)]
    pub fn take(&mut self, half: usize) -> Option<[u32; LANES]> {
        let (halves, _) = self.found.as_chunks_mut::<LANES>();
        let found = halves[half];
        halves[half] = [NO_FACET; LANES];
        (found != [NO_FACET; LANES]).then_some(found)
    }

    /// Sets the depths of the hits of eight rays as the exact test has them.
    #[inline(always)]
    pub fn set_depths(&mut self, half: usize, depths: [f64; LANES], depth_error: f32) {
        let (far, close) = (
            &mut self.far.as_chunks_mut::<LANES>().0[half],
            &mut self.close.as_chunks_mut::<LANES>().0[half],
        );
        for i in 0..LANES {
            let present = far[i] > f32::NEG_INFINITY;
            far[i] = if present { depths[i] as f32 + depth_error } else { far[i] };
            close[i] = if present { depths[i] as f32 - depth_error } else { close[i] };
        }
    }
}
