//! Pulses and point matching as in the thesis: eq. 12 off the diagonal, eq. 17 on it.
//!
//! The current is constant on a cell, and the equation holds at its middle. The midpoint rule serves all integrals of the
//! weakly singular kernels; the diagonal is the integral of the logarithm,
//! ```text
//! int H_0(k|u|) du = w [1 - j 2/pi (ln(gamma k w/4) - 1)],   -w/2 < u < w/2, gamma = 1.781...
//! ```
//! The hypersingular kernel of TE becomes the difference of C at the ends of the cell (`equation.rs`) and the same integral.

use super::cells::{Cell, Mesh};
use super::curve::{dot, minus};
use super::equation::Equation;
use super::hankel::{EULER, hankel, hankel_0};
use super::settings::Polarisation;
use num_complex::Complex;
use std::f64::consts::FRAC_2_PI;

type C = Complex<f64>;

/// The column of a cell: what a current of 1 on it gives at every node.
pub fn column(equation: &Equation, mesh: &Mesh, cell: &Cell, column: &mut [C]) {
    let source = &mesh.nodes[cell.first];
    for (row, (node, entry)) in mesh.nodes.iter().zip(column).enumerate() {
        let d = minus(node.point, source.point);
        let own = row == cell.first;
        let mut value = match equation.polarisation {
            Polarisation::Tm if !own => equation.kernel(d, node.normal, source.normal) * source.weight,
            Polarisation::Tm => own_integral(equation, source.weight) * equation.electric,
            Polarisation::Te => {
                let ends = cell.ends.map(|end| equation.cauchy_kernel(minus(node.point, end), node.tangent));
                let r = dot(d, d).sqrt();
                let weak = if own {
                    own_integral(equation, source.weight)
                } else {
                    hankel_0(equation.k * r) * (0.25 * equation.k * source.weight)
                };
                let mut value =
                    ends[0] - ends[1] + weak * (equation.electric * dot(node.normal, source.normal));
                if !own {
                    let from =
                        0.25 * equation.k * equation.magnetic * source.weight * dot(source.normal, d) / r;
                    value += hankel(equation.k * r)[1] * C::new(0.0, from);
                }
                value
            }
        };
        if own {
            value += equation.jump() + equation.magnetic_limit(source.curvature) * source.weight;
        }
        *entry = value;
    }
}

/// Eq. 17 over eta.
fn own_integral(equation: &Equation, width: f64) -> C {
    let log = (0.25 * equation.k * width).ln() + EULER;
    C::new(1.0, -FRAC_2_PI * (log - 1.0)) * (0.25 * equation.k * width)
}
