//! Kress's rule for smooth closed curves: errors fall faster than any power of the number of points.
//!
//! With t = 2 pi u, a kernel times |r'| on one curve is L_1 ln(4 sin^2((t - t')/2)) + L_2 with smooth parts, and N = 2n equal
//! steps integrate both,
//! ```text
//! int ln(4 sin^2((t - t')/2)) f dt' = sum_j R_j f(t_j),    R_j = -2 pi/n sum_{m=1}^{n-1} cos(m (t - t_j))/m - pi/n^2 cos(n (t - t_j))
//! int f dt' = pi/n sum_j f(t_j)
//! ```
//! L_1 follows from Y_n = 2/pi ln(x/2) J_n + ...: it is the kernel with J_n for H_n, times -j/pi (H_n = J_n - j Y_n, and ln R = ln(R^2)/2).
//! The hypersingular kernel is d/ds int G dJ/ds' + k^2 n.int G n' J (Maue), with derivatives of the trigonometric
//! polynomial through the points. Between different curves equal steps are enough.
//!
//! Kress, Math. Comput. Model. 15, 229 (1991); Colton and Kress, Inverse Acoustic and Electromagnetic Scattering Theory, 3.5.

use super::cells::{Mesh, Node};
use super::curve::{dot, minus};
use super::equation::Equation;
use super::hankel::{EULER, hankel};
use super::kapur_rokhlin;
use super::settings::Method;
use num_complex::Complex;
use rayon::prelude::*;
use std::f64::consts::{FRAC_1_PI, PI, TAU};
use std::ops::Range;

type C = Complex<f64>;

/// The matrix, column by column.
pub fn fill(equation: &Equation, mesh: &Mesh, method: Method, matrix: &mut [C]) {
    let count = mesh.nodes.len();
    let between = |(column, entries): (usize, &mut [C])| {
        let source = &mesh.nodes[column];
        let body = mesh.cells[column].body;
        for (row, node) in mesh.nodes.iter().enumerate() {
            if mesh.cells[row].body != body {
                let d = minus(node.point, source.point);
                entries[row] = equation.kernel(d, node.normal, source.normal) * source.weight;
            }
        }
    };
    matrix.par_chunks_mut(count).enumerate().for_each(between);
    for ends in mesh.bodies.windows(2) {
        let steps = Steps::new(ends[1] - ends[0], method);
        Body::new(equation, mesh, ends[0]..ends[1], &steps).fill(matrix, count);
    }
}

/// R_j over the weight pi/n, by the distance of the points, for `count` of them.
pub fn logarithms(count: usize) -> Vec<f64> {
    let half = count / 2;
    let cosines: Vec<f64> = (0..count).map(|i| (TAU * i as f64 / count as f64).cos()).collect();
    let logarithm = |distance: usize| {
        let cosine = |m: usize| cosines[(m * distance) % count];
        let sum: f64 = (1..half).map(|m| cosine(m) / m as f64).sum();
        -2.0 * sum - cosine(half) / half as f64
    };
    (0..count).into_par_iter().map(logarithm).collect()
}

/// What a fill elsewhere needs beside points, one after another for all curves: entries of the diagonal without the hypersingular part, and
/// what is added to logarithms by the distance of the points.
pub fn tables(equation: &Equation, mesh: &Mesh) -> (Vec<C>, Vec<f64>) {
    let (mut diagonal, mut differences) = (Vec::new(), Vec::new());
    for ends in mesh.bodies.windows(2) {
        let steps = Steps::new(ends[1] - ends[0], Method::Kress);
        let body = Body::new(equation, mesh, ends[0]..ends[1], &steps);
        diagonal.extend((0..body.nodes.len()).map(|i| body.entry(i, i)));
        differences.extend((0..body.nodes.len()).map(|distance| body.difference(distance)));
    }
    (diagonal, differences)
}

/// What depends on the number of points of a curve alone.
#[derive(Debug, Clone)]
pub struct Steps {
    weights: Weights,
    /// Derivative with respect to t at one point of the polynomial that is 1 at another, by their distance.
    derivative: Vec<f64>,
}

/// How the logarithm is integrated, by the distance of the points.
#[derive(Debug, Clone)]
enum Weights {
    /// R_j over the weight pi/n.
    Logarithm(Vec<f64>),
    /// Factors of the whole kernel (`kapur_rokhlin.rs`).
    Corrected(Vec<f64>),
}

impl Steps {
    /// For so many points; every method but Kapur and Rokhlin's has Kress's weights.
    pub fn new(count: usize, method: Method) -> Self {
        let derivative = |distance: usize| {
            let sign = if distance.is_multiple_of(2) { 0.5 } else { -0.5 };
            if distance == 0 { 0.0 } else { sign / (PI * distance as f64 / count as f64).tan() }
        };
        let weights = match method {
            Method::KapurRokhlin(order) => Weights::Corrected(kapur_rokhlin::factors(order, count)),
            _ => Weights::Logarithm(logarithms(count)),
        };
        Self { weights, derivative: (0..count).map(derivative).collect() }
    }
}

/// One curve.
pub struct Body<'a> {
    equation: &'a Equation,
    nodes: &'a [Node],
    range: Range<usize>,
    steps: &'a Steps,
}

impl<'a> Body<'a> {
    /// The curve whose points are these of the mesh.
    pub fn new(equation: &'a Equation, mesh: &'a Mesh, range: Range<usize>, steps: &'a Steps) -> Self {
        Self { equation, nodes: &mesh.nodes[range.clone()], range, steps }
    }

    /// An entry between two of its points, of equations that are not hypersingular.
    pub fn entry(&self, i: usize, j: usize) -> C {
        if i == j { self.weak(i, j) + self.equation.jump() } else { self.weak(i, j) }
    }

    fn fill(&self, matrix: &mut [C], count: usize) {
        let range = self.range.clone();
        matrix[range.start * count..range.end * count].par_chunks_mut(count).enumerate().for_each(
            |(j, column)| {
                let entries = &mut column[range.clone()];
                entries.iter_mut().enumerate().for_each(|(i, entry)| *entry = self.entry(i, j));
            },
        );
        if self.equation.is_hypersingular() {
            self.add_hypersingular(matrix, count);
        }
    }

    /// An entry of the weakly singular kernels.
    fn weak(&self, i: usize, j: usize) -> C {
        let (node, source, equation) = (&self.nodes[i], &self.nodes[j], self.equation);
        let single = self.single_layer(i, j) * equation.single_part(dot(node.normal, source.normal));
        if i == j {
            return match self.steps.weights {
                Weights::Logarithm(_) => single + equation.normal_limit(source.curvature) * source.weight,
                Weights::Corrected(_) => C::ZERO,
            };
        }
        let d = minus(node.point, source.point);
        let r = dot(d, d).sqrt();
        let normals = equation.normal_part(dot(node.normal, d) / r, dot(source.normal, d) / r);
        single + normals * self.split(i, j, hankel(equation.k * r)[1]) * (0.25 * equation.k * source.weight)
    }

    /// k/4 int H_0 J ds'.
    fn single_layer(&self, i: usize, j: usize) -> C {
        let (k, source) = (self.equation.k, &self.nodes[j]);
        let scale = 0.25 * k * source.weight;
        if i == j {
            let Weights::Logarithm(logarithm) = &self.steps.weights else { return C::ZERO };
            // |dr/dt| = weight n/pi; H_0 less its logarithm, 2/pi (ln(k |dr/dt|/2) + gamma).
            let speed = source.weight * self.nodes.len() as f64 / TAU;
            let rest = C::new(1.0, -2.0 * FRAC_1_PI * ((0.5 * k * speed).ln() + EULER));
            return (rest + C::new(0.0, -FRAC_1_PI * logarithm[0])) * scale;
        }
        let d = minus(self.nodes[i].point, source.point);
        self.split(i, j, hankel(k * dot(d, d).sqrt())[0]) * scale
    }

    /// A Hankel function with the logarithm in it integrated: H + (R_j/(pi/n) - ln(4 sin^2)) (-j/pi) J, or with a corrected weight.
    fn split(&self, i: usize, j: usize, h: C) -> C {
        let distance = i.abs_diff(j);
        match &self.steps.weights {
            Weights::Logarithm(_) => h + C::new(0.0, -FRAC_1_PI * h.re * self.difference(distance)),
            Weights::Corrected(factors) => h * factors[distance],
        }
    }

    /// R_j/(pi/n) - ln(4 sin^2) of points at a distance; other weights have none.
    fn difference(&self, distance: usize) -> f64 {
        let Weights::Logarithm(logarithm) = &self.steps.weights else { return 0.0 };
        let sine = (PI * distance as f64 / self.nodes.len() as f64).sin();
        logarithm[distance] - (4.0 * sine * sine).ln()
    }

    /// -1/(jk) d/ds int G dJ/ds' = 1/k^2 D (k/4 int H_0 D J), each D with 1/|dr/dt|; the second one meets |dr/dt| of ds'.
    fn add_hypersingular(&self, matrix: &mut [C], count: usize) {
        let size = self.nodes.len();
        let speed = |at: usize| self.nodes[at].weight * size as f64 / TAU;
        let slope = |of: usize, at: usize| {
            let value = self.steps.derivative[of.abs_diff(at)];
            if of < at { -value } else { value }
        };
        // [row][m]: int H_0 over dt' at the points.
        let single = |i: usize| (0..size).map(|m| self.single_layer(i, m) / speed(m)).collect::<Vec<C>>();
        let rows: Vec<Vec<C>> = (0..size).into_par_iter().map(single).collect();
        let differentiated = |row: &Vec<C>| {
            (0..size).map(|j| (0..size).map(|m| row[m] * slope(m, j)).sum::<C>()).collect::<Vec<C>>()
        };
        let rows: Vec<Vec<C>> = rows.par_iter().map(differentiated).collect();
        let scale = self.equation.hypersingular_part() / (self.equation.k * self.equation.k);
        let range = self.range.clone();
        matrix[range.start * count..range.end * count].par_chunks_mut(count).enumerate().for_each(
            |(j, column)| {
                for (i, entry) in column[range.clone()].iter_mut().enumerate() {
                    let sum: C = (0..size).map(|m| rows[m][j] * slope(i, m)).sum();
                    *entry += sum * (scale / speed(i));
                }
            },
        );
    }
}
