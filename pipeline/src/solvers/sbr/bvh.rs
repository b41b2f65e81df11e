//! Bounding volume hierarchy: built by the crate `obvhs` (PLOC with reinsertion), walked here.
//!
//! A node holds the boxes of both children in single precision, 64 bytes, so that one load decides both; cards walk through these, processors through [`super::wide`]. Boxes are
//! enlarged by `PAD` radii, more than the rounding of single precision, so that a tree never misses what [`super::ray::brute_force`] finds.

use super::beam::{self, Beam, least, most};
use super::facets::Facets;
use super::ray::{Hit, Ray};
use super::wide::{self, FACET, Stack, WIDTH, WideNode, widened};
use crate::simd::{Kernel, dispatch};
use crate::vec3::Vec3;
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::bvh2::node::Bvh2Node;
use std::time::Duration;

/// Enlargement of boxes in radii of the target. Origins within [`REACH`] radii round by 4 x 2^-25 radii in single precision, and a distance to a face of up to
/// 5 radii by three roundings of 2^-24 each; the distance of a hit that it is compared with by one of 2^-25: together 1.17e-6.
const PAD: f64 = 1.5e-6;

/// Rays begin at most this many radii from the centre.
pub const REACH: f64 = 4.0;

/// Directions are kept this far from zero, so that their inverses are finite.
const LEAST_SLOPE: f32 = 1e-18;

/// Fewer rays go one by one.
const LEAST_BEAM: usize = 3;

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
    /// The same tree, eight wide.
    pub wide: Vec<WideNode>,
}

/// What casting needs beside the tree: kept, so that it is not made for every ray.
#[derive(Default)]
pub struct Scratch {
    stack: Stack,
    beam: Beam,
}

impl Bvh {
    /// The tree of these facets.
    pub fn new(facets: &Facets) -> Self {
        let boxes: Vec<Aabb> = (0..facets.len()).map(|facet| padded(facets, facet)).collect();
        let tree = build_bvh2(&boxes, BvhBuildParams::medium_build(), &mut Duration::ZERO.clone());
        let (nodes, order) = (nodes(&tree.nodes), tree.primitive_indices);
        let boxes: Vec<wide::Box3> = boxes.iter().map(|b| (b.min.to_array(), b.max.to_array())).collect();
        Self { wide: widened(&nodes, &order, &boxes), nodes, order }
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
        size_of_val(self.nodes.as_slice())
            + size_of_val(self.order.as_slice())
            + size_of_val(self.wide.as_slice())
    }

    /// The nearest facet along a ray that begins within [`REACH`] radii of the centre.
    pub fn nearest(&self, facets: &Facets, ray: &Ray, scratch: &mut Scratch) -> Hit {
        let mut hit = Hit::NONE;
        dispatch(Cast {
            bvh: self,
            facets,
            rays: std::slice::from_ref(ray),
            scratch,
            hit: |found| hit = found,
        });
        hit
    }

    /// The nearest facets along rays, one each. Rays that follow each other go together where they are much alike.
    pub fn cast(&self, facets: &Facets, rays: &[Ray], hits: &mut Vec<Hit>, scratch: &mut Scratch) {
        hits.clear();
        dispatch(Cast { bvh: self, facets, rays, scratch, hit: |found| hits.push(found) });
    }

    #[inline(always)]
    fn walk(&self, facets: &Facets, ray: &Ray, stack: &mut Stack) -> Hit {
        let slabs = Slabs::new(ray);
        let mut hit = Hit::NONE;
        stack.clear();
        stack.push((0, 0.0));
        while let Some((child, enters)) = stack.pop() {
            if f64::from(enters) > hit.distance {
                continue;
            }
            if child & FACET != 0 {
                ray.test(facets, child & !FACET, &mut hit);
                continue;
            }
            let node = &self.wide[child as usize];
            wide::push(stack, node, &slabs.enters(node, hit.distance as f32));
        }
        hit
    }
}

/// Rays to cast, and who is told what they hit.
struct Cast<'a, F> {
    bvh: &'a Bvh,
    facets: &'a Facets,
    rays: &'a [Ray],
    scratch: &'a mut Scratch,
    hit: F,
}

impl<F: FnMut(Hit)> Kernel for Cast<'_, F> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(mut self) {
        let Scratch { stack, beam } = self.scratch;
        let mut rays = self.rays;
        while !rays.is_empty() {
            let (now, later) = rays.split_at(beam::alike(rays));
            rays = later;
            if now.len() < LEAST_BEAM {
                for ray in now {
                    (self.hit)(self.bvh.walk(self.facets, ray, stack));
                }
                continue;
            }
            beam.load(self.facets, now);
            beam.cast(self.bvh, self.facets, stack);
            for ray in 0..now.len() {
                (self.hit)(beam.hit(ray));
            }
        }
    }
}

/// The nodes of a tree of the crate, each with the boxes of its children.
fn nodes(tree: &[Bvh2Node]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(tree.len() / 2 + 1);
    let root = tree[0];
    if root.is_leaf() {
        // Two halves, which are the same facet where there is only one.
        let (low, high) = (root.aabb().min.to_array(), root.aabb().max.to_array());
        let half = root.prim_count.div_ceil(2);
        let first = [root.first_index, root.first_index + root.prim_count - half];
        nodes.push(Node { low: [low; 2], high: [high; 2], first, count: [half; 2] });
        return nodes;
    }
    // Inner nodes get their numbers in the order in which they are found.
    let mut inner = vec![root.first_index];
    while nodes.len() < inner.len() {
        let first = inner[nodes.len()] as usize;
        let children = [tree[first], tree[first + 1]];
        let number = children.map(|child| {
            if child.is_leaf() {
                return child.first_index;
            }
            inner.push(child.first_index);
            (inner.len() - 1) as u32
        });
        nodes.push(Node {
            low: children.map(|child| child.aabb().min.to_array()),
            high: children.map(|child| child.aabb().max.to_array()),
            first: number,
            count: children.map(|child| child.prim_count),
        });
    }
    nodes
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

    /// Where the ray enters the boxes of a node's children, or 0 inside one; infinite for those that it misses or meets beyond `far`.
    #[inline(always)]
    fn enters(&self, node: &WideNode, far: f32) -> [f32; WIDTH] {
        let mut nears = [f32::INFINITY; WIDTH];
        for (i, to) in nears.iter_mut().enumerate() {
            let (mut near, mut far) = (0f32, far);
            for axis in 0..3 {
                let a = (node.low[axis][i] - self.origin[axis]) * self.inverse[axis];
                let b = (node.high[axis][i] - self.origin[axis]) * self.inverse[axis];
                near = most(near, least(a, b));
                far = least(far, most(a, b));
            }
            *to = if (near <= far) & ((i as u32) < node.children) { near } else { f32::INFINITY };
        }
        nears
    }
}
