//! Bodies at one frequency: their cells and their equation, what goes into a solver, and what is made of its results.

use super::cells::{Mesh, Node, Room, squared_distance};
use super::curve::{Outline, Point, dot, minus};
use super::dense::{Form, Matrix, add_product, columns};
use super::equation::Equation;
use super::lcn::Lcn;
use super::settings::{Formulation, Method, Polarisation, Settings};
use super::{Error, kress, pulse};
use crate::hankel::C;
use numerics::constants::ETA_0;
use numerics::parallel;
use rayon::iter::ParallelIterator;
use std::f64::consts::{PI, TAU};

/// Directions that a thread takes at a time: a tile's rows in the widest registers.
const DIRECTIONS: usize = 24;

/// Right-hand sides of [`Bodies::trials`].
pub const TRIALS: usize = 4;

/// Bodies at one frequency.
#[derive(Debug, Clone)]
pub struct Bodies {
    /// What holds on their outlines.
    pub equation: Equation,
    /// Cells and nodes.
    pub mesh: Mesh,
    /// Whether some body is closed, so that it may resonate inside.
    pub closed: bool,
}

impl Bodies {
    /// Checks outlines and cuts them.
    pub fn new(outlines: &[Outline], settings: &Settings, room: &Room) -> Result<Self, Error> {
        check(outlines, settings)?;
        let mesh = Mesh::new(outlines, settings, room)?;
        let closed = outlines.iter().any(Outline::is_closed);
        Ok(Self { equation: Equation::new(settings), mesh, closed })
    }

    /// The matrix, column by column, on all cores.
    pub fn fill(&self, settings: &Settings) -> Vec<C> {
        let (equation, mesh, count) = (&self.equation, &self.mesh, self.mesh.nodes.len());
        // Memory is first touched by all cores.
        let mut matrix: Vec<C> = rayon::iter::repeat_n(C::new(f64::NAN, f64::NAN), count * count).collect();
        match settings.method {
            Method::Kress | Method::KapurRokhlin(_) => {
                kress::fill(equation, mesh, settings.method, &mut matrix)
            }
            Method::Pulse => parallel::parts(&mut matrix, count, &|cell, column| {
                pulse::column(equation, mesh, &mesh.cells[cell], column);
            }),
            Method::Lcn(nodes) => {
                let lcn = Lcn::new(mesh, *equation, settings.near * settings.wavelength);
                let columns = |cell: usize, columns: &mut [C]| lcn.columns(mesh, &mesh.cells[cell], columns);
                parallel::parts(&mut matrix, count * nodes, &columns);
            }
        }
        matrix
    }

    /// Square roots of the weights of the nodes: with them currents have the same norm in every mesh.
    pub fn roots(&self) -> Vec<f64> {
        self.mesh.nodes.iter().map(|node| node.weight.sqrt()).collect()
    }

    /// [`TRIALS`] sums of waves along the arc that are as long as the fields inside of the bodies can have. A plane wave excites no resonance
    /// of the inside, but errors do, and so do these; what the condition has of short waves and graded cells they do not see.
    pub fn trials(&self) -> Vec<C> {
        let waves = (self.mesh.length() * self.equation.k / TAU).ceil() as usize + 2;
        let nodes = &self.mesh.nodes;
        let trial = |at: usize| self.trial(&nodes[at % nodes.len()], at / nodes.len(), waves);
        parallel::map(TRIALS * nodes.len(), &trial)
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

    /// How much solutions exceed right-hand sides at most, root mean square along the outlines.
    pub fn amplification(&self, right: &[C], solved: &[C]) -> f64 {
        let count = self.mesh.nodes.len();
        let size = |values: &[C]| {
            self.mesh.nodes.iter().zip(values).map(|(node, v)| node.weight * v.norm_sqr()).sum::<f64>()
        };
        let pairs = right.chunks(count).zip(solved.chunks(count));
        let ratios = pairs.map(|(right, values)| (size(values) / size(right)).sqrt());
        ratios.fold(0.0, |most, ratio| if ratio > most || ratio.is_nan() { ratio } else { most })
    }

    /// Right-hand sides of plane waves of 1 V/m that travel towards these directions, one after another.
    pub fn right_sides(&self, incidences_deg: &[f64]) -> Vec<C> {
        let right = parallel::map(incidences_deg.len(), &|at| {
            let direction = direction(incidences_deg[at]);
            self.mesh.nodes.iter().map(|node| self.equation.incident(node, direction)).collect::<Vec<C>>()
        });
        right.concat()
    }

    /// What makes the current of an unknown: 1, or -1 with TE.
    pub fn sign(&self) -> f64 {
        if self.equation.polarisation == Polarisation::Tm { 1.0 } else { -1.0 }
    }

    /// Far-field amplitudes f towards directions, degrees, of all incidences one after another: the field is
    /// f sqrt(2/(pi k rho)) exp(-j(k rho - pi/4)) times the incident one's amplitude.
    pub fn amplitudes(&self, unknowns: &[C], directions_deg: &[f64]) -> Vec<C> {
        let unknowns = columns(unknowns, self.mesh.nodes.len());
        let parts: Vec<&[f64]> = directions_deg.chunks(DIRECTIONS).collect();
        let found = parallel::map(parts.len(), &|at| self.radiate(&unknowns, parts[at]));
        let mut amplitudes = Vec::with_capacity(unknowns.len() * directions_deg.len());
        for incidence in 0..unknowns.len() {
            for part in &found {
                amplitudes.extend_from_slice(&part.entries()[incidence * part.rows()..][..part.rows()]);
            }
        }
        amplitudes
    }

    /// `[incidence][direction]`, as columns, on this thread.
    fn radiate(&self, unknowns: &[&[C]], directions_deg: &[f64]) -> Matrix<C> {
        let towards: Vec<Point> = directions_deg.iter().map(|degrees| direction(*degrees)).collect();
        let radiation = Matrix::of(towards.len(), self.mesh.nodes.len(), |to, at| {
            let node = &self.mesh.nodes[at];
            self.equation.radiated_far(node.point, node.normal, towards[to]) * node.weight
        });
        let mut product = Matrix::of(towards.len(), unknowns.len(), |_, _| C::ZERO);
        add_product(&mut product.columns_mut(), Form::Plain, &radiation.columns(), unknowns);
        product
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
        let amplitude = if self.equation.polarisation == Polarisation::Tm { 1.0 } else { 1.0 / ETA_0 };
        let q = self.mesh.rule.nodes.len();
        let lcn = Lcn::new(&self.mesh, self.equation, 0.0);
        parallel::map(points.len(), &|at| {
            let point = points[at];
            let mut field = C::from_polar(amplitude, -self.equation.k * dot(point, towards));
            for cell in &self.mesh.cells {
                let own = cell.first..cell.first + q;
                if squared_distance(&self.mesh, cell, point) < cell.length * cell.length {
                    field += lcn.near_field(cell, point, &unknowns[own]);
                } else {
                    let nodes = self.mesh.nodes[own.clone()].iter().zip(&unknowns[own]);
                    let term = |(node, value): (&Node, &C)| {
                        self.equation.radiated(minus(point, node.point), node.normal) * value * node.weight
                    };
                    field += nodes.map(term).sum::<C>();
                }
            }
            field
        })
    }
}

/// Refuses outlines that the method or the equation cannot have.
pub fn check(outlines: &[Outline], settings: &Settings) -> Result<(), Error> {
    let open = outlines.iter().position(|outline| !outline.is_closed());
    let needs_closed = match settings.formulation {
        Formulation::Efie if settings.impedance == C::ZERO => None,
        Formulation::Efie => Some("a surface impedance"),
        _ => Some("the magnetic or combined equation"),
    };
    if let (Some(body), Some(what)) = (open, needs_closed) {
        return Err(Error::Open { body: body + 1, what });
    }
    if settings.method.least_points().is_some() {
        if let Some(body) = open {
            return Err(Error::Open { body: body + 1, what: "kress or kr" });
        }
        if let Some(body) = outlines.iter().position(|outline| outline.smooth().is_none()) {
            let what = format!("body {} has corners, and kress and kr need smooth closed curves", body + 1);
            return Err(Error::Unsupported { what, instead: "lcn" });
        }
    }
    Ok(())
}

/// Unit vector at an angle from x towards y.
pub fn direction(degrees: f64) -> Point {
    let (sin, cos) = (degrees * PI / 180.0).sin_cos();
    [cos, sin]
}
