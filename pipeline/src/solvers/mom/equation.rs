//! The integral equations: kernels, jumps and what the incident wave puts on their right.
//!
//! # Formulas
//! G = H_0(kR)/(4j), d = r - r', n and n' outward normals at r and r'; all integrals along the outlines.
//! ```text
//! TM, J = J_z     electric   jk int G J                         = E_z/eta
//!                 magnetic   J/2 + int dG/dn J                  = H_t
//! TE, J = H_z     electric   -1/(jk) d/dn int dG/dn' J          = dH_z/dn/(jk)
//!                 magnetic   J/2 - int dG/dn' J                 = H_z
//! ```
//! with the incident fields on the right. The combined equation is a sum of both; each tends to J/2 where the outline is
//! straight over many wavelengths, so that they support each other. It has one solution at every frequency: if v is the
//! field inside that belongs to a solution without incidence, v + c dv/dn = 0 there with a c that is not real, and v = 0 by
//! Green's theorem.
//!
//! The electric TE kernel is hypersingular. On the node's own cell it is (Maue; integrated by parts)
//! ```text
//! -1/(jk) d/dn int dG/dn' J = int C dJ/ds' ds' - [C J] + k/4 int n.n' H_0 J ds',     C = -H_1(kR) t.d/(4R)
//! ```
//! a principal value, the ends of the cell, and a kernel like that of TM.

use super::cells::Node;
use super::curve::{Point, dot, minus};
use super::hankel::{hankel, hankel_0};
use super::settings::{ETA, Formulation, Polarisation, Settings};
use num_complex::Complex;

type C = Complex<f64>;

/// An equation at one frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equation {
    /// Of the incident wave.
    pub polarisation: Polarisation,
    /// 2 pi/wavelength, rad/m.
    pub k: f64,
    /// Part of the electric equation.
    pub electric: f64,
    /// Part of the magnetic equation.
    pub magnetic: f64,
}

impl Equation {
    /// That of the settings.
    pub fn new(settings: &Settings) -> Self {
        let [electric, magnetic] = settings.formulation.parts();
        Self { polarisation: settings.polarisation, k: settings.wavenumber(), electric, magnetic }
    }

    /// What stands before J itself.
    pub fn jump(&self) -> f64 {
        0.5 * self.magnetic
    }

    /// Whether its kernel is more than weakly singular.
    pub fn is_hypersingular(&self) -> bool {
        self.polarisation == Polarisation::Te && self.electric != 0.0
    }

    /// The kernel at d = r - r', off the node's own cell.
    #[inline]
    pub fn kernel(&self, d: Point, normal: Point, source: Point) -> C {
        let squared = dot(d, d);
        let r = squared.sqrt();
        match self.polarisation {
            Polarisation::Tm if self.magnetic == 0.0 => 0.25 * self.k * self.electric * hankel_0(self.k * r),
            Polarisation::Tm => {
                let [h0, h1] = hankel(self.k * r);
                let magnetic = 0.25 * self.k * self.magnetic * dot(normal, d) / r;
                0.25 * self.k * self.electric * h0 + C::new(0.0, magnetic) * h1
            }
            Polarisation::Te => {
                let [h0, h1] = hankel(self.k * r);
                let (to, from) = (dot(normal, d), dot(source, d));
                let magnetic = 0.25 * self.k * self.magnetic * from / r;
                let product = to * from / squared;
                let electric = self.k * product * h0 + (dot(normal, source) - 2.0 * product) / r * h1;
                0.25 * self.electric * electric + C::new(0.0, magnetic) * h1
            }
        }
    }

    /// The part of the kernel on the node's own cell that has at most a logarithm.
    #[inline]
    pub fn weak_kernel(&self, d: Point, normal: Point, source: Point) -> C {
        if self.polarisation == Polarisation::Tm {
            return self.kernel(d, normal, source);
        }
        let r = dot(d, d).sqrt();
        let [h0, h1] = hankel(self.k * r);
        let magnetic = 0.25 * self.k * self.magnetic * dot(source, d) / r;
        0.25 * self.k * self.electric * dot(normal, source) * h0 + C::new(0.0, magnetic) * h1
    }

    /// C: what meets the derivative of the current on the node's own cell, and the current at the cell's ends.
    #[inline]
    pub fn cauchy_kernel(&self, d: Point, tangent: Point) -> C {
        let r = dot(d, d).sqrt();
        hankel(self.k * r)[1] * (-0.25 * self.electric * dot(tangent, d) / r)
    }

    /// C times the arc length from the node to the source, as that vanishes.
    pub fn cauchy_residue(&self) -> C {
        C::new(0.0, self.electric / (std::f64::consts::TAU * self.k))
    }

    /// The magnetic kernel where r' meets r on a curve: dG/dn = -curvature/(4 pi), and the same for the other polarisation with its sign.
    pub fn magnetic_limit(&self, curvature: f64) -> f64 {
        let sign = if self.polarisation == Polarisation::Tm { -1.0 } else { 1.0 };
        sign * self.magnetic * curvature / (4.0 * std::f64::consts::PI)
    }

    /// What a plane wave of 1 V/m that travels towards `direction` puts on the right at a node.
    pub fn incident(&self, node: &Node, direction: Point) -> C {
        let wave = C::from_polar(1.0 / ETA, -self.k * dot(node.point, direction));
        // H_t = dE_z/dn/(j k eta), and dH_z/dn/(jk): both are -n.direction times the wave.
        let normal = -dot(node.normal, direction);
        let [value, slope] = match self.polarisation {
            Polarisation::Tm => [self.electric, self.magnetic],
            Polarisation::Te => [self.magnetic, self.electric],
        };
        wave * (value + slope * normal)
    }

    /// Field at a point of the plane that a current on a stretch of 1 m there makes: E_z in V/m of A/m, or H_z.
    pub fn radiated(&self, at: Point, node_point: Point, normal: Point) -> C {
        let d = minus(at, node_point);
        let r = dot(d, d).sqrt();
        match self.polarisation {
            Polarisation::Tm => hankel_0(self.k * r) * (-0.25 * self.k * ETA),
            Polarisation::Te => hankel(self.k * r)[1] * C::new(0.0, -0.25 * self.k * dot(normal, d) / r),
        }
    }
}

/// Whether the equation holds on open curves.
pub fn holds_on_open_curves(formulation: Formulation) -> bool {
    formulation == Formulation::Efie
}
