//! The half-space rule: a ray that leaves a facet hits only facets with a corner in front of the plane of
//! that facet.
//!
//! The rule is a part of the exact test, [`Ray::may_hit`]: facets behind the plane that the ray would hit by
//! rounding are refused. Trees skip whole boxes behind the plane, and so find the same hits as a test of all
//! facets. The rule holds unless the ray is grazing or leaves a sliver. Lemmas 7 and 8 show that it refuses
//! nothing that is there, and that the filter in single precision, which does not ask for it, takes nothing
//! that breaks it.

use super::block::Block;
use super::interval::{bit_mask, max};
use super::node::{WIDTH, WideNode};
use super::ray::{GRAZING_SINE, Ray};
use super::rays::{Rays, Run, Span};
use crate::facets::{Facets, NO_FACET};
use numerics::simd::multiply_add;
use numerics::vec3::Vec3;

#[cfg(test)]
pub(super) mod tests;

/// Bound on the error of the height of a box over a plane, in radii of the target: three products of 2 R are
/// rounded four times, and three sums of less than 8 R and their first term once, together 38 x 2^-24.
const HEIGHT_ERROR_RADII: f64 = 1.0 / (1 << 18) as f64;

const NO_BLOCK: u32 = u32::MAX;

/// A facet among those of its block.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Number of the block, or [`NO_BLOCK`] if the facet is a sliver.
    block: u32,
    /// Bit masks of the facets of the block in front of the facet, and behind it.
    in_front: [u16; 2],
}

impl Member {
    pub fn all(facets: &Facets, blocks: &[Block]) -> Vec<Self> {
        let mut all = vec![Self { block: NO_BLOCK, in_front: [0; 2] }; facets.len()];
        for (number, block) in blocks.iter().enumerate() {
            let members = || block.facets.into_iter().enumerate().filter(|(_, facet)| *facet != NO_FACET);
            for (_, facet) in members().filter(|(_, facet)| !facets.is_sliver[*facet as usize]) {
                let in_front = [false, true].map(|back| {
                    members().fold(0, |mask, (i, other)| {
                        mask | u16::from(facets.is_in_front(other, facet, back)) << i
                    })
                });
                all[facet as usize] = Self { block: number as u32, in_front };
            }
        }
        all
    }
}

/// What rays may hit in the block that holds the facets which they leave.
#[derive(Debug, Clone, Copy)]
pub struct OwnBlock {
    block: u32,
    /// Bit mask of its facets.
    in_front: u32,
}

impl Default for OwnBlock {
    fn default() -> Self {
        Self { block: NO_BLOCK, in_front: 0 }
    }
}

impl OwnBlock {
    /// The block of the facet that a ray leaves.
    #[inline(always)]
    pub fn new(facets: &Facets, members: &[Member], ray: &Ray) -> Self {
        let Some(own) = members.get(ray.leaves as usize) else { return Self::default() };
        let slope = facets.normals[ray.leaves as usize].dot(ray.direction);
        let block = if slope.abs() < GRAZING_SINE { NO_BLOCK } else { own.block };
        Self { block, in_front: own.in_front[usize::from(slope < 0.0)].into() }
    }

    /// Bit mask of the facets of any block that the rule does not exclude.
    #[inline(always)]
    pub fn mask(&self, block: u32) -> u32 {
        if block == self.block { self.in_front } else { u32::MAX }
    }
}

/// The half-spaces of the rays of a packet: intervals of normals and of offsets of planes.
#[derive(Debug, Clone, Copy, Default)]
pub struct HalfSpaces {
    /// Whether the rule holds for all rays.
    pub hold: bool,
    /// Smallest and largest components of the normals, which point towards the rays.
    normal_min: [f32; 3],
    normal_max: [f32; 3],
    /// Their negative products with a point of reference, m.
    offset_min: [f32; 3],
    offset_max: [f32; 3],
    /// Largest height of that point over the planes, and the bound on the error of heights, m.
    height: f32,
    /// The block of the facets that rays leave, if they have one in common.
    pub own: OwnBlock,
}

impl HalfSpaces {
    #[inline(always)]
    pub fn new(facets: &Facets, members: &[Member], rays: &Rays, span: &Span) -> Self {
        let none = Self::default();
        let origin = &rays.origin;
        let from = Vec3::new(origin[0][span.start], origin[1][span.start], origin[2][span.start]);
        let (mut low, mut high) = (Vec3::splat(f64::INFINITY), Vec3::splat(f64::NEG_INFINITY));
        let (mut all, mut height) = (none, f64::NEG_INFINITY);
        for Run { ray, .. } in &rays.runs[span.run..span.run + span.runs] {
            let Some(own) = members.get(ray.leaves as usize) else { return none };
            let normal = facets.normals[ray.leaves as usize];
            let slope = normal.dot(ray.direction);
            if own.block == NO_BLOCK || slope.abs() < GRAZING_SINE {
                return none;
            }
            let (normal, back) = if slope < 0.0 { (-normal, 1) } else { (normal, 0) };
            (low, high) = (low.min(normal), high.max(normal));
            height = max(height, normal.dot(from - Vec3::from(facets.corners[ray.leaves as usize][0])));
            all.own.block = if all.hold && all.own.block != own.block { NO_BLOCK } else { own.block };
            all.own.in_front |= u32::from(own.in_front[back]);
            all.hold = true;
        }
        let (low, high, from) = (low.to_array(), high.to_array(), from.to_array());
        for axis in 0..3 {
            (all.normal_min[axis], all.normal_max[axis]) = (low[axis] as f32, high[axis] as f32);
            all.offset_min[axis] = (-low[axis] * from[axis]) as f32;
            all.offset_max[axis] = (-high[axis] * from[axis]) as f32;
        }
        all.height = (height + HEIGHT_ERROR_RADII * facets.radius) as f32;
        all
    }

    /// Bit mask of the children of a node whose boxes reach in front of any of the planes.
    #[inline(always)]
    pub fn hits<const FMA: bool>(&self, node: &WideNode) -> u32 {
        let face = |normal: f32, axis: usize| if normal > 0.0 { &node.high[axis] } else { &node.low[axis] };
        let faces =
            [0, 1, 2].map(|axis| [face(self.normal_min[axis], axis), face(self.normal_max[axis], axis)]);
        let mut hit = [false; WIDTH];
        for i in 0..WIDTH {
            let mut height = self.height;
            for (axis, [flat, steep]) in faces.iter().enumerate() {
                height += max(
                    multiply_add::<f32, FMA>(self.normal_min[axis], flat[i], self.offset_min[axis]),
                    multiply_add::<f32, FMA>(self.normal_max[axis], steep[i], self.offset_max[axis]),
                );
            }
            hit[i] = height >= 0.0;
        }
        bit_mask(&hit)
    }
}
