//! Directions in which rays that leave a facet meet nothing: such rays, which are most of the reflected ones of many targets, need not be cast.
//!
//! Directions are sorted into cells: the six faces of a cube, by the axis along which a ray runs fastest and its sense, with 16 x 16 ranges of slopes each. Whether any ray that leaves a facet within a cell may meet something is found
//! by one walk through the tree with a beam that holds all of them, once so many went there that this is little beside casting them. What was found is kept for those that follow, in a table of fixed size in which new cells take the place of old ones. Results do not depend on it.
//!
//! Reflected rays begin beside a point of their facet by less than 0.4 e R along any axis, see [`super::before`], with e = 2^-24 and R the radius of the target. They cut the plane at depth 0 beside that point's ray by less than 0.8 e R, as slopes are at most 1. These
//! places are within those of the corners, for the least and the largest slope, as they are linear in both; they are within 3 R, so that single precision rounds them by 3 e R. A beam that is `MORE` wider to all sides, 4 e R, holds all rays,
//! and what such a beam does not meet, none of its rays meets, see [`super::bounds`] and [`super::block`]. Ranges end at eighths, and rays are sorted by their slopes to the last bit of double precision.
//!
//! Of what is left, some facets are refused to all rays of the cell by the rules of [`super::before`]. That n.v >= s |v| for a normal n and a sine s holds for all directions v of the cell if it does at its corners, as the difference is concave. Other facets stand beside the prism of all rays of one direction, beyond a wall on an edge of
//! the facet that they leave, or have that beyond a wall of their own. The distance from a wall times the length of its normal is linear in the direction, and that length is convex, so that what is beyond all four walls along the corners of the cell by `MORE` is so along every direction. Rays are within 0.7 e R of the prism, and, where a facet is neither slender nor seen flat, the exact
//! test meets nothing that is farther than 0.6 e R from a ray, as [`super::before`] has it.

use super::before::{FLAT, Planes};
use super::block::{BLOCK, FLOOR, Outline, Shadows, WRONG};
use super::bounds::Bounds;
use super::bvh::Bvh;
use super::facets::{Facets, NO_FACET};
use super::ray::Ray;
use super::wide::{IS_BLOCK, WIDTH};
use crate::simd::{Kernel, dispatch};
use crate::vec3::Vec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(test)]
mod tests;

/// Ranges of slopes along a side of a face.
const SIDE: usize = 16;
const FACES: usize = 6;

/// A walk takes as long as some thirty rays: where several times as many went, others will follow.
const ENOUGH: u64 = 240;

/// Cells are kept in lines as long as those of a cache: one line a facet, as long as there are not too many.
const LINE: usize = 8;
const MOST: usize = 1 << 14;

/// A beam is wider than places of its rays, and what is beyond walls is so, by this, in radii of the target.
const MORE: f64 = 4.0 / (1 << 24) as f64;

/// Angles to planes are clearly not too flat: rounding of sines is far less than the difference.
const CLEARLY: f64 = FLAT * (1.0 + 1e-6);

/// What a cell may be.
const STATES: u64 = 256;
const FREE: u64 = 255;
const BLOCKED: u64 = 254;

/// What is known of cells; clones share it.
#[derive(Debug, Clone)]
pub struct Sky {
    /// The number of a cell, 0 for none, and in [`STATES`] below that [`FREE`], [`BLOCKED`], or how many rays went there.
    lines: Arc<[[AtomicU64; LINE]]>,
}

impl Sky {
    /// Nothing, of a target of so many facets.
    pub fn new(facets: usize) -> Self {
        let lines = facets.next_power_of_two().min(MOST);
        Self { lines: (0..lines).map(|_| Default::default()).collect() }
    }

    /// Bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.lines)
    }

    /// Whether nothing is known to be in the way of so many rays that begin on the facet that they leave and go along with the first; `look` tells it for a cell.
    #[inline]
    pub fn is_free(&self, ray: &Ray, count: usize, look: impl Fn(Cell) -> bool) -> bool {
        if ray.leaves == NO_FACET {
            return false;
        }
        let cell = Cell::new(ray);
        let number = cell.number();
        // The golden ratio spreads numbers over the table, whose length is a power of two.
        let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let line = &self.lines[spread as usize & (self.lines.len() - 1)];
        // One word tells all of a cell, so that threads need not wait for each other.
        let is_at = |at: &usize, number: u64| line[*at].load(Ordering::Relaxed) / STATES == number;
        let at = (0..LINE).find(|at| is_at(at, number));
        let known = at.map_or(0, |at| line[at].load(Ordering::Relaxed) % STATES);
        if known >= BLOCKED {
            return known == FREE;
        }
        let count = known + count as u64;
        let state = if count < ENOUGH {
            count
        } else if look(cell) {
            FREE
        } else {
            BLOCKED
        };
        let at = at.or_else(|| (0..LINE).find(|at| is_at(at, 0))).unwrap_or(number as usize % LINE);
        line[at].store(number * STATES + state, Ordering::Relaxed);
        state == FREE
    }
}

/// Rays that leave a facet within a range of slopes.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    leaves: u32,
    axes: [usize; 3],
    /// 1 or -1, along the last axis.
    sense: f64,
    /// Which range, by axis.
    ranges: [usize; 2],
}

impl Cell {
    #[inline]
    fn new(ray: &Ray) -> Self {
        let (axes, [sx, sy, scale]) = ray.frame();
        let sense = 1f64.copysign(scale);
        let range = |slope: f64| (((sense * slope + 1.0) * (0.5 * SIDE as f64)) as usize).min(SIDE - 1);
        Self { leaves: ray.leaves, axes, sense, ranges: [range(sx), range(sy)] }
    }

    /// Its number, from 1 on.
    fn number(&self) -> u64 {
        let face = 2 * self.axes[2] + usize::from(self.sense < 0.0);
        let of_facet = (face * SIDE + self.ranges[1]) * SIDE + self.ranges[0];
        1 + u64::from(self.leaves) * (FACES * SIDE * SIDE) as u64 + of_facet as u64
    }

    /// Least and largest slope against depth along an axis.
    fn slopes(&self, axis: usize) -> [f64; 2] {
        [0, 1].map(|end| (self.ranges[axis] + end) as f64 * (2.0 / SIDE as f64) - 1.0)
    }

    /// Those of its corners.
    fn directions(&self) -> [Vec3; 4] {
        let (xs, ys) = (self.slopes(0), self.slopes(1));
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| {
            let mut direction = [0.0; 3];
            let parts = [xs[x], ys[y], self.sense];
            self.axes.into_iter().zip(parts).for_each(|(axis, part)| direction[axis] = part);
            Vec3::from(direction).unit()
        })
    }

    /// All rays that leave the facet within it.
    fn beam(&self, facets: &Facets) -> (Outline, Bounds) {
        let Self { axes, sense, .. } = *self;
        let (corners, radius) = (&facets.corners[self.leaves as usize], facets.radius);
        let nearest = corners.iter().map(|corner| sense * corner[axes[2]]).fold(f64::INFINITY, f64::min);
        let mut outline = Outline {
            axes,
            sense,
            wrong: WRONG * radius as f32,
            floor: FLOOR * radius as f32,
            ..Default::default()
        };
        let mut bounds = Bounds { plane: nearest as f32, far: f32::INFINITY, ..Default::default() };
        outline.plane = f64::from(bounds.plane);
        for axis in 0..2 {
            let [least, most] = self.slopes(axis);
            let places = corners.iter().flat_map(|corner| {
                [least, most]
                    .map(|slope| corner[axes[axis]] - slope * (sense * corner[axes[2]] - outline.plane))
            });
            let none = (f64::INFINITY, f64::NEG_INFINITY);
            let (from, to) = places.fold(none, |(from, to), place| (from.min(place), to.max(place)));
            let (from, to) = (from - MORE * radius, to + MORE * radius);
            outline.centre[axis] = 0.5 * (from + to);
            outline.half[axis] = (0.5 * (to - from)) as f32;
            outline.slope[axis] = 0.5 * (least + most);
            outline.spread[axis] = (0.5 * (most - least)) as f32;
            (bounds.from[axis], bounds.to[axis]) = (from as f32, to as f32);
            (bounds.least[axis], bounds.most[axis]) = (least as f32, most as f32);
        }
        (outline, bounds)
    }

    /// Whether none of its rays meets anything.
    #[cold]
    #[inline(never)]
    pub fn is_free(&self, bvh: &Bvh, facets: &Facets) -> bool {
        let directions = self.directions();
        let Some(back) = facets.side(self.leaves, &directions, CLEARLY) else { return false };
        let Some(planes) = Planes::one(facets, &bvh.owns, self.leaves, back) else { return false };
        let prism = Prism::new(facets, self.leaves, back, directions);
        let mut free = false;
        dispatch(Look { bvh, facets, cell: self, prism: &prism, planes: &planes, free: &mut free });
        free
    }
}

/// Walls on the edges of a facet along the corners of a cell.
struct Prism<'a> {
    facets: &'a Facets,
    facet: u32,
    directions: [Vec3; 4],
    walls: [Walls; 3],
}

/// Those on an edge: a point of it, their normals outwards, and how far beyond them things must be, times the lengths of these or more.
type Walls = (Vec3, [Vec3; 4], f64);

impl<'a> Prism<'a> {
    /// Of a facet whose back leads along the directions, or whose front does.
    fn new(facets: &'a Facets, facet: u32, back: bool, directions: [Vec3; 4]) -> Self {
        let corners = facets.corners[facet as usize].map(Vec3::from);
        let walls = [0, 1, 2].map(|i| {
            let edge = corners[(i + 1) % 3] - corners[i];
            let outwards = if back { -edge } else { edge };
            (corners[i], directions.map(|along| outwards.cross(along)), MORE * facets.radius * edge.length())
        });
        Self { facets, facet, directions, walls }
    }

    /// Whether a facet stands beyond the walls on one edge.
    fn excludes(&self, facet: u32) -> bool {
        let corners = self.facets.corners[facet as usize].map(Vec3::from);
        self.walls.iter().any(|(on, normals, least)| {
            corners.iter().all(|corner| normals.iter().all(|normal| normal.dot(*corner - *on) > *least))
        })
    }

    /// Whether rays along it may meet a facet.
    fn may_meet(&self, facet: u32) -> bool {
        let Self { facets, facet: own, directions, .. } = *self;
        if !facets.may_see(own, facet, &directions, CLEARLY) {
            return false;
        }
        let Some(back) = facets.side(facet, &directions, CLEARLY) else { return true };
        !self.excludes(facet) && !Prism::new(facets, facet, back, directions).excludes(own)
    }
}

/// A walk through the tree.
struct Look<'a> {
    bvh: &'a Bvh,
    facets: &'a Facets,
    cell: &'a Cell,
    prism: &'a Prism<'a>,
    planes: &'a Planes,
    free: &'a mut bool,
}

impl Kernel for Look<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let Self { bvh, facets, cell, prism, planes, free } = self;
        let (outline, bounds) = cell.beam(facets);
        let (mut shadows, mut waiting) = (Shadows::default(), vec![0]);
        while let Some(child) = waiting.pop() {
            if child & IS_BLOCK == 0 {
                let node = &bvh.wide[child as usize];
                let met = bounds.meets::<FMA>(&outline, node).1 & planes.boxes::<FMA>(node);
                waiting.extend((0..WIDTH).filter(|i| met & 1 << i != 0).map(|i| node.child[i]));
                continue;
            }
            let number = child & !IS_BLOCK;
            let block = &bvh.blocks[number as usize];
            let met = shadows.cast::<FMA, false>(block, &outline, bounds.far) & planes.own.of(number);
            let mut facing = (0..BLOCK).filter(|i| met & 1 << i != 0).map(|i| block.facets[i]);
            if facing.any(|facet| prism.may_meet(facet)) {
                return;
            }
        }
        *free = true;
    }
}
