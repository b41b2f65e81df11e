//! Wings, tail planes and fins: sections along x between a root and a tip.

use super::super::Mesh;
use super::loft::loft;
use super::section::even;
use numerics::vec3::Vec3;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blade {
    /// Leading edge at the root, m.
    pub root: Vec3,
    /// Leading edge at the tip, m.
    pub tip: Vec3,
    /// Chords at root and tip, against x, m.
    pub chords: [f64; 2],
    /// Bands of triangles from root to tip.
    pub bands: usize,
}

impl Blade {
    /// The blade with a section over the chord: distance from the leading edge and height, from the trailing edge along the upper side and back along the lower. Sections lie in planes of constant
    /// y, or of constant z where the blade stands upright.
    pub fn mesh(&self, section: &[[f64; 2]], name: &str) -> Mesh {
        let span = self.tip - self.root;
        let stands = span.z.abs() > span.y.abs();
        let up = if stands { Vec3::new(0.0, 1.0, 0.0) } else { Vec3::new(0.0, 0.0, 1.0) };
        let ring = |t: f64| {
            let chord = self.chords[0] + (self.chords[1] - self.chords[0]) * t;
            let edge = if t == 1.0 { self.tip } else { self.root + span * t };
            section.iter().map(|[x, z]| edge + Vec3::new(-chord * x, 0.0, 0.0) + up * (chord * z)).collect()
        };
        loft(even(self.bands).map(ring).collect(), name)
    }
}
