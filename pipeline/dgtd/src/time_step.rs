//! The longest time step that is stable.
//!
//! ```text
//! dt = LIMIT/rho,   rho <= max over elements of c SHARPNESS (p + 1)(p + 3)/r + sigma/eps + sum of radii of poles
//! ```
//! r is the inscribed radius and c the speed of light of an element, rho the spectral radius of the semi-discrete operator, whose eigenvalues lie in the left half of the disc |z| <= rho. (p + 1)(p + 3)/r is
//! the constant of the inequality between norms on faces and in a tetrahedron (Warburton and Hesthaven, Comput. Methods Appl. Mech. Eng. 192, 2765 (2003)), that is, of the fluxes.
//!
//! A pole adds the norm of its own equations: with e = sqrt(eps) E and P and J as the energy has them, they are -(1/tau) v v^T, v = (sqrt(delta/eps), -1), for one of Debye, which is g/eps + r, and otherwise a skew matrix of norm
//! sqrt(c/eps + k) less a diagonal one of gamma. Poles that are fast against waves in an element, as those of stiff media, so shorten the step: it stays stable, and takes as many steps as the fastest rate needs.

use super::design::Design;
use super::mesh::quality::inradius;
use numerics::vec3::Vec3;

/// Radius of the largest half disc in which no mode grows with five stages of fourth order.
pub const LIMIT: f64 = 3.15;

/// Spectral radius over c (p + 1)(p + 3)/r: no larger value was found on elements of any shape, between walls, which make it largest.
pub const SHARPNESS: f64 = 0.8;

/// The longest stable step of each element, m of c t.
pub fn of_element(design: &Design, element: usize) -> f64 {
    let (p, cell) = (design.element.order as f64, &design.cells[element]);
    let rate = SHARPNESS * cell.material.speed() * (p + 1.0) * (p + 3.0) / inradius(&design.mesh, element);
    let sigma = design.absorber.as_ref().map_or(Vec3::ZERO, |absorber| absorber.sigma_of(element as u32));
    let poles = design.dispersion.as_ref().map_or(&[][..], |dispersion| dispersion.of(element as u32));
    let polarised: f64 = poles.iter().map(|pole| pole.radius(cell.material.permittivity)).sum();
    let lossy = cell.material.loss() / cell.material.permittivity + polarised;
    LIMIT / (rate + lossy + sigma.x + sigma.y + sigma.z)
}

/// The longest stable step, m of c t.
pub fn limit(design: &Design) -> f64 {
    (0..design.cells.len()).map(|element| of_element(design, element)).fold(f64::INFINITY, f64::min)
}
