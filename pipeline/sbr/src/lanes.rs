//! Eight rays beside each other, in double precision: the operations of [`super::ray::Ray::test`] in their order, so that hits are the same bits.

use super::facets::{Facets, NO_FACET};
use super::ray::{Hit, Ray};
use super::rays::Rays;

/// Rays at once.
pub const LANES: usize = 8;

type Eight<T> = [T; LANES];

/// Eight rays and what they hit; coordinates by axis of their frame, the one along which they run fastest last.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub struct Lanes {
    origin: [Eight<f64>; 3],
    shear: [Eight<f64>; 3],
    /// Of the directions, along the last axis.
    slope: Eight<f64>,
    least: Eight<f64>,
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
            least: zeros,
            leaves: [Hit::NONE.facet; LANES],
            distance: zeros,
            facet: [Hit::NONE.facet; LANES],
        }
    }
}

impl Lanes {
    /// Takes eight rays from number `first` on, which is of run `run` or one behind it; what is behind the last of all rays has no meaning.
    #[inline(always)]
    pub fn fill(&mut self, rays: &Rays, axes: [usize; 3], mut run: usize, first: usize) {
        self.origin = [rays.some(axes[0], first), rays.some(axes[1], first), rays.some(axes[2], first)];
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

    /// Gives all of them what a ray has beside its origin.
    #[inline(always)]
    fn share(&mut self, ray: &Ray, axis: usize) {
        let (_, [sx, sy, sz]) = ray.frame();
        self.shear = [[sx; LANES], [sy; LANES], [sz; LANES]];
        self.slope = [ray.direction[axis]; LANES];
        self.least = [ray.least; LANES];
        self.leaves = [ray.leaves; LANES];
    }

    /// Gives it to those from a lane on.
    #[inline(always)]
    fn share_from(&mut self, from: usize, ray: &Ray, axis: usize) {
        let before = *self;
        self.share(ray, axis);
        for lane in 0..LANES {
            if lane < from {
                (self.shear[0][lane], self.shear[1][lane], self.shear[2][lane]) =
                    (before.shear[0][lane], before.shear[1][lane], before.shear[2][lane]);
                (self.slope[lane], self.least[lane], self.leaves[lane]) =
                    (before.slope[lane], before.least[lane], before.leaves[lane]);
            }
        }
    }

    /// Tests a facet for each ray, with corners by axis of the frame; there is none where it is [`NO_FACET`].
    #[inline(always)]
    pub fn test(&mut self, corners: &[[Eight<f64>; 3]; 3], facets: &Eight<u32>) {
        let at = self.meet(corners);
        self.take(&at, facets);
    }

    /// Where rays meet facets, m; NaN, which is not nearer than anything, where they do not.
    #[inline(always)]
    fn meet(&self, [a, b, c]: &[[Eight<f64>; 3]; 3]) -> Eight<f64> {
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
                & (at[i] > self.least[i])
                & (leaves[i] != facets[i])
                & (facets[i] != NO_FACET);
            self.distance[i] = if better { at[i] } else { distance[i] };
            self.facet[i] = if better { facets[i] } else { facet[i] };
        }
    }

    /// How much deeper than a plane the hits lie, m, counted along the last axis in a sense of 1 or -1; infinite where there is none.
    #[inline(always)]
    pub fn depth(&self, sense: f64, plane: f64) -> Eight<f64> {
        let mut depths = [0.0; LANES];
        for (i, depth) in depths.iter_mut().enumerate() {
            *depth = sense * (self.origin[2][i] + self.distance[i] * self.slope[i]) - plane;
        }
        depths
    }

    /// What they hit.
    #[inline(always)]
    pub fn hits(&self) -> Eight<Hit> {
        let mut hits = [Hit::NONE; LANES];
        for (i, hit) in hits.iter_mut().enumerate() {
            *hit = Hit { distance: self.distance[i], facet: self.facet[i] };
        }
        hits
    }
}

/// Corners of eight facets by axis of a frame; zeros where there is none. Neighbouring rays often have the same.
#[inline(always)]
pub fn gathered(facets: &Facets, [kx, ky, kz]: [usize; 3], numbers: &[u32; LANES]) -> [[[f64; LANES]; 3]; 3] {
    let mut all = [[[0.0; LANES]; 3]; 3];
    let mut same = [false; LANES];
    (0..LANES).for_each(|lane| same[lane] = numbers[lane] != NO_FACET);
    let mut left = bits(&same);
    while left != 0 {
        let number = numbers[left.trailing_zeros() as usize % LANES];
        (0..LANES).for_each(|lane| same[lane] = numbers[lane] == number);
        left &= !bits(&same);
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

/// One bit of each of up to sixteen, the first the lowest.
#[inline(always)]
pub fn bits<const N: usize>(lanes: &[bool; N]) -> u32 {
    let mut bytes = [0u8; 16];
    for i in 0..N {
        bytes[i] = if lanes[i] { 0xff } else { 0 };
    }
    // Every x86-64 has that, which the compiler knows, so that no code is made for others and nothing is asked for at run time.
    #[cfg(target_arch = "x86_64")]
    if let Some(sse2) = pulp::core_arch::x86::Sse2::try_new() {
        return sse2._mm_movemask_epi8(pulp::cast(bytes)) as u32;
    }
    bytes.iter().rev().fold(0, |bits, byte| 2 * bits + u32::from(byte & 1))
}
