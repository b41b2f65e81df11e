//! Where rays are that go together, and the boxes that they may meet.
//!
//! They run fastest along the same axis, z here, in the same sense. Depth is counted in that sense from a plane at the nearest of their origins, or at the border of the target. At depth d their x lies
//! in `from + s d` to `to + s d`, s from the least to the largest slope, and so does y: a box that this misses is missed by all. Boxes are at most 2 radii deep and rays that meet them cut the plane
//! within 3 of its middle, the first ray within 9. In single precision, where they do so relative to the first ray is wrong by 12 x 2^-24 radii, its sum with that by 3 x 2^-24, depth, slope and product by 2 x 2^-24 each, and
//! their sum within the target by 2^-24: 1.32e-6 radii together, less than the padding of boxes.

use super::beam::most;
use super::block::Outline;
use super::lanes::bits;
use super::wide::{WIDTH, WideNode};
use numerics::simd::multiply_add;

/// In single precision, two numbers along the first axes of the rays' frame.
#[derive(Default, Clone, Copy)]
pub struct Bounds {
    /// Depth 0, m.
    pub plane: f32,
    /// Least place there, m.
    pub from: [f32; 2],
    /// Largest place there, m.
    pub to: [f32; 2],
    /// Least slope against depth.
    pub least: [f32; 2],
    /// Largest slope against depth.
    pub most: [f32; 2],
    /// The depth of the farthest hit, m.
    pub far: f32,
}

impl Bounds {
    /// Depths at which the children of a node begin, and one bit of each that rays may meet.
    #[inline(always)]
    pub fn meets<const FMA: bool>(&self, outline: &Outline, node: &WideNode) -> ([f32; WIDTH], u32) {
        let [kx, ky, kz] = outline.axes;
        let (b, sense, plane) = (self, outline.sense as f32, self.plane);
        let (front, back) =
            if sense > 0.0 { (&node.low[kz], &node.high[kz]) } else { (&node.high[kz], &node.low[kz]) };
        let (mut nears, mut met) = ([0.0; WIDTH], [false; WIDTH]);
        for i in 0..WIDTH {
            let (near, end) = (most(sense * front[i] - plane, 0.0), sense * back[i] - plane);
            let at = |from: f32, slope: f32, depth: f32| multiply_add::<f32, FMA>(slope, depth, from);
            let low = |k: usize| at(b.from[k], b.least[k], if b.least[k] < 0.0 { end } else { near });
            let high = |k: usize| at(b.to[k], b.most[k], if b.most[k] > 0.0 { end } else { near });
            nears[i] = near;
            met[i] = (low(0) <= node.high[kx][i])
                & (high(0) >= node.low[kx][i])
                & (low(1) <= node.high[ky][i])
                & (high(1) >= node.low[ky][i])
                & (near <= b.far)
                & (end >= 0.0);
        }
        (nears, bits(&met))
    }
}
