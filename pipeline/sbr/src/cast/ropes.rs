//! Ropes of a kd-tree and the walk along them without a stack: Popov, Guenther, Seidel and Slusallek,
//! Computer Graphics Forum 26, 415 (2007), and Algorithm I of the paper.
//!
//! Every face of a leaf has a rope to the node behind it. A ray that finds nothing in a leaf follows the rope
//! of the face through which it leaves; a reflected ray begins in the leaf in which it was reflected, so that
//! it seldom passes a plane again.

use super::kdtree::{KdTree, LEAF, NO_NODE, PAD, cut};
use super::ray::{Hit, Ray};
use crate::facets::Facets;
use numerics::vec3::Vec3;

/// What a walk cost: the paper's Table II.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Steps {
    /// Planes passed.
    pub planes: u64,
    /// Leaves visited.
    pub leaves: u64,
    /// Facets tested.
    pub tests: u64,
}

impl Steps {
    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            planes: self.planes + other.planes,
            leaves: self.leaves + other.leaves,
            tests: self.tests + other.tests,
        }
    }
}

fn tie(tree: &mut KdTree) {
    let mut work = vec![(0, tree.bounds, [NO_NODE; 6])];
    while let Some((index, bounds, mut ropes)) = work.pop() {
        (0..6).for_each(|face| ropes[face] = sunk(tree, ropes[face], face, bounds));
        let node = tree.nodes[index as usize];
        if node.axis == LEAF {
            tree.leaves[node.first as usize].ropes = ropes;
            continue;
        }
        let axis = node.axis as usize;
        let (below, above) = cut(bounds, axis, node.split);
        let (mut of_below, mut of_above) = (ropes, ropes);
        of_below[2 * axis + 1] = node.first + 1;
        of_above[2 * axis] = node.first;
        work.push((node.first, below, of_below));
        work.push((node.first + 1, above, of_above));
    }
}

/// The smallest node behind a face that holds all its neighbours.
fn sunk(tree: &KdTree, mut rope: u32, face: usize, (low, high): (Vec3, Vec3)) -> u32 {
    while rope != NO_NODE {
        let node = tree.nodes[rope as usize];
        let axis = node.axis as usize;
        if node.axis == LEAF {
            break;
        }
        if axis == face / 2 {
            // The child that touches the face: the lower one behind an upper face.
            rope = node.first + u32::from(face.is_multiple_of(2));
        } else if node.split >= high[axis] {
            rope = node.first;
        } else if node.split <= low[axis] {
            rope = node.first + 1;
        } else {
            break;
        }
    }
    rope
}

/// Where a walk is: the node that the next ray begins in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position(u32);

impl KdTree {
    /// The tree of these facets, with ropes.
    pub fn new(facets: &Facets) -> Self {
        let mut tree = Self::without_ropes(facets);
        tie(&mut tree);
        tree
    }

    /// The nearest facet. `position` is where the walk begins, by default at the root, and becomes the leaf
    /// of the hit, in which a reflected ray begins.
    pub fn nearest(&self, facets: &Facets, ray: &Ray, position: &mut Position, steps: &mut Steps) -> Hit {
        let slack = PAD * facets.radius;
        let mut hit = Hit::NONE;
        let mut walk = Walk::new(ray);
        let Some(mut entered) = walk.enter(self.bounds) else { return hit };
        let mut node = position.0;
        while node != NO_NODE {
            node = self.descend(node, &walk.point(entered), &walk.forwards, steps);
            let leaf = &self.leaves[self.nodes[node as usize].first as usize];
            steps.leaves += 1;
            steps.tests += u64::from(leaf.count);
            let listed = &self.order[leaf.first as usize..(leaf.first + leaf.count) as usize];
            listed.iter().for_each(|facet| ray.test(facets, *facet, &mut hit));
            let (axis, left) = walk.leave(&leaf.low, &leaf.high);
            // A facet at the border may have a twin in the next leaf.
            if hit.distance < left - slack {
                *position = Position(node);
                return hit;
            }
            entered = entered.max(left);
            let upper = walk.forwards[axis];
            walk.reached[axis] = if upper { leaf.high[axis] } else { leaf.low[axis] };
            let next = leaf.ropes[2 * axis + usize::from(upper)];
            *position = Position(node);
            node = next;
        }
        hit
    }

    /// The leaf below `node` that holds a point.
    fn descend(&self, mut node: u32, point: &[f64; 3], forwards: &[bool; 3], steps: &mut Steps) -> u32 {
        loop {
            let plane = &self.nodes[node as usize];
            if plane.axis == LEAF {
                return node;
            }
            steps.planes += 1;
            let axis = plane.axis as usize;
            // On the plane itself, the side that lies ahead.
            let upper = point[axis] > plane.split || (point[axis] == plane.split && forwards[axis]);
            node = plane.first + u32::from(upper);
        }
    }
}

struct Walk {
    origin: [f64; 3],
    direction: [f64; 3],
    inverse: [f64; 3],
    /// Whether it rises along each axis, or keeps its place.
    forwards: [bool; 3],
    /// Faces that were passed. Rounding must not bring the ray behind one again: it could go round an edge
    /// for ever.
    reached: [f64; 3],
}

impl Walk {
    fn new(ray: &Ray) -> Self {
        let direction = ray.direction.to_array();
        let forwards = direction.map(|x| x >= 0.0);
        Self {
            origin: ray.origin.to_array(),
            direction,
            inverse: direction.map(|x| 1.0 / x),
            forwards,
            reached: forwards.map(|up| if up { f64::NEG_INFINITY } else { f64::INFINITY }),
        }
    }

    fn point(&self, distance: f64) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let x = self.origin[axis] + distance * self.direction[axis];
            if self.forwards[axis] { x.max(self.reached[axis]) } else { x.min(self.reached[axis]) }
        })
    }

    /// Where the ray enters a box, 0 inside it.
    fn enter(&self, (low, high): (Vec3, Vec3)) -> Option<f64> {
        let (mut near, mut far) = (0f64, f64::INFINITY);
        for axis in 0..3 {
            let [a, b] = [low[axis], high[axis]].map(|face| self.face(face, axis));
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near <= far && near.is_finite()).then_some(near)
    }

    /// Distance to a face; a ray along it never meets it.
    fn face(&self, face: f64, axis: usize) -> f64 {
        let offset = face - self.origin[axis];
        if self.direction[axis] != 0.0 { offset * self.inverse[axis] } else { f64::INFINITY.copysign(offset) }
    }

    /// The axis of the face through which the ray leaves a box, and where.
    fn leave(&self, low: &[f64; 3], high: &[f64; 3]) -> (usize, f64) {
        let mut nearest = (0, f64::INFINITY);
        for axis in 0..3 {
            let face = if self.forwards[axis] { high[axis] } else { low[axis] };
            let distance = if self.direction[axis] != 0.0 { self.face(face, axis) } else { f64::INFINITY };
            if distance < nearest.1 {
                nearest = (axis, distance);
            }
        }
        nearest
    }
}
