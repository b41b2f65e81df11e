//! Rays and tubes on their way through the target: geometrical optics without the fields.
//!
//! Flat facets neither focus nor spread: a tube keeps its cross-section, and its sides are mirrored as its direction is. What it covers of the
//! last facet is the parallelogram of its sides, slid along the ray onto the facet.

use super::ahead::Ahead;
use super::bvh::{Bvh, Scratch};
use super::design::Launch;
use super::facets::Facets;
use super::kdtree::KdTree;
use super::ray::{Hit, Ray};
use super::ropes::{Position, Steps};
use numerics::vec3::Vec3;

/// Cosines of exit below this are along the surface: the tube covers no facet.
const LEAST_COSINE: f64 = 1e-9;

/// A tree to walk through.
#[derive(Debug, Clone)]
pub enum Tree {
    /// Boxes.
    Bvh(Bvh),
    /// Planes with ropes.
    KdTree(KdTree),
}

/// A reflection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounce {
    /// Of what.
    pub facet: u32,
    /// Direction before it.
    pub incoming: Vec3,
    /// Normal on the side of the ray.
    pub normal: Vec3,
}

/// Where and how a tube leaves the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exit {
    /// Last reflection of the centre ray, m from the centre of the facets.
    pub place: Vec3,
    /// Direction after it.
    pub direction: Vec3,
    /// Normal of the last facet, on the side of the ray.
    pub normal: Vec3,
    /// Way from the plane through the centre of the facets to `place`, m.
    pub path: f64,
    /// Side of the footprint of a whole tube on the last facet, m.
    pub u: Vec3,
    /// The other side.
    pub v: Vec3,
    /// Last facet.
    pub facet: u32,
    /// Number of reflections.
    pub bounces: usize,
    /// Whether the ray would have been reflected again.
    pub cut: bool,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Rays from the grid, corners included.
    pub rays: u64,
    /// Straight pieces that were looked for.
    pub segments: u64,
    /// Tubes that radiate.
    pub tubes: u64,
    /// Those of them that had more bounces than allowed.
    pub cut: u64,
    /// Tubes that were quartered.
    pub split: u64,
    /// Tubes that the paper's rule dropped.
    pub dropped: u64,
}

impl Counts {
    /// All of them, in their order.
    pub fn to_array(self) -> [u64; 6] {
        [self.rays, self.segments, self.tubes, self.cut, self.split, self.dropped]
    }

    /// From numbers in their order.
    pub fn from_array([rays, segments, tubes, cut, split, dropped]: [u64; 6]) -> Self {
        Self { rays, segments, tubes, cut, split, dropped }
    }

    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        let (a, b) = (self.to_array(), other.to_array());
        Self::from_array(std::array::from_fn(|i| a[i] + b[i]))
    }
}

/// What a thread needs to trace.
pub struct Tracer<'a> {
    pub(super) facets: &'a Facets,
    pub(super) tree: &'a Tree,
    pub(super) launch: &'a Launch,
    pub(super) most: usize,
    pub(super) scratch: Scratch,
    /// Rays that were traced ahead: those of the last two grids, the newer one first, and of some cells.
    pub(super) grids: [Ahead; 2],
    pub(super) some: Ahead,
    /// Of the ray that was traced last.
    pub bounces: Vec<Bounce>,
    /// Of all rays.
    pub counts: Counts,
    /// Of first pieces and of reflected ones, in a kd-tree.
    pub steps: [Steps; 2],
}

impl<'a> Tracer<'a> {
    /// For one launch and so many bounces.
    pub fn new(facets: &'a Facets, tree: &'a Tree, launch: &'a Launch, most: usize) -> Self {
        let (bounces, counts) = (Vec::with_capacity(most), Counts::default());
        Self {
            facets,
            tree,
            launch,
            most,
            scratch: Scratch::default(),
            grids: Default::default(),
            some: Ahead::default(),
            bounces,
            counts,
            steps: Default::default(),
        }
    }

    /// What rays are traced through.
    pub fn facets(&self) -> &'a Facets {
        self.facets
    }

    /// Traces the ray at so many tubes from the grid's corner, unless that was done [ahead](Tracer::ahead) or with [some](Tracer::some) others.
    pub fn trace(&mut self, [x, y]: [f64; 2]) -> Option<Exit> {
        for ahead in self.grids.iter().chain([&self.some]) {
            if let Some(exit) = ahead.recall([x, y], &mut self.bounces) {
                return exit;
            }
        }
        self.bounces.clear();
        self.counts.rays += 1;
        let launch = self.launch;
        let mut ray = Ray::new(launch.point(x, y), -launch.sight);
        let mut sides = (launch.u, launch.v);
        let mut path = -launch.sight.dot(ray.origin);
        let mut position = Position::default();
        let mut cut = false;
        loop {
            let hit = self.nearest(&ray, &mut position);
            if !hit.is_some() {
                break;
            }
            if self.bounces.len() == self.most {
                cut = true;
                break;
            }
            path += hit.distance;
            let (bounce, mirrored, next) = self.reflected(&ray, hit, sides);
            self.bounces.push(bounce);
            (sides, ray) = (mirrored, next);
        }
        self.exit(&ray, (self.bounces.last(), self.bounces.len()), path, sides, cut)
    }

    /// What a ray and the sides of its tube become at a hit.
    pub(super) fn reflected(&self, ray: &Ray, hit: Hit, (u, v): (Vec3, Vec3)) -> (Bounce, (Vec3, Vec3), Ray) {
        let normal = self.facets.normals[hit.facet as usize];
        let normal = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
        let bounce = Bounce { facet: hit.facet, incoming: ray.direction, normal };
        let direction = ray.direction.mirrored(normal);
        let next = Ray::leaving(self.facets, hit.facet, ray.at(hit.distance), direction);
        (bounce, (u.mirrored(normal), v.mirrored(normal)), next)
    }

    /// Where a ray leaves that met nothing after its last bounce, of so many.
    pub(super) fn exit(
        &self,
        ray: &Ray,
        (last, bounces): (Option<&Bounce>, usize),
        path: f64,
        (u, v): (Vec3, Vec3),
        cut: bool,
    ) -> Option<Exit> {
        let last = last?;
        let cosine = last.normal.dot(ray.direction);
        if cosine < LEAST_COSINE {
            return None;
        }
        let slid = |side: Vec3| side - ray.direction * (last.normal.dot(side) / cosine);
        Some(Exit {
            place: ray.origin,
            direction: ray.direction,
            normal: last.normal,
            path,
            u: slid(u),
            v: slid(v),
            facet: last.facet,
            bounces,
            cut,
        })
    }

    fn nearest(&mut self, ray: &Ray, position: &mut Position) -> Hit {
        self.counts.segments += 1;
        match self.tree {
            Tree::Bvh(tree) => tree.nearest(self.facets, ray, &mut self.scratch),
            Tree::KdTree(tree) => {
                let steps = &mut self.steps[usize::from(!self.bounces.is_empty())];
                tree.nearest(self.facets, ray, position, steps)
            }
        }
    }
}

/// Whether a ray that began so many tubes beside another goes its way.
pub fn agrees(launch: &Launch, one: Option<&Exit>, other: Option<&Exit>, [a, b]: [f64; 2]) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            let predicted = one.place + one.u * a + one.v * b;
            one.bounces == other.bounces
                && launch.agree(other.place - predicted, other.direction - one.direction)
        }
        _ => false,
    }
}
