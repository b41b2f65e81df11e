//! The plan on the CPU: fill, factors, currents; the twin of [`cuda`](super::cuda).

use super::cells::{Mesh, Room};
use super::compressed::{Compressed, Compression};
use super::currents::Currents;
use super::curve::Outline;
use super::design::Bodies;
use super::error::Error;
use super::settings::{Settings, Solver};
use super::solve::System;
use crate::hankel::C;

/// Bodies at one frequency, with the factors of their matrix.
pub struct Plan {
    bodies: Bodies,
    matrix: Matrix,
}

enum Matrix {
    Dense(System),
    Compressed(Compressed),
}

/// Cuts, fills.
pub fn fill(outlines: &[Outline], settings: &Settings) -> Result<(Mesh, Vec<C>), Error> {
    let bodies = Bodies::new(outlines, settings, &Room::on_host(settings))?;
    let matrix = bodies.fill(settings);
    Ok((bodies.mesh, matrix))
}

impl Plan {
    /// Cuts, fills and factors.
    pub fn new(outlines: &[Outline], settings: &Settings) -> Result<Self, Error> {
        let room = Room::on_host(settings);
        let bodies = Bodies::new(outlines, settings, &room)?;
        let matrix = match settings.solver {
            Solver::Hodlr => Matrix::Compressed(Compressed::new(&bodies, settings, room.free_gib)?),
            dense => Matrix::Dense(System::new(bodies.fill(settings), bodies.mesh.nodes.len(), dense)?),
        };
        Ok(Self { bodies, matrix })
    }

    /// Cells, nodes, equation.
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// Ranks and memory of a compressed matrix.
    pub fn compression(&self) -> Option<&Compression> {
        match &self.matrix {
            Matrix::Dense(_) => None,
            Matrix::Compressed(compressed) => Some(compressed.compression()),
        }
    }

    /// Estimate of the condition of the matrix in currents times the square roots of their weights.
    pub fn condition(&self) -> f64 {
        match &self.matrix {
            Matrix::Dense(system) => system.condition(&self.bodies.roots()),
            Matrix::Compressed(compressed) => compressed.condition(&self.bodies.roots()),
        }
    }

    /// How much currents exceed long waves on the right at most ([`Bodies::trials`]).
    pub fn amplification(&self) -> Result<f64, Error> {
        let right = self.bodies.trials();
        let values = match &self.matrix {
            Matrix::Dense(system) => system.solve(&right)?.values,
            Matrix::Compressed(compressed) => compressed.refined(&right).0,
        };
        Ok(self.bodies.amplification(&right, &values))
    }

    /// Currents of plane waves of 1 V/m that travel towards these directions, degrees from x towards y.
    pub fn solve(&self, incidences_deg: &[f64]) -> Result<Currents, Error> {
        let right = self.bodies.right_sides(incidences_deg);
        let solved = match &self.matrix {
            Matrix::Dense(system) => system.solve(&right)?,
            Matrix::Compressed(compressed) => compressed.solve(&self.bodies, &right)?,
        };
        Ok(Currents {
            incidences_deg: incidences_deg.to_vec(),
            unknowns: solved.values,
            sign: self.bodies.sign(),
            backward_error: solved.backward_error,
            steps: solved.steps,
            rows: solved.rows,
        })
    }
}
