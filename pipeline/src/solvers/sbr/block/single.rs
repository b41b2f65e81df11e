//! A beam without width, which is one ray: edge functions are c x b, and if they are of both signs beyond their margin the exact test refuses the facet.

use super::super::ray::Ray;
use super::{BLOCK, Block, Corner, FLOOR, Outline, Site, WRONG, bits, cross, least, most};
use crate::simd::multiply_add;
use crate::solvers::sbr::facets::Facets;

impl Outline {
    /// Of one ray: a beam without width.
    #[inline(always)]
    pub fn of(facets: &Facets, ray: &Ray) -> Self {
        let (axes, [sx, sy, scale]) = ray.frame();
        let [x, y, z] = axes.map(|axis| ray.origin[axis]);
        let (sense, radius) = (1f64.copysign(scale), facets.radius);
        // A number of single precision.
        let plane = f64::from((sense * z).clamp(-radius, radius) as f32);
        let height = z - sense * plane;
        Self {
            axes,
            sense,
            plane,
            centre: [x - sx * height, y - sy * height],
            half: [0.0; 2],
            slope: [sense * sx, sense * sy],
            spread: [0.0; 2],
            wrong: WRONG * radius as f32,
            floor: FLOOR * radius as f32,
        }
    }

    /// The depth of what a ray meets at a distance.
    #[inline(always)]
    pub fn depth(&self, ray: &Ray, distance: f64) -> f32 {
        let axis = self.axes[2];
        (self.sense * (ray.origin[axis] + distance * ray.direction[axis]) - self.plane) as f32 + self.wrong
    }

    /// Facets of a block, one bit each, that the exact test may not refuse, for a beam without width and hits that are at most so deep.
    #[inline(always)]
    pub fn pierces<const FMA: bool>(&self, block: &Block, far: f32) -> u32 {
        let [kx, ky, kz] = self.axes;
        let site = self.site::<FMA>(block);
        let (before, behind) = (far + self.wrong - site.depth, -self.wrong - site.depth);
        let mut met = [false; BLOCK];
        for i in 0..BLOCK {
            let mut corners = [([0.0; 2], 0.0); 3];
            for (k, at) in block.corners.iter().enumerate() {
                corners[k] = site.carried::<FMA>([at[kx][i], at[ky][i], at[kz][i]]);
            }
            met[i] = site.pierces::<FMA>(&corners, before, behind);
        }
        bits(&met)
    }
}

impl Site {
    /// Whether the only ray of a beam may meet a facet with these corners between two depths from the centre of the block.
    #[inline(always)]
    fn pierces<const FMA: bool>(&self, corners: &[Corner; 3], before: f32, behind: f32) -> bool {
        let [(a, ka), (b, kb), (c, kc)] = *corners;
        let (near, deep) = (least(least(ka, kb), kc), most(most(ka, kb), kc));
        let low = [least(least(a[0], b[0]), c[0]), least(least(a[1], b[1]), c[1])];
        let high = [most(most(a[0], b[0]), c[0]), most(most(a[1], b[1]), c[1])];
        let largest = most(most(-low[0], high[0]), most(-low[1], high[1]));
        let margin = multiply_add::<f32, FMA>(6.0 * self.wrong, largest + self.wrong, f32::MIN_POSITIVE);
        let [u, v, w] = [cross::<FMA>(c, b), cross::<FMA>(a, c), cross::<FMA>(b, a)];
        let (lowest, highest) = (least(least(u, v), w), most(most(u, v), w));
        (low[0] <= self.wrong)
            & (high[0] >= -self.wrong)
            & (low[1] <= self.wrong)
            & (high[1] >= -self.wrong)
            & ((lowest >= -margin) | (highest <= margin))
            & (near <= before)
            & (deep >= behind)
    }
}
