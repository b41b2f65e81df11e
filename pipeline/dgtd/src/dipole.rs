//! Short currents as sources.
//!
//! ```text
//! eps dE/dt = curl H - J,   J(x, t) = eta0 m s(t) delta(x - x_0)
//! dE_i/dt  -= (M^-1 l(x_0))_i eta0 m s(t)/eps                        l: Lagrange polynomials of the element
//! ```
//! A signal with a mean leaves charges and their static field behind, and sums over the steps then do not end. m = current times length, A m; the field of the element is the projection of the delta function on its polynomials.

use super::element::Element;
use super::mesh::Mesh;
use super::{Error, Material, Pulse};
use numerics::constants::ETA_0;
use numerics::vec3::Vec3;

/// A current over a length that is short against all wavelengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dipole {
    /// m
    pub position: Vec3,
    /// Current times length at the signal's 1, A m.
    pub moment: Vec3,
    /// s
    pub pulse: Pulse,
}

impl Dipole {
    /// Refuses what is no number.
    pub fn validate(&self) -> Result<(), Error> {
        if self.position.is_finite() && self.moment.is_finite() && self.pulse.is_right() {
            return Ok(());
        }
        Err(Error::value("the dipole", self, "every number must be finite"))
    }
}

/// A dipole in its element.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Number of the element.
    pub element: usize,
    /// What the signal adds to dE/dt at each node, V/m^2.
    pub rates: Vec<Vec3>,
    /// s
    pub pulse: Pulse,
}

impl Source {
    /// Finds the element; where elements meet it is any of them.
    pub fn new(
        dipole: &Dipole,
        mesh: &Mesh,
        element: &Element,
        materials: impl Fn(usize) -> Material,
    ) -> Result<Self, Error> {
        let (number, place) = mesh.find(dipole.position)?;
        let (_, volume) = super::mesh::gradients(mesh.corners(number));
        let inverse_mass = element.vandermonde.times(&element.vandermonde.transposed());
        let lagrange = element.interpolation(&place);
        // The reference element has the volume 4/3.
        let scale = -ETA_0 * (4.0 / 3.0) / (volume * materials(number).permittivity);
        let weight =
            |row: usize| inverse_mass.row(row).iter().zip(&lagrange).map(|(a, b)| a * b).sum::<f64>();
        let rates = (0..element.node_count()).map(|row| dipole.moment * (scale * weight(row))).collect();
        Ok(Self { element: number, rates, pulse: dipole.pulse })
    }
}
