//! The card's twin of [`cpu`](super::cpu): fill by `kernels/cuda/mom.cu` and `mom_near.cu`, factors by `kernels::dense`, all of it on the card.
//!
//! Matrix, right-hand sides and currents stay there; the host sees what it asks for. One part is the processor's: the matrix of Kress's rule with
//! the hypersingular kernel, which is a product of matrices, is filled there and sent.

mod card;
mod system;
mod tables;

use super::cells::{Cell, Need, Room};
use super::currents::Currents;
use super::curve::{Outline, Piece};
use super::design::{Bodies, direction};
use super::error::Error;
use super::settings::{self, Settings, Solver};
use kernels::mom::Moments;
use kernels::{Buffer, Device};
use num_complex::Complex;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use card::Card;
pub use system::System;
pub use tables::{hankel, numbers, tables};

type C = Complex<f64>;

/// Bytes of an unknown's square: the matrix and its factors; with the thesis's solver also both inverses.
const BYTES: f64 = 32.0;
const CROUT_BYTES: f64 = 64.0;
const GIB: f64 = (1u64 << 30) as f64;

/// Bodies at one frequency, with their matrix and its factors on a card.
pub struct Plan {
    bodies: Bodies,
    moments: Moments<f64>,
    system: Mutex<System>,
}

impl Plan {
    /// Cuts, fills and factors.
    pub fn new(device: &Device, outlines: &[Outline], settings: &Settings) -> Result<Self, Error> {
        let mut card = Card::new(device)?;
        let (bodies, moments) = prepare(&mut card, outlines, settings)?;
        let matrix = fill(&mut card, &bodies, &moments, settings)?;
        let system = Mutex::new(System::new(card, matrix, bodies.mesh.nodes.len(), settings.solver)?);
        Ok(Self { bodies, moments, system })
    }

    /// Cells, nodes, equation.
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    fn system(&self) -> MutexGuard<'_, System> {
        // A panic leaves nothing half done that another call would rely on.
        self.system.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Estimate of the condition of the matrix in currents times the square roots of their weights.
    pub fn condition(&self) -> Result<f64, Error> {
        self.system().condition(&self.bodies.roots())
    }

    /// How much currents exceed long waves on the right at most ([`Bodies::trials`]).
    pub fn amplification(&self) -> Result<f64, Error> {
        let right = self.bodies.trials();
        let mut system = self.system();
        let there = Buffer::from_slice(&mut system.card.stream, "right-hand sides", &right)?;
        let solved = system.solve(&there)?;
        let values = system.card.stream.values(&solved.values)?;
        Ok(self.bodies.amplification(&right, &values))
    }

    /// Currents of plane waves of 1 V/m that travel towards these directions, degrees from x towards y.
    pub fn solve(&self, incidences_deg: &[f64]) -> Result<Currents, Error> {
        let mut system = self.system();
        let right = incident(&mut system.card, &self.bodies, &self.moments, incidences_deg)?;
        let solved = system.solve(&right)?;
        let unknowns = system.card.stream.values(&solved.values)?;
        Ok(Currents {
            incidences_deg: incidences_deg.to_vec(),
            unknowns,
            sign: self.bodies.sign(),
            backward_error: solved.backward_error,
            steps: solved.steps,
            rows: self.bodies.mesh.nodes.len(),
        })
    }

    /// Far-field amplitudes of unknowns, `[incidence][node]`, towards directions, degrees: `[incidence][direction]`.
    pub fn amplitudes(&self, unknowns: &[C], directions_deg: &[f64]) -> Result<Vec<C>, Error> {
        let card = &mut self.system().card;
        let there = Buffer::from_slice(&mut card.stream, "currents", unknowns)?;
        radiate(card, &self.bodies, &self.moments, &there, directions_deg)
    }
}

/// Cuts bodies, and sends what the kernels want to know of them.
pub fn prepare(
    card: &mut Card,
    outlines: &[Outline],
    settings: &Settings,
) -> Result<(Bodies, Moments<f64>), Error> {
    if settings.solver == Solver::Hodlr {
        return Err(Error::not_compressed("matrices on a card"));
    }
    if let settings::Method::KapurRokhlin(_) = settings.method {
        let what = "the card does not do Kapur and Rokhlin's rule".into();
        return Err(Error::Unsupported { what, instead: "kress, or --device cpu" });
    }
    let bytes = if settings.solver == Solver::Crout { CROUT_BYTES } else { BYTES };
    let room = Room { free_gib: card.stream.device().free_memory()? as f64 / GIB, need: Need::Square(bytes) };
    let bodies = Bodies::new(outlines, settings, &room)?;
    let unknown = |cell: &Cell| matches!(cell.piece, Piece::Cubic(_) | Piece::Ellipse { .. });
    if let (settings::Method::Lcn(_), Some(cell)) =
        (settings.method, bodies.mesh.cells.iter().find(|cell| unknown(cell)))
    {
        let curves = "has Bezier curves or elliptic arcs, which lcn does not do on a card";
        let what = format!("body {} {curves}", cell.body + 1);
        return Err(Error::Unsupported { what, instead: "--device cpu" });
    }
    let (method, sent) = tables(&bodies.equation, &bodies.mesh, settings);
    let moments = Moments::new(&mut card.stream, method, &numbers(&bodies.equation, settings), &sent)?;
    Ok((bodies, moments))
}

/// The matrix.
pub fn fill(
    card: &mut Card,
    bodies: &Bodies,
    moments: &Moments<f64>,
    settings: &Settings,
) -> Result<Buffer<C>, Error> {
    let stream = &mut card.stream;
    if settings.method == settings::Method::Kress && bodies.equation.is_hypersingular() {
        return Ok(Buffer::from_slice(stream, "matrix", &bodies.fill(settings))?);
    }
    let count = moments.count();
    let mut matrix = Buffer::unwritten(stream, "matrix", count * count)?;
    moments.fill(stream, &mut matrix)?;
    Ok(matrix)
}

/// Right-hand sides of plane waves.
pub fn incident(
    card: &mut Card,
    bodies: &Bodies,
    moments: &Moments<f64>,
    incidences_deg: &[f64],
) -> Result<Buffer<C>, Error> {
    let towards: Vec<[f64; 2]> = incidences_deg.iter().map(|degrees| direction(*degrees)).collect();
    Ok(moments.incident(&mut card.stream, &towards, bodies.equation.incident_factors())?)
}

/// Far-field amplitudes, `[incidence][direction]`.
pub fn radiate(
    card: &mut Card,
    bodies: &Bodies,
    moments: &Moments<f64>,
    unknowns: &Buffer<C>,
    directions_deg: &[f64],
) -> Result<Vec<C>, Error> {
    let Card { stream, library } = card;
    let towards: Vec<[f64; 2]> = directions_deg.iter().map(|degrees| direction(*degrees)).collect();
    let radiation = moments.radiation(stream, &towards, bodies.equation.radiated_factors())?;
    let (rows, inner) = (towards.len(), moments.count());
    let columns = unknowns.len() / inner;
    let mut product = Buffer::unwritten(stream, "far field", rows * columns)?;
    library.multiply(stream, [&radiation, unknowns], &mut product, [rows, inner, columns], [1.0, 0.0])?;
    Ok(stream.values(&product)?)
}
