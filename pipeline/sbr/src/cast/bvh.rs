//! The hierarchy that CPUs traverse: sixteen children a node, blocks of sixteen facets as leaves.

use super::binary::{BinaryBvh, padded_boxes};
use super::block::Block;
use super::collapse::collapsed;
use super::escape::{Displacements, Parts};
use super::half_space::Member;
use super::node::{Box3, WideNode};
use super::ray::Ray;
use crate::facets::Facets;
use obvhs::BvhBuildParams;

/// Most facets for which the best hierarchy of `obvhs` and all displacements are made, which takes a second
/// or two.
const MAX_FACETS_OF_BEST: usize = 200_000;

/// A bounding volume hierarchy.
#[derive(Debug, Clone)]
pub struct Bvh {
    /// Nodes, the root first.
    pub(super) nodes: Vec<WideNode>,
    pub(super) blocks: Vec<Block>,
    pub(super) members: Vec<Member>,
    /// Displacements of all facets; none for large targets.
    pub(super) displacements: Vec<Displacements>,
}

impl Bvh {
    /// The hierarchy of these facets.
    pub fn new(facets: &Facets) -> Self {
        let boxes = padded_boxes(facets);
        let is_small = facets.len() <= MAX_FACETS_OF_BEST;
        let params = if is_small {
            BvhBuildParams { max_prims_per_leaf: 1, ..BvhBuildParams::very_slow_build() }
        } else {
            BvhBuildParams::medium_build()
        };
        let binary = BinaryBvh::new(&boxes, params);
        let boxes: Vec<Box3> = boxes.iter().map(|b| (b.min.to_array(), b.max.to_array())).collect();
        let (nodes, blocks) = collapsed(facets, &binary, &boxes);
        drop(binary);
        let members = Member::all(facets, &blocks);
        let parts = Parts { facets, boxes: &boxes, nodes: &nodes, blocks: &blocks };
        let displacements = if is_small { parts.displacements() } else { Vec::new() };
        Self { nodes, blocks, members, displacements }
    }

    /// Number of nodes with sixteen children.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Memory of the hierarchy, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice())
            + size_of_val(self.blocks.as_slice())
            + size_of_val(self.members.as_slice())
            + size_of_val(self.displacements.as_slice())
    }

    /// Whether a ray is known to hit nothing.
    #[inline(always)]
    pub(super) fn escapes(&self, facets: &Facets, ray: &Ray) -> bool {
        self.displacements.get(ray.leaves as usize).is_some_and(|boxes| boxes.escapes(facets, ray))
    }
}
