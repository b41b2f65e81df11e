//! Bounding volume hierarchy: built by the crate `obvhs` (PLOC with reinsertion), walked here.
//!
//! A node holds the boxes of both children in single precision, 64 bytes, so that one load decides both; cards walk through these, the processor, single rays ([`super::walk`]) and beams, through [`super::wide`]. Boxes are
//! enlarged by `PAD` radii, more than the rounding of single precision, so that a tree never misses what [`super::ray::brute_force`] finds.

use super::beam::Beam;
use super::before::{Own, owns};
use super::block::Block;
use super::facets::Facets;
use super::outlook::{self, Outlook};
use super::ray::{Hit, Ray};
use super::rays::{Alike, Rays};
use super::walk;
use super::wide::{self, Stack, WideNode, widened};
use numerics::simd::{Kernel, dispatch};
use numerics::vec3::Vec3;
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::bvh2::node::Bvh2Node;
use std::time::Duration;

/// Enlargement of boxes in radii of the target. Origins within [`REACH`] radii round by 4 x 2^-24 radii in single precision, and a distance to a face of up to
/// 5 radii by three roundings of 2^-24 each; the distance of a hit that it is compared with by one: together 1.43e-6.
pub const PAD: f64 = 1.5e-6;

/// Rays begin at most this many radii from the centre.
pub const REACH: f64 = 4.0;

/// Two children.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// Lower corners of both boxes, m.
    pub low: [[f32; 3]; 2],
    /// Upper corners of both boxes, m.
    pub high: [[f32; 3]; 2],
    /// Index of a node, or of the first facet of a leaf in [`Binary::order`].
    pub first: [u32; 2],
    /// Facets of a leaf; 0 for a node.
    pub count: [u32; 2],
}

/// The tree.
#[derive(Debug, Clone)]
pub struct Bvh {
    /// The root first.
    pub wide: Vec<WideNode>,
    /// Its leaves.
    pub blocks: Vec<Block>,
    /// All facets in them.
    pub(super) owns: Vec<Own>,
    /// What is before them, for small targets.
    pub(super) outlooks: Vec<Outlook>,
}

/// The tree with two children a node alone.
#[derive(Debug, Clone)]
pub struct Binary {
    /// The root first.
    pub nodes: Vec<Node>,
    /// Facets in the order of leaves.
    pub order: Vec<u32>,
}

impl Binary {
    /// The tree for a card, whose lanes test one facet after the other: two in a leaf at most.
    pub fn for_card(facets: &Facets) -> Self {
        let params = BvhBuildParams { max_prims_per_leaf: 2, ..BvhBuildParams::slow_build() };
        Self::new(&boxes(facets), params)
    }

    fn new(boxes: &[Aabb], params: BvhBuildParams) -> Self {
        let tree = build_bvh2(boxes, params, &mut Duration::ZERO.clone());
        Self { nodes: nodes(&tree.nodes), order: tree.primitive_indices }
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
}

/// Up to so many facets the best tree of the crate and what is before each of them take a second or two.
const QUICK: usize = 200_000;

fn good_tree() -> BvhBuildParams {
    BvhBuildParams { max_prims_per_leaf: 1, ..BvhBuildParams::very_slow_build() }
}

/// What casting needs beside the tree: kept, so that it is not made for every ray.
#[derive(Default)]
pub struct Scratch {
    stack: Stack,
    beam: Beam,
    /// Runs of rays that meet nothing.
    free: Vec<bool>,
}

impl Bvh {
    /// The tree of these facets.
    pub fn new(facets: &Facets) -> Self {
        let boxes = boxes(facets);
        let params = if facets.len() <= QUICK { good_tree() } else { BvhBuildParams::medium_build() };
        let Binary { nodes, order } = Binary::new(&boxes, params);
        let boxes: Vec<wide::Box3> = boxes.iter().map(|b| (b.min.to_array(), b.max.to_array())).collect();
        let (wide, blocks) = widened(facets, &nodes, &order, &boxes);
        let owns = owns(facets, &blocks);
        let tree = outlook::Tree { facets, wide: &wide, blocks: &blocks, boxes: &boxes };
        let outlooks = if facets.len() <= QUICK { tree.outlooks() } else { Vec::new() };
        Self { wide, blocks, owns, outlooks }
    }

    /// Bytes of the tree.
    pub fn bytes(&self) -> usize {
        size_of_val(self.wide.as_slice())
            + size_of_val(self.blocks.as_slice())
            + size_of_val(self.owns.as_slice())
            + size_of_val(self.outlooks.as_slice())
    }

    /// Whether a ray is known to meet nothing.
    #[inline(always)]
    pub(super) fn is_free(&self, facets: &Facets, ray: &Ray) -> bool {
        self.outlooks.get(ray.leaves as usize).is_some_and(|outlook| outlook.is_free(facets, ray))
    }

    /// The nearest facet along a ray that begins within [`REACH`] radii of the centre.
    pub fn nearest(&self, facets: &Facets, ray: &Ray, scratch: &mut Scratch) -> Hit {
        let mut hit = Hit::NONE;
        if self.is_free(facets, ray) {
            return hit;
        }
        dispatch(Single { bvh: self, facets, ray, hit: &mut hit, stack: &mut scratch.stack });
        hit
    }

    /// The nearest facets along rays, one each. Rays that follow each other go together where they are much alike.
    pub fn cast(&self, facets: &Facets, rays: &Rays, hits: &mut Vec<Hit>, scratch: &mut Scratch) {
        hits.clear();
        hits.resize(rays.len(), Hit::NONE);
        dispatch(Cast { bvh: self, facets, rays, hits, scratch });
    }
}

/// Beams of fewer rays than this are cast one by one; of rays that leave several facets there must be one more for each of these.
const FEW: usize = 3;

/// A ray to cast, and what it hits.
struct Single<'a> {
    bvh: &'a Bvh,
    facets: &'a Facets,
    ray: &'a Ray,
    hit: &'a mut Hit,
    stack: &'a mut Stack,
}

impl Kernel for Single<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        *self.hit = walk::nearest::<FMA>(self.bvh, self.facets, self.ray, self.stack);
    }
}

/// Rays to cast, and what they hit.
struct Cast<'a> {
    bvh: &'a Bvh,
    facets: &'a Facets,
    rays: &'a Rays,
    hits: &'a mut [Hit],
    scratch: &'a mut Scratch,
}

impl Kernel for Cast<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let Self { bvh, facets, rays, hits, scratch: Scratch { stack, beam, free } } = self;
        free.clear();
        free.extend(rays.runs.iter().map(|run| bvh.is_free(facets, &run.ray)));
        let (mut start, mut run) = (0, 0);
        while start < rays.len() {
            if free[run] {
                (start, run) = (rays.runs[run].end, run + 1);
                continue;
            }
            let alike = Alike::new(rays, start, run, free);
            let end = start + alike.count;
            if alike.count < FEW + alike.runs - 1 {
                for (index, hit) in hits.iter_mut().enumerate().take(end).skip(start) {
                    run += usize::from(rays.runs[run].end <= index);
                    *hit = walk::nearest::<FMA>(bvh, facets, &rays.get(run, index), stack);
                }
            } else {
                beam.load(bvh, facets, rays, &alike);
                beam.cast::<FMA>(bvh, (facets, rays), stack);
                beam.give(hits);
            }
            while run < rays.runs.len() && rays.runs[run].end <= end {
                run += 1;
            }
            start = end;
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

/// Enlarged boxes of all facets.
fn boxes(facets: &Facets) -> Vec<Aabb> {
    (0..facets.len()).map(|facet| padded(facets, facet)).collect()
}

fn padded(facets: &Facets, facet: usize) -> Aabb {
    let pad = Vec3::splat(PAD * facets.radius);
    let (low, high) = facets.bounds(facet);
    let single = |corner: Vec3| corner.to_array().map(|x| x as f32);
    Aabb::new(single(low - pad).into(), single(high + pad).into())
}
