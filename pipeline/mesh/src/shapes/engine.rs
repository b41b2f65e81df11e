//! Engines of aircraft: ducts that are open in front, in which rays are reflected many times.

use super::super::Mesh;
use super::loft::loft;
use super::section::{circle, dense_ends, even, rounded, upright};
use numerics::vec3::Vec3;
use std::f64::consts::PI;

/// Exponent of an inlet's sections: boxes with round corners.
const BOX: f64 = 5.0;

/// A box beside a fuselage, open in front, that thins out backwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inlet {
    /// Middle of its opening, m.
    pub lip: Vec3,
    /// Half its width and half its height, m.
    pub half: [f64; 2],
    /// Length, against x, m.
    pub length: f64,
    /// Depth of the duct, m.
    pub depth: f64,
    /// Thickness of its walls at the lip, m.
    pub walls: f64,
    pub around: usize,
    /// Bands of triangles of duct and of outer wall each.
    pub bands: usize,
}

impl Inlet {
    /// From the compressor forward through the duct to the lip, and back on the outside.
    pub fn mesh(&self) -> Mesh {
        let ring = |back: f64, walls: f64, size: f64| {
            let section = rounded(self.half.map(|half| (half - walls) * size), BOX, self.around);
            // It thins out towards the fuselage.
            let inwards = 0.8 * self.half[0] * (1.0 - size);
            upright(&section, self.lip + Vec3::new(-back, -inwards, 0.0))
        };
        let inside = even(self.bands).map(|t| ring(self.depth * (1.0 - t), self.walls, 0.8 + 0.2 * t));
        let outside = even(self.bands).map(|t| {
            let late = ((t - 0.4) / 0.6).max(0.0);
            ring(self.length * t, 0.0, 1.0 - 0.7 * late * late)
        });
        loft(inside.chain(outside).collect(), "inlet")
    }
}

/// A round nacelle, hollow in front and behind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nacelle {
    /// Middle of its opening, m.
    pub lip: Vec3,
    /// Length, against x, m.
    pub length: f64,
    /// Largest radius, m.
    pub radius: f64,
    /// Depth of the inlet to the fan, m.
    pub inlet: f64,
    /// Depth of the nozzle to the turbine, m.
    pub nozzle: f64,
    pub around: usize,
    /// Bands of triangles of the inlet; the outer wall has twice as many, the nozzle half.
    pub bands: usize,
}

impl Nacelle {
    /// From the fan forward to the lip, back on the outside to the nozzle, and forward to the turbine.
    pub fn mesh(&self) -> Mesh {
        let ring = |back: f64, size: f64| {
            upright(&circle(self.radius * size, self.around), self.lip + Vec3::new(-back, 0.0, 0.0))
        };
        let inside = even(self.bands)
            .map(|t| ring(self.inlet - (self.inlet - 0.05) * t, 0.82 - 0.07 * (PI * t).sin()));
        let lip = ring(0.0, 0.87);
        let outside = dense_ends(2 * self.bands).map(|t| {
            let back = 0.05 + (self.length - 0.05) * t;
            // Largest at a third of the length.
            let size = if t < 0.35 {
                1.0 - 0.1 * (1.0 - t / 0.35).powi(2)
            } else {
                1.0 - 0.4 * ((t - 0.35) / 0.65).powi(2)
            };
            ring(back, size)
        });
        let nozzle = even(self.bands / 2).map(|t| ring(self.length - self.nozzle * t, 0.55 - 0.1 * t));
        loft(inside.chain([lip]).chain(outside).chain(nozzle).collect(), "nacelle")
    }
}
