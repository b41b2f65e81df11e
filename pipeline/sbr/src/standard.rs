//! The walk through a kd-tree from its root with a stack, which the paper's Table II compares with ropes: it finds the same, and counts its steps.

use super::facets::Facets;
use super::kdtree::{KdTree, LEAF, PAD};
use super::ray::{Hit, Ray};
use super::ropes::{Steps, Walk};

/// Nodes still to visit, and from where to where along the ray, m.
pub type Stack = Vec<(u32, f64, f64)>;

impl KdTree {
    /// The nearest facet.
    pub fn nearest_by_stack(&self, facets: &Facets, ray: &Ray, stack: &mut Stack, steps: &mut Steps) -> Hit {
        // A facet at the border may have a twin in the next leaf.
        let slack = PAD * facets.radius;
        let walk = Walk::new(ray);
        let mut hit = Hit::NONE;
        let Some((enters, leaves)) = walk.through(self.bounds) else { return hit };
        stack.clear();
        stack.push((0, enters, leaves));
        while let Some((node, near, far)) = stack.pop() {
            if near > hit.distance + slack {
                continue;
            }
            let leaf = self.nearest_leaf(node, (near, far), &walk, stack, steps);
            steps.leaves += 1;
            steps.tests += u64::from(leaf.count);
            for facet in &self.order[leaf.first as usize..(leaf.first + leaf.count) as usize] {
                ray.test(facets, *facet, &mut hit);
            }
        }
        hit
    }

    /// The first leaf below `node` that a ray meets between two distances; what it meets later goes on the stack.
    fn nearest_leaf(
        &self,
        mut node: u32,
        (near, mut far): (f64, f64),
        walk: &Walk,
        stack: &mut Stack,
        steps: &mut Steps,
    ) -> &super::kdtree::Leaf {
        loop {
            let plane = &self.nodes[node as usize];
            if plane.axis == LEAF {
                return &self.leaves[plane.first as usize];
            }
            steps.planes += 1;
            let axis = plane.axis as usize;
            let at = walk.face(plane.split, axis);
            let upper_first = !walk.forwards[axis];
            let (first, second) =
                (plane.first + u32::from(upper_first), plane.first + u32::from(!upper_first));
            // A ray along the plane never meets it: the side is that of its origin.
            if at > far {
                node = first;
            } else if at < near {
                node = second;
            } else {
                stack.push((second, at, far));
                (node, far) = (first, at);
            }
        }
    }
}
