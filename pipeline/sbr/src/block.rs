//! Up to sixteen facets beside each other, in single precision: what a beam may meet of them is decided at once.
//!
//! A beam is a rectangle on its plane, of centre C and half sides h; slopes against depth are within t of s. A block of facets has a centre B, from which its corners are at most r along each axis. B is carried along s to
//! the plane in double precision, where it lies at q relative to C, D deep; corners are carried from there in single precision and lie at c, deeper than B by k. A ray that cuts the plane at p has p' = p + u D where B is,
//! u its slope less s. With x for the product `a x b = ax by - ay bx`, the edge function of corners c and b (depths k and l) is, as the exact test has it,
//!
//! ```text
//! (c - p' - u k) x (b - p' - u l) = c x b + p' x (c - b) + u x (l c - k b) + (l - k) (p x u)            [p' x u = p x u]
//! ```
//!
//! three numbers of the facet times those of the ray if all rays are parallel, six if not, `Edge`. Over all rays it differs from c x b by at most H.|c - b| + t.|l c - k b| + |l - k| (hx ty + hy tx), H = h + t |D|.
//!
//! How wrong is it? Let e = 2^-24. Of a corner's place relative to a ray, in single precision: p is wrong by 3 e h, p' by 2 e t |D| + e H more, q by e |q|, c by 8 e r + e |q| beside that (its own rounding, twice as slopes are at most 1; that
//! of s; a product and two sums), u k by 2 e t r. All that is less than 6 e L, L = |q| + 2 r + Hx + Hy + (tx + ty) r. In double precision, the exact test included, some ten numbers of up to 18 R are rounded, R the radius of the target:
//! less than 2^-46 R. So places are wrong by less than d = 10 e L + 2^-46 R, and by d' = 6/10 of it but for double precision.
//!
//! Let Q be the largest of the |c| of a facet, plus Hx + Hy + (tx + ty) k: at most L, and no place relative to a ray is larger. Then products of two places change by 4 Q d' + 2 d'^2, and by 2 Q (2 e t |D| + e H) as p x u has p and not what
//! became of p': 2.4 Q d and 0.6 Q d beside double precision, which has 4 Q 2^-46 R. The terms of the sum and all that they are made of are together less than 2 Q^2, so that rounding adds at most 25 e Q^2: 10 from five sums, 2 from the products
//! in them, 4 from c x b, 2 from c - b, 3 from l c - k b, and 4 from l - k and p x u. That is 2.5 Q d. So functions are wrong by less than m = 6 d (Q + d) and the least normal number, which is more than what underflow adds. Their range over all rays
//! has roundings of its own, less than m. If one is below -2 m for all rays and another above 2 m, the exact test has them of both signs and refuses the facet.
//!
//! Depths are within 2 R of the plane, those of origins within 5 R. Of the depth of a hit, D is wrong by 2 e R, the corners by e R, their mean by 7 e R (products, sums, quotient), its sum with D by 3 e R; or, where rays are parallel, what functions are
//! multiplied with by 6 e R and three sums by 2 e R each; the origin by 5 e R, and what a depth is compared with by 3 e R: less than `WRONG` = 32 e R, beside what wrong weights make, see `sieve`.

use super::beam::{least, most};
use super::facets::{Facets, NO_FACET};
use super::lanes::bits;
use numerics::simd::multiply_add;

pub mod single;

/// Facets of a block.
pub const BLOCK: usize = 16;

/// Error of depths in radii of the target: 32 x 2^-24.
pub const WRONG: f32 = 32.0 * UNIT;

/// Error of places that double precision makes, in radii of the target.
pub const FLOOR: f32 = 1.0 / (1u64 << 46) as f32;

/// Error of places over the numbers that they are made of.
const PLACE: f32 = 10.0 * UNIT;

/// Half of the difference between 1 and the next number.
const UNIT: f32 = 0.5 * f32::EPSILON;

pub(super) type Row<T> = [T; BLOCK];

/// Facets; NaN where there is none, so that nothing meets it.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub struct Block {
    /// By corner and axis, m from the centre.
    pub corners: [[Row<f32>; 3]; 3],
    /// Their numbers.
    pub facets: Row<u32>,
    /// Middle of all corners, m.
    pub centre: [f64; 3],
    /// How far corners are from it along an axis at most, m.
    pub reach: f32,
    /// What edge functions of a single ray must exceed, m2, see [`single`].
    pub margin: f32,
}

impl Block {
    /// These facets.
    pub fn new(facets: &Facets, numbers: &[u32]) -> Self {
        let bounds = numbers.iter().map(|number| facets.bounds(*number as usize));
        let around = bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let centre = around.map_or([0.0; 3], |(low, high)| ((low + high) * 0.5).to_array());
        let mut block = Self {
            corners: [[[f32::NAN; BLOCK]; 3]; 3],
            facets: [NO_FACET; BLOCK],
            centre,
            reach: 0.0,
            margin: 0.0,
        };
        for (i, number) in numbers.iter().enumerate() {
            block.facets[i] = *number;
            for (to, from) in block.corners.iter_mut().zip(facets.corners[*number as usize]) {
                for axis in 0..3 {
                    let offset = (from[axis] - centre[axis]) as f32;
                    to[axis][i] = offset;
                    block.reach = block.reach.max(offset.abs());
                }
            }
        }
        block.margin = single::margin(block.reach, facets.radius);
        block
    }
}

/// A beam as blocks see it; two numbers are those along its first axes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outline {
    /// Its frame, the axis along which it runs last.
    pub axes: [usize; 3],
    /// 1 or -1: the sense along the last axis.
    pub sense: f64,
    /// Depth 0, counted in that sense, m.
    pub plane: f64,
    /// On the plane, m.
    pub centre: [f64; 2],
    /// Half of its sides, m.
    pub half: [f32; 2],
    /// Against depth.
    pub slope: [f64; 2],
    /// How far slopes are from that.
    pub spread: [f32; 2],
    /// Error of depths, m.
    pub wrong: f32,
    /// Error of places in double precision, m.
    pub floor: f32,
}

/// What a block is to a beam, in single precision.
struct Site {
    /// Place and depth of its centre.
    place: [f32; 2],
    depth: f32,
    /// 1 or -1.
    sense: f32,
    slope: [f32; 2],
    /// Half sides of the beam there.
    half: [f32; 2],
    spread: [f32; 2],
    /// Error of places.
    wrong: f32,
}

/// An edge function over rays: `[c x b, (c - b)y, -(c - b)x]`, times 1 and p', and `[(l c - k b)y, -(l c - k b)x, l - k]`, times u and p x u.
pub type Edge = ([Row<f32>; 3], [Row<f32>; 3]);

/// Facets as a beam sees them.
#[derive(Clone, Copy)]
pub struct Shadows {
    /// Edge functions, see [`Edge`].
    pub edges: [Edge; 3],
    /// Depth of the centre of the block, m.
    pub centre: f32,
    /// Places of the corners relative to the beam's centre, m.
    place: [[Row<f32>; 2]; 3],
    /// Depths of the corners behind that, m.
    pub depth: [Row<f32>; 3],
    /// Where they begin at the earliest.
    pub near: Row<f32>,
    /// Where they end at the latest.
    pub deep: Row<f32>,
    /// What edge functions must exceed.
    pub margin: Row<f32>,
    /// Depth of a hit if rays are parallel.
    pub lean: Lean,
}

/// Depths on facets where rays are parallel, so that all have one sum of edge functions: that of the first corner, and what the second and the third function are multiplied with; and how wrong that is.
#[derive(Clone, Copy)]
pub struct Lean {
    /// m.
    pub base: Row<f32>,
    /// 1/m.
    pub rise: [Row<f32>; 2],
    /// m.
    pub wrong: Row<f32>,
}

impl Default for Shadows {
    fn default() -> Self {
        let zeros = [0.0; BLOCK];
        let edge = ([zeros; 3], [zeros; 3]);
        let place = [[zeros; 2]; 3];
        Self {
            edges: [edge; 3],
            centre: 0.0,
            place,
            depth: [zeros; 3],
            near: zeros,
            deep: zeros,
            margin: zeros,
            lean: Lean { base: zeros, rise: [zeros; 2], wrong: zeros },
        }
    }
}

impl Shadows {
    /// Those of a block; bits are set of those that a beam may meet before depth `far`. If there are none, there are no shadows.
    #[inline(always)]
    pub fn cast<const FMA: bool, const PARALLEL: bool>(
        &mut self,
        block: &Block,
        beam: &Outline,
        far: f32,
    ) -> u32 {
        let [kx, ky, kz] = beam.axes;
        let site = beam.site::<FMA>(block);
        self.centre = site.depth;
        let mut met = [false; BLOCK];
        for i in 0..BLOCK {
            let mut corners = [([0.0; 2], 0.0); 3];
            for (k, at) in block.corners.iter().enumerate() {
                corners[k] = site.carried::<FMA>([at[kx][i], at[ky][i], at[kz][i]]);
                (self.place[k][0][i], self.place[k][1][i]) = (corners[k].0[0], corners[k].0[1]);
                self.depth[k][i] = corners[k].1;
            }
            let facet = site.seen::<FMA, PARALLEL>(&corners);
            let (near, deep) = (facet.near - beam.wrong, facet.deep + beam.wrong);
            (self.near[i], self.deep[i], self.margin[i]) = (near, deep, facet.margin);
            met[i] = facet.meets & (near <= far) & (deep >= 0.0);
        }
        let met = bits(&met);
        if met != 0 {
            self.set_edges::<FMA, PARALLEL>();
            if PARALLEL {
                self.set_lean::<FMA>(beam.wrong);
            }
        }
        met
    }

    #[inline(always)]
    fn set_lean<const FMA: bool>(&mut self, wrong: f32) {
        // Copies, so that the compiler knows them to be apart.
        let ([a, b, c], margin) = (self.depth, self.margin);
        let [u, v, w] = [self.edges[0].0[0], self.edges[1].0[0], self.edges[2].0[0]];
        let centre = self.centre;
        let mut lean = self.lean;
        for i in 0..BLOCK {
            let inverse = 1.0 / (u[i] + v[i] + w[i]);
            let differ = most(most(a[i], b[i]), c[i]) - least(least(a[i], b[i]), c[i]);
            lean.base[i] = centre + a[i];
            lean.rise[0][i] = (b[i] - a[i]) * inverse;
            lean.rise[1][i] = (c[i] - a[i]) * inverse;
            lean.wrong[i] = multiply_add::<f32, FMA>(10.0 * margin[i] * inverse.abs(), differ, wrong);
        }
        self.lean = lean;
    }

    #[inline(always)]
    fn set_edges<const FMA: bool, const PARALLEL: bool>(&mut self) {
        for (to, (c, b)) in self.edges.iter_mut().zip(EDGES) {
            // Copies, so that the compiler knows them to be apart.
            let ([cx, cy], [bx, by]) = (self.place[c], self.place[b]);
            let (k, l) = (self.depth[c], self.depth[b]);
            let (mut place, mut turn) = ([[0.0; BLOCK]; 3], [[0.0; BLOCK]; 3]);
            for i in 0..BLOCK {
                let [one, x, y] = over_places::<FMA>([cx[i], cy[i]], [bx[i], by[i]]);
                (place[0][i], place[1][i], place[2][i]) = (one, x, y);
                if !PARALLEL {
                    turn[0][i] = cross::<FMA>([l[i], k[i]], [by[i], cy[i]]);
                    turn[1][i] = cross::<FMA>([k[i], l[i]], [cx[i], bx[i]]);
                    turn[2][i] = l[i] - k[i];
                }
            }
            to.0 = place;
            if !PARALLEL {
                to.1 = turn;
            }
        }
    }
}

/// Corners of the edge functions: opposite the first corner, the second and the third.
const EDGES: [(usize, usize); 3] = [(2, 1), (0, 2), (1, 0)];

#[inline(always)]
fn cross<const FMA: bool>(a: [f32; 2], b: [f32; 2]) -> f32 {
    multiply_add::<f32, FMA>(a[0], b[1], -(a[1] * b[0]))
}

/// What 1 and p' are multiplied with, see [`Edge`].
#[inline(always)]
fn over_places<const FMA: bool>(c: [f32; 2], b: [f32; 2]) -> [f32; 3] {
    [cross::<FMA>(c, b), c[1] - b[1], b[0] - c[0]]
}

/// What a facet is to a beam.
struct Seen {
    meets: bool,
    near: f32,
    deep: f32,
    margin: f32,
}

/// A corner on the plane, and how deep it is behind the centre of its block.
type Corner = ([f32; 2], f32);

impl Outline {
    #[inline(always)]
    fn site<const FMA: bool>(&self, block: &Block) -> Site {
        let [kx, ky, kz] = self.axes;
        let depth = multiply_add::<f64, FMA>(self.sense, block.centre[kz], -self.plane);
        let x = multiply_add::<f64, FMA>(-self.slope[0], depth, block.centre[kx] - self.centre[0]);
        let y = multiply_add::<f64, FMA>(-self.slope[1], depth, block.centre[ky] - self.centre[1]);
        let (place, depth) = ([x as f32, y as f32], depth as f32);
        let [[hx, hy], [tx, ty]] = [self.half, self.spread];
        let half = [hx + tx * depth.abs(), hy + ty * depth.abs()];
        let numbers =
            most(place[0].abs(), place[1].abs()) + (2.0 + tx + ty) * block.reach + half[0] + half[1];
        Site {
            place,
            depth,
            sense: self.sense as f32,
            slope: [self.slope[0] as f32, self.slope[1] as f32],
            half,
            spread: self.spread,
            wrong: PLACE * numbers + self.floor,
        }
    }
}

impl Site {
    /// Where a corner lies on the plane relative to the centre of the beam, and how deep behind that of the block.
    #[inline(always)]
    fn carried<const FMA: bool>(&self, [x, y, z]: [f32; 3]) -> Corner {
        let depth = self.sense * z;
        let place = [
            multiply_add::<f32, FMA>(-self.slope[0], depth, x) + self.place[0],
            multiply_add::<f32, FMA>(-self.slope[1], depth, y) + self.place[1],
        ];
        (place, depth)
    }

    /// Whether any ray may meet a facet with these corners.
    #[inline(always)]
    fn seen<const FMA: bool, const PARALLEL: bool>(&self, corners: &[Corner; 3]) -> Seen {
        let [(a, ka), (b, kb), (c, kc)] = *corners;
        let (near, deep) = (least(least(ka, kb), kc), most(most(ka, kb), kc));
        let (mut half, mut turned) = (self.half, 0.0);
        if !PARALLEL {
            let depth = most(-near, deep);
            let [tx, ty] = self.spread;
            half =
                [multiply_add::<f32, FMA>(tx, depth, half[0]), multiply_add::<f32, FMA>(ty, depth, half[1])];
            turned = (tx + ty) * (depth + depth);
        }
        let low = [least(least(a[0], b[0]), c[0]), least(least(a[1], b[1]), c[1])];
        let high = [most(most(a[0], b[0]), c[0]), most(most(a[1], b[1]), c[1])];
        let largest = most(most(-low[0], high[0]), most(-low[1], high[1])) + (half[0] + half[1]);
        let margin = multiply_add::<f32, FMA>(6.0 * self.wrong, largest + self.wrong, f32::MIN_POSITIVE);
        let limit = multiply_add::<f32, FMA>(largest, turned, margin + margin);
        let [u, v, w] = [self.edge::<FMA>(c, b), self.edge::<FMA>(a, c), self.edge::<FMA>(b, a)];
        let lowest = least(least(u.1, v.1), w.1);
        let highest = most(most(u.0, v.0), w.0);
        let meets = (low[0] <= half[0] + self.wrong)
            & (high[0] >= -half[0] - self.wrong)
            & (low[1] <= half[1] + self.wrong)
            & (high[1] >= -half[1] - self.wrong)
            & !((lowest < -limit) & (highest > limit));
        let (near, deep) = (self.depth + near, self.depth + deep);
        Seen { meets, near, deep, margin }
    }

    /// Least and largest edge function of two corners, for rays that are parallel.
    #[inline(always)]
    fn edge<const FMA: bool>(&self, c: [f32; 2], b: [f32; 2]) -> (f32, f32) {
        let [middle, over_x, over_y] = over_places::<FMA>(c, b);
        let change = multiply_add::<f32, FMA>(self.half[0], over_x.abs(), self.half[1] * over_y.abs());
        (middle - change, middle + change)
    }
}
