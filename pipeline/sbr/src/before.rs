//! What a ray that leaves a facet cannot meet: facets of which no corner is before the plane of the first.
//!
//! That is a rule of the exact test, [`Ray::test`](super::ray::Ray::test): single facets behind a plane are refused by it, and trees, which find whole boxes behind it, still agree with a search through all facets. Without the rule they would not, as facets that are seen edge on are
//! met anywhere by rounding.
//!
//! Let R be the radius of the target and e = 2^-24. A corner c is before the facet with the unit normal n and the first corner a if n.(c - a) > 1e-13 R, rounding included, with -n in place of n if the ray leaves at the back. The rule holds for rays with |n.d| >= `FLAT`, g, that leave facets of twice the area
//! A >= `SLENDER` l^2, l the longest side. Corners of the facet are within 2 l of the ray that hits it, along both axes across, so that edge functions of double precision are wrong by less than 8 l 2^-46 R (see [`super::block`]). The point of the facet that has them as weights is beside the ray by less than
//! 3 x 8 l 2^-46 R x 2 l/(g A) < 0.4 e R along either axis: reflected rays begin less than e R below their facet.
//!
//! Single precision takes facets without asking for the rule, but none that it breaks. Functions that exceed their margin m are wrong by at most 11 m/12, so that exact ones are more than m/12, at least 5 e L Q, and their sum is more than 15 e L Q; as these are wrong by less than 4 Q 2^-46 R,
//! the facet has a point beside the ray by less than 12 Q^2 2^-46 R/(15 e L Q) < 3.3 e R along either axis. If no corner is before the plane, that point is not higher than 1e-13 R, so that the ray is lower than 5 e R there. But what single precision takes is 512 e R away from where the ray begins,
//! see `sieve`, and the ray has risen by 16 e R.

use super::beam::most;
use super::block::Block;
use super::facets::{Facets, NO_FACET};
use super::lanes::bits;
use super::ray::Ray;
use super::rays::{Alike, Rays, Run};
use super::wide::{WIDTH, WideNode};
use numerics::simd::multiply_add;
use numerics::vec3::Vec3;

#[cfg(test)]
pub(super) mod tests;

/// Rays that leave a facet flatter than this, as the sine of the angle, meet what there is.
pub const FLAT: f64 = 1.0 / 32.0;

/// As do those that leave a facet of which twice the area is less than this over the longest side squared.
const SLENDER: f64 = 1e-3;

/// Corners are before a plane if they are higher than this, in radii of the target.
const HIGHER: f64 = 1e-13;

/// Heights of boxes are wrong by less than this, in radii of the target: three times 2 R are rounded four times, and three sums of less than 8 R and their first term once, 38 x 2^-24 together.
const WRONG: f64 = 1.0 / (1 << 18) as f64;

/// No block.
const NONE: u32 = u32::MAX;

impl Facets {
    /// Whether a ray can meet a facet, as far as that which it leaves can tell.
    pub fn sees(&self, ray: &Ray, facet: u32) -> bool {
        if ray.leaves == NO_FACET || self.slender[ray.leaves as usize] {
            return true;
        }
        let slope = self.normals[ray.leaves as usize].dot(ray.direction);
        slope.abs() < FLAT || self.is_before(facet, ray.leaves, slope < 0.0)
    }

    /// Whether a corner of a facet is before the plane of another, seen from its front or its back.
    pub fn is_before(&self, facet: u32, other: u32, back: bool) -> bool {
        let normal = self.normals[other as usize];
        let on = Vec3::from(self.corners[other as usize][0]);
        self.corners[facet as usize].iter().any(|corner| {
            let height = normal.dot(Vec3::from(*corner) - on);
            (if back { -height } else { height }) > HIGHER * self.radius
        })
    }
}

/// Whether a facet has little area for its length.
pub fn is_slender(corners: &[[f64; 3]; 3]) -> bool {
    let [a, b, c] = corners.map(Vec3::from);
    let longest = [b - a, c - b, a - c].map(|side| side.dot(side)).into_iter().fold(0.0, f64::max);
    (b - a).cross(c - a).length() < SLENDER * longest
}

/// A facet among those of its block.
#[derive(Debug, Clone, Copy)]
pub struct Own {
    /// Number of the block; none if the facet is slender.
    block: u32,
    /// Facets of the block, one bit each, before its front and before its back.
    before: [u16; 2],
}

/// What is before facets of a block in that block.
#[derive(Debug, Clone, Copy)]
pub struct Before {
    block: u32,
    /// One bit each.
    facets: u32,
}

impl Default for Before {
    fn default() -> Self {
        Self { block: NONE, facets: 0 }
    }
}

impl Before {
    /// Of the facet that a ray leaves.
    #[inline(always)]
    pub fn new(facets: &Facets, owns: &[Own], ray: &Ray) -> Self {
        let Some(own) = owns.get(ray.leaves as usize) else { return Self::default() };
        let slope = facets.normals[ray.leaves as usize].dot(ray.direction);
        let block = if slope.abs() < FLAT { NONE } else { own.block };
        Self { block, facets: own.before[usize::from(slope < 0.0)].into() }
    }

    /// Facets of a block, one bit each, that are not known to be behind.
    #[inline(always)]
    pub fn of(&self, block: u32) -> u32 {
        if block == self.block { self.facets } else { u32::MAX }
    }
}

/// All facets in their blocks.
pub fn owns(facets: &Facets, blocks: &[Block]) -> Vec<Own> {
    let mut all = vec![Own { block: NONE, before: [0; 2] }; facets.len()];
    for (number, block) in blocks.iter().enumerate() {
        let members = || block.facets.into_iter().enumerate().filter(|(_, facet)| *facet != NO_FACET);
        for (_, facet) in members().filter(|(_, facet)| !facets.slender[*facet as usize]) {
            let before = [false, true].map(|back| {
                members()
                    .fold(0, |mask, (i, other)| mask | u16::from(facets.is_before(other, facet, back)) << i)
            });
            all[facet as usize] = Own { block: number as u32, before };
        }
    }
    all
}

/// Planes that rays leave.
#[derive(Debug, Clone, Copy, Default)]
pub struct Planes {
    /// Whether all rays leave one to which the rule applies.
    pub are: bool,
    /// Normals, towards the rays, are between these.
    least: [f32; 3],
    most: [f32; 3],
    /// Less their products with a point, m.
    least_from: [f32; 3],
    most_from: [f32; 3],
    /// How high that point is above the planes at most, and an error, m.
    above: f32,
    /// What is before them in their own block, if they have one.
    pub own: Before,
}

impl Planes {
    /// Those of a beam.
    #[inline(always)]
    pub fn new(facets: &Facets, owns: &[Own], rays: &Rays, alike: &Alike) -> Self {
        let none = Self::default();
        let origin = &rays.origin;
        let from = Vec3::new(origin[0][alike.start], origin[1][alike.start], origin[2][alike.start]);
        let (mut low, mut high) = (Vec3::splat(f64::INFINITY), Vec3::splat(f64::NEG_INFINITY));
        let (mut planes, mut above) = (none, f64::NEG_INFINITY);
        for Run { ray, .. } in &rays.runs[alike.run..alike.run + alike.runs] {
            let Some(own) = owns.get(ray.leaves as usize) else { return none };
            let normal = facets.normals[ray.leaves as usize];
            let slope = normal.dot(ray.direction);
            if own.block == NONE || slope.abs() < FLAT {
                return none;
            }
            let (normal, back) = if slope < 0.0 { (-normal, 1) } else { (normal, 0) };
            (low, high) = (low.min(normal), high.max(normal));
            above = most(above, normal.dot(from - Vec3::from(facets.corners[ray.leaves as usize][0])));
            planes.own.block = if planes.are && planes.own.block != own.block { NONE } else { own.block };
            planes.own.facets |= u32::from(own.before[back]);
            planes.are = true;
        }
        let (low, high, from) = (low.to_array(), high.to_array(), from.to_array());
        for axis in 0..3 {
            (planes.least[axis], planes.most[axis]) = (low[axis] as f32, high[axis] as f32);
            planes.least_from[axis] = (-low[axis] * from[axis]) as f32;
            planes.most_from[axis] = (-high[axis] * from[axis]) as f32;
        }
        planes.above = (above + WRONG * facets.radius) as f32;
        planes
    }

    /// Children of a node, one bit each, that are not behind.
    #[inline(always)]
    pub fn boxes<const FMA: bool>(&self, node: &WideNode) -> u32 {
        let face = |normal: f32, axis: usize| if normal > 0.0 { &node.high[axis] } else { &node.low[axis] };
        let faces = [0, 1, 2].map(|axis| [face(self.least[axis], axis), face(self.most[axis], axis)]);
        let mut met = [false; WIDTH];
        for i in 0..WIDTH {
            let mut height = self.above;
            for (axis, [flat, steep]) in faces.iter().enumerate() {
                height += most(
                    multiply_add::<f32, FMA>(self.least[axis], flat[i], self.least_from[axis]),
                    multiply_add::<f32, FMA>(self.most[axis], steep[i], self.most_from[axis]),
                );
            }
            met[i] = height >= 0.0;
        }
        bits(&met)
    }
}
