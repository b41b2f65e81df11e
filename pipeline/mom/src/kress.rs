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
use super::hankel::{C, EULER, hankel};
use super::kapur_rokhlin;
use super::settings::Method;
use numerics::parallel;
use std::f64::consts::{FRAC_1_PI, PI, TAU};
use std::ops::Range;

pub fn fill(equation: &Equation, mesh: &Mesh, method: Method, matrix: &mut [C]) {
    let (count, steps) = (mesh.nodes.len(), Steps::of_bodies(mesh, method));
    parallel::parts(matrix, count, &|column, entries| {
        let entry = |(row, value): (usize, &mut C)| *value = entry(equation, mesh, &steps, row, column);
        entries.iter_mut().enumerate().for_each(entry);
    });
    if equation.is_hypersingular() {
        let bodies = 0..steps.len();
        bodies.for_each(|body| Body::new(equation, mesh, &steps, body).add_hypersingular(matrix, count));
    }
}

/// An entry between any two points, without the hypersingular part on one curve.
pub fn entry(equation: &Equation, mesh: &Mesh, steps: &[Steps], row: usize, column: usize) -> C {
    let [to, from] = [row, column].map(|node| mesh.cells[node].body);
    if to == from {
        let first = mesh.bodies[to];
        return Body::new(equation, mesh, steps, to).entry(row - first, column - first);
    }
    let (node, source) = (&mesh.nodes[row], &mesh.nodes[column]);
    equation.kernel(minus(node.point, source.point), node.normal, source.normal) * source.weight
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
    parallel::map(count, &logarithm)
}

/// R_j/(pi/n) - ln(4 sin^2) of points at a distance.
pub fn less_logarithm(rule: &[f64], distance: usize) -> f64 {
    let sine = (PI * distance as f64 / rule.len() as f64).sin();
    rule[distance] - (4.0 * sine * sine).ln()
}

/// What a fill elsewhere needs beside points, one after another for all curves: entries of the diagonal without the hypersingular part, and
/// what is added to logarithms by the distance of the points.
pub fn tables(equation: &Equation, mesh: &Mesh) -> (Vec<C>, Vec<f64>) {
    let (mut diagonal, mut differences) = (Vec::new(), Vec::new());
    let steps = Steps::of_bodies(mesh, Method::Kress);
    for body in 0..steps.len() {
        let body = Body::new(equation, mesh, &steps, body);
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
    /// Those of every body; every method but Kapur and Rokhlin's has Kress's weights.
    pub fn of_bodies(mesh: &Mesh, method: Method) -> Vec<Self> {
        mesh.bodies.windows(2).map(|ends| Self::new(ends[1] - ends[0], method)).collect()
    }

    fn new(count: usize, method: Method) -> Self {
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

struct Body<'a> {
    equation: &'a Equation,
    nodes: &'a [Node],
    range: Range<usize>,
    steps: &'a Steps,
}

impl<'a> Body<'a> {
    fn new(equation: &'a Equation, mesh: &'a Mesh, steps: &'a [Steps], body: usize) -> Self {
        let range = mesh.bodies[body]..mesh.bodies[body + 1];
        Self { equation, nodes: &mesh.nodes[range.clone()], range, steps: &steps[body] }
    }

    /// An entry between two of its points, without the hypersingular part.
    fn entry(&self, i: usize, j: usize) -> C {
        if i == j { self.weak(i, j) + self.equation.jump() } else { self.weak(i, j) }
    }

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
        less_logarithm(logarithm, distance)
    }

    /// -1/(jk) d/ds int G dJ/ds' = 1/k^2 D (k/4 int H_0 D J), each D with 1/|dr/dt|; the second one meets |dr/dt| of ds'.
    fn add_hypersingular(&self, matrix: &mut [C], count: usize) {
        let size = self.nodes.len();
        let speed = |at: usize| self.nodes[at].weight * size as f64 / TAU;
        let slope = |of: usize, at: usize| {
            let value = self.steps.derivative[of.abs_diff(at)];
            if of < at { -value } else { value }
        };
        // Of each row: int H_0 over dt' at the points, then its derivative.
        let rows = parallel::map(size, &|i| {
            let row: Vec<C> = (0..size).map(|m| self.single_layer(i, m) / speed(m)).collect();
            (0..size).map(|j| (0..size).map(|m| row[m] * slope(m, j)).sum()).collect::<Vec<C>>()
        });
        let scale = self.equation.hypersingular_part() / (self.equation.k * self.equation.k);
        let range = self.range.clone();
        parallel::parts(&mut matrix[range.start * count..range.end * count], count, &|j, column| {
            for (i, entry) in column[range.clone()].iter_mut().enumerate() {
                let sum: C = (0..size).map(|m| rows[m][j] * slope(i, m)).sum();
                *entry += sum * (scale / speed(i));
            }
        });
    }
}
