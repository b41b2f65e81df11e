//! The hierarchy of boxes with sixteen children a node and blocks of facets as leaves, so that one instruction handles all of them: what the processor walks through.

use super::block::{BLOCK, Block};
use super::bvh::Node;
use super::facets::Facets;
use super::lanes::bits;

/// Children of a node.
pub const WIDTH: usize = 16;
/// Added to the number of a block where a child is one.
pub const IS_BLOCK: u32 = 1 << 31;

/// Nodes and blocks still to visit, with what says how near they are.
pub type Stack = Vec<(u32, f32)>;

/// Up to sixteen children.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub struct WideNode {
    /// Lower faces of the boxes, by axis, m; NaN where there is no child, so that nothing meets it.
    pub low: [[f32; WIDTH]; 3],
    /// Upper faces, m.
    pub high: [[f32; WIDTH]; 3],
    /// Numbers of nodes, or [`IS_BLOCK`] and numbers of blocks.
    pub child: [u32; WIDTH],
}

/// A box.
pub type Box3 = ([f32; 3], [f32; 3]);

/// What a child may be until the tree is finished.
#[derive(Clone, Copy)]
enum Kind {
    /// A node of two.
    Node(u32),
    /// So many facets from there in their order.
    Facets(u32, u32),
}

#[derive(Clone, Copy)]
struct Child {
    bounds: Box3,
    kind: Kind,
}

/// Makes sixteen of two.
struct Widening<'a> {
    nodes: &'a [Node],
    order: &'a [u32],
    /// Of the facets.
    boxes: &'a [Box3],
    /// Facets below each node.
    counts: Vec<u32>,
}

impl Widening<'_> {
    fn count(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Node(number) => self.counts[number as usize],
            Kind::Facets(_, count) => count,
        }
    }

    /// Children that take its place.
    fn parts(&self, kind: Kind) -> [Child; 2] {
        match kind {
            Kind::Facets(first, count) => {
                let half = first + count / 2;
                [(first, half), (half, first + count)].map(|(from, to)| Child {
                    bounds: (from..to)
                        .map(|at| self.boxes[self.order[at as usize] as usize])
                        .fold(self.boxes[self.order[from as usize] as usize], around),
                    kind: Kind::Facets(from, to - from),
                })
            }
            Kind::Node(number) => {
                let node = &self.nodes[number as usize];
                [0, 1].map(|i| Child { bounds: (node.low[i], node.high[i]), kind: kind_of(node, i) })
            }
        }
    }

    /// The children of a node: the largest gives way to its parts, as long as there is room, unless it fits into a block.
    fn children(&self, kind: Kind) -> Vec<Child> {
        let mut children = self.parts(kind).to_vec();
        while children.len() < WIDTH {
            let open = (0..children.len()).filter(|i| self.count(children[*i].kind) > BLOCK as u32);
            let Some(largest) = open.max_by(|a, b| children[*a].surface().total_cmp(&children[*b].surface()))
            else {
                break;
            };
            let kind = children.swap_remove(largest).kind;
            children.extend(self.parts(kind));
        }
        children
    }

    /// The facets below.
    fn facets(&self, kind: Kind) -> Vec<u32> {
        let (mut facets, mut waiting) = (Vec::new(), vec![kind]);
        while let Some(kind) = waiting.pop() {
            match kind {
                Kind::Facets(first, count) => {
                    facets.extend(&self.order[first as usize..(first + count) as usize]);
                }
                Kind::Node(number) => {
                    waiting.extend([0, 1].map(|i| kind_of(&self.nodes[number as usize], i)));
                }
            }
        }
        facets
    }
}

fn kind_of(node: &Node, child: usize) -> Kind {
    match node.count[child] {
        0 => Kind::Node(node.first[child]),
        count => Kind::Facets(node.first[child], count),
    }
}

impl Child {
    fn surface(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.bounds.1[axis] - self.bounds.0[axis]);
        x * y + y * z + z * x
    }
}

/// A box around two.
pub fn around(a: Box3, b: Box3) -> Box3 {
    let each = |pick: fn(f32, f32) -> f32, a: [f32; 3], b: [f32; 3]| [0, 1, 2].map(|i| pick(a[i], b[i]));
    (each(f32::min, a.0, b.0), each(f32::max, a.1, b.1))
}

/// Facets below each node; children come after their parents.
fn counts(nodes: &[Node]) -> Vec<u32> {
    let mut counts = vec![0; nodes.len()];
    for (number, node) in nodes.iter().enumerate().rev() {
        counts[number] = (0..2)
            .map(|i| match kind_of(node, i) {
                Kind::Node(child) => counts[child as usize],
                Kind::Facets(_, count) => count,
            })
            .sum();
    }
    counts
}

/// The tree of sixteen and its blocks, from the tree of two; `boxes` are those of the facets.
pub fn widened(
    facets: &Facets,
    nodes: &[Node],
    order: &[u32],
    boxes: &[Box3],
) -> (Vec<WideNode>, Vec<Block>) {
    let widening = Widening { nodes, order, boxes, counts: counts(nodes) };
    let mut starts = vec![Kind::Node(0)];
    let (mut wide, mut blocks): (Vec<WideNode>, Vec<Block>) = (Vec::new(), Vec::new());
    while wide.len() < starts.len() {
        let children = widening.children(starts[wide.len()]);
        let none = [[f32::NAN; WIDTH]; 3];
        let mut node = WideNode { low: none, high: none, child: [0; WIDTH] };
        for (i, child) in children.iter().enumerate() {
            for axis in 0..3 {
                node.low[axis][i] = child.bounds.0[axis];
                node.high[axis][i] = child.bounds.1[axis];
            }
            node.child[i] = if widening.count(child.kind) <= BLOCK as u32 {
                blocks.push(Block::new(facets, &widening.facets(child.kind)));
                IS_BLOCK | (blocks.len() as u32 - 1)
            } else {
                starts.push(child.kind);
                starts.len() as u32 - 1
            };
        }
        wide.push(node);
    }
    (wide, blocks)
}

/// Puts the children that are met, one bit each, on the stack, the nearest on top.
#[inline(always)]
pub fn push(stack: &mut Stack, node: &WideNode, nears: &[f32; WIDTH], met: u32) {
    // Most often there is one, or none.
    if met & met.wrapping_sub(1) == 0 {
        if met != 0 {
            let i = met.trailing_zeros() as usize % WIDTH;
            stack.push((node.child[i], nears[i]));
        }
        return;
    }
    let start = stack.len();
    // As many as there may be: a fixed number is less work than the right one.
    stack.extend_from_slice(&[(0, 0.0); WIDTH]);
    let mut left = met;
    while left != 0 {
        let i = left.trailing_zeros() as usize % WIDTH;
        left &= left - 1;
        // Below it are those that are farther, and of those that are as near the ones before it: no branch depends on their order.
        let (mut farther, mut as_near) = ([false; WIDTH], [false; WIDTH]);
        for k in 0..WIDTH {
            farther[k] = nears[k] > nears[i];
            as_near[k] = nears[k] == nears[i];
        }
        let below = (bits(&farther) | (bits(&as_near) & !(u32::MAX << i))) & met;
        stack[start + below.count_ones() as usize] = (node.child[i], nears[i]);
    }
    stack.truncate(start + met.count_ones() as usize);
}
