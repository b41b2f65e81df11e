//! Fields on a Huygens surface at frequencies, by a running sum over the steps.
//!
//! ```text
//! q(k) = sum over steps of q(t) exp(-j k t) dt,   k = 2 pi f/c        in f64
//! ```
//! Signals begin and end at rest, so that the sum is the integral to the accuracy of the steps themselves.

use super::design::{Design, Outside};
use super::wave::signal_sum;
use super::{Boundary, PlaneWave, State};
use num_complex::Complex64;
use numerics::vec3::Vec3;

/// E and H at a frequency, V.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Phasor {
    /// Electric field.
    pub e: [Complex64; 3],
    /// Magnetic field times the impedance of vacuum.
    pub h: [Complex64; 3],
}

/// A node of the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Element in the scattered field.
    pub element: usize,
    /// Its node.
    pub node: usize,
    /// m
    pub place: Vec3,
    /// Away from the total field.
    pub normal: Vec3,
    /// Of the integral over the surface, m^2.
    pub weight: f64,
}

/// Nodes between total and scattered fields, on the side of the scattered ones.
pub fn surface(design: &Design) -> Vec<Point> {
    let mut found = Vec::new();
    for (element, cell) in design.cells.iter().enumerate() {
        for (face, side) in cell.sides.iter().enumerate() {
            let is_scattered = side.incident < 0.0 && matches!(side.outside, Outside::Element(_));
            if !is_scattered {
                continue;
            }
            // scale = 2/3 area/volume.
            let area = 1.5 * side.scale * cell.volume;
            let nodes = design.element.face_nodes[face].iter().zip(&design.element.face_weights);
            found.extend(nodes.map(|(node, weight)| Point {
                element,
                node: *node,
                place: design.place(element, *node),
                normal: -side.normal,
                weight: weight * area,
            }));
        }
    }
    found
}

/// What has been summed up.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// Nodes of the surface.
    pub points: Vec<Point>,
    /// k, rad/m.
    pub wavenumbers: Vec<f64>,
    /// Fields at every node, frequency by frequency.
    pub phasors: Vec<Phasor>,
    /// The incident wave's signal at the origin, V.
    pub incident: Vec<Complex64>,
}

impl Spectrum {
    /// Nothing yet.
    pub fn new(design: &Design, wavenumbers: &[f64]) -> Self {
        let points = surface(design);
        Self {
            phasors: vec![Phasor::default(); points.len() * wavenumbers.len()],
            incident: vec![Complex64::ZERO; wavenumbers.len()],
            wavenumbers: wavenumbers.to_vec(),
            points,
        }
    }

    /// The points in some elements alone, with their sums.
    pub fn of(&self, has: impl Fn(usize) -> bool) -> Self {
        let is_own = |point: &Point| has(point.element);
        let count = self.points.len().max(1);
        let phasors = self.phasors.iter().enumerate();
        let own = phasors.filter(|(at, _)| is_own(&self.points[at % count])).map(|(_, phasor)| *phasor);
        Self {
            phasors: own.collect(),
            points: self.points.iter().copied().filter(is_own).collect(),
            wavenumbers: self.wavenumbers.clone(),
            incident: self.incident.clone(),
        }
    }

    /// Adds a step of length `dt`, m, that ends at a time: the incident wave where there is one, and the fields
    /// at nodes of elements.
    pub fn add(
        &mut self,
        wave: Option<&PlaneWave>,
        time: f64,
        dt: f64,
        state: impl Fn(usize, usize) -> State,
    ) {
        let states: Vec<State> = self.points.iter().map(|point| state(point.element, point.node)).collect();
        let all = self.wavenumbers.iter().zip(self.phasors.chunks_mut(states.len().max(1)));
        let signal = wave.map_or(0.0, |wave| wave.signal(time));
        signal_sum(&self.wavenumbers, &mut self.incident, signal, time, dt);
        for (k, phasors) in all {
            let factor = Complex64::from_polar(dt, -k * time);
            for (phasor, state) in phasors.iter_mut().zip(&states) {
                for axis in 0..3 {
                    phasor.e[axis] += factor * state.e[axis];
                    phasor.h[axis] += factor * state.h[axis];
                }
            }
        }
    }

    /// The surface with its image in a plane of symmetry through the origin across `axis`, which is a perfect electric or magnetic conductor.
    pub fn mirrored(&self, axis: usize, wall: Boundary) -> Self {
        let mut found = self.clone();
        let turned = |mut vector: Vec3| {
            match axis {
                0 => vector.x = -vector.x,
                1 => vector.y = -vector.y,
                _ => vector.z = -vector.z,
            }
            vector
        };
        found.points.extend(self.points.iter().map(|point| Point {
            place: turned(point.place),
            normal: turned(point.normal),
            ..*point
        }));
        // Images keep the tangential field that the wall lets be, and turn the other one.
        let [e_sign, h_sign] = if wall == Boundary::Pmc { [1.0, -1.0] } else { [-1.0, 1.0] };
        let image = |field: [Complex64; 3], sign: f64| {
            [0, 1, 2].map(|at| field[at] * if at == axis { -sign } else { sign })
        };
        let count = self.points.len();
        found.phasors = (0..self.wavenumbers.len())
            .flat_map(|number| {
                let own = &self.phasors[number * count..][..count];
                let images = own.iter().map(|it| Phasor { e: image(it.e, e_sign), h: image(it.h, h_sign) });
                own.iter().copied().chain(images).collect::<Vec<Phasor>>()
            })
            .collect();
        found
    }
}
