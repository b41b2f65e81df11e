//! A ray and the watertight test of a triangle: Woop, Benthin and Wald, Journal of Computer Graphics Techniques 2, 65 (2013).
//!
//! Corners are brought into the ray's frame, in which the signs of three edge functions decide. Neighbours compute the same two products for
//! a shared edge with the operands swapped, so that no ray passes between them. Products must not be fused into the subtraction: then
//! the functions of the two neighbours would no longer be exact negatives.

use super::facets::{Facets, NO_FACET};
use numerics::vec3::Vec3;

/// A ray.
#[derive(Debug, Clone, Copy)]
pub struct Ray {
    /// Where it begins, m from the centre of the facets.
    pub origin: Vec3,
    /// Unit vector.
    pub direction: Vec3,
    /// Facet that it leaves, or [`NO_FACET`].
    pub leaves: u32,
    /// Hits nearer than this do not count, m.
    pub least: f64,
    /// The axis along which it runs fastest last.
    axes: [usize; 3],
    /// Shear and scale that turn the direction to the last axis.
    shear: [f64; 3],
}

/// The nearest facet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// m along the ray.
    pub distance: f64,
    /// Which, or [`NO_FACET`].
    pub facet: u32,
}

impl Hit {
    /// Nothing is in the way.
    pub const NONE: Self = Self { distance: f64::INFINITY, facet: NO_FACET };

    /// Whether something is.
    pub fn is_some(&self) -> bool {
        self.facet != NO_FACET
    }

    /// Whether another is nearer; of two at the same distance, the lower number is.
    #[inline]
    fn is_beyond(&self, other: &Self) -> bool {
        other.distance < self.distance || (other.distance == self.distance && other.facet < self.facet)
    }
}

impl Ray {
    /// A ray from outside.
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        let z = direction.longest_axis();
        let (mut x, mut y) = ((z + 1) % 3, (z + 2) % 3);
        // Keeps the sense of triangles.
        if direction[z] < 0.0 {
            (x, y) = (y, x);
        }
        let scale = 1.0 / direction[z];
        let shear = [direction[x] * scale, direction[y] * scale, scale];
        Self { origin, direction, leaves: NO_FACET, least: 0.0, axes: [x, y, z], shear }
    }

    /// A ray that leaves a facet at `origin`, which is a point of it.
    pub fn leaving(facets: &Facets, facet: u32, origin: Vec3, direction: Vec3) -> Self {
        Self { leaves: facet, least: facets.least_distance(), ..Self::new(origin, direction) }
    }

    /// Axes, the one along which it runs fastest last, and what turns the direction to that.
    pub fn frame(&self) -> ([usize; 3], [f64; 3]) {
        (self.axes, self.shear)
    }

    /// Whether it differs from another in its origin only.
    pub fn is_beside(&self, other: &Self) -> bool {
        (self.direction, self.leaves, self.least) == (other.direction, other.leaves, other.least)
    }

    /// What rays are sorted by, so that those that go together follow each other: the axis along which they run fastest, and the signs along all axes.
    pub fn heading(&self) -> usize {
        self.shear.iter().fold(self.axes[2], |heading, shear| 2 * heading + usize::from(*shear < 0.0))
    }

    /// The point at a distance, m from the centre.
    pub fn at(&self, distance: f64) -> Vec3 {
        self.origin + self.direction * distance
    }

    /// Tests facet `index` and offers it to `hit`. A ray does not meet the facet that it leaves, nor what that cannot see, see [`super::before`].
    #[inline(always)]
    pub fn test(&self, facets: &Facets, index: u32, hit: &mut Hit) {
        if index == self.leaves {
            return;
        }
        if let Some(distance) = self.distance(&facets.corners[index as usize])
            && distance > self.least
            && let met = (Hit { distance, facet: index })
            && hit.is_beyond(&met)
            && facets.sees(self, index)
        {
            *hit = met;
        }
    }

    /// Where the ray meets a triangle, edges and corners included.
    #[inline(always)]
    fn distance(&self, corners: &[[f64; 3]; 3]) -> Option<f64> {
        let [kx, ky, kz] = self.axes;
        let [sx, sy, sz] = self.shear;
        let origin = self.origin.to_array();
        let (x, y, z) = (origin[kx], origin[ky], origin[kz]);
        let [a, b, c] = corners;
        // Written out: a closure is not always inlined here.
        let (az, bz, cz) = (a[kz] - z, b[kz] - z, c[kz] - z);
        let a = [a[kx] - x - sx * az, a[ky] - y - sy * az, sz * az];
        let b = [b[kx] - x - sx * bz, b[ky] - y - sy * bz, sz * bz];
        let c = [c[kx] - x - sx * cz, c[ky] - y - sy * cz, sz * cz];
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let determinant = u + v + w;
        (determinant != 0.0).then(|| (u * a[2] + v * b[2] + w * c[2]) / determinant)
    }
}

/// The nearest facet by looking at all: what trees must agree with.
pub fn brute_force(facets: &Facets, ray: &Ray) -> Hit {
    let mut hit = Hit::NONE;
    (0..facets.len() as u32).for_each(|index| ray.test(facets, index, &mut hit));
    hit
}
