//! One ray on its own through the hierarchy of boxes, sixteen boxes and sixteen facets at a time: what a beam of a few would pay for in vain.
//!
//! Boxes are met in single precision, and padded for that, see [`super::bvh`]. Facets that the ray may meet are found in single precision, too, see [`super::block::single`], and tested exactly.

use super::beam::{least, most};
use super::before::Before;
use super::block::BLOCK;
use super::block::single::Line;
use super::bvh::Bvh;
use super::facets::Facets;
use super::lanes::bits;
use super::ray::{Hit, Ray};
use super::wide::{self, Box3, IS_BLOCK, Stack, WIDTH, WideNode};
use numerics::vec3::Vec3;

/// Slopes below this are taken for it, so that no face is at 0 times infinity.
const LEAST_SLOPE: f32 = 1e-18;

/// A ray in single precision.
pub struct Slabs {
    origin: [f32; 3],
    inverse: [f32; 3],
}

impl Slabs {
    #[inline(always)]
    fn new(origin: &Vec3, direction: &Vec3) -> Self {
        let slope = |x: f64| {
            let x = x as f32;
            if x.abs() < LEAST_SLOPE { LEAST_SLOPE.copysign(x) } else { x }
        };
        Self {
            origin: origin.to_array().map(|x| x as f32),
            inverse: direction.to_array().map(|x| 1.0 / slope(x)),
        }
    }

    /// From 0 along a direction.
    #[inline(always)]
    pub fn towards(direction: Vec3) -> Self {
        Self::new(&Vec3::ZERO, &direction)
    }

    /// Whether it meets a box.
    #[inline(always)]
    pub fn meets(&self, (low, high): &Box3) -> bool {
        let (mut near, mut end) = (0.0, f32::INFINITY);
        for axis in 0..3 {
            let [a, b] = [low[axis], high[axis]].map(|face| face * self.inverse[axis]);
            let (front, back) = if self.inverse[axis] < 0.0 { (b, a) } else { (a, b) };
            (near, end) = (most(near, front), least(end, back));
        }
        near <= end
    }

    /// Where the ray enters the boxes of children, or 0 inside them, and one bit of each that it meets before `far`.
    #[inline(always)]
    fn enters(&self, node: &WideNode, far: f32) -> ([f32; WIDTH], u32) {
        let faces = |axis: usize| {
            let (low, high) = (&node.low[axis], &node.high[axis]);
            if self.inverse[axis] < 0.0 { (high, low) } else { (low, high) }
        };
        let faces = [faces(0), faces(1), faces(2)];
        let (mut nears, mut met) = ([0.0; WIDTH], [false; WIDTH]);
        for i in 0..WIDTH {
            let (mut near, mut end) = (0.0, far);
            for (axis, (front, back)) in faces.iter().enumerate() {
                let at = |face: f32| (face - self.origin[axis]) * self.inverse[axis];
                // In this order nothing is what is found where there is no child.
                near = most(near, at(front[i]));
                end = least(end, at(back[i]));
            }
            (nears[i], met[i]) = (near, near <= end);
        }
        (nears, bits(&met))
    }
}

/// The nearest facet along a ray that begins within [`super::bvh::REACH`] radii of the centre.
#[inline(always)]
pub fn nearest<const FMA: bool>(bvh: &Bvh, facets: &Facets, ray: &Ray, stack: &mut Stack) -> Hit {
    let (slabs, line) = (Slabs::new(&ray.origin, &ray.direction), Line::new(ray));
    let own = Before::new(facets, &bvh.owns, ray);
    let mut hit = Hit::NONE;
    stack.clear();
    stack.push((0, 0.0));
    while let Some((child, enters)) = stack.pop() {
        if f64::from(enters) > hit.distance {
            continue;
        }
        if child & IS_BLOCK == 0 {
            let node = &bvh.wide[child as usize];
            let (nears, met) = slabs.enters(node, hit.distance as f32);
            wide::push(stack, node, &nears, met);
            continue;
        }
        let number = child & !IS_BLOCK;
        let before = own.of(number);
        if before == 0 {
            continue;
        }
        let block = &bvh.blocks[number as usize];
        let mut met = line.pierces::<FMA>(block) & before;
        while met != 0 {
            let facet = block.facets[met.trailing_zeros() as usize % BLOCK];
            met &= met - 1;
            ray.test(facets, facet, &mut hit);
        }
    }
    hit
}
