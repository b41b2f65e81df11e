//! Pulses and point matching as in the thesis: eq. 12 off the diagonal, eq. 17 on it.
//!
//! The current is constant on a cell, and the equation holds at its middle. The midpoint rule serves all integrals of the
//! weakly singular kernels; the diagonal is the integral of the logarithm,
//! ```text
//! int H_0(k|u|) du = w [1 - j 2/pi (ln(gamma k w/4) - 1)],   -w/2 < u < w/2, gamma = 1.781...
//! ```
//! The hypersingular kernel becomes the difference of C at the ends of the cell (`equation.rs`) and the same integral.

use super::cells::{Cell, Mesh, Node};
use super::curve::minus;
use super::equation::Equation;
use super::hankel::{C, EULER};
use std::f64::consts::FRAC_2_PI;

/// The column of a cell: what a current of 1 on it gives at every node.
pub fn column(equation: &Equation, mesh: &Mesh, cell: &Cell, column: &mut [C]) {
    column.iter_mut().enumerate().for_each(|(row, value)| *value = entry(equation, mesh, cell, row));
}

/// What a current of 1 on a cell gives at a node.
pub fn entry(equation: &Equation, mesh: &Mesh, cell: &Cell, row: usize) -> C {
    if row == cell.first {
        return own_entry(equation, mesh, cell);
    }
    let (node, source) = (&mesh.nodes[row], &mesh.nodes[cell.first]);
    let d = minus(node.point, source.point);
    equation.weak_kernel(d, node.normal, source.normal) * source.weight + ends(equation, cell, node)
}

pub fn own_entry(equation: &Equation, mesh: &Mesh, cell: &Cell) -> C {
    let node = &mesh.nodes[cell.first];
    let normal = equation.normal_limit(node.curvature) * node.weight;
    let single = equation.single_part(1.0) * own_integral(equation.k, node.weight);
    single + normal + equation.jump() + ends(equation, cell, node)
}

/// The ends of a cell in the hypersingular kernel.
fn ends(equation: &Equation, cell: &Cell, node: &Node) -> C {
    if !equation.is_hypersingular() {
        return C::ZERO;
    }
    let [first, last] = cell.ends.map(|end| equation.cauchy_kernel(minus(node.point, end), node.tangent));
    first - last
}

/// Eq. 17 over eta.
fn own_integral(k: f64, width: f64) -> C {
    let log = (0.25 * k * width).ln() + EULER;
    C::new(1.0, -FRAC_2_PI * (log - 1.0)) * (0.25 * k * width)
}
