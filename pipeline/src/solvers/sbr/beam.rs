//! Rays side by side, cast together.
//!
//! Rays of a beam run fastest along the same axis, z here, in the same sense. At z their x lies in `from + s z` to `to + s z`, s from the least to the largest slope, and so does y: a box that
//! this misses is missed by all. Boxes lie within 2 radii of the reference plane z = 0 and rays that meet them within 3 of its middle, so that single precision is wrong by 14 x 2^-24 radii there, 8.4e-7, less than
//! the padding of boxes. Facets are tested eight rays at a time, with the operations of [`Ray::test`] in their order: hits are the same bits.

use super::bvh::Bvh;
use super::facets::Facets;
use super::ray::{Hit, Ray};
use super::wide::{self, FACET, Stack, WIDTH, WideNode};

/// Rays that are tested at once.
const LANES: usize = 8;
/// Groups of lanes.
const GROUPS: usize = 8;
/// Rays of a beam.
pub const MOST: usize = LANES * GROUPS;
/// Slopes of a beam differ at most by this.
const SPREAD: f64 = 0.2;

/// Slack of what decides by a facet's shadow, in radii of the target: far above the rounding of double precision, far below the padding of boxes.
const SLACK: f64 = 1e-9;

type Lanes<T> = [[T; LANES]; GROUPS];

/// Where rays are: x and y from, to at the reference plane, slopes, and depth from the nearest origin to the farthest hit.
#[derive(Clone, Copy)]
struct Bounds<T> {
    from: [T; 2],
    to: [T; 2],
    least: [T; 2],
    most: [T; 2],
    near: T,
    far: T,
}

/// The rays.
pub struct Beam {
    axes: [usize; 3],
    /// 1 or -1: the sense along the last axis.
    sense: f64,
    /// Where the reference plane cuts the last axis, m.
    plane: f64,
    slack: f64,
    groups: usize,
    /// By axis of the frame.
    origin: [Lanes<f64>; 3],
    shear: [Lanes<f64>; 3],
    /// Of the directions, along the last axis.
    slope: Lanes<f64>,
    least: Lanes<f64>,
    leaves: Lanes<u32>,
    distance: Lanes<f64>,
    facet: Lanes<u32>,
    /// Of each group.
    bounds: Bounds<[f64; GROUPS]>,
}

impl Default for Beam {
    fn default() -> Self {
        let (zeros, none) = ([[0.0; LANES]; GROUPS], [0.0; GROUPS]);
        Self {
            axes: [0, 1, 2],
            sense: 1.0,
            plane: 0.0,
            slack: 0.0,
            groups: 0,
            origin: [zeros; 3],
            shear: [zeros; 3],
            slope: zeros,
            least: zeros,
            leaves: [[0; LANES]; GROUPS],
            distance: zeros,
            facet: [[0; LANES]; GROUPS],
            bounds: Bounds {
                from: [none; 2],
                to: [none; 2],
                least: [none; 2],
                most: [none; 2],
                near: none,
                far: none,
            },
        }
    }
}

/// How many of the rays, from the first, can go together.
#[inline(always)]
pub fn alike(rays: &[Ray]) -> usize {
    let (axes, [sx, sy, _]) = rays[0].frame();
    let mut count = 1;
    while count < rays.len().min(MOST) {
        let (others, [x, y, _]) = rays[count].frame();
        if others != axes || (x - sx).abs() > SPREAD || (y - sy).abs() > SPREAD {
            break;
        }
        count += 1;
    }
    count
}

impl Beam {
    /// Takes rays that are [`alike`].
    #[inline(always)]
    pub fn load(&mut self, facets: &Facets, rays: &[Ray]) {
        let (axes, [_, _, scale]) = rays[0].frame();
        self.axes = axes;
        self.sense = 1f64.copysign(scale);
        // A number of single precision inside the target.
        self.plane = f64::from(rays[0].origin[axes[2]].clamp(-facets.radius, facets.radius) as f32);
        self.slack = SLACK * facets.radius;
        self.groups = rays.len().div_ceil(LANES);
        for i in 0..self.groups * LANES {
            // The last ray fills its group.
            let ray = &rays[i.min(rays.len() - 1)];
            let (group, lane) = (i / LANES, i % LANES);
            let (origin, (_, shear)) = (ray.origin.to_array(), ray.frame());
            for axis in 0..3 {
                self.origin[axis][group][lane] = origin[axes[axis]];
                self.shear[axis][group][lane] = shear[axis];
            }
            self.slope[group][lane] = ray.direction[axes[2]];
            self.least[group][lane] = ray.least;
            self.leaves[group][lane] = ray.leaves;
        }
        for group in 0..self.groups {
            self.distance[group] = [f64::INFINITY; LANES];
            self.facet[group] = [Hit::NONE.facet; LANES];
            self.bound(group);
        }
        for group in self.groups..GROUPS {
            // Within the others, and nothing is near enough for it.
            for axis in 0..2 {
                self.bounds.from[axis][group] = self.bounds.from[axis][0];
                self.bounds.to[axis][group] = self.bounds.to[axis][0];
                self.bounds.least[axis][group] = self.bounds.least[axis][0];
                self.bounds.most[axis][group] = self.bounds.most[axis][0];
            }
            self.bounds.near[group] = self.bounds.near[0];
            self.bounds.far[group] = f64::NEG_INFINITY;
        }
    }

    #[inline(always)]
    fn bound(&mut self, group: usize) {
        let z = &self.origin[2][group];
        for axis in 0..2 {
            let (x, slope) = (&self.origin[axis][group], &self.shear[axis][group]);
            let mut at = [0.0; LANES];
            for lane in 0..LANES {
                at[lane] = x[lane] - slope[lane] * (z[lane] - self.plane);
            }
            self.bounds.from[axis][group] = lowest(&at);
            self.bounds.to[axis][group] = highest(&at);
            self.bounds.least[axis][group] = lowest(slope);
            self.bounds.most[axis][group] = highest(slope);
        }
        let mut depth = [0.0; LANES];
        for lane in 0..LANES {
            depth[lane] = self.sense * (z[lane] - self.plane);
        }
        self.bounds.near[group] = lowest(&depth);
        self.bounds.far[group] = f64::INFINITY;
    }

    /// Of all groups, in single precision.
    #[inline(always)]
    fn whole(&self) -> Bounds<f32> {
        let b = &self.bounds;
        Bounds {
            from: [lowest(&b.from[0]) as f32, lowest(&b.from[1]) as f32],
            to: [highest(&b.to[0]) as f32, highest(&b.to[1]) as f32],
            least: [lowest(&b.least[0]) as f32, lowest(&b.least[1]) as f32],
            most: [highest(&b.most[0]) as f32, highest(&b.most[1]) as f32],
            near: lowest(&b.near) as f32,
            far: f32::INFINITY,
        }
    }

    /// Finds the nearest facets.
    #[inline(always)]
    pub fn cast(&mut self, bvh: &Bvh, facets: &Facets, stack: &mut Stack) {
        let mut whole = self.whole();
        stack.clear();
        stack.push((0, f32::NEG_INFINITY));
        while let Some((child, near)) = stack.pop() {
            if near > whole.far {
                continue;
            }
            if child & FACET != 0 {
                if self.test(facets, child & !FACET) {
                    whole.far = highest(&self.bounds.far) as f32;
                }
                continue;
            }
            let node = &bvh.wide[child as usize];
            let nears = self.meets(node, &whole);
            wide::push(stack, node, &nears);
        }
    }

    /// Depths at which the children of a node begin; infinite for those that no ray meets.
    #[inline(always)]
    fn meets(&self, node: &WideNode, b: &Bounds<f32>) -> [f32; WIDTH] {
        let [kx, ky, kz] = self.axes;
        let (plane, sense) = (self.plane as f32, self.sense as f32);
        let mut nears = [f32::INFINITY; WIDTH];
        for (i, to) in nears.iter_mut().enumerate() {
            let (low, high) = (node.low[kz][i] - plane, node.high[kz][i] - plane);
            let (xa, xb, xc, xd) = (b.least[0] * low, b.least[0] * high, b.most[0] * low, b.most[0] * high);
            let (ya, yb, yc, yd) = (b.least[1] * low, b.least[1] * high, b.most[1] * low, b.most[1] * high);
            let x =
                (b.from[0] + least(least(xa, xb), least(xc, xd)), b.to[0] + most(most(xa, xb), most(xc, xd)));
            let y =
                (b.from[1] + least(least(ya, yb), least(yc, yd)), b.to[1] + most(most(ya, yb), most(yc, yd)));
            let (za, zb) = (sense * low, sense * high);
            let near = least(za, zb);
            let meets = (x.0 <= node.high[kx][i])
                & (x.1 >= node.low[kx][i])
                & (y.0 <= node.high[ky][i])
                & (y.1 >= node.low[ky][i])
                & (near <= b.far)
                & (most(za, zb) >= b.near)
                & ((i as u32) < node.children);
            *to = if meets { near } else { f32::INFINITY };
        }
        nears
    }

    /// Tests a facet against all groups whose shadow it touches; whether anything came nearer.
    #[inline(always)]
    fn test(&mut self, facets: &Facets, index: u32) -> bool {
        let [kx, ky, kz] = self.axes;
        let [a, b, c] = &facets.corners[index as usize];
        let corners = [[a[kx], a[ky], a[kz]], [b[kx], b[ky], b[kz]], [c[kx], c[ky], c[kz]]];
        let mut touched = 0u32;
        for (group, touches) in self.touched(&corners).iter().enumerate() {
            touched |= u32::from(*touches) << group;
        }
        let mut found = false;
        while touched != 0 {
            let group = touched.trailing_zeros() as usize % GROUPS;
            touched &= touched - 1;
            found |= self.test_group(group, &corners, index);
        }
        found
    }

    /// Groups whose rays may meet a facet.
    #[inline(always)]
    fn touched(&self, corners: &[[f64; 3]; 3]) -> [bool; GROUPS] {
        let bounds = &self.bounds;
        let mut touched = [false; GROUPS];
        let z = [corners[0][2] - self.plane, corners[1][2] - self.plane, corners[2][2] - self.plane];
        let depth = [self.sense * z[0], self.sense * z[1], self.sense * z[2]];
        let first = least(least(depth[0], depth[1]), depth[2]) - self.slack;
        let last = most(most(depth[0], depth[1]), depth[2]) + self.slack;
        for (group, to) in touched.iter_mut().enumerate() {
            let mut meets = (first <= bounds.far[group]) & (last >= bounds.near[group]);
            for axis in 0..2 {
                let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
                for (corner, z) in corners.iter().zip(z) {
                    let a = corner[axis] - bounds.least[axis][group] * z;
                    let b = corner[axis] - bounds.most[axis][group] * z;
                    low = least(low, least(a, b));
                    high = most(high, most(a, b));
                }
                meets &= (low - self.slack <= bounds.to[axis][group])
                    & (high + self.slack >= bounds.from[axis][group]);
            }
            *to = meets;
        }
        touched
    }

    #[inline(always)]
    fn test_group(&mut self, group: usize, [a, b, c]: &[[f64; 3]; 3], index: u32) -> bool {
        let (x, y, z) = (&self.origin[0][group], &self.origin[1][group], &self.origin[2][group]);
        let (sx, sy, sz) = (&self.shear[0][group], &self.shear[1][group], &self.shear[2][group]);
        let (mut upper, mut lower) = ([0.0; LANES], [0.0; LANES]);
        let mut inside = [false; LANES];
        for i in 0..LANES {
            let (az, bz, cz) = (a[2] - z[i], b[2] - z[i], c[2] - z[i]);
            let a = [a[0] - x[i] - sx[i] * az, a[1] - y[i] - sy[i] * az, sz[i] * az];
            let b = [b[0] - x[i] - sx[i] * bz, b[1] - y[i] - sy[i] * bz, sz[i] * bz];
            let c = [c[0] - x[i] - sx[i] * cz, c[1] - y[i] - sy[i] * cz, sz[i] * cz];
            let u = c[0] * b[1] - c[1] * b[0];
            let v = a[0] * c[1] - a[1] * c[0];
            let w = b[0] * a[1] - b[1] * a[0];
            let mixed = ((u < 0.0) | (v < 0.0) | (w < 0.0)) & ((u > 0.0) | (v > 0.0) | (w > 0.0));
            lower[i] = u + v + w;
            upper[i] = u * a[2] + v * b[2] + w * c[2];
            inside[i] = !mixed & (lower[i] != 0.0);
        }
        if inside == [false; LANES] {
            return false;
        }
        let (nearest, leaves) = (&self.least[group], &self.leaves[group]);
        let (distance, facet) = (self.distance[group], self.facet[group]);
        let mut at = [0.0; LANES];
        for i in 0..LANES {
            // Nothing is nearer than NaN.
            at[i] = if inside[i] { upper[i] / lower[i] } else { f64::NAN };
        }
        let (mut nearer, mut hit) = (distance, facet);
        let mut better = [false; LANES];
        for i in 0..LANES {
            better[i] = ((at[i] < distance[i]) | ((at[i] == distance[i]) & (index < facet[i])))
                & (at[i] > nearest[i])
                & (leaves[i] != index);
        }
        for i in 0..LANES {
            nearer[i] = if better[i] { at[i] } else { distance[i] };
            hit[i] = if better[i] { index } else { facet[i] };
        }
        (self.distance[group], self.facet[group]) = (nearer, hit);
        let found = better != [false; LANES];
        if found {
            let (slope, mut depth) = (&self.slope[group], [0.0; LANES]);
            for i in 0..LANES {
                depth[i] = self.sense * (z[i] - self.plane + nearer[i] * slope[i]);
            }
            self.bounds.far[group] = highest(&depth);
        }
        found
    }

    /// What ray `index` hit.
    #[inline(always)]
    pub fn hit(&self, index: usize) -> Hit {
        let (group, lane) = (index / LANES, index % LANES);
        Hit { distance: self.distance[group][lane], facet: self.facet[group][lane] }
    }
}

/// Of eight, by halves.
#[inline(always)]
fn lowest(v: &[f64; 8]) -> f64 {
    let four = [least(v[0], v[4]), least(v[1], v[5]), least(v[2], v[6]), least(v[3], v[7])];
    least(least(four[0], four[2]), least(four[1], four[3]))
}

/// Of eight, by halves.
#[inline(always)]
fn highest(v: &[f64; 8]) -> f64 {
    let four = [most(v[0], v[4]), most(v[1], v[5]), most(v[2], v[6]), most(v[3], v[7])];
    most(most(four[0], four[2]), most(four[1], four[3]))
}

/// The smaller one, in one instruction.
#[inline(always)]
pub fn least<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The larger one, in one instruction.
#[inline(always)]
pub fn most<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}
