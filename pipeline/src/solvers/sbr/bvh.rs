//! Bounding volume hierarchy: built by the crate `obvhs` (PLOC with reinsertion), walked here.
//!
//! A node holds the boxes of both children in single precision, 64 bytes, so that one load decides both. Boxes are enlarged by
//! `PAD` radii, more than the rounding of single precision, so that a tree never misses what [`super::ray::brute_force`] finds.

use super::facets::Facets;
use super::ray::{Hit, Ray};
use crate::vec3::Vec3;
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::builder::build_bvh2;
use std::time::Duration;

/// Enlargement of boxes in radii of the target. Origins within [`REACH`] radii round by 4 x 2^-25 radii in single precision, and a distance to a face of up to
/// 5 radii by three roundings of 2^-24 each: together 1.02e-6.
const PAD: f64 = 1.5e-6;

/// Rays begin at most this many radii from the centre.
pub const REACH: f64 = 4.0;

/// Directions are kept this far from zero, so that their inverses are finite.
const LEAST_SLOPE: f32 = 1e-18;

/// Two children.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// Lower corners of both boxes, m.
    pub low: [[f32; 3]; 2],
    /// Upper corners of both boxes, m.
    pub high: [[f32; 3]; 2],
    /// Index of a node, or of the first facet of a leaf in [`Bvh::order`].
    pub first: [u32; 2],
    /// Facets of a leaf; 0 for a node.
    pub count: [u32; 2],
}

/// The tree.
#[derive(Debug, Clone)]
pub struct Bvh {
    /// The root first.
    pub nodes: Vec<Node>,
    /// Facets in the order of leaves.
    pub order: Vec<u32>,
}

/// Nodes still to visit, with the distance of their boxes.
pub type Stack = Vec<(u32, u32, f32)>;

impl Bvh {
    /// The tree of these facets.
    pub fn new(facets: &Facets) -> Self {
        let boxes: Vec<Aabb> = (0..facets.len()).map(|facet| padded(facets, facet)).collect();
        let tree = build_bvh2(&boxes, BvhBuildParams::medium_build(), &mut Duration::ZERO.clone());
        let mut bvh =
            Self { nodes: Vec::with_capacity(tree.nodes.len() / 2 + 1), order: tree.primitive_indices };
        let root = tree.nodes[0];
        if root.is_leaf() {
            // Two halves, which are the same facet where there is only one.
            let (low, high) = (root.aabb().min.to_array(), root.aabb().max.to_array());
            let half = root.prim_count.div_ceil(2);
            let first = [root.first_index, root.first_index + root.prim_count - half];
            bvh.nodes.push(Node { low: [low; 2], high: [high; 2], first, count: [half; 2] });
            return bvh;
        }
        // Inner nodes get their numbers in the order in which they are found.
        let mut inner = vec![root.first_index];
        while bvh.nodes.len() < inner.len() {
            let first = inner[bvh.nodes.len()] as usize;
            let children = [tree.nodes[first], tree.nodes[first + 1]];
            let number = children.map(|child| {
                if child.is_leaf() {
                    return child.first_index;
                }
                inner.push(child.first_index);
                (inner.len() - 1) as u32
            });
            bvh.nodes.push(Node {
                low: children.map(|child| child.aabb().min.to_array()),
                high: children.map(|child| child.aabb().max.to_array()),
                first: number,
                count: children.map(|child| child.prim_count),
            });
        }
        bvh
    }

    /// Most nodes on a way from the root to a leaf: as many may wait on a walk.
    pub fn depth(&self) -> usize {
        let (mut deepest, mut waiting) = (1, vec![(0, 1)]);
        while let Some((node, depth)) = waiting.pop() {
            deepest = deepest.max(depth);
            let Node { first, count, .. } = self.nodes[node as usize];
            waiting.extend((0..2).filter(|child| count[*child] == 0).map(|child| (first[child], depth + 1)));
        }
        deepest
    }

    /// Bytes of the tree.
    pub fn bytes(&self) -> usize {
        std::mem::size_of_val(self.nodes.as_slice()) + std::mem::size_of_val(self.order.as_slice())
    }

    /// The nearest facet along a ray that begins within [`REACH`] radii of the centre.
    pub fn nearest(&self, facets: &Facets, ray: &Ray, stack: &mut Stack) -> Hit {
        let slabs = Slabs::new(ray);
        let mut hit = Hit::NONE;
        stack.clear();
        stack.push((0, 0, 0.0));
        while let Some((first, count, enters)) = stack.pop() {
            if f64::from(enters) > hit.distance {
                continue;
            }
            if count > 0 {
                let leaf = &self.order[first as usize..(first + count) as usize];
                leaf.iter().for_each(|facet| ray.test(facets, *facet, &mut hit));
                continue;
            }
            let node = &self.nodes[first as usize];
            let [a, b] = [0, 1].map(|child| slabs.enters(&node.low[child], &node.high[child]));
            let entry = |child: usize, enters| (node.first[child], node.count[child], enters);
            // The nearer one is visited first.
            match (a, b) {
                (Some(a), Some(b)) if a <= b => stack.extend([entry(1, b), entry(0, a)]),
                (Some(a), Some(b)) => stack.extend([entry(0, a), entry(1, b)]),
                (Some(a), None) => stack.push(entry(0, a)),
                (None, Some(b)) => stack.push(entry(1, b)),
                (None, None) => {}
            }
        }
        hit
    }
}

fn padded(facets: &Facets, facet: usize) -> Aabb {
    let pad = Vec3::splat(PAD * facets.radius);
    let (low, high) = facets.bounds(facet);
    let single = |corner: Vec3| corner.to_array().map(|x| x as f32);
    Aabb::new(single(low - pad).into(), single(high + pad).into())
}

/// A ray in single precision, for boxes.
struct Slabs {
    origin: [f32; 3],
    inverse: [f32; 3],
}

impl Slabs {
    fn new(ray: &Ray) -> Self {
        let slope = |x: f64| {
            let x = x as f32;
            if x.abs() < LEAST_SLOPE { LEAST_SLOPE.copysign(x) } else { x }
        };
        Self {
            origin: ray.origin.to_array().map(|x| x as f32),
            inverse: ray.direction.to_array().map(|x| 1.0 / slope(x)),
        }
    }

    /// Where the ray enters a box, or 0 inside it.
    #[inline]
    fn enters(&self, low: &[f32; 3], high: &[f32; 3]) -> Option<f32> {
        let (mut near, mut far) = (0f32, f32::INFINITY);
        for axis in 0..3 {
            let a = (low[axis] - self.origin[axis]) * self.inverse[axis];
            let b = (high[axis] - self.origin[axis]) * self.inverse[axis];
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near <= far).then_some(near)
    }
}
