//! A ray and the watertight test of a triangle: Woop, Benthin and Wald, Journal of Computer Graphics
//! Techniques 2, 65 (2013).
//!
//! The test brings the corners into the frame of the ray, where the signs of three edge functions decide.
//! Neighbours compute the same two products for a shared edge with the operands swapped, so that no ray
//! passes between them. The products must not be fused into the subtraction: the functions of two neighbours
//! would no longer be exact negatives.

use crate::facets::{Facets, NO_FACET};
use numerics::vec3::Vec3;

/// Sine of the angle to a plane below which a direction is grazing.
pub const GRAZING_SINE: f64 = 1.0 / 32.0;

/// A ray.
#[derive(Debug, Clone, Copy)]
pub struct Ray {
    /// Where it begins, m from the centre of the facets.
    pub origin: Vec3,
    /// Unit vector.
    pub direction: Vec3,
    /// Facet that it leaves, or `NO_FACET`.
    pub leaves: u32,
    /// Nearer hits do not count, m.
    pub min_distance: f64,
    /// Axes of the frame, the major axis last.
    axes: [usize; 3],
    /// Shear and scale that turn the direction to the major axis.
    shear: [f64; 3],
}

/// The nearest facet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// m along the ray.
    pub distance: f64,
    /// Which, or `NO_FACET`.
    pub facet: u32,
}

impl Hit {
    /// No facet is hit.
    pub const NONE: Self = Self { distance: f64::INFINITY, facet: NO_FACET };

    /// Whether a facet is hit.
    pub fn is_some(&self) -> bool {
        self.facet != NO_FACET
    }

    /// Whether another hit is nearer; of two at the same distance, that of the lower number.
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
        Self { origin, direction, leaves: NO_FACET, min_distance: 0.0, axes: [x, y, z], shear }
    }

    /// A ray that leaves a facet at `origin`, which is a point of it.
    pub fn leaving(facets: &Facets, facet: u32, origin: Vec3, direction: Vec3) -> Self {
        Self { leaves: facet, min_distance: facets.min_distance(), ..Self::new(origin, direction) }
    }

    /// Axes of the frame, the major axis last, and the shear and scale that turn the direction to that axis.
    pub fn frame(&self) -> ([usize; 3], [f64; 3]) {
        (self.axes, self.shear)
    }

    /// Whether it differs from another in its origin only.
    pub fn is_beside(&self, other: &Self) -> bool {
        (self.direction, self.leaves, self.min_distance)
            == (other.direction, other.leaves, other.min_distance)
    }

    /// Sort key that puts rays of one packet next to each other: the major axis, and the signs along all
    /// axes.
    pub fn heading(&self) -> usize {
        self.shear.iter().fold(self.axes[2], |heading, shear| 2 * heading + usize::from(*shear < 0.0))
    }

    /// The point at a distance, m from the centre.
    pub fn at(&self, distance: f64) -> Vec3 {
        self.origin + self.direction * distance
    }

    /// Tests a facet, and replaces `hit` if the facet is nearer. A ray hits neither the facet that it leaves
    /// nor one that the half-space rule excludes.
    #[inline(always)]
    pub fn test(&self, facets: &Facets, index: u32, hit: &mut Hit) {
        if index == self.leaves {
            return;
        }
        if let Some(distance) = self.distance(&facets.corners[index as usize])
            && distance > self.min_distance
            && let met = (Hit { distance, facet: index })
            && hit.is_beyond(&met)
            && self.may_hit(facets, index)
        {
            *hit = met;
        }
    }

    /// Whether the half-space rule lets the ray hit a facet.
    pub fn may_hit(&self, facets: &Facets, facet: u32) -> bool {
        if self.leaves == NO_FACET || facets.is_sliver[self.leaves as usize] {
            return true;
        }
        let slope = facets.normals[self.leaves as usize].dot(self.direction);
        slope.abs() < GRAZING_SINE || facets.is_in_front(facet, self.leaves, slope < 0.0)
    }

    /// Distance to a triangle, edges and corners included, m.
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

/// The nearest facet by a test of all: the definition that trees must agree with.
pub fn brute_force(facets: &Facets, ray: &Ray) -> Hit {
    let mut hit = Hit::NONE;
    (0..facets.len() as u32).for_each(|index| ray.test(facets, index, &mut hit));
    hit
}
