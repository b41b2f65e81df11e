//! One ray through the hierarchy, sixteen boxes and sixteen facets at a time: cheaper than a packet of one or
//! two rays.

use super::block::BLOCK;
use super::bvh::Bvh;
use super::half_space::OwnBlock;
use super::node::{self, IS_BLOCK, Stack};
use super::ray::{Hit, Ray};
use super::single::BlockRay;
use super::slabs::Slabs;
use crate::facets::Facets;

#[inline(always)]
pub fn nearest<const FMA: bool>(bvh: &Bvh, facets: &Facets, ray: &Ray, stack: &mut Stack) -> Hit {
    let (slabs, block_ray) = (Slabs::new(&ray.origin, &ray.direction), BlockRay::new(ray));
    let own = OwnBlock::new(facets, &bvh.members, ray);
    let mut nearest = Hit::NONE;
    stack.clear();
    stack.push((0, 0.0));
    while let Some((child, near)) = stack.pop() {
        if f64::from(near) > nearest.distance {
            continue;
        }
        if child & IS_BLOCK == 0 {
            let node = &bvh.nodes[child as usize];
            let (nears, hit) = slabs.hits(node, nearest.distance as f32);
            node::push(stack, node, &nears, hit);
            continue;
        }
        let number = child & !IS_BLOCK;
        let in_front = own.mask(number);
        if in_front == 0 {
            continue;
        }
        let block = &bvh.blocks[number as usize];
        let mut left = block_ray.hits::<FMA>(block) & in_front;
        while left != 0 {
            let facet = block.facets[left.trailing_zeros() as usize % BLOCK];
            left &= left - 1;
            ray.test(facets, facet, &mut nearest);
        }
    }
    nearest
}
