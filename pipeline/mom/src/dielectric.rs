//! Bodies of one medium without losses, with smooth outlines: Mueller's equations by Kress's rule.
//!
//! # Formulas
//! u is E_z (TM) or H_z (TE) over the amplitude of the incident wave, v = du/dn outside. Inside the slope is beta v, beta = mu (TM) or eps (TE), and
//! G_1 has the wavenumber k_1 = k sqrt(eps mu). Both sides of the outline and both slopes, added so that what is worse than a logarithm cancels:
//! ```text
//! u - int (dG/dn' - dG_1/dn') u + int (G - beta G_1) v                                 = u_inc
//! (1 + beta)/2 v - int (d2G/dn dn' - d2G_1/dn dn') u + int (dG/dn - beta dG_1/dn) v    = du_inc/dn
//! f(phi) = int [k/4 n.w u + j/4 v] exp(jk r.w) dl,   w towards phi
//! ```
//! G_1 couples a body to itself alone. Of d2(G - G_1)/dn dn' a logarithm is left; where r' meets r it is -(k^2 - k_1^2)/(4 pi) ln R and what
//! belongs to it. The equations have one solution at every frequency.
//!
//! # Symbols
//! As in [`equation`](super::equation); eps and mu are relative to vacuum.
//!
//! # Validity
//! Real positive eps and mu, one medium for all bodies, outlines without corners. Errors fall faster than any power of the number of points.
//!
//! # References
//! Mueller, Foundations of the Mathematical Theory of Electromagnetic Waves (1969); Kress and Roach, J. Math. Phys. 19, 1433 (1978); Colton and Kress, 3.9.

use super::cells::{Mesh, Need, Node, Room, SQUARE_BYTES};
use super::curve::{Outline, dot, minus};
use super::design::{check, direction};
use super::hankel::{C, EULER, hankel};
use super::kress::{less_logarithm, logarithms};
use super::settings::{Method, Polarisation, Settings, Solver};
use super::solve::System;
use super::{Error, Formulation};
use numerics::parallel;
use std::f64::consts::{FRAC_1_PI, PI, TAU};

/// What the bodies are made of, relative to vacuum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Medium {
    /// eps.
    pub permittivity: f64,
    /// mu.
    pub permeability: f64,
}

/// Bodies of a medium at one frequency, with the factors of their matrix.
pub struct Plan {
    k: f64,
    mesh: Mesh,
    system: System,
}

/// Fields on the outlines.
#[derive(Debug, Clone)]
pub struct Surface {
    /// Where the waves travel, degrees.
    pub incidences_deg: Vec<f64>,
    /// `[incidence][u at all nodes, then v/k]`, over the incident wave's amplitude.
    pub values: Vec<C>,
    /// Worst of all incidences: see [`Solved`](super::solve::Solved).
    pub backward_error: f64,
}

/// What is integrated at one wavenumber: G, dG/dn', dG/dn and d2G/dn dn', times a weight.
type Kernels = [C; 4];

impl Plan {
    /// Cuts, fills and factors. The method must be Kress's.
    pub fn new(outlines: &[Outline], settings: &Settings, medium: Medium) -> Result<Self, Error> {
        let Medium { permittivity, permeability } = medium;
        Error::check_positive("permittivity of the medium", permittivity)?;
        Error::check_positive("permeability of the medium", permeability)?;
        if settings.method != Method::Kress {
            let what = "penetrable bodies are solved by kress alone".into();
            return Err(Error::Unsupported { what, instead: "--method kress, and smooth outlines" });
        }
        check(outlines, &Settings { formulation: Formulation::Efie, impedance: C::ZERO, ..*settings })?;
        if settings.solver == Solver::Hodlr {
            return Err(Error::not_compressed("bodies of a medium"));
        }
        // Two unknowns at every node.
        let room = Room { need: Need::Square(4.0 * SQUARE_BYTES), ..Room::on_host(settings) };
        let mesh = Mesh::new(outlines, settings, &room)?;
        let k = settings.wavenumber();
        let beta = match settings.polarisation {
            Polarisation::Tm => permeability,
            Polarisation::Te => permittivity,
        };
        let k_inside = k * (permittivity * permeability).sqrt();
        let matrix = fill(&mesh, [k, k_inside], beta);
        let system = System::new(matrix, 2 * mesh.nodes.len(), settings.solver)?;
        Ok(Self { k, mesh, system })
    }

    /// Cells and nodes.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Estimate of the condition of the matrix.
    pub fn condition(&self) -> f64 {
        let roots: Vec<f64> = self.mesh.nodes.iter().map(|node| node.weight.sqrt()).collect();
        self.system.condition(&[roots.clone(), roots].concat())
    }

    /// Fields on the outlines of plane waves that travel towards these directions, degrees from x towards y.
    pub fn solve(&self, incidences_deg: &[f64]) -> Result<Surface, Error> {
        Error::check_directions(incidences_deg)?;
        let nodes = &self.mesh.nodes;
        let right = parallel::map(incidences_deg.len(), &|at| {
            let towards = direction(incidences_deg[at]);
            let wave = |node: &Node| C::from_polar(1.0, -self.k * dot(node.point, towards));
            let slope = |node: &Node| wave(node) * C::new(0.0, -dot(node.normal, towards));
            nodes.iter().map(wave).chain(nodes.iter().map(slope)).collect::<Vec<C>>()
        });
        let right = right.concat();
        let solved = self.system.solve(&right)?;
        let (values, backward_error) = (solved.values, solved.backward_error);
        Ok(Surface { incidences_deg: incidences_deg.to_vec(), values, backward_error })
    }

    /// Far-field amplitudes f of one incidence towards directions, degrees.
    pub fn amplitudes(&self, surface: &Surface, at: usize, directions_deg: &[f64]) -> Vec<C> {
        let count = self.mesh.nodes.len();
        let (u, v) = surface.values[2 * count * at..2 * count * (at + 1)].split_at(count);
        parallel::map(directions_deg.len(), &|at| {
            let to = direction(directions_deg[at]);
            let term = |(node, (u, v)): (&Node, (&C, &C))| {
                let wave = C::from_polar(0.25 * self.k * node.weight, self.k * dot(node.point, to));
                (u * dot(node.normal, to) + C::new(0.0, 1.0) * v) * wave
            };
            self.mesh.nodes.iter().zip(u.iter().zip(v)).map(term).sum()
        })
    }

    /// Echo widths of one incidence towards directions, m.
    pub fn echo_widths(&self, surface: &Surface, at: usize, directions_deg: &[f64]) -> Vec<f64> {
        let amplitudes = self.amplitudes(surface, at, directions_deg);
        amplitudes.into_iter().map(|amplitude| 4.0 / self.k * amplitude.norm_sqr()).collect()
    }
}

/// The matrix for u and v/k, column by column.
fn fill(mesh: &Mesh, [k, k_inside]: [f64; 2], beta: f64) -> Vec<C> {
    let count = mesh.nodes.len();
    let rules: Vec<Vec<f64>> = mesh.bodies.windows(2).map(|ends| logarithms(ends[1] - ends[0])).collect();
    let mut matrix = vec![C::new(f64::NAN, f64::NAN); 4 * count * count];
    let (of_u, of_v) = matrix.split_at_mut(2 * count * count);
    let mut columns: Vec<_> = of_u.chunks_mut(2 * count).zip(of_v.chunks_mut(2 * count)).collect();
    parallel::parts(&mut columns, 1, &|column, of_both| {
        let [(of_u, of_v)] = of_both else { return };
        let (body, source) = (mesh.cells[column].body, &mesh.nodes[column]);
        for (row, node) in mesh.nodes.iter().enumerate() {
            let same = mesh.cells[row].body == body;
            let rule = same.then(|| (rules[body].as_slice(), row.abs_diff(column)));
            let [single, double, adjoint, strong] = kernels(k, node, source, rule);
            let inside = if same { kernels(k_inside, node, source, rule) } else { [C::ZERO; 4] };
            let [one, half] = if row == column { [1.0, 0.5 * (1.0 + beta)] } else { [0.0; 2] };
            of_u[row] = one - (double - inside[1]);
            of_u[count + row] = (inside[3] - strong) / k;
            of_v[row] = (single - inside[0] * beta) * k;
            of_v[count + row] = half + (adjoint - inside[2] * beta);
        }
    });
    matrix
}

/// With the source's weight; on one body by its rule, whose list is R_j over the common weight, and at a distance of so many nodes.
fn kernels(k: f64, node: &Node, source: &Node, rule: Option<(&[f64], usize)>) -> Kernels {
    if let Some((rule, 0)) = rule {
        return own(k, source, rule);
    }
    let d = minus(node.point, source.point);
    let r = dot(d, d).sqrt();
    let [mut h0, mut h1] = hankel(k * r);
    if let Some((rule, distance)) = rule {
        let difference = less_logarithm(rule, distance);
        [h0, h1] = [h0, h1].map(|h| h + C::new(0.0, -FRAC_1_PI * h.re * difference));
    }
    let (to, from) = (dot(node.normal, d) / r, dot(source.normal, d) / r);
    let (product, facing) = (to * from, dot(node.normal, source.normal));
    let strong = h0 * product + h1 * ((facing - 2.0 * product) / (k * r));
    let j = C::new(0.0, 0.25 * source.weight);
    [-j * h0, -j * h1 * (k * from), j * h1 * (k * to), -j * strong * (k * k)]
}

/// Where r' meets r; of the last kernel without what cancels in the difference of two wavenumbers.
fn own(k: f64, node: &Node, rule: &[f64]) -> Kernels {
    let speed = node.weight * rule.len() as f64 / TAU;
    let log = C::new((0.5 * k * speed).ln() + EULER + 0.5 * rule[0], 0.5 * PI);
    let slope = C::from(-node.curvature * node.weight / (2.0 * TAU));
    let strong = (log - 0.5) * (-k * k * node.weight / (2.0 * TAU));
    [log * (-node.weight / TAU), slope, slope, strong]
}
