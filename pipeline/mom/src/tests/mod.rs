//! Operators against their eigenvalues on the circle, solvers against each other, and what is refused.

mod dielectric;
mod hodlr;
mod kapur_rokhlin;
mod operators;
mod refusals;
mod solvers;

use super::curve::Outline;
use super::settings::{Density, Formulation, Method, Polarisation, Settings};

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
