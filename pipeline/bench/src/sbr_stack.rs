//! The walk through a kd-tree from its root with a stack, which the paper's Table II compares with ropes. It finds the same
//! hits, and counts its steps.

use sbr::Facets;
use sbr::cast::{Hit, KdTree, LEAF, Leaf, PAD, Ray, Steps};

/// Nodes to visit, and the interval of the ray in each, m.
pub(crate) type Stack = Vec<(u32, f64, f64)>;

/// The nearest facet.
pub(crate) fn nearest(
    tree: &KdTree,
    facets: &Facets,
    ray: &Ray,
    stack: &mut Stack,
    steps: &mut Steps,
) -> Hit {
    // A facet at the border may have a twin in the next leaf.
    let slack = PAD * facets.radius;
    let mut hit = Hit::NONE;
    let Some((enters, leaves)) = through(tree, ray) else { return hit };
    stack.clear();
    stack.push((0, enters, leaves));
    while let Some((node, near, far)) = stack.pop() {
        if near > hit.distance + slack {
            continue;
        }
        let leaf = nearest_leaf(tree, ray, node, (near, far), stack, steps);
        steps.leaves += 1;
        steps.tests += u64::from(leaf.count);
        for facet in &tree.order[leaf.first as usize..(leaf.first + leaf.count) as usize] {
            ray.test(facets, *facet, &mut hit);
        }
    }
    hit
}

/// The first leaf below `node` that a ray enters between two distances; what it enters later goes on the stack.
fn nearest_leaf<'a>(
    tree: &'a KdTree,
    ray: &Ray,
    mut node: u32,
    (near, mut far): (f64, f64),
    stack: &mut Stack,
    steps: &mut Steps,
) -> &'a Leaf {
    loop {
        let plane = &tree.nodes[node as usize];
        if plane.axis == LEAF {
            return &tree.leaves[plane.first as usize];
        }
        steps.planes += 1;
        let axis = plane.axis as usize;
        let at = distance(ray, plane.split, axis);
        let upper_first = ray.direction[axis] < 0.0;
        let (first, second) = (plane.first + u32::from(upper_first), plane.first + u32::from(!upper_first));
        // A ray along the plane never crosses it: the side is that of its origin.
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

/// Where a ray enters the box of a tree, 0 inside it, and where it leaves, m.
fn through(tree: &KdTree, ray: &Ray) -> Option<(f64, f64)> {
    let (low, high) = tree.bounds;
    let (mut near, mut far) = (0f64, f64::INFINITY);
    for axis in 0..3 {
        let [a, b] = [low[axis], high[axis]].map(|face| distance(ray, face, axis));
        near = near.max(a.min(b));
        far = far.min(a.max(b));
    }
    (near <= far && near.is_finite()).then_some((near, far))
}

/// Distance to a plane across an axis, m; a ray along it never crosses it.
fn distance(ray: &Ray, plane: f64, axis: usize) -> f64 {
    let offset = plane - ray.origin[axis];
    let slope = ray.direction[axis];
    if slope != 0.0 { offset * (1.0 / slope) } else { f64::INFINITY.copysign(offset) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesh::shapes;
    use numerics::vec3::Vec3;
    use sbr::cast::brute_force;

    #[test]
    fn the_stack_finds_what_brute_force_finds() {
        for mesh in [shapes::almond(1.0, 24, 16), shapes::trihedral(1.0).refined().refined()] {
            let facets = Facets::new(&mesh).unwrap();
            let tree = KdTree::new(&facets);
            let (mut steps, mut stack, mut hits) = (Steps::default(), Stack::new(), 0);
            for i in 0..600 {
                let turn = 0.7 * f64::from(i);
                let mut direction = Vec3::new(turn.cos(), (1.3 * turn).sin(), (2.1 * turn).cos()).unit();
                if i % 7 == 0 {
                    direction = Vec3::new(0.0, 0.0, -1.0);
                }
                let corners = facets.corners[i as usize % facets.len()].map(Vec3::from);
                let aim = if i % 3 == 0 {
                    corners[0]
                } else {
                    (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0)
                };
                let mut ray = Ray::new(aim - direction * (2.0 * facets.radius), direction);
                for _ in 0..4 {
                    let expected = brute_force(&facets, &ray);
                    assert_eq!(nearest(&tree, &facets, &ray, &mut stack, &mut steps), expected, "{ray:?}");
                    if !expected.is_some() {
                        break;
                    }
                    hits += 1;
                    let mirrored = ray.direction.mirrored(facets.normals[expected.facet as usize]);
                    ray = Ray::leaving(&facets, expected.facet, ray.at(expected.distance), mirrored);
                }
            }
            assert!(hits > 500 && steps.leaves > 0 && steps.tests >= hits);
        }
    }
}
