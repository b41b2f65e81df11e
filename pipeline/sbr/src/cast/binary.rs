//! The hierarchy with two children a node, built by the crate `obvhs` (PLOC with reinsertion). GPUs traverse
//! it as it is.

use super::node::{BinaryNode, PADDING_RADII};
use crate::facets::Facets;
use numerics::vec3::Vec3;
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::bvh2::node::Bvh2Node;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct BinaryBvh {
    /// Nodes, the root first.
    pub nodes: Vec<BinaryNode>,
    /// Facets in the order of leaves.
    pub order: Vec<u32>,
}

impl BinaryBvh {
    /// The hierarchy for a GPU, whose lanes test one facet after the other: leaves of at most two.
    pub fn for_gpu(facets: &Facets) -> Self {
        let params = BvhBuildParams { max_prims_per_leaf: 2, ..BvhBuildParams::slow_build() };
        Self::new(&padded_boxes(facets), params)
    }

    /// The hierarchy of facets with these boxes.
    pub fn new(boxes: &[Aabb], params: BvhBuildParams) -> Self {
        let tree = build_bvh2(boxes, params, &mut Duration::ZERO.clone());
        Self { nodes: nodes(&tree.nodes), order: tree.primitive_indices }
    }

    /// Largest number of nodes from the root to a leaf, which bounds the stack of a traversal.
    pub fn depth(&self) -> usize {
        let (mut deepest, mut stack) = (1, vec![(0, 1)]);
        while let Some((node, depth)) = stack.pop() {
            deepest = deepest.max(depth);
            let BinaryNode { first, count, .. } = self.nodes[node as usize];
            stack.extend((0..2).filter(|child| count[*child] == 0).map(|child| (first[child], depth + 1)));
        }
        deepest
    }
}

/// Nodes that hold the boxes of their children, from those of `obvhs`.
fn nodes(tree: &[Bvh2Node]) -> Vec<BinaryNode> {
    let mut nodes = Vec::with_capacity(tree.len() / 2 + 1);
    let root = tree[0];
    if root.is_leaf() {
        // Two halves, which are the same facet where there is only one.
        let (low, high) = (root.aabb().min.to_array(), root.aabb().max.to_array());
        let half = root.prim_count.div_ceil(2);
        let first = [root.first_index, root.first_index + root.prim_count - half];
        nodes.push(BinaryNode { low: [low; 2], high: [high; 2], first, count: [half; 2] });
        return nodes;
    }
    // Inner nodes are numbered breadth first.
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
        nodes.push(BinaryNode {
            low: children.map(|child| child.aabb().min.to_array()),
            high: children.map(|child| child.aabb().max.to_array()),
            first: number,
            count: children.map(|child| child.prim_count),
        });
    }
    nodes
}

pub fn padded_boxes(facets: &Facets) -> Vec<Aabb> {
    let pad = Vec3::splat(PADDING_RADII * facets.radius);
    let single = |corner: Vec3| corner.to_array().map(|x| x as f32);
    let padded = |facet: usize| {
        let (low, high) = facets.bounds(facet);
        Aabb::new(single(low - pad).into(), single(high + pad).into())
    };
    (0..facets.len()).map(padded).collect()
}
