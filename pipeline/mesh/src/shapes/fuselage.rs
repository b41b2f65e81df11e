//! The body of an aircraft.

use super::super::Mesh;
use super::loft::loft;
use super::section::{even, rounded, upright};
use numerics::vec3::Vec3;
use std::f64::consts::PI;

/// Exponent of its sections: a little fuller than ellipses.
const FULLNESS: f64 = 2.3;
const NOZZLE_BANDS: usize = 3;

/// A pointed nose, a cylinder, and a tail that thins out upwards to a hollow nozzle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fuselage {
    /// From the tip of the nose, at x = 0, back to the nozzle, m.
    pub length: f64,
    /// Half its width and half its height, m.
    pub half: [f64; 2],
    /// Part of the length that is the nose.
    pub nose: f64,
    /// Part of the length that is the tail.
    pub tail: f64,
    /// How much higher the middle of the nozzle is than that of the cylinder, m.
    pub upsweep: f64,
    /// Size of the last section over that of the cylinder.
    pub end: f64,
    /// Depth of the nozzle, m.
    pub nozzle: f64,
    /// First and last of the canopy, in parts of the length.
    pub canopy: [f64; 2],
    /// Corners of a section, a multiple of four.
    pub around: usize,
    /// Bands of triangles from nose to tail; the canopy has half of them.
    pub bands: usize,
}

impl Fuselage {
    /// The body: from the bottom of the nozzle back to its edge, and forward to the nose.
    pub fn mesh(&self) -> Mesh {
        let last = self.length - self.nozzle;
        let inside = even(NOZZLE_BANDS).map(|t| {
            let (size, middle) = self.section(1.0);
            self.ring(last + self.nozzle * t, size * (0.75 + 0.15 * t), middle)
        });
        let outside = even(self.bands).map(|t| {
            // Denser at the nose, where it is most curved.
            let t = 1.0 - t * (1.0 + 0.4 * (1.0 - t));
            let (size, middle) = self.section(t);
            self.ring(self.length * t, size, middle)
        });
        loft(inside.chain(outside).collect(), "fuselage")
    }

    fn ring(&self, back: f64, size: f64, middle: f64) -> Vec<Vec3> {
        let section = rounded(self.half.map(|half| half * size), FULLNESS, self.around);
        upright(&section, Vec3::new(-back, 0.0, middle))
    }

    /// Size over that of the cylinder and height of the middle, m, so far from the nose in parts of the length.
    fn section(&self, t: f64) -> (f64, f64) {
        if t < self.nose {
            let left = 1.0 - t / self.nose;
            // The nose droops by a part of what it thins out.
            let size = (1.0 - left * left).powf(0.75);
            return (size, -0.25 * self.half[1] * (1.0 - size));
        }
        let tail = ((t - 1.0 + self.tail) / self.tail).max(0.0);
        (1.0 - (1.0 - self.end) * tail * tail, self.upsweep * tail * tail)
    }

    /// Half of it is inside the body.
    pub fn canopy(&self) -> Mesh {
        let [first, last] = self.canopy;
        let ring = |t: f64| {
            let at = first + (last - first) * t;
            let (size, middle) = self.section(at);
            let bulge = if t == 0.0 || t == 1.0 { 0.0 } else { (PI * t).sin().powf(0.8) };
            let half = [0.6 * self.half[0] * bulge, 0.6 * self.half[1] * bulge];
            let top = middle + 0.72 * size * self.half[1];
            upright(&rounded(half, 2.0, self.around / 2), Vec3::new(-self.length * at, 0.0, top))
        };
        loft(even(self.bands / 2).map(ring).collect(), "canopy")
    }
}
