//! The facets of a block against a single ray, in single precision.
//!
//! A single ray is a packet without width: edge functions are c x b. If one is above the margin of the block
//! and another below the negative margin, the exact test refuses the facet (lemma 5).

use super::block::{BLOCK, Block};
use super::interval::{bit_mask, max, min};
use super::projected::cross;
use super::ray::Ray;
use numerics::simd::multiply_add;

pub struct BlockRay {
    /// Axes of the frame, the major axis last.
    axes: [usize; 3],
    /// Origin along these axes, m.
    origin: [f64; 3],
    /// Slopes along the first two axes against the last.
    slope: [f64; 2],
}

impl BlockRay {
    #[inline(always)]
    pub fn new(ray: &Ray) -> Self {
        let (axes, [sx, sy, _]) = ray.frame();
        Self { axes, origin: axes.map(|axis| ray.origin[axis]), slope: [sx, sy] }
    }

    /// Bit mask of the facets of a block that the ray may hit, if it hits the box of the block.
    #[inline(always)]
    pub fn hits<const FMA: bool>(&self, block: &Block) -> u32 {
        let [kx, ky, kz] = self.axes;
        let ([x, y, z], [sx, sy]) = (self.origin, self.slope);
        let depth = block.centre[kz] - z;
        let x = multiply_add::<f64, FMA>(-sx, depth, block.centre[kx] - x) as f32;
        let y = multiply_add::<f64, FMA>(-sy, depth, block.centre[ky] - y) as f32;
        let (sx, sy) = (sx as f32, sy as f32);
        let mut hit = [false; BLOCK];
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
            let (lowest, highest) = (min(min(u, v), w), max(max(u, v), w));
            hit[i] = (lowest >= -block.margin) | (highest <= block.margin);
        }
        bit_mask(&hit)
    }
}
