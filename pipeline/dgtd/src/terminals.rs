//! What the terminals of a [port](super::port) see, by running sums over the steps.
//!
//! ```text
//! V = -(1/width) integral of d.E*,   I = (V_s - V)/R,   S11 = (V - R I)/(V + R I) = 2 V/V_s - 1
//! P = Re(V I*)/2 - G/(2 eta0) integral of |E* + d V/length|^2, across n
//! ```
//! P is what the fields get: the sheet takes some power where they are uneven.

use super::Port;
use super::design::{Design, Outside};
use super::matrix::Matrix;
use super::port::step;
use super::state::State;
use super::wave::signal_sum;
use num_complex::Complex64;
use numerics::constants::ETA_0;
use numerics::vec3::Vec3;

/// A node of the sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    /// Element and node on the two sides.
    sides: [(usize, usize); 2],
    normal: Vec3,
    /// Y+, Y- and G.
    factors: [f64; 3],
    /// Of the integral over the sheet, m^2.
    weight: f64,
    /// Of its face, m^2.
    area: f64,
}

/// The terminals, and sums over the steps at some frequencies.
#[derive(Debug, Clone, PartialEq)]
pub struct Terminals {
    port: Port,
    /// Face by face.
    points: Vec<Point>,
    /// Mass matrix of a face, whose area is 2.
    mass: Matrix,
    /// k, rad/m.
    pub wavenumbers: Vec<f64>,
    /// E* at the nodes of the sheet, V: `[frequency][node][axis]`.
    pub fields: Vec<Complex64>,
    /// V_s, V m.
    pub source: Vec<Complex64>,
}

impl Terminals {
    /// Nothing yet; none where the design has no port.
    pub fn new(design: &Design, wavenumbers: &[f64]) -> Option<Self> {
        let port = design.port.clone()?;
        let (points, count) = (points(design), wavenumbers.len());
        let fields = vec![Complex64::ZERO; 3 * points.len() * count];
        let source = vec![Complex64::ZERO; count];
        let (mass, wavenumbers) = (design.element.face_mass.clone(), wavenumbers.to_vec());
        Some(Self { port, points, mass, wavenumbers, fields, source })
    }

    /// Adds a step of length `dt`, m, that ends at a time, from the fields at nodes of elements.
    pub fn add(&mut self, time: f64, dt: f64, state: impl Fn(usize, usize) -> State) {
        let source = self.port.field(time);
        let of = |point: &Point| {
            let [own, other] = point.sides.map(|(element, node)| state(element, node));
            let jump = State { e: other.e - own.e, h: other.h - own.h };
            own.e + step(point.normal, own, jump, point.factors, source)
        };
        let values: Vec<f64> = self.points.iter().flat_map(|point| of(point).to_array()).collect();
        for (k, sums) in self.wavenumbers.iter().zip(self.fields.chunks_exact_mut(values.len().max(1))) {
            let factor = Complex64::from_polar(dt, -k * time);
            sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += factor * value);
        }
        self.add_source(time, dt);
    }

    /// Adds the generator of such a step alone.
    pub fn add_source(&mut self, time: f64, dt: f64) {
        signal_sum(&self.wavenumbers, &mut self.source, self.port.pulse.at(time), time, dt);
    }

    /// Nodes of the sheet with their fields at frequency number `at`.
    fn sheet(&self, at: usize) -> impl Iterator<Item = (&Point, [Complex64; 3])> {
        let (fields, _) = self.fields[3 * self.points.len() * at..].as_chunks::<3>();
        self.points.iter().zip(fields.iter().copied())
    }

    /// V at frequency number `at`, V m.
    pub fn voltage(&self, at: usize) -> Complex64 {
        let direction = self.port.direction.unit().to_array();
        let of = |(point, field): (&Point, [Complex64; 3])| {
            point.weight * (0..3).map(|axis| field[axis] * direction[axis]).sum::<Complex64>()
        };
        -self.sheet(at).map(of).sum::<Complex64>() / self.port.width
    }

    /// S11 at frequency number `at`.
    pub fn reflection(&self, at: usize) -> Complex64 {
        2.0 * self.voltage(at) / self.source[at] - 1.0
    }

    /// Impedance that the port sees, ohm.
    pub fn impedance(&self, at: usize) -> Complex64 {
        let voltage = self.voltage(at);
        voltage / (self.source[at] - voltage) * self.port.resistance
    }

    /// Power into the terminals of a spectrum, Re(V I*)/2, in the unit of [`radiated`](super::far_field::radiated): times eta0.
    pub fn accepted(&self, at: usize) -> f64 {
        let voltage = self.voltage(at);
        let current = (self.source[at] - voltage) / self.port.resistance;
        0.5 * ETA_0 * (voltage * current.conj()).re
    }

    /// What the sheet takes of that, times eta0: its field is not the same everywhere, and currents that no terminal sees flow in it.
    pub fn lost(&self, at: usize) -> f64 {
        let even = -self.voltage(at) / self.port.length;
        let direction = self.port.direction.unit().to_array();
        let uneven = |(point, field): (&Point, [Complex64; 3])| {
            let along: Complex64 = (0..3).map(|axis| field[axis] * point.normal[axis]).sum();
            [0, 1, 2].map(|axis| field[axis] - along * point.normal[axis] - even * direction[axis])
        };
        let fields: Vec<[Complex64; 3]> = self.sheet(at).map(uneven).collect();
        let count = self.mass.rows();
        let of = |(points, fields): (&[Point], &[[Complex64; 3]])| {
            let entry = |i: usize, j: usize| {
                let product: Complex64 = (0..3).map(|axis| fields[i][axis].conj() * fields[j][axis]).sum();
                self.mass[(i, j)] * product.re
            };
            let square: f64 =
                (0..count).flat_map(|i| (0..count).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).sum();
            0.5 * points[0].factors[2] * points[0].area * 0.5 * square
        };
        self.points.chunks_exact(count).zip(fields.chunks_exact(count)).map(of).sum()
    }

    /// R, ohm.
    pub fn resistance(&self) -> f64 {
        self.port.resistance
    }
}

/// Nodes of the sheet, each once.
fn points(design: &Design) -> Vec<Point> {
    let mut found = Vec::new();
    for (element, cell) in design.cells.iter().enumerate() {
        for (face, side) in cell.sides.iter().enumerate().filter(|(_, side)| side.sheet > 0.0) {
            let Outside::Element(neighbour) = side.outside else { continue };
            let other = neighbour.element as usize;
            if other < element {
                continue;
            }
            let seen = &design.element.permuted[neighbour.permutation as usize];
            let others = &design.element.face_nodes[neighbour.face as usize];
            let factors = [side.beyond.impedance(), cell.material.impedance()].map(f64::recip);
            // scale = 2/3 area/volume.
            let area = 1.5 * side.scale * cell.volume;
            let nodes = design.element.face_nodes[face].iter().zip(&design.element.face_weights).zip(seen);
            found.extend(nodes.map(|((node, weight), seen)| Point {
                sides: [(element, *node), (other, others[*seen])],
                normal: side.normal,
                factors: [factors[0], factors[1], side.sheet],
                weight: weight * area,
                area,
            }));
        }
    }
    found
}
