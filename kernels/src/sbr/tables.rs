//! What the host sends: the tree and facets of a target.

use crate::error::Error;

/// A leaf's reference has this bit, its facets less one, and its first facet.
const LEAF: u32 = 1 << 31;
const FIRST_BITS: u32 = 27;
/// Most facets of a leaf.
pub const LEAF_FACETS: usize = 16;

/// The tree as kernels read it.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// Both boxes of a node and the bits of its references, 16 numbers.
    pub(super) nodes: Vec<f32>,
    /// Corners of facets in the order of leaves.
    pub corners: Vec<[[f64; 3]; 3]>,
    /// Unit normals, in the same order.
    pub normals: Vec<[f64; 3]>,
    /// Numbers of facets in the host's order.
    pub numbers: Vec<u32>,
}

/// A child: its box, and where it leads.
#[derive(Debug, Clone, Copy)]
pub struct Child {
    /// Lower corner.
    pub low: [f32; 3],
    /// Upper corner.
    pub high: [f32; 3],
    /// Number of a node, or of the first facet of a leaf.
    pub first: u32,
    /// Facets of a leaf, at most [`LEAF_FACETS`]; 0: a node.
    pub count: u32,
}

impl Tables {
    /// Adds a node; the first one is the root.
    pub fn push(&mut self, children: [Child; 2]) -> Result<(), Error> {
        for child in &children {
            if child.count as usize > LEAF_FACETS || child.first >> FIRST_BITS != 0 {
                return Err(Error::Size { what: "facets of a leaf", value: child.count as usize });
            }
        }
        let [a, b] = children;
        let [(al, ah), (bl, bh)] = [(a.low, a.high), (b.low, b.high)];
        self.nodes
            .extend([al[0], ah[0], al[1], ah[1], bl[0], bh[0], bl[1], bh[1], al[2], ah[2], bl[2], bh[2]]);
        let reference = |child: &Child| match child.count {
            0 => child.first,
            count => LEAF | (count - 1) << FIRST_BITS | child.first,
        };
        self.nodes.extend([reference(&a), reference(&b), 0, 0].map(f32::from_bits));
        Ok(())
    }
}
