//! The locally corrected Nystrom method: far entries by Gauss's rule, near ones by moments.
//!
//! On a cell the current is a polynomial of degree q - 1, known by its values at the q Gauss nodes:
//! J(x) = sum_i J_i l_i(x), l_i(x) = w_i sum_k (k + 1/2) P_k(x_i) P_k(x), which is exact because the rule is. A node that is
//! far from a cell sees w_i |r'| K(r, r_i); near ones see the moments int K P_k |r'| dx, put together as l_i are: the
//! corrected kernel L of the thesis (eqs 30, 31) with Legendre polynomials for B_k, whose system has the inverse above.
//!
//! Moments on the node's own cell: both sides of the node, x = x_0 + s v^m, which turns a logarithm at v = 0 into
//! v^(m-1) ln v, and Gauss's rule in v. On other near cells: halves of halves until each is shorter than its distance.

use super::cells::{Cell, Mesh, Node, squared_distance};
use super::curve::{Point, dot, minus};
use super::equation::Equation;
use super::settings::MOST_NODES;
use crate::hankel::C;
use numerics::quadrature::{Gauss, legendre, legendre_slopes};

/// m: the error of the rule in v falls with its number of nodes to the power -2m.
const POWER: i32 = 6;
/// Nodes of the rule on one side of a node, and more of them for every node of the cell: the integrand has degree m(q - 1).
const OWN_NODES: usize = 28;
const OWN_NODES_MORE: usize = 4;
/// Nodes of the rule on a part of a near cell, beside those of the cell. A part is as far away as it is long, and Gauss's
/// error falls by 1/(3 + sqrt 8)^2 with every node.
const NEAR_NODES: usize = 14;
/// Halvings of a near cell: nodes of neighbours come as near as 1/100 of it, other bodies may come nearer.
const MOST_HALVINGS: usize = 40;

#[derive(Debug, Clone)]
pub struct Lcn {
    equation: Equation,
    /// Distance of local corrections, m.
    near: f64,
    own: Gauss,
    part: Gauss,
    /// `[i][k]`: w_i (k + 1/2) P_k(x_i).
    interpolation: Vec<f64>,
}

/// Moments of P_0, P_1, ...
type Moments = [C; MOST_NODES];

impl Lcn {
    pub fn new(mesh: &Mesh, equation: Equation, near: f64) -> Self {
        let q = mesh.rule.nodes.len();
        let mut interpolation = vec![0.0; q * q];
        for ((x, weight), row) in mesh.rule.pairs().zip(interpolation.chunks_mut(q)) {
            legendre(x, row);
            row.iter_mut().enumerate().for_each(|(k, value)| *value *= weight * (k as f64 + 0.5));
        }
        let (own, part) = (Gauss::new(OWN_NODES + OWN_NODES_MORE * q), Gauss::new(NEAR_NODES + q));
        Self { equation, near, own, part, interpolation }
    }

    /// Rules of a side of a node on its own cell and of a part of another one.
    pub fn rules(&self) -> [&Gauss; 2] {
        [&self.own, &self.part]
    }

    /// `[i][k]`: w_i (k + 1/2) P_k(x_i).
    pub fn interpolation(&self) -> &[f64] {
        &self.interpolation
    }

    /// The q columns of a cell, one after another: what unit currents at its nodes give at every node.
    pub fn columns(&self, mesh: &Mesh, cell: &Cell, columns: &mut [C]) {
        let (q, count) = (mesh.rule.nodes.len(), mesh.nodes.len());
        let mut entries = [C::ZERO; MOST_NODES];
        for row in 0..count {
            self.entries(mesh, cell, row, &mut entries[..q]);
            columns.chunks_mut(count).zip(&entries).for_each(|(column, entry)| column[row] = *entry);
        }
    }

    /// What unit currents at the q nodes of a cell give at a node.
    pub fn entries(&self, mesh: &Mesh, cell: &Cell, row: usize, entries: &mut [C]) {
        let (node, own) = (&mesh.nodes[row], cell.first..cell.first + entries.len());
        if own.contains(&row) {
            self.spread(&self.own_moments(mesh, cell, row - cell.first), entries);
            entries[row - cell.first] += self.equation.jump();
        } else if self.is_corrected(mesh, cell, node.point) {
            let kernel = |d, normal, source| self.equation.kernel(d, normal, source);
            self.spread(&self.near_moments(cell, node.point, node.normal, kernel), entries);
        } else {
            for (source, entry) in mesh.nodes[own].iter().zip(entries) {
                *entry = self.far(node, source);
            }
        }
    }

    /// One of them, that of node `at` of the cell.
    pub fn entry(&self, mesh: &Mesh, cell: &Cell, row: usize, at: usize) -> C {
        let (q, node) = (mesh.rule.nodes.len(), &mesh.nodes[row]);
        if !(cell.first..cell.first + q).contains(&row) && !self.is_corrected(mesh, cell, node.point) {
            return self.far(node, &mesh.nodes[cell.first + at]);
        }
        let mut entries = [C::ZERO; MOST_NODES];
        self.entries(mesh, cell, row, &mut entries[..q]);
        entries[at]
    }

    /// Whether a cell is near enough to a point for moments.
    fn is_corrected(&self, mesh: &Mesh, cell: &Cell, point: Point) -> bool {
        let reach = self.near.max(cell.length);
        // No node of the cell is farther from its beginning than it is long.
        let (far, d) = (reach + 2.0 * cell.length, minus(cell.ends[0], point));
        dot(d, d) < far * far && squared_distance(mesh, cell, point) < reach * reach
    }

    fn far(&self, node: &Node, source: &Node) -> C {
        self.equation.kernel(minus(node.point, source.point), node.normal, source.normal) * source.weight
    }

    fn spread(&self, moments: &Moments, entries: &mut [C]) {
        for (weights, entry) in self.interpolation.chunks(entries.len()).zip(entries.iter_mut()) {
            *entry = weights.iter().zip(moments).map(|(weight, moment)| moment * weight).sum();
        }
    }

    /// Moments of the kernel on another cell, seen from a point.
    fn near_moments(
        &self,
        cell: &Cell,
        point: Point,
        normal: Point,
        kernel: impl Fn(Point, Point, Point) -> C,
    ) -> Moments {
        let q = self.part.nodes.len() - NEAR_NODES;
        let mut moments = [C::ZERO; MOST_NODES];
        let mut values = [0.0; MOST_NODES];
        let mut parts = vec![(-1.0, 1.0, 0)];
        while let Some((from, to, depth)) = parts.pop() {
            let middle = 0.5 * (from + to);
            if depth < MOST_HALVINGS && is_near(cell, point, [from, middle, to]) {
                parts.extend([(from, middle, depth + 1), (middle, to, depth + 1)]);
                continue;
            }
            for (x, weight) in self.part.pairs() {
                let x = middle + 0.5 * (to - from) * x;
                let (source, source_normal, speed) = cell.at(x);
                let value = kernel(minus(point, source), normal, source_normal)
                    * (0.5 * (to - from) * weight * speed);
                legendre(x, &mut values[..q]);
                moments.iter_mut().zip(&values[..q]).for_each(|(moment, p)| *moment += value * p);
            }
        }
        moments
    }

    fn own_moments(&self, mesh: &Mesh, cell: &Cell, at: usize) -> Moments {
        let q = mesh.rule.nodes.len();
        let (x0, node) = (mesh.rule.nodes[at], &mesh.nodes[cell.first + at]);
        let mut moments = [C::ZERO; MOST_NODES];
        let mut values = [0.0; MOST_NODES];
        let strong = self.equation.is_hypersingular().then(|| Strong::new(&self.equation, cell, node, x0, q));
        for side in [1.0 - x0, -1.0 - x0] {
            for (v, weight) in self.own.pairs() {
                let v = 0.5 * (1.0 + v);
                let step = side * v.powi(POWER);
                let weight = 0.5 * weight * side.abs() * f64::from(POWER) * v.powi(POWER - 1);
                let u = cell.parameter(x0);
                let d = cell.piece.chord(u, cell.half * step).map(|x| -x);
                let (_, normal, speed) = cell.at(x0 + step);
                let value = self.equation.weak_kernel(d, node.normal, normal) * (weight * speed);
                legendre(x0 + step, &mut values[..q]);
                moments.iter_mut().zip(&values[..q]).for_each(|(moment, p)| *moment += value * p);
                if let Some(strong) = &strong {
                    strong.add(&mut moments[..q], &values[..q], d, step, weight);
                }
            }
        }
        if let Some(strong) = &strong {
            strong.finish(&mut moments[..q]);
        }
        moments
    }

    /// The field of currents on a cell at a point near to it.
    pub fn near_field(&self, cell: &Cell, point: Point, currents: &[C]) -> C {
        let radiated = |d, _, normal| self.equation.radiated(d, normal);
        let moments = self.near_moments(cell, point, [0.0; 2], radiated);
        let q = currents.len();
        let entry = |weights: &[f64]| weights.iter().zip(&moments).map(|(weight, m)| m * weight).sum::<C>();
        self.interpolation.chunks(q).zip(currents).map(|(weights, current)| entry(weights) * current).sum()
    }
}

/// Whether a part of a cell is nearer to a point than it is long.
fn is_near(cell: &Cell, point: Point, [from, middle, to]: [f64; 3]) -> bool {
    let at = |x: f64| minus(cell.piece.point(cell.parameter(x)), point);
    let [first, centre, last] = [from, middle, to].map(at);
    let chord = minus(last, first);
    let nearest = [first, centre, last].map(|d| dot(d, d)).into_iter().fold(f64::INFINITY, f64::min);
    // The point may lie beside the part, between the places that were looked at.
    nearest < 1.5 * dot(chord, chord)
}

/// The hypersingular kernel on a node's own cell: principal value with its pole taken out, and ends.
struct Strong<'a> {
    equation: &'a Equation,
    cell: &'a Cell,
    node: &'a Node,
    x0: f64,
    /// C (x - x_0) |r'| at the node.
    residue: C,
    /// P'_k(x_0).
    slopes: [f64; MOST_NODES],
}

impl<'a> Strong<'a> {
    fn new(equation: &'a Equation, cell: &'a Cell, node: &'a Node, x0: f64, q: usize) -> Self {
        let (mut values, mut slopes) = ([0.0; MOST_NODES], [0.0; MOST_NODES]);
        legendre(x0, &mut values[..q]);
        legendre_slopes(&values[..q], &mut slopes[..q]);
        let residue = equation.cauchy_residue() / cell.at(x0).2;
        Self { equation, cell, node, x0, residue, slopes }
    }

    /// A node of the rule, `step` from the pole.
    fn add(&self, moments: &mut [C], values: &[f64], d: Point, step: f64, weight: f64) {
        let mut slopes = [0.0; MOST_NODES];
        legendre_slopes(values, &mut slopes[..values.len()]);
        let kernel = self.equation.cauchy_kernel(d, self.node.tangent);
        let pole = self.residue / step;
        for (moment, (slope, at_pole)) in moments.iter_mut().zip(slopes.iter().zip(&self.slopes)) {
            *moment += (kernel * slope - pole * at_pole) * weight;
        }
    }

    /// The pole's principal value, and the ends of the cell.
    fn finish(&self, moments: &mut [C]) {
        let pole = self.residue * ((1.0 - self.x0) / (1.0 + self.x0)).ln();
        let u = self.cell.parameter(self.x0);
        let end = |x: f64| {
            let d = self.cell.piece.chord(u, self.cell.half * (x - self.x0)).map(|x| -x);
            self.equation.cauchy_kernel(d, self.node.tangent)
        };
        let (first, last) = (end(-1.0), end(1.0));
        for (k, moment) in moments.iter_mut().enumerate() {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            *moment += pole * self.slopes[k] - last + first * sign;
        }
    }
}
