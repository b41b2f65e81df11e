//! Up to sixteen facets beside each other, in single precision: what a beam may meet of them is decided at once.
//!
//! A beam is a rectangle on its plane, of centre c and half sides h; slopes against depth are within t of s. Corners are carried to the plane along s, where they lie at p relative to c; there, rays that reach them are
//! within H = h + t d of the centre, d the depth of the deepest corner. Let e = 2^-24 and R the radius of the target. Rays begin within 4 R and run fastest along the last axis, so that they cut the plane within 9 R. Of a corner's
//! place relative to a ray, the corner is wrong by e R, its depth by 4 e R, the place of the ray by (12 + 12 + 9) e R, that of the corner by (10 + 12) e R and the difference by 12 e R: less than d = `WRONG` = 84 e R.
//!
//! An edge function is the difference of two products of places. With Q the largest place plus H, it is wrong by 4 Q d + 2 d^2 and 4 e Q^2 < 2 Q d of rounding: less than m = 6 d (Q + d) plus the least normal number, which is more than what
//! underflow adds. Over the rectangle it changes by at most r = Hx |py - qy| + Hy |px - qx| for an edge from p to q, wrong by 4 Q d and rounding, and by at most Q (tx + ty) (dp - dq) more where rays are not parallel. If one edge function
//! is below -2 m for all rays and another above 2 m, the exact test has them of both signs and refuses the facet.

use super::beam::{least, most};
use super::facets::{Facets, NO_FACET};
use super::lanes::bits;
use crate::simd::multiply_add;

/// Facets of a block.
pub const BLOCK: usize = 16;

/// Error of places and depths in radii of the target: 84 x 2^-24.
pub const WRONG: f32 = 5e-6;

pub(super) type Row<T> = [T; BLOCK];

/// Facets; NaN where there is none, so that nothing meets it.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub struct Block {
    /// By corner and axis, m.
    pub corners: [[Row<f32>; 3]; 3],
    /// Their numbers.
    pub facets: Row<u32>,
}

impl Block {
    /// These facets.
    pub fn new(facets: &Facets, numbers: &[u32]) -> Self {
        let mut block = Self { corners: [[[f32::NAN; BLOCK]; 3]; 3], facets: [NO_FACET; BLOCK] };
        for (i, number) in numbers.iter().enumerate() {
            block.facets[i] = *number;
            for (to, from) in block.corners.iter_mut().zip(facets.corners[*number as usize]) {
                (0..3).for_each(|axis| to[axis][i] = from[axis] as f32);
            }
        }
        block
    }
}

/// A beam as blocks see it; two numbers are those along its first axes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outline {
    /// Its frame, the axis along which it runs last.
    pub axes: [usize; 3],
    /// 1 or -1: the sense along the last axis.
    pub sense: f32,
    /// Depth 0, counted in that sense, m.
    pub plane: f32,
    /// On the plane, m.
    pub centre: [f32; 2],
    /// Half of its sides, m.
    pub half: [f32; 2],
    /// Against depth.
    pub slope: [f32; 2],
    /// How far slopes are from that.
    pub spread: [f32; 2],
    /// Error of places and depths, m.
    pub wrong: f32,
}

/// Facets as a beam sees them.
#[derive(Clone, Copy)]
pub struct Shadows {
    /// Places of the corners relative to the beam's centre, m.
    pub place: [[Row<f32>; 2]; 3],
    /// Their depths, m.
    pub depth: [Row<f32>; 3],
    /// Where they begin at the earliest.
    pub near: Row<f32>,
    /// What edge functions must exceed.
    pub margin: Row<f32>,
}

impl Default for Shadows {
    fn default() -> Self {
        let zeros = [0.0; BLOCK];
        Self { place: [[zeros; 2]; 3], depth: [zeros; 3], near: zeros, margin: zeros }
    }
}

impl Shadows {
    /// Those of a block; bits are set of those that a beam may meet before depth `far`.
    #[inline(always)]
    pub fn cast<const FMA: bool>(&mut self, block: &Block, beam: &Outline, far: f32) -> u32 {
        let [kx, ky, kz] = beam.axes;
        let mut met = [false; BLOCK];
        for i in 0..BLOCK {
            let (mut places, mut depths) = ([[0.0; 2]; 3], [0.0; 3]);
            for corner in 0..3 {
                let at = &block.corners[corner];
                let (place, depth) = beam.carried::<FMA>([at[kx][i], at[ky][i], at[kz][i]]);
                (places[corner], depths[corner]) = (place, depth);
                self.depth[corner][i] = depth;
                self.place[corner][0][i] = place[0];
                self.place[corner][1][i] = place[1];
            }
            let facet = beam.meets::<FMA>(&places, depths);
            self.near[i] = facet.near;
            self.margin[i] = facet.margin;
            met[i] = facet.meets & (facet.near <= far);
        }
        bits(&met)
    }
}

/// What a facet is to a beam.
struct Seen {
    meets: bool,
    near: f32,
    margin: f32,
}

impl Outline {
    /// Where a corner lies on the plane relative to the centre, and how deep.
    #[inline(always)]
    fn carried<const FMA: bool>(&self, [x, y, z]: [f32; 3]) -> ([f32; 2], f32) {
        let depth = multiply_add::<f32, FMA>(self.sense, z, -self.plane);
        let place = [
            multiply_add::<f32, FMA>(-self.slope[0], depth, x - self.centre[0]),
            multiply_add::<f32, FMA>(-self.slope[1], depth, y - self.centre[1]),
        ];
        (place, depth)
    }

    /// Whether any ray may meet a facet with corners there.
    #[inline(always)]
    fn meets<const FMA: bool>(&self, &[a, b, c]: &[[f32; 2]; 3], depths: [f32; 3]) -> Seen {
        let near = least(least(depths[0], depths[1]), depths[2]) - self.wrong;
        let deep = most(most(depths[0], depths[1]), depths[2]);
        let half = [
            multiply_add::<f32, FMA>(self.spread[0], deep, self.half[0]),
            multiply_add::<f32, FMA>(self.spread[1], deep, self.half[1]),
        ];
        let low = [least(least(a[0], b[0]), c[0]), least(least(a[1], b[1]), c[1])];
        let high = [most(most(a[0], b[0]), c[0]), most(most(a[1], b[1]), c[1])];
        let largest = most(most(-low[0], high[0]), most(-low[1], high[1])) + half[0] + half[1];
        let margin = multiply_add::<f32, FMA>(6.0 * self.wrong, largest + self.wrong, f32::MIN_POSITIVE);
        let turned = largest * (self.spread[0] + self.spread[1]) * (deep - near);
        let limit = multiply_add::<f32, FMA>(2.0, margin, turned);
        let [u, v, w] = [edge::<FMA>(c, b, half), edge::<FMA>(a, c, half), edge::<FMA>(b, a, half)];
        let negative = least(least(u.1, v.1), w.1) < -limit;
        let positive = most(most(u.0, v.0), w.0) > limit;
        let meets = (low[0] <= half[0] + self.wrong)
            & (high[0] >= -half[0] - self.wrong)
            & (low[1] <= half[1] + self.wrong)
            & (high[1] >= -half[1] - self.wrong)
            & (deep >= -self.wrong)
            & !(negative & positive);
        Seen { meets, near, margin }
    }
}

/// Least and largest value of the edge function of two corners over a rectangle.
#[inline(always)]
fn edge<const FMA: bool>(p: [f32; 2], q: [f32; 2], half: [f32; 2]) -> (f32, f32) {
    let middle = multiply_add::<f32, FMA>(p[0], q[1], -(p[1] * q[0]));
    let change = multiply_add::<f32, FMA>(half[0], (p[1] - q[1]).abs(), half[1] * (p[0] - q[0]).abs());
    (middle - change, middle + change)
}
