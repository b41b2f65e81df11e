//! The plan on the processor: cells, fill, factors, currents, fields.

use super::cells::{Mesh, Node, squared_distance};
use super::curve::{Outline, Point, dot, minus};
use super::equation::Equation;
use super::lcn::Lcn;
use super::settings::{ETA, Formulation, Method, Polarisation, Settings};
use super::solve::System;
use super::{Currents, Error, kress, pulse};
use num_complex::Complex;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

type C = Complex<f64>;

/// Right-hand sides of [`Plan::amplification`].
pub const TRIALS: usize = 4;

/// Bodies at one frequency, with the factors of their matrix.
pub struct Plan {
    equation: Equation,
    mesh: Mesh,
    closed: bool,
    system: System,
}

/// Cuts, fills.
pub fn fill(outlines: &[Outline], settings: &Settings) -> Result<(Mesh, Vec<C>), Error> {
    check(outlines, settings)?;
    let mesh = Mesh::new(outlines, settings)?;
    let equation = Equation::new(settings);
    let count = mesh.nodes.len();
    let mut matrix = vec![C::new(f64::NAN, f64::NAN); count * count];
    match settings.method {
        Method::Kress => kress::fill(&equation, &mesh, &mut matrix),
        Method::Pulse => {
            let columns = matrix.par_chunks_mut(count).zip(&mesh.cells);
            columns.for_each(|(column, cell)| pulse::column(&equation, &mesh, cell, column));
        }
        Method::Lcn(nodes) => {
            let lcn = Lcn::new(&mesh, equation, settings.near * settings.wavelength);
            let columns = matrix.par_chunks_mut(count * nodes).zip(&mesh.cells);
            columns.for_each(|(columns, cell)| lcn.columns(&mesh, cell, columns));
        }
    }
    Ok((mesh, matrix))
}

fn check(outlines: &[Outline], settings: &Settings) -> Result<(), Error> {
    let open = outlines.iter().position(|outline| !outline.is_closed());
    let needs_closed = match settings.formulation {
        Formulation::Efie if settings.impedance == C::ZERO => None,
        Formulation::Efie => Some("a surface impedance"),
        _ => Some("the magnetic or combined equation"),
    };
    if let (Some(body), Some(what)) = (open, needs_closed) {
        return Err(Error::Open { body: body + 1, what });
    }
    if settings.method == Method::Kress {
        if let Some(body) = open {
            return Err(Error::Open { body: body + 1, what: "kress" });
        }
        if let Some(body) = outlines.iter().position(|outline| outline.smooth().is_none()) {
            return Err(Error::Corners { body: body + 1 });
        }
    }
    Ok(())
}

impl Plan {
    /// Cuts, fills and factors.
    pub fn new(outlines: &[Outline], settings: &Settings) -> Result<Self, Error> {
        let (mesh, matrix) = fill(outlines, settings)?;
        let system = System::new(matrix, mesh.nodes.len(), settings.solver)?;
        let closed = outlines.iter().any(Outline::is_closed);
        Ok(Self { equation: Equation::new(settings), mesh, closed, system })
    }

    /// Cells and nodes.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Whether some body is closed, so that it may resonate inside.
    pub fn has_closed_bodies(&self) -> bool {
        self.closed
    }

    /// Estimate of the condition of the matrix in currents times the square roots of their weights.
    pub fn condition(&self) -> f64 {
        let roots: Vec<f64> = self.mesh.nodes.iter().map(|node| node.weight.sqrt()).collect();
        self.system.condition(&roots)
    }

    /// How much currents exceed right-hand sides at most, root mean square along the outlines, for [`TRIALS`] sums of waves along
    /// the arc that are as long as the fields inside of the bodies can have. A plane wave excites no resonance of the inside, but
    /// errors do, and so do these; what the condition has of short waves and graded cells they do not see.
    pub fn amplification(&self) -> Result<f64, Error> {
        let waves = (self.mesh.length() * self.equation.k / TAU).ceil() as usize + 2;
        let trial = |trial: usize| self.mesh.nodes.iter().map(move |node| self.trial(node, trial, waves));
        let right: Vec<C> = (0..TRIALS).flat_map(trial).collect();
        let solved = self.system.solve(&right)?.values;
        let count = self.mesh.nodes.len();
        let size = |values: &[C]| {
            self.mesh.nodes.iter().zip(values).map(|(node, v)| node.weight * v.norm_sqr()).sum::<f64>()
        };
        let ratios = right
            .chunks(count)
            .zip(solved.chunks(count))
            .map(|(right, values)| (size(values) / size(right)).sqrt());
        Ok(ratios.fold(0.0, |most, ratio| if ratio > most || ratio.is_nan() { ratio } else { most }))
    }

    /// Waves with phases without order, by multiples of the golden section.
    fn trial(&self, node: &Node, trial: usize, waves: usize) -> C {
        let part = node.arc_length / self.mesh.length();
        let wave = |m: usize| {
            let phase = ((m * TRIALS + trial) as f64).powi(2) * 0.618_033_988_749_894_9;
            C::from_polar(1.0, TAU * (phase.fract() + m as f64 * part))
                + C::from_polar(1.0, TAU * ((7.0 * phase).fract() - m as f64 * part))
        };
        (0..=waves).map(wave).sum()
    }

    /// Currents of plane waves of 1 V/m that travel towards these directions, degrees from x towards y.
    pub fn solve(&self, incidences_deg: &[f64]) -> Result<Currents, Error> {
        if let Some(degrees) = incidences_deg.iter().find(|degrees| !degrees.is_finite()) {
            return Err(Error::Direction { degrees: *degrees });
        }
        let right = |degrees: &f64| {
            let direction = direction(*degrees);
            self.mesh.nodes.iter().map(|node| self.equation.incident(node, direction)).collect::<Vec<C>>()
        };
        let right: Vec<C> = incidences_deg.par_iter().flat_map_iter(right).collect();
        let solved = self.system.solve(&right)?;
        Ok(Currents {
            incidences_deg: incidences_deg.to_vec(),
            unknowns: solved.values,
            sign: if self.equation.polarisation == Polarisation::Tm { 1.0 } else { -1.0 },
            backward_error: solved.backward_error,
            steps: solved.steps,
        })
    }

    /// Far-field amplitudes f of one incidence towards directions, degrees: the field is f sqrt(2/(pi k rho)) exp(-j(k rho - pi/4)) times the incident one's amplitude.
    pub fn amplitudes(&self, unknowns: &[C], directions_deg: &[f64]) -> Vec<C> {
        let of = |degrees: &f64| {
            let to = direction(*degrees);
            let terms = self.mesh.nodes.iter().zip(unknowns);
            terms
                .map(|(node, value)| {
                    self.equation.radiated_far(node.point, node.normal, to) * value * node.weight
                })
                .sum()
        };
        directions_deg.par_iter().map(of).collect()
    }

    /// Echo width of an amplitude, m: 2 pi rho |scattered/incident|^2.
    pub fn echo_width(&self, amplitude: C) -> f64 {
        4.0 / self.equation.k * amplitude.norm_sqr()
    }

    /// Total scattering width, m, from the amplitude straight ahead: the optical theorem.
    pub fn extinction_width(&self, ahead: C) -> f64 {
        -4.0 / self.equation.k * ahead.re
    }

    /// The same as the mean of the echo width over all directions; exact to rounding, since the amplitude is a trigonometric polynomial.
    pub fn scattering_width(&self, unknowns: &[C]) -> f64 {
        let reach = self.mesh.nodes.iter().map(|node| node.point[0].hypot(node.point[1])).fold(0.0, f64::max);
        let count = (4.0 * self.equation.k * reach) as usize + 100;
        let directions: Vec<f64> = (0..count).map(|i| 360.0 * i as f64 / count as f64).collect();
        let widths = self.amplitudes(unknowns, &directions).into_iter().map(|f| self.echo_width(f));
        widths.sum::<f64>() / count as f64
    }

    /// Total field at points of the plane, V/m (E_z) or A/m (H_z), of one incidence.
    pub fn fields(&self, unknowns: &[C], incidence_deg: f64, points: &[Point]) -> Vec<C> {
        let towards = direction(incidence_deg);
        let amplitude = if self.equation.polarisation == Polarisation::Tm { 1.0 } else { 1.0 / ETA };
        let q = self.mesh.rule.nodes.len();
        let lcn = Lcn::new(&self.mesh, self.equation, 0.0);
        let at = |point: &Point| {
            let mut field = C::from_polar(amplitude, -self.equation.k * dot(*point, towards));
            for cell in &self.mesh.cells {
                let own = cell.first..cell.first + q;
                if squared_distance(&self.mesh, cell, *point) < cell.length * cell.length {
                    field += lcn.near_field(cell, *point, &unknowns[own]);
                } else {
                    let nodes = self.mesh.nodes[own.clone()].iter().zip(&unknowns[own]);
                    let term = |(node, value): (&Node, &C)| {
                        self.equation.radiated(minus(*point, node.point), node.normal) * value * node.weight
                    };
                    field += nodes.map(term).sum::<C>();
                }
            }
            field
        };
        points.par_iter().map(at).collect()
    }
}

/// Unit vector at an angle from x towards y.
pub fn direction(degrees: f64) -> Point {
    let (sin, cos) = (degrees * PI / 180.0).sin_cos();
    [cos, sin]
}
