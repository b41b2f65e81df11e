//! A missile: a body of revolution with an ogive in front and a hollow nozzle behind, two wings and four fins.

use super::super::Mesh;
use super::blade::Blade;
use super::loft::{both_sides, joined, loft};
use super::section::{circle, even, hexagon, upright};
use numerics::vec3::Vec3;

/// What it is made of. The nose looks along x, z is up, and the origin is in the middle of the axis. Wings and fins begin inside the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Missile {
    /// From tip to nozzle, along x, m.
    pub length: f64,
    /// From wing tip to wing tip, along y, m.
    pub width: f64,
    /// From fin tip to fin tip, along z, m.
    pub height: f64,
    /// Radius of the body, m.
    pub radius: f64,
    /// Length of the ogive, m.
    pub nose: f64,
    /// Depth of the nozzle, m.
    pub nozzle: f64,
    /// Thickness of wings and fins over their chord.
    pub thickness: f64,
    /// Corners of a ring of the body.
    pub around: usize,
    pub nose_bands: usize,
    pub body_bands: usize,
    pub blade_bands: usize,
}

impl Default for Missile {
    /// As large as that of the paper's Table I, with as many triangles: 1.1 m x 0.25 m x 0.2 m, about 700.
    fn default() -> Self {
        Self {
            length: 1.1,
            width: 0.25,
            height: 0.2,
            radius: 0.045,
            nose: 0.22,
            nozzle: 0.06,
            thickness: 0.06,
            around: 16,
            nose_bands: 5,
            body_bands: 3,
            blade_bands: 3,
        }
    }
}

impl Missile {
    /// The surface: parts `body`, `wing` and `fin`, each closed.
    pub fn mesh(&self) -> Mesh {
        let mut parts = vec![self.body()];
        let section = hexagon(self.thickness, 0.25);
        let wing = Blade {
            root: Vec3::new(0.12 * self.length, 0.5 * self.radius, 0.0),
            tip: Vec3::new(-0.02 * self.length, 0.5 * self.width, 0.0),
            chords: [0.24 * self.length, 0.08 * self.length],
            bands: self.blade_bands,
        };
        parts.extend(both_sides(wing.mesh(&section, "wing")));
        let fin = |across: Vec3| Blade {
            root: Vec3::new(-0.34 * self.length, 0.0, 0.0) + across * (0.5 * self.radius),
            tip: Vec3::new(-0.42 * self.length, 0.0, 0.0) + across * (0.5 * self.height),
            chords: [0.15 * self.length, 0.07 * self.length],
            bands: self.blade_bands,
        };
        let [y, z] = [Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
        parts.extend([y, z, -y, -z].map(|across| fin(across).mesh(&section, "fin")));
        joined(parts)
    }

    /// From the bottom of the nozzle back to its edge, and forward to the tip.
    fn body(&self) -> Mesh {
        let (r, front) = (self.radius, 0.5 * self.length);
        let ring = |x: f64, radius: f64| upright(&circle(radius, self.around), Vec3::new(x, 0.0, 0.0));
        // The nozzle and the edge of the boat tail.
        let mut rings =
            vec![ring(self.nozzle - front, 0.4 * r), ring(-front, 0.7 * r), ring(-front, 0.8 * r)];
        let (tail, shoulder) = (0.06 * self.length - front, front - self.nose);
        rings.extend(even(self.body_bands).map(|t| ring(tail + (shoulder - tail) * t, r)));
        // The arc of the ogive is tangent to the cylinder.
        let arc = 0.5 * (r * r + self.nose * self.nose) / r;
        rings.extend(even(self.nose_bands).skip(1).map(|t| {
            let x = self.nose * t;
            let radius = if t == 1.0 { 0.0 } else { (arc * arc - x * x).sqrt() + r - arc };
            ring(shoulder + x, radius)
        }));
        loft(rings, "body")
    }
}
