//! kd-tree by the surface area heuristic: MacDonald and Booth (1989), with the candidates of Wald and Havran
//! (2006).
//!
//! The cost of a node is `TRAVERSAL` plus the facets of its children weighted by the surface of their boxes.
//! Facets are represented by their boxes, cut to the node. Small nodes try every face of a box as a plane,
//! large ones planes at equal distances.

use crate::facets::Facets;
use numerics::vec3::Vec3;

/// Cost of a step to a child, in tests of a facet.
const TRAVERSAL: f64 = 0.7;
/// What a plane that cuts off empty space is worth.
const EMPTY_BONUS: f64 = 0.85;
/// Nodes with more facets try planes at equal distances only.
const SWEEP: usize = 2048;
const BINS: usize = 64;
/// Facets are enlarged by this part of the target's radius, so that one that touches a plane lies on both
/// sides of it.
pub const PAD: f64 = 1e-9;

/// Axis of a leaf.
pub const LEAF: u32 = 3;

/// Number that stands for no node: the end of the tree.
pub const NO_NODE: u32 = u32::MAX;

/// A node: a plane that splits space, or a leaf.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Plane {
    /// Where the plane cuts its axis, m.
    pub split: f64,
    /// 0, 1, 2, or [`LEAF`].
    pub axis: u32,
    /// First child, the second follows; or the number of the leaf.
    pub first: u32,
}

/// A box with facets and a rope from each of its faces.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Leaf {
    /// Lower corner, m.
    pub low: [f64; 3],
    /// Upper corner, m.
    pub high: [f64; 3],
    /// Node behind each face: lower x, upper x, lower y and so on; none at the border.
    pub ropes: [u32; 6],
    /// First facet in [`KdTree::order`].
    pub first: u32,
    /// Number of facets.
    pub count: u32,
}

/// The tree.
#[derive(Debug, Clone)]
pub struct KdTree {
    /// The root first.
    pub nodes: Vec<Plane>,
    /// Leaves.
    pub leaves: Vec<Leaf>,
    /// Facets in the order of leaves; one that is cut by a plane is there more than once.
    pub order: Vec<u32>,
    /// Box of the root.
    pub bounds: (Vec3, Vec3),
}

impl KdTree {
    /// The tree of these facets without ropes.
    pub(super) fn without_ropes(facets: &Facets) -> Self {
        let pad = Vec3::splat(PAD * facets.radius);
        let boxes: Vec<(Vec3, Vec3)> = (0..facets.len())
            .map(|facet| facets.bounds(facet))
            .map(|(low, high)| (low - pad, high + pad))
            .collect();
        let bounds = Vec3::bounds(boxes.iter().flat_map(|(low, high)| [*low, *high]));
        let mut tree = Self { nodes: Vec::new(), leaves: Vec::new(), order: Vec::new(), bounds };
        tree.nodes.push(Plane { split: 0.0, axis: LEAF, first: 0 });
        // Deeper trees gain nothing (Pharr and Humphreys).
        let depth = 8 + (1.3 * (facets.len() as f64).log2()) as u32;
        let all = (0..facets.len() as u32).collect();
        tree.build(&boxes, vec![Work { node: 0, bounds, facets: all, depth }]);
        tree
    }

    fn build(&mut self, boxes: &[(Vec3, Vec3)], mut work: Vec<Work>) {
        while let Some(Work { node, bounds, facets, depth }) = work.pop() {
            let split = if depth > 0 { best_plane(boxes, bounds, &facets) } else { None };
            let Some(Split { axis, at }) = split else {
                self.leaf(node, bounds, &facets);
                continue;
            };
            let first = self.nodes.len() as u32;
            self.nodes[node] = Plane { split: at, axis: axis as u32, first };
            self.nodes.extend([Plane { split: 0.0, axis: LEAF, first: 0 }; 2]);
            let (below, above) = cut(bounds, axis, at);
            let on = |keep: &dyn Fn(&(Vec3, Vec3)) -> bool| {
                facets.iter().copied().filter(|facet| keep(&boxes[*facet as usize])).collect::<Vec<u32>>()
            };
            let lower = on(&|(low, _)| low[axis] <= at);
            let upper = on(&|(_, high)| high[axis] >= at);
            let node = first as usize;
            work.push(Work { node: node + 1, bounds: above, facets: upper, depth: depth - 1 });
            work.push(Work { node, bounds: below, facets: lower, depth: depth - 1 });
        }
    }

    fn leaf(&mut self, node: usize, (low, high): (Vec3, Vec3), facets: &[u32]) {
        self.nodes[node] = Plane { split: 0.0, axis: LEAF, first: self.leaves.len() as u32 };
        self.leaves.push(Leaf {
            low: low.to_array(),
            high: high.to_array(),
            ropes: [NO_NODE; 6],
            first: self.order.len() as u32,
            count: facets.len() as u32,
        });
        self.order.extend(facets);
    }

    /// The figures of the paper's Table I by their names: leaves, and bytes of nodes with the facets' numbers,
    /// of ropes with the boxes of leaves, and of the facets themselves.
    pub fn statistics(&self, facets: &Facets) -> [(&'static str, usize); 4] {
        [
            ("leaves", self.leaves.len()),
            ("basic_bytes", size_of_val(self.nodes.as_slice()) + size_of_val(self.order.as_slice())),
            ("rope_bytes", size_of_val(self.leaves.as_slice())),
            ("facet_bytes", size_of_val(facets.corners.as_slice())),
        ]
    }
}

struct Work {
    node: usize,
    bounds: (Vec3, Vec3),
    facets: Vec<u32>,
    depth: u32,
}

struct Split {
    axis: usize,
    at: f64,
}

pub fn cut((low, high): (Vec3, Vec3), axis: usize, at: f64) -> ((Vec3, Vec3), (Vec3, Vec3)) {
    let (mut middle_high, mut middle_low) = (high.to_array(), low.to_array());
    middle_high[axis] = at;
    middle_low[axis] = at;
    ((low, middle_high.into()), (middle_low.into(), high))
}

fn surface((low, high): (Vec3, Vec3)) -> f64 {
    let Vec3 { x, y, z } = high - low;
    x * y + y * z + z * x
}

/// The plane that makes the node cheapest, unless a leaf is cheaper.
fn best_plane(boxes: &[(Vec3, Vec3)], bounds: (Vec3, Vec3), facets: &[u32]) -> Option<Split> {
    let mut best = (facets.len() as f64, None);
    for axis in 0..3 {
        let (low, high) = (bounds.0[axis], bounds.1[axis]);
        let clipped = |x: f64| x.clamp(low, high);
        let mut starts: Vec<f64> = facets.iter().map(|f| clipped(boxes[*f as usize].0[axis])).collect();
        let mut ends: Vec<f64> = facets.iter().map(|f| clipped(boxes[*f as usize].1[axis])).collect();
        starts.sort_unstable_by(f64::total_cmp);
        ends.sort_unstable_by(f64::total_cmp);
        let mut consider = |at: f64| {
            if at <= low || at >= high {
                return;
            }
            let below = starts.partition_point(|start| *start <= at);
            let above = ends.len() - ends.partition_point(|end| *end < at);
            let cost = cost(bounds, axis, at, below, above);
            if cost < best.0 {
                best = (cost, Some(Split { axis, at }));
            }
        };
        if facets.len() > SWEEP {
            (1..BINS).for_each(|bin| consider(low + (high - low) * bin as f64 / BINS as f64));
        } else {
            // Just beside the faces of boxes: at a face itself, the facet would be on both sides.
            let beside = (high - low) * 1e-9;
            starts.iter().for_each(|start| consider(start - beside));
            ends.iter().for_each(|end| consider(end + beside));
        }
    }
    best.1
}

fn cost(bounds: (Vec3, Vec3), axis: usize, at: f64, below: usize, above: usize) -> f64 {
    let whole = surface(bounds);
    let (lower, upper) = cut(bounds, axis, at);
    let tests = (surface(lower) * below as f64 + surface(upper) * above as f64) / whole;
    let bonus = if below == 0 || above == 0 { EMPTY_BONUS } else { 1.0 };
    bonus * (TRAVERSAL + tests)
}
