//! Two aircraft: a fighter with inlets beside its fuselage and a hollow nozzle, and a business jet with nacelles at its tail.

use super::super::Mesh;
use super::blade::Blade;
use super::engine::{Inlet, Nacelle};
use super::fuselage::Fuselage;
use super::loft::{both_sides, joined};
use super::section::aerofoil;
use numerics::vec3::Vec3;

/// A wing, tail plane or fin of the side y > 0, or in the middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    pub blade: Blade,
    pub thickness: f64,
    /// Corners of a section, even.
    pub around: usize,
}

impl Plane {
    fn new(root: Vec3, tip: Vec3, chords: [f64; 2], bands: usize, thickness: f64, around: usize) -> Self {
        Self { blade: Blade { root, tip, chords, bands }, thickness, around }
    }

    fn mesh(&self, name: &str) -> Mesh {
        self.blade.mesh(&aerofoil(self.thickness, self.around), name)
    }
}

/// What moves it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Engines {
    /// Inside the fuselage, with an inlet on either side.
    Inlets(Inlet),
    /// Two nacelles on pylons.
    Nacelles(Nacelle, Plane),
}

/// What it is made of. The nose looks along x, its tip is at x = 0, z is up from the middle of the fuselage. Wings, fins, inlets and pylons begin inside what they stand on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aircraft {
    pub fuselage: Fuselage,
    /// One of two each.
    pub wing: Plane,
    pub tail: Plane,
    pub fin: Plane,
    /// Where multiple bounces come from.
    pub engines: Engines,
}

impl Aircraft {
    /// As large as airplane A of the paper's Table I, with as many triangles: 11.76 m x 7.4 m x 3.67 m, about 13 050. A fighter.
    pub fn fighter() -> Self {
        let (v, plane) = (Vec3::new, Plane::new);
        Self {
            fuselage: Fuselage {
                length: 11.76,
                half: [0.55, 0.65],
                nose: 0.3,
                tail: 0.35,
                upsweep: 0.1,
                end: 0.7,
                nozzle: 0.9,
                canopy: [0.16, 0.36],
                around: 40,
                bands: 46,
            },
            wing: plane(v(-4.6, 0.3, -0.1), v(-7.9, 3.7, -0.2), [4.2, 1.0], 20, 0.05, 32),
            tail: plane(v(-9.2, 0.2, 0.1), v(-10.7, 2.0, 0.0), [1.9, 0.9], 12, 0.05, 24),
            fin: plane(v(-8.2, 0.0, 0.2), v(-10.4, 0.0, 3.02), [3.0, 1.1], 16, 0.05, 24),
            engines: Engines::Inlets(Inlet {
                lip: v(-3.9, 0.62, 0.0),
                half: [0.34, 0.5],
                length: 4.4,
                depth: 2.2,
                walls: 0.03,
                around: 28,
                bands: 14,
            }),
        }
    }

    /// As large as airplane B of the paper's Table I, with as many triangles: 14.12 m x 16.98 m x 4.5 m, about 20 120. A business jet.
    pub fn business_jet() -> Self {
        let (v, plane) = (Vec3::new, Plane::new);
        Self {
            fuselage: Fuselage {
                length: 14.12,
                half: [0.85, 0.9],
                nose: 0.22,
                tail: 0.4,
                upsweep: 0.5,
                end: 0.1,
                nozzle: 0.15,
                canopy: [0.08, 0.2],
                around: 52,
                bands: 58,
            },
            wing: plane(v(-5.0, 0.4, -0.6), v(-7.4, 8.49, -0.1), [2.6, 0.9], 30, 0.12, 40),
            tail: plane(v(-11.9, 0.1, 2.5), v(-12.9, 2.8, 2.6), [1.4, 0.8], 14, 0.09, 28),
            fin: plane(v(-10.2, 0.0, 0.5), v(-12.3, 0.0, 3.6), [3.0, 1.6], 16, 0.1, 28),
            engines: Engines::Nacelles(
                Nacelle {
                    lip: v(-8.4, 1.65, 0.55),
                    length: 2.7,
                    radius: 0.48,
                    inlet: 0.7,
                    nozzle: 0.6,
                    around: 32,
                    bands: 8,
                },
                plane(v(-9.0, 0.3, 0.45), v(-9.0, 1.4, 0.55), [1.5, 1.3], 6, 0.1, 20),
            ),
        }
    }

    /// The surface: parts `fuselage`, `canopy`, `wing`, `tail`, `fin` and `inlet`, or `nacelle` and `pylon`, each closed.
    pub fn mesh(&self) -> Mesh {
        let mut parts = vec![self.fuselage.mesh(), self.fuselage.canopy(), self.fin.mesh("fin")];
        parts.extend(both_sides(self.wing.mesh("wing")));
        parts.extend(both_sides(self.tail.mesh("tail")));
        match &self.engines {
            Engines::Inlets(inlet) => parts.extend(both_sides(inlet.mesh())),
            Engines::Nacelles(nacelle, pylon) => {
                parts.extend(both_sides(nacelle.mesh()));
                parts.extend(both_sides(pylon.mesh("pylon")));
            }
        }
        joined(parts)
    }
}
