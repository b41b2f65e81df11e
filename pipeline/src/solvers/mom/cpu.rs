//! The plan on the processor: fill, factors, currents.

use super::bodies::Bodies;
use super::cells::{Mesh, Room};
use super::curve::Outline;
use super::settings::Settings;
use super::solve::System;
use super::{Currents, Error};
use num_complex::Complex;

type C = Complex<f64>;

/// Bodies at one frequency, with the factors of their matrix.
pub struct Plan {
    bodies: Bodies,
    system: System,
}

/// Cuts, fills.
pub fn fill(outlines: &[Outline], settings: &Settings) -> Result<(Mesh, Vec<C>), Error> {
    let bodies = Bodies::new(outlines, settings, &Room::on_host())?;
    let matrix = bodies.fill(settings);
    Ok((bodies.mesh, matrix))
}

impl Plan {
    /// Cuts, fills and factors.
    pub fn new(outlines: &[Outline], settings: &Settings) -> Result<Self, Error> {
        let bodies = Bodies::new(outlines, settings, &Room::on_host())?;
        let system = System::new(bodies.fill(settings), bodies.mesh.nodes.len(), settings.solver)?;
        Ok(Self { bodies, system })
    }

    /// Cells, nodes, equation.
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// Estimate of the condition of the matrix in currents times the square roots of their weights.
    pub fn condition(&self) -> f64 {
        self.system.condition(&self.bodies.roots())
    }

    /// How much currents exceed long waves on the right at most ([`Bodies::trials`]).
    pub fn amplification(&self) -> Result<f64, Error> {
        let right = self.bodies.trials();
        Ok(self.bodies.amplification(&right, &self.system.solve(&right)?.values))
    }

    /// Currents of plane waves of 1 V/m that travel towards these directions, degrees from x towards y.
    pub fn solve(&self, incidences_deg: &[f64]) -> Result<Currents, Error> {
        let solved = self.system.solve(&self.bodies.right_sides(incidences_deg))?;
        Ok(Currents {
            incidences_deg: incidences_deg.to_vec(),
            unknowns: solved.values,
            sign: self.bodies.sign(),
            backward_error: solved.backward_error,
            steps: solved.steps,
        })
    }
}
