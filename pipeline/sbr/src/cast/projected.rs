//! The facets of a block projected along the mean direction of a packet, in single precision.
//!
//! The packet is a rectangle on its plane with centre C and half sides h; slopes against depth are within t
//! of s. The centre of the block is carried along s to the plane in double precision. There it lies at q
//! relative to C, at depth D. Corners are carried from there in single precision: they lie at c on the plane,
//! deeper than the block's centre by k. A ray that cuts the plane at p has p' = p + u D where the block is, u
//! being its slope less s. With the product `a x b = ax by - ay bx`, the edge function of the corners c and b
//! (depths k and l) in the exact test is
//!
//! ```text
//! (c - p' - u k) x (b - p' - u l) = c x b + p' x (c - b) + u x (l c - k b) + (l - k) (p x u)            [p' x u = p x u]
//! ```
//!
//! These are three numbers of the facet times those of the ray if all rays are parallel, and six if not
//! ([`Edge`]). Over all rays the function differs from c x b by at most H.|c - b| + t.|l c - k b| + |l - k|
//! (hx ty + hy tx), H = h + t |D|.
//!
//! Lemmas 1 to 3 bound the rounding error of an edge function by the margin m and that of its range over all
//! rays by another m. If one function is below -2 m for all rays and another above 2 m, the exact test has
//! both signs and refuses the facet.

use super::block::{BLOCK, Block, PLACE_ERROR};
use super::frustum::Frustum;
use super::interval::{Row, bit_mask, max, min};
use numerics::simd::multiply_add;

/// A packet in the coordinates of a block, in single precision.
struct Local {
    /// Place of the centre of the block on the plane, relative to that of the packet, m.
    place: [f32; 2],
    /// Depth of the centre of the block, m.
    depth: f32,
    /// 1 or -1.
    sense: f32,
    slope: [f32; 2],
    slope_half: [f32; 2],
    /// Half sides of the packet at that depth, m.
    half: [f32; 2],
    /// Bound on the error of places, m.
    place_error: f32,
}

/// An edge function over rays: `[c x b, (c - b)y, -(c - b)x]`, times 1 and p', and `[(l c - k b)y, -(l c - k
/// b)x, l - k]`, times u and p x u.
pub type Edge = ([Row<f32>; 3], [Row<f32>; 3]);

/// The facets of a block on the plane of a packet.
#[derive(Clone, Copy)]
pub struct Projected {
    pub edges: [Edge; 3],
    /// Depth of the centre of the block, m.
    pub centre: f32,
    /// Places of the corners relative to the centre of the packet, m.
    place: [[Row<f32>; 2]; 3],
    /// Depths of the corners from the centre of the block, m.
    pub depth: [Row<f32>; 3],
    /// Smallest depths of facets, m.
    pub near: Row<f32>,
    /// Largest depths of facets, m.
    pub deep: Row<f32>,
    /// Margins of the edge functions, m2.
    pub margin: Row<f32>,
    pub planes: DepthPlanes,
}

/// Depths of hits of parallel rays, which all have one sum of edge functions: linear in two of the functions.
#[derive(Clone, Copy)]
pub struct DepthPlanes {
    /// Depth of the first corner, m.
    pub base: Row<f32>,
    /// Factors of the second and the third function, 1/m.
    pub factors: [Row<f32>; 2],
    /// Bound on the error, m.
    pub error: Row<f32>,
}

impl Default for Projected {
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
            planes: DepthPlanes { base: zeros, factors: [zeros; 2], error: zeros },
        }
    }
}

impl Projected {
    /// Projects the facets of a block. Gives a bit mask of those that rays may hit before depth `far`; if it
    /// is 0, edge functions are not set.
    #[inline(always)]
    pub fn project<const FMA: bool, const PARALLEL: bool>(
        &mut self,
        block: &Block,
        frustum: &Frustum,
        far: f32,
    ) -> u32 {
        let [kx, ky, kz] = frustum.axes;
        let local = Local::new::<FMA>(frustum, block);
        self.centre = local.depth;
        let mut hit = [false; BLOCK];
        for i in 0..BLOCK {
            let mut corners = [([0.0; 2], 0.0); 3];
            for (k, at) in block.corners.iter().enumerate() {
                corners[k] = local.carried::<FMA>([at[kx][i], at[ky][i], at[kz][i]]);
                (self.place[k][0][i], self.place[k][1][i]) = (corners[k].0[0], corners[k].0[1]);
                self.depth[k][i] = corners[k].1;
            }
            let facet = local.facet::<FMA, PARALLEL>(&corners);
            let (near, deep) = (facet.near - frustum.depth_error, facet.deep + frustum.depth_error);
            (self.near[i], self.deep[i], self.margin[i]) = (near, deep, facet.margin);
            hit[i] = facet.hit & (near <= far) & (deep >= 0.0);
        }
        let hit = bit_mask(&hit);
        if hit != 0 {
            self.set_edges::<FMA, PARALLEL>();
            if PARALLEL {
                self.set_planes::<FMA>(frustum.depth_error);
            }
        }
        hit
    }

    #[inline(always)]
    fn set_planes<const FMA: bool>(&mut self, depth_error: f32) {
        // Copies, so that the compiler knows them to be apart.
        let ([a, b, c], margin) = (self.depth, self.margin);
        let [u, v, w] = [self.edges[0].0[0], self.edges[1].0[0], self.edges[2].0[0]];
        let centre = self.centre;
        let mut planes = self.planes;
        for i in 0..BLOCK {
            let inverse = 1.0 / (u[i] + v[i] + w[i]);
            let range = max(max(a[i], b[i]), c[i]) - min(min(a[i], b[i]), c[i]);
            planes.base[i] = centre + a[i];
            planes.factors[0][i] = (b[i] - a[i]) * inverse;
            planes.factors[1][i] = (c[i] - a[i]) * inverse;
            planes.error[i] = multiply_add::<f32, FMA>(10.0 * margin[i] * inverse.abs(), range, depth_error);
        }
        self.planes = planes;
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

/// Corners of the edge functions opposite the first corner, the second and the third.
const EDGES: [(usize, usize); 3] = [(2, 1), (0, 2), (1, 0)];

#[inline(always)]
pub fn cross<const FMA: bool>(a: [f32; 2], b: [f32; 2]) -> f32 {
    multiply_add::<f32, FMA>(a[0], b[1], -(a[1] * b[0]))
}

/// Factors of 1 and p' in an [`Edge`].
#[inline(always)]
fn over_places<const FMA: bool>(c: [f32; 2], b: [f32; 2]) -> [f32; 3] {
    [cross::<FMA>(c, b), c[1] - b[1], b[0] - c[0]]
}

struct Facet {
    hit: bool,
    near: f32,
    deep: f32,
    margin: f32,
}

/// Place of a corner on the plane, and its depth from the centre of the block, m.
type Corner = ([f32; 2], f32);

impl Local {
    #[inline(always)]
    fn new<const FMA: bool>(packet: &Frustum, block: &Block) -> Self {
        let [kx, ky, kz] = packet.axes;
        let depth = multiply_add::<f64, FMA>(packet.sense, block.centre[kz], -packet.plane);
        let x = multiply_add::<f64, FMA>(-packet.slope[0], depth, block.centre[kx] - packet.centre[0]);
        let y = multiply_add::<f64, FMA>(-packet.slope[1], depth, block.centre[ky] - packet.centre[1]);
        let (place, depth) = ([x as f32, y as f32], depth as f32);
        let [[hx, hy], [tx, ty]] = [packet.half, packet.slope_half];
        let half = [hx + tx * depth.abs(), hy + ty * depth.abs()];
        let lengths = max(place[0].abs(), place[1].abs()) + (2.0 + tx + ty) * block.reach + half[0] + half[1];
        Self {
            place,
            depth,
            sense: packet.sense as f32,
            slope: [packet.slope[0] as f32, packet.slope[1] as f32],
            half,
            slope_half: packet.slope_half,
            place_error: PLACE_ERROR * lengths + packet.double_error,
        }
    }

    /// Carries a corner along the mean direction to the plane.
    #[inline(always)]
    fn carried<const FMA: bool>(&self, [x, y, z]: [f32; 3]) -> Corner {
        let depth = self.sense * z;
        let place = [
            multiply_add::<f32, FMA>(-self.slope[0], depth, x) + self.place[0],
            multiply_add::<f32, FMA>(-self.slope[1], depth, y) + self.place[1],
        ];
        (place, depth)
    }

    /// Tests a facet with these corners conservatively against all rays.
    #[inline(always)]
    fn facet<const FMA: bool, const PARALLEL: bool>(&self, corners: &[Corner; 3]) -> Facet {
        let [(a, ka), (b, kb), (c, kc)] = *corners;
        let (near, deep) = (min(min(ka, kb), kc), max(max(ka, kb), kc));
        let (mut half, mut turned) = (self.half, 0.0);
        if !PARALLEL {
            let depth = max(-near, deep);
            let [tx, ty] = self.slope_half;
            half =
                [multiply_add::<f32, FMA>(tx, depth, half[0]), multiply_add::<f32, FMA>(ty, depth, half[1])];
            turned = (tx + ty) * (depth + depth);
        }
        let low = [min(min(a[0], b[0]), c[0]), min(min(a[1], b[1]), c[1])];
        let high = [max(max(a[0], b[0]), c[0]), max(max(a[1], b[1]), c[1])];
        let largest = max(max(-low[0], high[0]), max(-low[1], high[1])) + (half[0] + half[1]);
        let margin =
            multiply_add::<f32, FMA>(6.0 * self.place_error, largest + self.place_error, f32::MIN_POSITIVE);
        let limit = multiply_add::<f32, FMA>(largest, turned, margin + margin);
        let [u, v, w] = [self.edge::<FMA>(c, b), self.edge::<FMA>(a, c), self.edge::<FMA>(b, a)];
        let lowest = min(min(u.1, v.1), w.1);
        let highest = max(max(u.0, v.0), w.0);
        let hit = (low[0] <= half[0] + self.place_error)
            & (high[0] >= -half[0] - self.place_error)
            & (low[1] <= half[1] + self.place_error)
            & (high[1] >= -half[1] - self.place_error)
            & !((lowest < -limit) & (highest > limit));
        let (near, deep) = (self.depth + near, self.depth + deep);
        Facet { hit, near, deep, margin }
    }

    /// Smallest and largest edge function of two corners over parallel rays.
    #[inline(always)]
    fn edge<const FMA: bool>(&self, c: [f32; 2], b: [f32; 2]) -> (f32, f32) {
        let [middle, over_x, over_y] = over_places::<FMA>(c, b);
        let change = multiply_add::<f32, FMA>(self.half[0], over_x.abs(), self.half[1] * over_y.abs());
        (middle - change, middle + change)
    }
}
