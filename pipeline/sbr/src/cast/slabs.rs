//! The slab test: a ray against boxes in single precision. Boxes are padded by more than its rounding.

use super::interval::{Row, bit_mask, max, min};
use super::node::{Box3, WIDTH, WideNode};
use numerics::vec3::Vec3;

/// Smaller components of a direction are replaced by this, so that no distance to a face is 0 times infinity.
const MIN_COMPONENT: f32 = 1e-18;

/// A ray in single precision.
pub struct Slabs {
    origin: [f32; 3],
    inverse: [f32; 3],
}

impl Slabs {
    #[inline(always)]
    pub fn new(origin: &Vec3, direction: &Vec3) -> Self {
        let component = |x: f64| {
            let x = x as f32;
            if x.abs() < MIN_COMPONENT { MIN_COMPONENT.copysign(x) } else { x }
        };
        Self {
            origin: origin.to_array().map(|x| x as f32),
            inverse: direction.to_array().map(|x| 1.0 / component(x)),
        }
    }

    /// Whether a ray from 0 along the direction hits a box; the origin is not used.
    #[inline(always)]
    pub fn hits_from_zero(&self, (low, high): &Box3) -> bool {
        let (mut near, mut end) = (0.0, f32::INFINITY);
        for axis in 0..3 {
            let [a, b] = [low[axis], high[axis]].map(|face| face * self.inverse[axis]);
            let (front, back) = if self.inverse[axis] < 0.0 { (b, a) } else { (a, b) };
            (near, end) = (max(near, front), min(end, back));
        }
        near <= end
    }

    /// Distances at which the ray enters the boxes of children, 0 inside them, and a bit mask of those that
    /// it hits before the distance `far`.
    #[inline(always)]
    pub fn hits(&self, node: &WideNode, far: f32) -> (Row<f32>, u32) {
        let faces = |axis: usize| {
            let (low, high) = (&node.low[axis], &node.high[axis]);
            if self.inverse[axis] < 0.0 { (high, low) } else { (low, high) }
        };
        let faces = [faces(0), faces(1), faces(2)];
        let (mut nears, mut hit) = ([0.0; WIDTH], [false; WIDTH]);
        for i in 0..WIDTH {
            let (mut near, mut end) = (0.0, far);
            for (axis, (front, back)) in faces.iter().enumerate() {
                let at = |face: f32| (face - self.origin[axis]) * self.inverse[axis];
                // The NaN of an absent child is the second operand, so that it is kept and compares false
                // below.
                near = max(near, at(front[i]));
                end = min(end, at(back[i]));
            }
            (nears[i], hit[i]) = (near, near <= end);
        }
        (nears, bit_mask(&hit))
    }
}
