//! The path of a ray through the target: reflections, and where and how its tube leaves.
//!
//! Flat facets neither focus nor spread: a tube keeps its cross-section, and its sides are mirrored as its
//! direction is. Its footprint on the last facet is the parallelogram of its sides, slid along the ray onto
//! the facet.

use super::cast::{Hit, Ray};
use super::facets::Facets;
use super::launch::Launch;
use numerics::vec3::Vec3;

/// Cosines of exit below this are along the surface: the tube covers no facet.
const LEAST_COSINE: f64 = 1e-9;

/// A reflection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounce {
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
    pub v: Vec3,
    pub facet: u32,
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

/// What reflects the rays of one launch.
#[derive(Clone, Copy)]
pub struct Optics<'a> {
    pub facets: &'a Facets,
    pub launch: &'a Launch,
    pub max_bounces: usize,
}

impl Optics<'_> {
    /// What a ray and the sides of its tube become at a hit.
    pub fn reflected(&self, ray: &Ray, hit: Hit, (u, v): (Vec3, Vec3)) -> (Bounce, (Vec3, Vec3), Ray) {
        let normal = self.facets.normals[hit.facet as usize];
        let normal = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
        let bounce = Bounce { facet: hit.facet, incoming: ray.direction, normal };
        let direction = ray.direction.mirrored(normal);
        let next = Ray::leaving(self.facets, hit.facet, ray.at(hit.distance), direction);
        (bounce, (u.mirrored(normal), v.mirrored(normal)), next)
    }

    /// Where a ray leaves that met nothing after its last bounce, of so many.
    pub fn exit(
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
