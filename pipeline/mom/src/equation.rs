//! The integral equations: kernels, jumps and what the incident wave puts on their right.
//!
//! # Formulas
//! G = H_0(kR)/(4j), d = r - r', n and n' outward normals at r and r'; all integrals along the outlines. Four operators,
//! ```text
//! S = jk int G J         K' = J/2 + int dG/dn J         K = J/2 - int dG/dn' J         T = -1/(jk) d/dn int dG/dn' J
//! ```
//! each of which tends to J/2 where the outline is straight over many wavelengths, make all equations. With the surface
//! impedance zeta eta (0 for conductors) and incident fields on the right:
//! ```text
//! TM, J = J_z     electric   (S  + zeta K) J = E_z/eta              magnetic   (K' + zeta T) J = H_t
//! TE, J = H_z     electric   (T + zeta K') J = dH_z/dn/(jk)         magnetic   (K  + zeta S) J = H_z
//! ```
//! The combined equation is a sum of both. It has one solution at every frequency: if v is the field inside that belongs to
//! a solution without incidence, v + c dv/dn = 0 there with a c that is not real, and v = 0 by Green's theorem.
//!
//! T is hypersingular. On the node's own cell it is (Maue; integrated by parts)
//! ```text
//! T J = int C dJ/ds' ds' - [C J] + k/4 int n.n' H_0 J ds',     C = -H_1(kR) t.d/(4R)
//! ```
//! a principal value, the ends of the cell, and a kernel like that of S.

use super::cells::Node;
use super::curve::{Point, dot};
use super::hankel::{C, hankel};
use super::settings::{Polarisation, Settings};
use numerics::constants::ETA_0;
use std::f64::consts::TAU;

/// An equation at one frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equation {
    /// Of the incident wave.
    pub polarisation: Polarisation,
    /// 2 pi/wavelength, rad/m.
    pub k: f64,
    /// Parts of the electric and the magnetic equation.
    parts: [f64; 2],
    /// Surface impedance over eta.
    zeta: C,
    /// Parts of S, K', K and T.
    s: C,
    k_prime: C,
    k_double: C,
    t: C,
}

impl Equation {
    /// That of the settings.
    pub fn new(settings: &Settings) -> Self {
        let parts = settings.formulation.parts();
        let zeta = settings.impedance / ETA_0;
        let [electric, magnetic] = parts.map(C::from);
        let (polarisation, k) = (settings.polarisation, settings.wavenumber());
        let [s, k_prime, k_double, t] = match polarisation {
            Polarisation::Tm => [electric, magnetic, zeta * electric, zeta * magnetic],
            Polarisation::Te => [zeta * magnetic, zeta * electric, magnetic, electric],
        };
        Self { polarisation, k, parts, zeta, s, k_prime, k_double, t }
    }

    /// What stands before J itself.
    pub fn jump(&self) -> C {
        0.5 * (self.k_prime + self.k_double)
    }

    /// Whether its kernel is more than weakly singular.
    pub fn is_hypersingular(&self) -> bool {
        self.t != C::ZERO
    }

    /// Parts of S, K', K and T.
    pub fn operators(&self) -> [C; 4] {
        [self.s, self.k_prime, self.k_double, self.t]
    }

    /// Part of T.
    pub fn hypersingular_part(&self) -> C {
        self.t
    }

    /// The kernel at d = r - r', off the node's own cell.
    #[inline]
    pub fn kernel(&self, d: Point, normal: Point, source: Point) -> C {
        let r = dot(d, d).sqrt();
        let [h0, h1] = hankel(self.k * r);
        let (to, from) = (dot(normal, d) / r, dot(source, d) / r);
        let product = to * from;
        let strong = h0 * product + h1 * ((dot(normal, source) - 2.0 * product) / (self.k * r));
        (self.s * h0 + self.normal_part(to, from) * h1 + self.t * strong) * (0.25 * self.k)
    }

    /// What stands before k/4 H_1: the kernels of K' and K, by cosines of d to both normals.
    #[inline]
    pub fn normal_part(&self, to: f64, from: f64) -> C {
        let sum = self.k_prime * to + self.k_double * from;
        C::new(-sum.im, sum.re)
    }

    /// What stands before k/4 H_0 on one smooth curve: the kernel of S and its part in T.
    #[inline]
    pub fn single_part(&self, facing: f64) -> C {
        self.s + self.t * facing
    }

    /// The part of the kernel on the node's own cell that has at most a logarithm.
    #[inline]
    pub fn weak_kernel(&self, d: Point, normal: Point, source: Point) -> C {
        let r = dot(d, d).sqrt();
        let [h0, h1] = hankel(self.k * r);
        let normals = self.normal_part(dot(normal, d) / r, dot(source, d) / r);
        (self.single_part(dot(normal, source)) * h0 + normals * h1) * (0.25 * self.k)
    }

    /// C: what meets the derivative of the current on the node's own cell, and the current at the cell's ends.
    #[inline]
    pub fn cauchy_kernel(&self, d: Point, tangent: Point) -> C {
        let r = dot(d, d).sqrt();
        self.t * hankel(self.k * r)[1] * (-0.25 * dot(tangent, d) / r)
    }

    /// C times the arc length from the node to the source, as that vanishes.
    pub fn cauchy_residue(&self) -> C {
        self.t * C::new(0.0, 1.0 / (TAU * self.k))
    }

    /// The kernels of K' and K where r' meets r on a curve: dG/dn = dG/dn' = -curvature/(4 pi).
    pub fn normal_limit(&self, curvature: f64) -> C {
        (self.k_double - self.k_prime) * (curvature / (2.0 * TAU))
    }

    /// What a plane wave of 1 V/m that travels towards `direction` puts on the right at a node.
    pub fn incident(&self, node: &Node, direction: Point) -> C {
        let [constant, normal] = self.incident_factors();
        let factor = constant + normal * dot(node.normal, direction);
        C::from_polar(factor, -self.k * dot(node.point, direction))
    }

    /// The same over the wave: a constant, and what is multiplied with n.direction.
    pub fn incident_factors(&self) -> [f64; 2] {
        // H_t = dE_z/dn/(j k eta), and dH_z/dn/(jk): both are -n.direction times the wave.
        let [electric, magnetic] = self.parts.map(|part| part / ETA_0);
        match self.polarisation {
            Polarisation::Tm => [electric, -magnetic],
            Polarisation::Te => [magnetic, -electric],
        }
    }

    /// Field at d from 1 m of an unknown of 1 A/m: E_z, V/m, or H_z, A/m.
    pub fn radiated(&self, d: Point, normal: Point) -> C {
        let r = dot(d, d).sqrt();
        let [h0, h1] = hankel(self.k * r);
        let double = h1 * C::new(0.0, dot(normal, d) / r);
        match self.polarisation {
            Polarisation::Tm => (h0 + self.zeta * double) * (-0.25 * self.k * ETA_0),
            Polarisation::Te => (double + self.zeta * h0) * (-0.25 * self.k),
        }
    }

    /// The same far away towards a direction, over sqrt(2/(pi k rho)) exp(-j(k rho - pi/4)) and the amplitude of the incident wave.
    pub fn radiated_far(&self, point: Point, normal: Point, to: Point) -> C {
        let [constant, turned] = self.radiated_factors();
        (constant + turned * dot(normal, to)) * C::from_polar(1.0, self.k * dot(point, to))
    }

    /// What the wave towards a direction is multiplied with: a constant, and what is multiplied with n.direction.
    pub fn radiated_factors(&self) -> [C; 2] {
        let factors = match self.polarisation {
            Polarisation::Tm => [-C::ONE, self.zeta],
            Polarisation::Te => [-self.zeta, C::ONE],
        };
        factors.map(|factor| factor * (0.25 * self.k * ETA_0))
    }
}
