//! One ray and the facets of a block: a beam without width, for which edge functions are c x b. If they are of both signs beyond a margin the exact test refuses the facet.
//!
//! The margin is one for the block. A ray is only asked for if it meets the box of the block, so that it is within r + 2 p R of B along all axes somewhere, p the padding of boxes (see [`super::super::bvh`]); as slopes are at most 1, |q| is at most twice that, and
//! Q and L are at most 4 r + 4 p R.

use super::super::bvh::PAD;
use super::super::ray::Ray;
use super::{BLOCK, Block, FLOOR, PLACE, bits, cross, least, most};
use numerics::simd::multiply_add;

/// A ray as blocks see it.
pub struct Line {
    /// Those of its frame, the one along which it runs fastest last.
    axes: [usize; 3],
    /// Where it begins, along these, m.
    origin: [f64; 3],
    /// Slopes along the first two against the last.
    slope: [f64; 2],
}

/// What edge functions must exceed, m2, for a block whose corners are so far from its centre along an axis, in a target of a radius, m.
pub fn margin(reach: f32, radius: f64) -> f32 {
    let most = 4.0 * (f64::from(reach) + PAD * radius) as f32;
    let wrong = PLACE * most + FLOOR * radius as f32;
    6.0 * wrong * (most + wrong) + f32::MIN_POSITIVE
}

impl Line {
    /// Of a ray.
    #[inline(always)]
    pub fn new(ray: &Ray) -> Self {
        let (axes, [sx, sy, _]) = ray.frame();
        Self { axes, origin: axes.map(|axis| ray.origin[axis]), slope: [sx, sy] }
    }

    /// Facets of a block, one bit each, that the exact test may not refuse, if the ray meets the box of the block.
    #[inline(always)]
    pub fn pierces<const FMA: bool>(&self, block: &Block) -> u32 {
        let [kx, ky, kz] = self.axes;
        let ([x, y, z], [sx, sy]) = (self.origin, self.slope);
        let depth = block.centre[kz] - z;
        let x = multiply_add::<f64, FMA>(-sx, depth, block.centre[kx] - x) as f32;
        let y = multiply_add::<f64, FMA>(-sy, depth, block.centre[ky] - y) as f32;
        let (sx, sy) = (sx as f32, sy as f32);
        let mut met = [false; BLOCK];
        for i in 0..BLOCK {
            let mut corners = [[0.0; 2]; 3];
            for (corner, at) in corners.iter_mut().zip(&block.corners) {
                *corner = [
                    multiply_add::<f32, FMA>(-sx, at[kz][i], at[kx][i]) + x,
                    multiply_add::<f32, FMA>(-sy, at[kz][i], at[ky][i]) + y,
                ];
            }
            let [a, b, c] = corners;
            let [u, v, w] = [cross::<FMA>(c, b), cross::<FMA>(a, c), cross::<FMA>(b, a)];
            let (lowest, highest) = (least(least(u, v), w), most(most(u, v), w));
            met[i] = (lowest >= -block.margin) | (highest <= block.margin);
        }
        bits(&met)
    }
}
