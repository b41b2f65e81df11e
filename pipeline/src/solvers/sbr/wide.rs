//! The hierarchy of boxes with eight children a node and one facet a leaf, so that one instruction handles all of them: what the processor walks through.

use super::bvh::Node;

/// Children of a node.
pub const WIDTH: usize = 8;
/// Added to the number of a facet where a child is one.
pub const FACET: u32 = 1 << 31;

/// Nodes and facets still to visit, with what says how near they are.
pub type Stack = Vec<(u32, f32)>;

/// Up to eight children.
#[derive(Debug, Clone, Copy)]
pub struct WideNode {
    /// Lower faces of the boxes, by axis, m.
    pub low: [[f32; WIDTH]; 3],
    /// Upper faces, m.
    pub high: [[f32; WIDTH]; 3],
    /// Numbers of nodes, or [`FACET`] and numbers of facets.
    pub child: [u32; WIDTH],
    /// How many there are.
    pub children: u32,
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

impl Child {
    /// Children that take its place; none for a single facet.
    fn parts(&self, nodes: &[Node], order: &[u32], boxes: &[Box3]) -> Vec<Self> {
        match self.kind {
            Kind::Facets(_, 0 | 1) => Vec::new(),
            Kind::Facets(first, count) => {
                let facet =
                    |at: u32| Self { bounds: boxes[order[at as usize] as usize], kind: Kind::Facets(at, 1) };
                let halves = |from: u32, to: u32| Self {
                    bounds: (from..to)
                        .map(|at| boxes[order[at as usize] as usize])
                        .fold(boxes[order[from as usize] as usize], around),
                    kind: Kind::Facets(from, to - from),
                };
                if count <= WIDTH as u32 {
                    return (first..first + count).map(facet).collect();
                }
                vec![halves(first, first + count / 2), halves(first + count / 2, first + count)]
            }
            Kind::Node(number) => {
                let node = &nodes[number as usize];
                let child = |i: usize| Self {
                    bounds: (node.low[i], node.high[i]),
                    kind: if node.count[i] == 0 {
                        Kind::Node(node.first[i])
                    } else {
                        Kind::Facets(node.first[i], node.count[i])
                    },
                };
                vec![child(0), child(1)]
            }
        }
    }

    fn surface(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.bounds.1[axis] - self.bounds.0[axis]);
        x * y + y * z + z * x
    }
}

fn around(a: Box3, b: Box3) -> Box3 {
    let each = |pick: fn(f32, f32) -> f32, a: [f32; 3], b: [f32; 3]| [0, 1, 2].map(|i| pick(a[i], b[i]));
    (each(f32::min, a.0, b.0), each(f32::max, a.1, b.1))
}

/// Makes eight of two: the largest child gives way to its parts, as long as there is room. `boxes` are those of the facets.
pub fn widened(nodes: &[Node], order: &[u32], boxes: &[Box3]) -> Vec<WideNode> {
    let mut starts = vec![Kind::Node(0)];
    let mut wide: Vec<WideNode> = Vec::new();
    while wide.len() < starts.len() {
        let start = Child { bounds: ([0.0; 3], [0.0; 3]), kind: starts[wide.len()] };
        let mut children = start.parts(nodes, order, boxes);
        loop {
            let room = WIDTH - children.len();
            let fits = |child: &Child| match child.kind {
                Kind::Facets(_, count) => count > 1 && count as usize - 1 <= room,
                Kind::Node(_) => room > 0,
            };
            let open = (0..children.len()).filter(|i| fits(&children[*i]));
            let Some(largest) = open.max_by(|a, b| children[*a].surface().total_cmp(&children[*b].surface()))
            else {
                break;
            };
            let parts = children.swap_remove(largest).parts(nodes, order, boxes);
            children.extend(parts);
        }
        wide.push(finished(&children, order, &mut starts));
    }
    wide
}

fn finished(children: &[Child], order: &[u32], starts: &mut Vec<Kind>) -> WideNode {
    let zeros = [[0.0; WIDTH]; 3];
    let mut node = WideNode { low: zeros, high: zeros, child: [0; WIDTH], children: children.len() as u32 };
    for (i, child) in children.iter().enumerate() {
        for axis in 0..3 {
            node.low[axis][i] = child.bounds.0[axis];
            node.high[axis][i] = child.bounds.1[axis];
        }
        node.child[i] = match child.kind {
            Kind::Facets(first, 1) => FACET | order[first as usize],
            kind => {
                starts.push(kind);
                starts.len() as u32 - 1
            }
        };
    }
    node
}

/// Puts the children that are met on the stack, the nearest on top; those at infinity are not met.
#[inline(always)]
pub fn push(stack: &mut Stack, node: &WideNode, nears: &[f32; WIDTH]) {
    let start = stack.len();
    let mut met = 0u32;
    for (i, near) in nears.iter().enumerate() {
        met |= u32::from(*near < f32::INFINITY) << i;
    }
    while met != 0 {
        let i = met.trailing_zeros() as usize % WIDTH;
        met &= met - 1;
        stack.push((node.child[i], nears[i]));
        let mut at = stack.len() - 1;
        while at > start && stack[at - 1].1 < stack[at].1 {
            stack.swap(at - 1, at);
            at -= 1;
        }
    }
}
