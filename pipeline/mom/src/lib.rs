//! Scattering by cylinders in the plane: the method of moments and Nystrom methods.
//!
//! # Formulas
//! ```text
//! E_z = jk eta int J_z G dl',   G = H_0(kR)/(4j)             TM, electric equation             equation
//! sum_n Z_mn J_n = E_m                                       matrix                            pulse, lcn, kress
//! f(phi) = -k eta/4 int J_z exp(jk r'.u(phi)) dl'            far field                         design
//! sigma(phi) = 4/k |f(phi)|^2                                echo width, m
//! sum over all directions: mean of sigma = -4/k Re f(phi_0)  optical theorem
//! ```
//! TE, surface impedances, the magnetic and the combined equation are in [`equation`].
//!
//! # Symbols
//! | symbol | meaning | unit |
//! |---|---|---|
//! | k, eta | wavenumber, impedance of free space | rad/m, ohm |
//! | J_z, J_t | current along and around the cylinder | A/m |
//! | R | distance of source and observer | m |
//! | q | nodes on a cell | |
//! | phi_0, phi | directions towards which the incident wave travels and the scattered one is seen | degrees |
//! | sigma | echo width, 2 pi rho abs(scattered/incident)^2 | m |
//!
//! # Validity
//! Perfect conductors in vacuum, closed or open, one or several; closed bodies may have a surface impedance.
//! Bodies of one medium without losses are apart, in [`dielectric`]. The electric and the magnetic equation
//! fail at frequencies where the inside of a closed body resonates; a plan's amplification tells, and its
//! condition. The combined equation has no such frequencies. Errors of the current on smooth bodies: pulses
//! 1/N, lcn with one node 1/N^2, with q nodes h^q (odd) or h^(q+1) (even) of cells of length h, Kress's rule
//! below any power (`tests/tests/solvers/mom.rs`, `docs/math/mom.md`). At corners and ends cells are graded.
//!
//! # Cost
//! N^2 Hankel functions, 8/3 N^3 floating-point operations for LU, 40 N^2 bytes at most. All incidences are
//! one solve. Compressed matrices (`hodlr`) need r N log N of both, r some tens and at most one for each
//! wavelength of the outlines.
//!
//! # References
//! The thesis (method of moments and LCN on a graphics card, Crout's LU; eqs as it numbers them); Canino et
//! al., J. Comput. Phys. 146, 627 (1998); Kress, Math. Comput. Model. 15, 229 (1991); Maue, Z. Phys. 126, 601
//! (1949); Higham, Accuracy and Stability of Numerical Algorithms, chapters 12 and 15.
//!
//! # What differs from the thesis
//! - Cells follow the curve. On straight ones LCN is of first order, whatever q is.
//! - The moments of eq. 30 are exact to rounding, for Legendre polynomials, whose eq. 31 needs no solution.
//! - LU pivots. The thesis's pseudo-code for it and for the inverses does not run as printed
//!   (`docs/math/mom.md`).
//! - TE, impedances, magnetic and combined equations, open and several bodies, condition, refinement.
//!
//! # Reading order
//! `settings`, [`hankel`], [`curve`], [`contour`]; [`equation`]; [`reference`](mod@reference); [`cells`],
//! `pulse`, `lcn`, `kress`, `kapur_rokhlin`; `product`, `dense`, [`lu`], `crout`, [`solve`]; `entries`,
//! `hodlr`, `compressed`; [`design`], [`cpu`], [`cuda`]; [`dielectric`].
#![forbid(unsafe_code)]

pub mod cells;
mod compressed;
pub mod contour;
pub mod cpu;
mod crout;
pub mod cuda;
mod currents;
pub mod curve;
mod dense;
pub mod design;
pub mod dielectric;
mod entries;
pub mod equation;
mod error;
pub mod hankel;
mod hodlr;
mod kapur_rokhlin;
mod kress;
mod lcn;
pub mod lu;
mod product;
mod pulse;
pub mod reference;
mod settings;
pub mod solve;
#[cfg(test)]
mod tests;

pub use compressed::Compression;
pub use currents::Currents;
pub use error::Error;
pub use settings::{Density, Formulation, Method, Polarisation, Settings, Solver};

use cells::Mesh;
use curve::{Outline, Point};
use design::Bodies;
use kernels::Device;
use num_complex::Complex;

/// Bodies at one frequency on the device that was chosen when the plan was made, from host memory to host
/// memory.
pub enum Plan {
    /// All cores of the current rayon pool.
    Cpu(Box<cpu::Plan>),
    /// A card.
    Cuda(Box<cuda::Plan>),
}

impl Plan {
    /// Cuts bodies into cells, fills their matrix and factors it, on the CPU.
    pub fn on_cpu(outlines: &[Outline], settings: &Settings) -> Result<Self, Error> {
        Ok(Self::Cpu(Box::new(cpu::Plan::new(outlines, settings)?)))
    }

    /// The same on a card.
    pub fn on_cuda(device: &Device, outlines: &[Outline], settings: &Settings) -> Result<Self, Error> {
        Ok(Self::Cuda(Box::new(cuda::Plan::new(device, outlines, settings)?)))
    }

    fn bodies(&self) -> &Bodies {
        match self {
            Self::Cpu(plan) => plan.bodies(),
            Self::Cuda(plan) => plan.bodies(),
        }
    }

    /// Cells and nodes.
    pub fn mesh(&self) -> &Mesh {
        &self.bodies().mesh
    }

    /// Whether some body is closed, so that it may resonate inside.
    pub fn has_closed_bodies(&self) -> bool {
        self.bodies().closed
    }

    /// Estimate of the condition of the matrix.
    pub fn condition(&self) -> Result<f64, Error> {
        match self {
            Self::Cpu(plan) => Ok(plan.condition()),
            Self::Cuda(plan) => plan.condition(),
        }
    }

    /// Ranks and memory of the matrix, where it is compressed.
    pub fn compression(&self) -> Option<&Compression> {
        match self {
            Self::Cpu(plan) => plan.compression(),
            Self::Cuda(_) => None,
        }
    }

    /// How much currents exceed long waves on the right at most: some units, and far more near an interior
    /// resonance.
    pub fn amplification(&self) -> Result<f64, Error> {
        match self {
            Self::Cpu(plan) => plan.amplification(),
            Self::Cuda(plan) => plan.amplification(),
        }
    }

    /// Currents of plane waves of 1 V/m that travel towards these directions, degrees from x towards y.
    pub fn solve(&self, incidences_deg: &[f64]) -> Result<Currents, Error> {
        Error::check_directions(incidences_deg)?;
        match self {
            Self::Cpu(plan) => plan.solve(incidences_deg),
            Self::Cuda(plan) => plan.solve(incidences_deg),
        }
    }

    /// Far-field amplitudes f of all incidences towards directions, degrees: `[incidence][direction]`.
    pub fn all_amplitudes(
        &self,
        currents: &Currents,
        directions_deg: &[f64],
    ) -> Result<Vec<Complex<f64>>, Error> {
        match self {
            Self::Cpu(plan) => Ok(plan.bodies().amplitudes(&currents.unknowns, directions_deg)),
            Self::Cuda(plan) => plan.amplitudes(&currents.unknowns, directions_deg),
        }
    }

    /// Echo widths of all incidences towards directions, m: `[incidence][direction]`.
    pub fn all_echo_widths(&self, currents: &Currents, directions_deg: &[f64]) -> Result<Vec<f64>, Error> {
        let amplitudes = self.all_amplitudes(currents, directions_deg)?;
        Ok(amplitudes.into_iter().map(|amplitude| self.bodies().echo_width(amplitude)).collect())
    }

    /// Far-field amplitudes f of one incidence towards directions, degrees.
    pub fn amplitudes(&self, currents: &Currents, at: usize, directions_deg: &[f64]) -> Vec<Complex<f64>> {
        self.bodies().amplitudes(currents.of(at), directions_deg)
    }

    /// Echo widths of one incidence towards directions, m.
    pub fn echo_widths(&self, currents: &Currents, at: usize, directions_deg: &[f64]) -> Vec<f64> {
        let amplitudes = self.amplitudes(currents, at, directions_deg);
        amplitudes.into_iter().map(|amplitude| self.bodies().echo_width(amplitude)).collect()
    }

    /// Total scattering width of one incidence, m: from the amplitude straight ahead (optical theorem), and
    /// around.
    pub fn widths(&self, currents: &Currents, at: usize) -> [f64; 2] {
        let ahead = self.amplitudes(currents, at, &[currents.incidences_deg[at]])[0];
        [self.bodies().extinction_width(ahead), self.bodies().scattering_width(currents.of(at))]
    }

    /// Total field of one incidence at points of the plane: E_z, V/m, or H_z, A/m.
    pub fn fields(&self, currents: &Currents, at: usize, points: &[Point]) -> Vec<Complex<f64>> {
        self.bodies().fields(currents.of(at), currents.incidences_deg[at], points)
    }
}
