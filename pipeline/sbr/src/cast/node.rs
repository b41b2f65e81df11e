//! Nodes of the hierarchy, and the stack of a traversal.

use super::interval::{ROW, Row, bit_mask};

/// Padding of boxes, in radii of the target: more than the rounding of box tests in single precision.
/// Coordinates of origins, which are within 4 radii of the centre, round by 4 x 2^-24 radii, a distance to a
/// face of up to 5 radii by three times 2^-24 each, and the distance of the hit that it is compared with by
/// one: together 1.43e-6 radii.
pub const PADDING_RADII: f64 = 1.5e-6;

/// Lower and upper corner of a box, m.
pub type Box3 = ([f32; 3], [f32; 3]);

/// The smallest box that holds two others.
pub fn union(a: Box3, b: Box3) -> Box3 {
    let each = |pick: fn(f32, f32) -> f32, a: [f32; 3], b: [f32; 3]| [0, 1, 2].map(|i| pick(a[i], b[i]));
    (each(f32::min, a.0, b.0), each(f32::max, a.1, b.1))
}

/// A node with two children: 64 bytes, so that one load has the boxes of both. GPUs traverse these.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct BinaryNode {
    /// Lower corners of both boxes, m.
    pub low: [[f32; 3]; 2],
    /// Upper corners of both boxes, m.
    pub high: [[f32; 3]; 2],
    /// Index of a node, or of the first facet of a leaf in the order of leaves.
    pub first: [u32; 2],
    /// Number of facets of a leaf; 0 for a node.
    pub count: [u32; 2],
}

/// Children of a node that CPUs traverse.
pub const WIDTH: usize = ROW;

/// Flag in the number of a child that is a block.
pub const IS_BLOCK: u32 = 1 << 31;

/// A node with up to sixteen children.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub struct WideNode {
    /// Lower faces of the boxes by axis, m. Those of absent children are NaN and must compare false.
    pub low: [Row<f32>; 3],
    /// Upper faces, m.
    pub high: [Row<f32>; 3],
    /// Numbers of nodes, or of blocks with [`IS_BLOCK`].
    pub child: Row<u32>,
}

impl WideNode {
    pub const EMPTY: Self =
        Self { low: [[f32::NAN; WIDTH]; 3], high: [[f32::NAN; WIDTH]; 3], child: [0; WIDTH] };

    pub fn has(&self, child: usize) -> bool {
        !self.low[0][child].is_nan()
    }

    pub fn bounds(&self, child: usize) -> Box3 {
        ([0, 1, 2].map(|axis| self.low[axis][child]), [0, 1, 2].map(|axis| self.high[axis][child]))
    }
}

/// Nodes and blocks to visit, with the distance or depth at which their boxes begin, m.
pub type Stack = Vec<(u32, f32)>;

/// Pushes the children of a bit mask, the nearest last.
#[inline(always)]
pub fn push(stack: &mut Stack, node: &WideNode, nears: &Row<f32>, hit: u32) {
    // Most often there is one, or none.
    if hit & hit.wrapping_sub(1) == 0 {
        if hit != 0 {
            let i = hit.trailing_zeros() as usize % WIDTH;
            stack.push((node.child[i], nears[i]));
        }
        return;
    }
    let start = stack.len();
    // A fixed number of entries is less work than the right one.
    stack.extend_from_slice(&[(0, 0.0); WIDTH]);
    let mut left = hit;
    while left != 0 {
        let i = left.trailing_zeros() as usize % WIDTH;
        left &= left - 1;
        // The place of a child is the number of farther ones, and of equally near ones before it: no branch
        // depends on it.
        let (mut farther, mut as_near) = ([false; WIDTH], [false; WIDTH]);
        for k in 0..WIDTH {
            farther[k] = nears[k] > nears[i];
            as_near[k] = nears[k] == nears[i];
        }
        let below = (bit_mask(&farther) | (bit_mask(&as_near) & !(u32::MAX << i))) & hit;
        stack[start + below.count_ones() as usize] = (node.child[i], nears[i]);
    }
    stack.truncate(start + hit.count_ones() as usize);
}
