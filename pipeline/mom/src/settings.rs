//! What is computed, and how.

use super::Error;
use super::kapur_rokhlin::ORDERS;
use num_complex::Complex;
use std::f64::consts::TAU;
use std::ops::RangeInclusive;

/// Tolerances of compression: below lies rounding, above nothing is solved.
pub const TOLERANCES: RangeInclusive<f64> = 1e-14..=1e-2;

/// Most nodes of a cell.
pub const MOST_NODES: usize = 16;

/// The component of the incident field along the axis of the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polarisation {
    /// Electric: J_z is the unknown.
    Tm,
    /// Magnetic: H_z is the unknown, and J_t = -H_z flows around.
    Te,
}

/// How the equation becomes a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Pulses and point matching with the midpoint rule: eqs 12 and 17 of the thesis.
    Pulse,
    /// Locally corrected Nystrom with so many nodes a cell; one node is pulses with exact near integrals.
    Lcn(usize),
    /// Kress's rule on smooth closed curves; cells are points, an even number on every body.
    Kress,
    /// Kapur and Rokhlin's rule of order 2, 6 or 10 on the same points.
    KapurRokhlin(usize),
}

impl Method {
    /// Fewest points on a body, where they lie at equal steps around smooth closed curves.
    pub fn least_points(self) -> Option<usize> {
        match self {
            Self::Kress => Some(4),
            // Neighbours that are corrected are not met from both sides.
            Self::KapurRokhlin(order) => Some(2 * order + 2),
            Self::Pulse | Self::Lcn(_) => None,
        }
    }
}

/// Which boundary condition is enforced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Formulation {
    /// No tangential electric field.
    Efie,
    /// The current is the tangential magnetic field; closed bodies only.
    Mfie,
    /// So much of the first, and of the second what is left to 1; closed bodies only.
    Cfie(f64),
}

impl Formulation {
    /// Parts of the electric and the magnetic equation.
    pub fn parts(self) -> [f64; 2] {
        match self {
            Self::Efie => [1.0, 0.0],
            Self::Mfie => [0.0, 1.0],
            Self::Cfie(part) => [part, 1.0 - part],
        }
    }
}

/// How the matrix is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    /// LU with partial pivoting.
    Lu,
    /// LU of the matrix rounded to 32 bits, and refinement to 64.
    Refine,
    /// The thesis's: Crout's LU with partial updates, and explicit inverses of the triangles.
    Crout,
    /// Blocks of low rank off the diagonal, and their inverse: for 1e5 unknowns and more.
    Hodlr,
}

/// How fine the cells are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Density {
    /// This many in all.
    Cells(usize),
    /// This many along a wavelength.
    PerWavelength(f64),
}

/// What is computed, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// m.
    pub wavelength: f64,
    /// Of the incident wave.
    pub polarisation: Polarisation,
    /// From equation to matrix.
    pub method: Method,
    /// The equation.
    pub formulation: Formulation,
    /// Of the surface of closed bodies, ohm: tangential E is this times the current. 0 is a perfect conductor.
    pub impedance: Complex<f64>,
    /// From matrix to currents.
    pub solver: Solver,
    /// Of the blocks of [`Solver::Hodlr`], in parts of their Frobenius norms.
    pub tolerance: f64,
    /// Cells.
    pub density: Density,
    /// Cells nearer to a node than this many wavelengths, or than their own length, are integrated exactly.
    pub near: f64,
    /// Halvings of cells towards corners and open ends (`cells.rs`).
    pub grading: usize,
}

impl Settings {
    /// TM, LCN with 8 nodes a cell, the electric equation, LU.
    pub fn new(wavelength: f64) -> Self {
        Self {
            wavelength,
            polarisation: Polarisation::Tm,
            method: Method::Lcn(8),
            formulation: Formulation::Efie,
            impedance: Complex::ZERO,
            solver: Solver::Lu,
            tolerance: 1e-10,
            density: Density::PerWavelength(5.0),
            near: 0.25,
            grading: 10,
        }
    }

    /// 2 pi/wavelength, rad/m.
    pub fn wavenumber(&self) -> f64 {
        TAU / self.wavelength
    }

    /// Unknowns of a cell.
    pub fn nodes(&self) -> usize {
        if let Method::Lcn(nodes) = self.method { nodes } else { 1 }
    }

    /// Refuses what no body can be solved with.
    pub fn validate(&self) -> Result<(), Error> {
        Error::check_positive("wavelength", self.wavelength)?;
        match self.density {
            Density::Cells(cells) => Error::check_positive("number of cells", cells as f64)?,
            Density::PerWavelength(count) => {
                Error::check_positive("number of cells a wavelength", count)?;
            }
        }
        let (first, last) = (TOLERANCES.start(), TOLERANCES.end());
        match *self {
            Self { near, .. } if !(near >= 0.0 && near.is_finite()) => {
                let allowed = "it must not be negative, and finite";
                Err(Error::value("distance of local corrections", near, allowed))
            }
            Self { tolerance, .. } if !TOLERANCES.contains(&tolerance) => {
                Err(Error::value("tolerance", tolerance, format!("from {first:e} to {last:e}")))
            }
            Self { impedance, .. } if !(impedance.re >= 0.0 && impedance.is_finite()) => {
                let allowed = "its real part must not be negative";
                Err(Error::value("surface impedance, ohm,", impedance, allowed))
            }
            Self { method: Method::Lcn(nodes), .. } if !(1..=MOST_NODES).contains(&nodes) => {
                Err(Error::value("number of nodes a cell", nodes, format!("from 1 to {MOST_NODES}")))
            }
            Self { method: Method::KapurRokhlin(order), .. } if !ORDERS.contains(&order) => {
                Err(Error::value("order of kr", order, format!("there are {ORDERS:?}")))
            }
            Self { formulation: Formulation::Cfie(part), .. } if !(part > 0.0 && part < 1.0) => {
                let what = "part of the electric equation in the combined one";
                Err(Error::value(what, part, "it must lie between 0 and 1"))
            }
            _ => Ok(()),
        }
    }
}
