//! One ray on its own through the hierarchy of boxes: what a beam of one or two would pay for in vain.

use super::beam::{least, most};
use super::bvh::{Bvh, Node};
use super::facets::Facets;
use super::ray::{Hit, Ray};
use super::wide::Stack;

/// Slopes below this are taken for it, so that no face is at 0 times infinity.
const LEAST_SLOPE: f32 = 1e-18;

/// A ray in single precision.
struct Slabs {
    origin: [f32; 3],
    inverse: [f32; 3],
}

impl Slabs {
    fn new(ray: &Ray) -> Self {
        let slope = |x: f64| {
            let x = x as f32;
            if x.abs() < LEAST_SLOPE { LEAST_SLOPE.copysign(x) } else { x }
        };
        Self {
            origin: ray.origin.to_array().map(|x| x as f32),
            inverse: ray.direction.to_array().map(|x| 1.0 / slope(x)),
        }
    }

    /// Where the ray enters the box of a child, or 0 inside it; infinite if it misses it or meets it beyond `far`.
    #[inline(always)]
    fn enters(&self, node: &Node, child: usize, mut far: f32) -> f32 {
        let mut near = 0f32;
        for axis in 0..3 {
            let a = (node.low[child][axis] - self.origin[axis]) * self.inverse[axis];
            let b = (node.high[child][axis] - self.origin[axis]) * self.inverse[axis];
            near = most(near, least(a, b));
            far = least(far, most(a, b));
        }
        if near <= far { near } else { f32::INFINITY }
    }
}

/// The nearest facet along a ray that begins within [`super::bvh::REACH`] radii of the centre. The stack has children, as twice the number of a node and which of both.
pub fn nearest(bvh: &Bvh, facets: &Facets, ray: &Ray, stack: &mut Stack) -> Hit {
    let slabs = Slabs::new(ray);
    let mut hit = Hit::NONE;
    stack.clear();
    open(&slabs, bvh, 0, f32::INFINITY, stack);
    while let Some((child, enters)) = stack.pop() {
        if f64::from(enters) > hit.distance {
            continue;
        }
        let (node, side) = (&bvh.nodes[child as usize / 2], child as usize % 2);
        let (first, count) = (node.first[side], node.count[side]);
        if count == 0 {
            open(&slabs, bvh, first, hit.distance as f32, stack);
            continue;
        }
        for facet in &bvh.order[first as usize..(first + count) as usize] {
            ray.test(facets, *facet, &mut hit);
        }
    }
    hit
}

/// Puts the children of a node that are met on the stack, the nearer one on top.
#[inline(always)]
fn open(slabs: &Slabs, bvh: &Bvh, number: u32, far: f32, stack: &mut Stack) {
    let node = &bvh.nodes[number as usize];
    let nears = [slabs.enters(node, 0, far), slabs.enters(node, 1, far)];
    let nearer = usize::from(nears[1] < nears[0]);
    for side in [1 - nearer, nearer] {
        if nears[side] < f32::INFINITY {
            stack.push((2 * number + side as u32, nears[side]));
        }
    }
}
