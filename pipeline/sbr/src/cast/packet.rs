//! A packet: up to 64 rays that traverse the hierarchy together.
//!
//! The rays have one frame and run in one sense along its major axis. Boxes are tested against the frustum of
//! the packet, blocks against the same ([`super::projected`]), then facets against rays in single precision
//! ([`super::filter`]). The exact test ([`super::lanes`]) decides what the filter cannot, and has the last
//! word on what the filter accepts.

use super::block::{BLOCK, DEPTH_ERROR_RADII, DOUBLE_ERROR_RADII};
use super::bvh::Bvh;
use super::filter::{Candidate, Filter, Outcome, Split, first};
use super::frustum::{BoxFrustum, Frustum};
use super::half_space::HalfSpaces;
use super::interval::{ROW, Row, max, max_of, min, min_of};
use super::lanes::{LANES, Lanes, gathered};
use super::node::{self, IS_BLOCK, Stack};
use super::projected::Projected;
use super::ray::Hit;
use super::rays::{MAX_RAYS, Rays, Span};
use crate::facets::{Facets, NO_FACET};
use numerics::simd::{Kernel, dispatch};

#[cfg(test)]
mod tests;

/// Rows of sixteen rays.
const ROWS: usize = MAX_RAYS / ROW;
/// Groups of eight rays.
const GROUPS: usize = MAX_RAYS / LANES;
/// Added to the depths of origins: those of absent rays are infinite.
const PRESENT: Split<f64> = [[0.0; ROW], [f64::INFINITY; ROW]];

#[derive(Default)]
pub struct Packet {
    span: Span,
    rows: usize,
    /// Bit mask of the rays without a hit.
    open: u64,
    frustum: Frustum,
    box_frustum: BoxFrustum,
    filters: [Filter; ROWS],
    projected: Projected,
    half_spaces: HalfSpaces,
    /// Rays in double precision, eight each; those with a bit in `loaded` are valid.
    lanes: [Lanes; GROUPS],
    loaded: u32,
}

/// [`Packet::decide`], compiled once for all ways to walk.
struct Decide<'a> {
    packet: &'a mut Packet,
    scene: (&'a Facets, &'a Rays),
    group: usize,
    facet: u32,
}

impl Kernel for Decide<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        self.packet.decide(self.scene, self.group, self.facet);
    }
}

impl Packet {
    #[inline(always)]
    pub fn load(&mut self, bvh: &Bvh, facets: &Facets, rays: &Rays, span: &Span) {
        let (axes, [_, _, scale]) = rays.runs[span.run].ray.frame();
        self.span = *span;
        self.rows = span.count.div_ceil(ROW);
        self.open = u64::MAX >> (MAX_RAYS - span.count);
        self.loaded = 0;
        let frustum = &mut self.frustum;
        frustum.axes = axes;
        frustum.sense = 1f64.copysign(scale);
        frustum.depth_error = DEPTH_ERROR_RADII * facets.radius as f32;
        frustum.double_error = DOUBLE_ERROR_RADII * facets.radius as f32;
        for axis in 0..2 {
            let (a, b) = (frustum.sense * span.slope_min[axis], frustum.sense * span.slope_max[axis]);
            let (flat, steep) = (min(a, b), max(a, b));
            frustum.slope[axis] = 0.5 * (flat + steep);
            frustum.slope_half[axis] = (0.5 * (steep - flat)) as f32;
            self.box_frustum.slope_min[axis] = flat as f32;
            self.box_frustum.slope_max[axis] = steep as f32;
        }
        self.box_frustum.far = f32::INFINITY;
        self.set_plane(rays, facets.radius);
        self.half_spaces = HalfSpaces::new(facets, &bvh.members, rays, span);
        if span.is_parallel() {
            self.place::<true>(rays);
        } else {
            self.place::<false>(rays);
        }
    }

    /// Puts the plane at the nearest origin or at the border of the target, at a number of single precision.
    #[inline(always)]
    fn set_plane(&mut self, rays: &Rays, radius: f64) {
        let mut nearest = [f64::INFINITY; ROW];
        for row in 0..self.rows {
            let z = rays.origins::<ROW>(self.frustum.axes[2], self.span.start + row * ROW);
            let present = first(&PRESENT, self.span.count - row * ROW);
            for i in 0..ROW {
                nearest[i] = min(nearest[i], self.frustum.sense * z[i] + present[i]);
            }
        }
        self.box_frustum.plane = min_of(&nearest).clamp(-radius, radius) as f32;
        self.frustum.plane = f64::from(self.box_frustum.plane);
    }

    /// Sets where rays cut the plane, and the rectangle around that.
    #[inline(always)]
    fn place<const PARALLEL: bool>(&mut self, rays: &Rays) {
        let Span { start, count, mut run, .. } = self.span;
        let Frustum { axes, sense, slope, .. } = self.frustum;
        let plane = sense * self.frustum.plane;
        let (_, shear) = rays.runs[run].ray.frame();
        let above = rays.origin[axes[2]][start] - plane;
        let origin =
            [rays.origin[axes[0]][start] - shear[0] * above, rays.origin[axes[1]][start] - shear[1] * above];
        let mut bounds = [[[f32::INFINITY; ROW], [f32::NEG_INFINITY; ROW]]; 2];
        for row in 0..self.rows {
            let (filter, at) = (&mut self.filters[row], start + row * ROW);
            filter.begin(count - row * ROW);
            let slopes;
            (slopes, filter.leaves) = rays.slopes::<ROW>(&mut run, at);
            let (z, mut height, mut places) = (rays.origins::<ROW>(axes[2], at), [0.0; ROW], [0.0; ROW]);
            for (height, z) in height.iter_mut().zip(&z) {
                *height = z - plane;
            }
            for (start, height) in filter.start.iter_mut().zip(&height) {
                *start = (sense * height) as f32;
            }
            for axis in 0..2 {
                let (x, slopes) = (rays.origins::<ROW>(axes[axis], at), &slopes[axis]);
                for i in 0..ROW {
                    places[i] = x[i] - slopes[i] * height[i] - origin[axis];
                }
                filter.set_place(axis, &places, &mut bounds[axis]);
                if !PARALLEL {
                    for (relative, own) in filter.slope[axis].iter_mut().zip(slopes) {
                        *relative = (sense * own - slope[axis]) as f32;
                    }
                }
            }
        }
        self.centre(origin, &bounds);
        if !PARALLEL {
            self.filters[..self.rows].iter_mut().for_each(Filter::set_twist);
        }
    }

    /// Makes places relative to the middle of the rectangle.
    #[inline(always)]
    fn centre(&mut self, first: [f64; 2], bounds: &[[Row<f32>; 2]; 2]) {
        for axis in 0..2 {
            let [from, to] = &bounds[axis];
            let (from, to) = (min_of(from), max_of(to));
            let middle = 0.5 * (from + to);
            for filter in &mut self.filters[..self.rows] {
                for i in 0..ROW {
                    filter.place[axis][i] -= middle;
                }
            }
            self.frustum.centre[axis] = first[axis] + f64::from(middle);
            self.frustum.half[axis] = max(to - middle, middle - from);
            self.box_frustum.low[axis] = first[axis] as f32 + from;
            self.box_frustum.high[axis] = first[axis] as f32 + to;
        }
    }

    /// Finds the nearest facets of all rays.
    #[inline(always)]
    pub fn cast<const FMA: bool>(&mut self, bvh: &Bvh, scene: (&Facets, &Rays), stack: &mut Stack) {
        match (self.span.is_parallel(), self.rows == 1) {
            (true, true) => self.walk::<FMA, true, true>(bvh, scene, stack),
            (true, false) => self.walk::<FMA, true, false>(bvh, scene, stack),
            (false, true) => self.walk::<FMA, false, true>(bvh, scene, stack),
            (false, false) => self.walk::<FMA, false, false>(bvh, scene, stack),
        }
        for group in 0..self.rows * ROW / LANES {
            self.confirm(scene, group);
        }
    }

    #[inline(always)]
    fn walk<const FMA: bool, const PARALLEL: bool, const SINGLE: bool>(
        &mut self,
        bvh: &Bvh,
        scene: (&Facets, &Rays),
        stack: &mut Stack,
    ) {
        stack.clear();
        stack.push((0, f32::NEG_INFINITY));
        while let Some((child, near)) = stack.pop() {
            if near > self.box_frustum.far {
                continue;
            }
            if child & IS_BLOCK != 0 {
                let number = child & !IS_BLOCK;
                let in_front = self.half_spaces.own.mask(number);
                if in_front == 0 {
                    continue;
                }
                let block = &bvh.blocks[number as usize];
                let far = self.box_frustum.far;
                let mut left = self.projected.project::<FMA, PARALLEL>(block, &self.frustum, far) & in_front;
                while left != 0 {
                    let index = left.trailing_zeros() as usize % BLOCK;
                    left &= left - 1;
                    let candidate = Candidate::new(&self.projected, index, block.facets[index]);
                    self.test::<FMA, PARALLEL, SINGLE>(scene, &candidate);
                }
                continue;
            }
            let node = &bvh.nodes[child as usize];
            let (nears, mut hit) = self.box_frustum.hits::<FMA>(&self.frustum, node);
            if self.half_spaces.hold {
                hit &= self.half_spaces.hits::<FMA>(node);
            }
            node::push(stack, node, &nears, hit);
        }
    }

    #[inline(always)]
    fn test<const FMA: bool, const PARALLEL: bool, const SINGLE: bool>(
        &mut self,
        scene: (&Facets, &Rays),
        facet: &Candidate,
    ) {
        let (mut accepted, mut undecided) = if SINGLE {
            self.test_row::<FMA, PARALLEL>(facet)
        } else {
            self.test_rows::<FMA, PARALLEL>(facet)
        };
        self.open &= !accepted;
        while undecided != 0 {
            let group = undecided.trailing_zeros() as usize / LANES % GROUPS;
            undecided &= !(0xff << (group * LANES));
            dispatch(Decide { packet: self, scene, group, facet: facet.facet });
            accepted = 1;
        }
        if accepted != 0 && self.open == 0 {
            self.box_frustum.far = self.farthest();
        }
    }

    /// Tests a facet against the only row: bit masks of the rays that accept it, and of those that are
    /// undecided.
    #[inline(always)]
    fn test_row<const FMA: bool, const PARALLEL: bool>(&mut self, facet: &Candidate) -> (u64, u64) {
        let filter = &mut self.filters[0];
        let functions = filter.edges::<FMA, PARALLEL>(facet);
        if filter.may_hit(facet, &functions) == 0 {
            return (0, 0);
        }
        let Outcome { accepted, undecided } =
            filter.test::<FMA, PARALLEL>(facet, &functions, self.frustum.depth_error);
        (accepted.into(), undecided.into())
    }

    /// The same for several rows. The first loop finds the rows that may hit the facet without a branch.
    #[inline(always)]
    fn test_rows<const FMA: bool, const PARALLEL: bool>(&mut self, facet: &Candidate) -> (u64, u64) {
        let (mut may_hit, mut accepted, mut undecided) = (0u64, 0u64, 0u64);
        for (row, filter) in self.filters[..self.rows].iter().enumerate() {
            let functions = filter.edges::<FMA, PARALLEL>(facet);
            may_hit |= u64::from(filter.may_hit(facet, &functions)) << (row * ROW);
        }
        while may_hit != 0 {
            let row = may_hit.trailing_zeros() as usize / ROW % ROWS;
            may_hit &= !(0xffff << (row * ROW));
            let functions = self.filters[row].edges::<FMA, PARALLEL>(facet);
            let outcome =
                self.filters[row].test::<FMA, PARALLEL>(facet, &functions, self.frustum.depth_error);
            accepted |= u64::from(outcome.accepted) << (row * ROW);
            undecided |= u64::from(outcome.undecided) << (row * ROW);
        }
        (accepted, undecided)
    }

    /// Tests a facet exactly against eight rays, as far as the half-space rule lets them hit it.
    #[inline(always)]
    fn decide(&mut self, scene: (&Facets, &Rays), group: usize, facet: u32) {
        self.confirm(scene, group);
        let corners = gathered(scene.0, self.frustum.axes, &[facet; LANES]);
        let Frustum { sense, plane, .. } = self.frustum;
        let (mut tested, mut run) = ([facet; LANES], self.span.run);
        for (lane, tested) in tested.iter_mut().enumerate() {
            let index = self.span.start + group * LANES + lane;
            while run + 1 < scene.1.runs.len() && scene.1.runs[run].end <= index {
                run += 1;
            }
            if !scene.1.runs[run].ray.may_hit(scene.0, facet) {
                *tested = NO_FACET;
            }
        }
        let lanes = self.loaded_lanes(scene.1, group);
        lanes.test(&corners, &tested);
        let depths = lanes.depth(sense, plane);
        let row = group * LANES / ROW;
        self.filters[row].set_depths(group % 2, depths, self.frustum.depth_error);
        self.open &= !(0xffff << (row * ROW)) | u64::from(self.filters[row].open()) << (row * ROW);
    }

    /// Tests exactly what eight rays have accepted.
    #[inline(always)]
    fn confirm(&mut self, scene: (&Facets, &Rays), group: usize) {
        let Some(found) = self.filters[group / 2].take(group % 2) else { return };
        let corners = gathered(scene.0, self.frustum.axes, &found);
        self.loaded_lanes(scene.1, group).test(&corners, &found);
    }

    #[inline(always)]
    fn loaded_lanes(&mut self, rays: &Rays, group: usize) -> &mut Lanes {
        let lanes = &mut self.lanes[group];
        if self.loaded & 1 << group == 0 {
            self.loaded |= 1 << group;
            lanes.fill(rays, self.frustum.axes, self.span.run, self.span.start + group * LANES);
        }
        lanes
    }

    #[inline(always)]
    fn farthest(&self) -> f32 {
        let mut far = [f32::NEG_INFINITY; ROW];
        for filter in &self.filters[..self.rows] {
            for (far, other) in far.iter_mut().zip(&filter.far) {
                *far = max(*far, *other);
            }
        }
        max_of(&far)
    }

    /// Copies the hits of the rays that have one.
    #[inline(always)]
    pub fn copy_hits(&self, hits: &mut [Hit]) {
        let hits = &mut hits[self.span.start..self.span.start + self.span.count];
        let (whole, rest) = hits.as_chunks_mut::<LANES>();
        let behind = whole.len();
        for (group, hits) in whole.iter_mut().enumerate() {
            if self.loaded & 1 << group != 0 {
                *hits = self.lanes[group].hits();
            }
        }
        if !rest.is_empty() && self.loaded & 1 << behind != 0 {
            rest.copy_from_slice(&self.lanes[behind].hits()[..rest.len()]);
        }
    }
}
