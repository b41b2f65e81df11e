//! Operators against their eigenvalues on the circle, solvers against each other, and what is refused.

mod dielectric;
mod hodlr;
mod kapur_rokhlin;
mod operators;
mod refusals;
mod solvers;

use super::curve::Outline;
use super::settings::{Density, Formulation, Method, Polarisation, Settings};
use pulp::Arch;

/// Instruction sets of this machine, from none to the best.
pub fn archs() -> Vec<Arch> {
    let mut sets = vec![Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    sets.extend(pulp::x86::V3::try_new().map(Arch::V3));
    sets.push(Arch::new());
    sets
}

/// A circle of radius 1 and a wavelength of 1, with so many cells.
fn case(
    polarisation: Polarisation,
    formulation: Formulation,
    method: Method,
    cells: usize,
) -> (Vec<Outline>, Settings) {
    let settings =
        Settings { polarisation, formulation, method, density: Density::Cells(cells), ..Settings::new(1.0) };
    (vec![Outline::circle([0.0; 2], 1.0).unwrap()], settings)
}
