//! The exact test of eight rays at once: the operations of [`super::ray::Ray::test`] in the same order, so
//! that hits are the same bits.

use super::interval::bit_mask;
use super::ray::{Hit, Ray};
use super::rays::Rays;
use crate::facets::{Facets, NO_FACET};

pub const LANES: usize = 8;

type Eight<T> = [T; LANES];

/// Eight rays and their hits; coordinates are by axis of the frame, the major axis last.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub struct Lanes {
    origin: [Eight<f64>; 3],
    shear: [Eight<f64>; 3],
    /// Components of the directions along the major axis.
    slope: Eight<f64>,
    min_distance: Eight<f64>,
    leaves: Eight<u32>,
    distance: Eight<f64>,
    facet: Eight<u32>,
}

impl Default for Lanes {
    fn default() -> Self {
        let zeros = [0.0; LANES];
        Self {
            origin: [zeros; 3],
            shear: [zeros; 3],
            slope: zeros,
            min_distance: zeros,
            leaves: [Hit::NONE.facet; LANES],
            distance: zeros,
            facet: [Hit::NONE.facet; LANES],
        }
    }
}

impl Lanes {
    /// Loads eight rays from number `first` on, which is of run `run` or of a later one. Lanes behind the
    /// last ray have no meaning.
    #[inline(always)]
    pub fn fill(&mut self, rays: &Rays, axes: [usize; 3], mut run: usize, first: usize) {
        self.origin =
            [rays.origins(axes[0], first), rays.origins(axes[1], first), rays.origins(axes[2], first)];
        self.distance = [f64::INFINITY; LANES];
        self.facet = [Hit::NONE.facet; LANES];
        while rays.runs[run].end <= first {
            run += 1;
        }
        self.share(&rays.runs[run].ray, axes[2]);
        while rays.runs[run].end < first + LANES && run + 1 < rays.runs.len() {
            let lane = rays.runs[run].end - first;
            run += 1;
            self.share_from(lane, &rays.runs[run].ray, axes[2]);
        }
    }

    /// Sets all but the origins of all lanes.
    #[inline(always)]
    fn share(&mut self, ray: &Ray, axis: usize) {
        let (_, [sx, sy, sz]) = ray.frame();
        self.shear = [[sx; LANES], [sy; LANES], [sz; LANES]];
        self.slope = [ray.direction[axis]; LANES];
        self.min_distance = [ray.min_distance; LANES];
        self.leaves = [ray.leaves; LANES];
    }

    /// Sets all but the origins of the lanes from one on.
    #[inline(always)]
    fn share_from(&mut self, from: usize, ray: &Ray, axis: usize) {
        let before = *self;
        self.share(ray, axis);
        for lane in 0..LANES {
            if lane < from {
                (self.shear[0][lane], self.shear[1][lane], self.shear[2][lane]) =
                    (before.shear[0][lane], before.shear[1][lane], before.shear[2][lane]);
                (self.slope[lane], self.min_distance[lane], self.leaves[lane]) =
                    (before.slope[lane], before.min_distance[lane], before.leaves[lane]);
            }
        }
    }

    /// Tests one facet for each ray, unless it is [`NO_FACET`]; corners are by number and axis of the frame.
    #[inline(always)]
    pub fn test(&mut self, corners: &[[Eight<f64>; 3]; 3], facets: &Eight<u32>) {
        let at = self.distances(corners);
        self.take(&at, facets);
    }

    /// Distances to the facets, m; NaN, which compares false, where a ray misses.
    #[inline(always)]
    fn distances(&self, [a, b, c]: &[[Eight<f64>; 3]; 3]) -> Eight<f64> {
        let [x, y, z] = &self.origin;
        let [sx, sy, sz] = &self.shear;
        let mut at = [0.0; LANES];
        for i in 0..LANES {
            let (az, bz, cz) = (a[2][i] - z[i], b[2][i] - z[i], c[2][i] - z[i]);
            let a = [a[0][i] - x[i] - sx[i] * az, a[1][i] - y[i] - sy[i] * az, sz[i] * az];
            let b = [b[0][i] - x[i] - sx[i] * bz, b[1][i] - y[i] - sy[i] * bz, sz[i] * bz];
            let c = [c[0][i] - x[i] - sx[i] * cz, c[1][i] - y[i] - sy[i] * cz, sz[i] * cz];
            let u = c[0] * b[1] - c[1] * b[0];
            let v = a[0] * c[1] - a[1] * c[0];
            let w = b[0] * a[1] - b[1] * a[0];
            let mixed = ((u < 0.0) | (v < 0.0) | (w < 0.0)) & ((u > 0.0) | (v > 0.0) | (w > 0.0));
            let determinant = u + v + w;
            let distance = (u * a[2] + v * b[2] + w * c[2]) / determinant;
            at[i] = if mixed | (determinant == 0.0) { f64::NAN } else { distance };
        }
        at
    }

    #[inline(always)]
    fn take(&mut self, at: &Eight<f64>, facets: &Eight<u32>) {
        // Copies, so that the compiler knows them to be apart.
        let (facets, distance, facet, leaves) = (*facets, self.distance, self.facet, self.leaves);
        for i in 0..LANES {
            let better = ((at[i] < distance[i]) | ((at[i] == distance[i]) & (facets[i] < facet[i])))
                & (at[i] > self.min_distance[i])
                & (leaves[i] != facets[i])
                & (facets[i] != NO_FACET);
            self.distance[i] = if better { at[i] } else { distance[i] };
            self.facet[i] = if better { facets[i] } else { facet[i] };
        }
    }

    /// Depths of the hits from a plane along the major axis in a sense of 1 or -1, m; infinite where there is
    /// none.
    #[inline(always)]
    pub fn depth(&self, sense: f64, plane: f64) -> Eight<f64> {
        let mut depths = [0.0; LANES];
        for (i, depth) in depths.iter_mut().enumerate() {
            *depth = sense * (self.origin[2][i] + self.distance[i] * self.slope[i]) - plane;
        }
        depths
    }

    #[inline(always)]
    pub fn hits(&self) -> Eight<Hit> {
        let mut hits = [Hit::NONE; LANES];
        for (i, hit) in hits.iter_mut().enumerate() {
            *hit = Hit { distance: self.distance[i], facet: self.facet[i] };
        }
        hits
    }
}

/// Corners of eight facets by number and axis of a frame; zeros where there is no facet. Neighbouring rays
/// often have the same facet.
#[inline(always)]
pub fn gathered(facets: &Facets, [kx, ky, kz]: [usize; 3], numbers: &[u32; LANES]) -> [[[f64; LANES]; 3]; 3] {
    let mut all = [[[0.0; LANES]; 3]; 3];
    let mut same = [false; LANES];
    (0..LANES).for_each(|lane| same[lane] = numbers[lane] != NO_FACET);
    let mut left = bit_mask(&same);
    while left != 0 {
        let number = numbers[left.trailing_zeros() as usize % LANES];
        (0..LANES).for_each(|lane| same[lane] = numbers[lane] == number);
        left &= !bit_mask(&same);
        for (to, from) in all.iter_mut().zip(&facets.corners[number as usize]) {
            for (to, from) in to.iter_mut().zip([from[kx], from[ky], from[kz]]) {
                for lane in 0..LANES {
                    to[lane] = if same[lane] { from } else { to[lane] };
                }
            }
        }
    }
    all
}
