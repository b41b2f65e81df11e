//! Edge diffraction by incremental length coefficients: what currents near an edge radiate beyond those of physical optics.
//!
//! On a face of an infinite wedge of exterior angle n pi, lit from azimuth phi' (from that face), the currents of the exact solution less those of physical optics,
//! integrated across the edge with the phase that the receiver sees, are (Michaeli, IEEE Trans. Antennas Propag. 32, 252 (1984); Mitzner 1974)
//! ```text
//! A = 2 E0 [ sin(phi'/n)/n / (cos((pi - alpha)/n) - cos(phi'/n)) + U sin phi'/(mu + cos phi') ]                    integral of dE_z/dy
//! B = -2j H0/kappa [ sin((pi - alpha)/n)/(n sin alpha) / (cos((pi - alpha)/n) - cos(phi'/n)) + U/(mu + cos phi') ]      of H_z
//! J_x = B,   J_z = -jk/(eta kappa^2) A + mu k_z/kappa B - j k_z/kappa^2 H0 (2/n - 2 U)
//! ```
//! z runs along the edge, x from the edge into the face, y out of it; kappa = k sin beta' is the wavenumber across the edge and k_z = -k s_i.z that along it;
//! mu = s.x/sin beta' = cos alpha; U = 1 if the face is lit, phi' < pi. The second face is the first of the mirrored wedge.
//! The terms with U cancel the poles at mu = -cos phi', the specular direction.

use super::bvh::{Bvh, Stack};
use super::facets::Facets;
use super::po::{Matrix, Receiver, sinc};
use super::ray::Ray;
use super::reference::add;
use super::wavenumber;
use crate::mesh::{Mesh, check};
use crate::vec3::Vec3;
use num_complex::Complex;
use std::f64::consts::PI;

type C = Complex<f64>;

/// Poles of the exact and of the optical currents cancel; nearer to them than this, the sum is taken beside them.
const BESIDE_POLE: f64 = 1e-5;
/// Least sin beta': a wave along an edge.
const LEAST_SINE: f64 = 1e-3;
/// Least |sin alpha|: along a face the current of an infinite wedge does not decay, and that of a real one ends with the face.
const LEAST_GRAZING: f64 = 0.05;

/// An edge with the faces on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wedge {
    /// Its ends, m from the centre of the facets.
    pub ends: [Vec3; 2],
    /// Both faces.
    pub faces: [Face; 2],
    /// Exterior angle over pi: 2 for a half-plane, 1.5 for a corner of a cube.
    pub n: f64,
}

/// A face: unit vectors from the edge into it, and out of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// Into the face.
    pub x: Vec3,
    /// Out of it, on the outer side of the wedge.
    pub y: Vec3,
}

/// The wedges of a mesh whose faces turn by more than `least_turn` rad, and its open edges. Edges of three triangles or more are none.
pub fn wedges(mesh: &Mesh, centre: Vec3, least_turn: f64) -> Vec<Wedge> {
    let place = |vertex: u32| mesh.vertices[vertex as usize];
    let inside = |side: &check::Side| {
        let [p, q, r] = side.corners(mesh).map(place);
        let along = (q - p).unit();
        ((r - p) - along * along.dot(r - p)).unit()
    };
    // In the order of vertices, so that sums repeat.
    let sides = check::sides(mesh);
    let wedge = |sides: &[check::Side]| {
        let ends = sides[0].vertices.map(|vertex| place(vertex) - centre);
        match sides {
            [one] => Some(half_plane(ends, inside(one))),
            [one, other] => Wedge::new(ends, [inside(one), inside(other)], least_turn),
            _ => None,
        }
    };
    sides.chunk_by(check::Side::is_same_edge).filter_map(wedge).collect()
}

fn half_plane(ends: [Vec3; 2], x: Vec3) -> Wedge {
    let y = (ends[1] - ends[0]).unit().cross(x);
    Wedge { ends, faces: [Face { x, y }, Face { x, y: -y }], n: 2.0 }
}

impl Wedge {
    /// The outer side of two faces that turn by enough.
    fn new(ends: [Vec3; 2], [a, b]: [Vec3; 2], least_turn: f64) -> Option<Self> {
        let inner = a.dot(b).clamp(-1.0, 1.0).acos();
        if PI - inner < least_turn {
            return None;
        }
        // Faces on top of each other are a half-plane.
        let out = |x: Vec3, other: Vec3| (x * x.dot(other) - other).unit();
        if a.cross(b).length() < 1e-9 {
            return Some(half_plane(ends, a));
        }
        let faces = [Face { x: a, y: out(a, b) }, Face { x: b, y: out(b, a) }];
        Some(Self { ends, faces, n: 2.0 - inner / PI })
    }

    /// Azimuth of a direction from the first face, over the outer side.
    fn azimuth(face: &Face, direction: Vec3) -> f64 {
        let angle = direction.dot(face.y).atan2(direction.dot(face.x));
        if angle < 0.0 { angle + 2.0 * PI } else { angle }
    }

    /// Whether a direction is on the outer side.
    pub fn sees(&self, direction: Vec3) -> bool {
        Self::azimuth(&self.faces[0], direction) < self.n * PI
    }

    /// What the edge radiates towards a receiver, without the factor that all fields share.
    pub fn field(&self, k: f64, sight: Vec3, incident: &[Vec3; 2], receiver: &Receiver) -> Matrix {
        let mut sum = Matrix::default();
        let edge = self.ends[1] - self.ends[0];
        let both = sight + receiver.sight;
        let middle = (self.ends[0] + self.ends[1]) * 0.5;
        let wave = C::from_polar(edge.length() * sinc(0.5 * k * both.dot(edge)), k * both.dot(middle));
        for face in &self.faces {
            let Some(currents) = fringe(face, self.n, k, sight, incident, receiver.sight) else { continue };
            let z = face.x.cross(face.y);
            let pattern = receiver
                .polarisations
                .map(|p| currents.map(|[across, along]| across * p.dot(face.x) + along * p.dot(z)));
            add(&mut sum, &pattern, wave);
        }
        sum
    }
}

/// eta J across and along the edge on one face, for both incident polarisations.
fn fringe(face: &Face, n: f64, k: f64, sight: Vec3, incident: &[Vec3; 2], to: Vec3) -> Option<[[C; 2]; 2]> {
    let z = face.x.cross(face.y);
    let sine = (1.0 - sight.dot(z).powi(2)).max(0.0).sqrt();
    if sine < LEAST_SINE {
        return None;
    }
    let azimuth = Wedge::azimuth(face, sight);
    let lit = if azimuth < PI { 1.0 } else { 0.0 };
    let mut mu = to.dot(face.x) / sine;
    let pole = mu + azimuth.cos();
    if pole.abs() < BESIDE_POLE {
        mu += BESIDE_POLE.copysign(pole) * 2.0;
    }
    // Just above the real axis, as a wave with a little loss has it.
    let lossy = C::new(mu, 1e-12);
    let alpha = lossy.acos();
    let inner = (C::new(PI, 0.0) - alpha) / n;
    let exact = 1.0 / (inner.cos() - (azimuth / n).cos());
    let optical = lit / (lossy + azimuth.cos());
    let sin_alpha = alpha.sin();
    let sin_alpha = if sin_alpha.norm() < LEAST_GRAZING {
        sin_alpha * (LEAST_GRAZING / sin_alpha.norm().max(f64::MIN_POSITIVE))
    } else {
        sin_alpha
    };
    let a = (exact * (azimuth / n).sin() / n + optical * azimuth.sin()) * 2.0;
    let (kappa, kz) = (k * sine, -k * sight.dot(z));
    let b = (exact * inner.sin() / (sin_alpha * n) + optical) * C::new(0.0, -2.0 / kappa);
    let tip = 2.0 / n - 2.0 * lit;
    Some(incident.map(|field| {
        // eta H = k_i x E, and k_i = -s_i.
        let (e0, h0) = (field.dot(z), -sight.cross(field).dot(z));
        let across = b * h0;
        let along = a * C::new(0.0, -k / (kappa * kappa) * e0) + across * (mu * kz / kappa)
            - C::new(0.0, kz / (kappa * kappa) * h0 * tip);
        [across, along]
    }))
}

/// Pieces of edges this long, in wavelengths, are lit or not as a whole.
const PIECE: f64 = 1.0;

/// All edges of a target that the transmitter and the receiver see, for all receivers and frequencies.
pub fn fields(
    wedges: &[Wedge],
    (facets, tree): (&Facets, &Bvh),
    frequencies: &[f64],
    (sight, incident): (Vec3, &[Vec3; 2]),
    receivers: &[Receiver],
) -> Vec<Matrix> {
    let shortest = frequencies.iter().fold(0.0, |a: f64, b| a.max(wavenumber(*b)));
    let mut sums = vec![Matrix::default(); receivers.len() * frequencies.len()];
    let mut stack = Stack::new();
    for wedge in wedges {
        for piece in pieces(wedge, PIECE * 2.0 * PI / shortest) {
            if !is_clear(&piece, facets, tree, sight, &mut stack) {
                continue;
            }
            for (index, receiver) in receivers.iter().enumerate() {
                if !is_clear(&piece, facets, tree, receiver.sight, &mut stack) {
                    continue;
                }
                for (frequency, hertz) in frequencies.iter().enumerate() {
                    let field = piece.field(wavenumber(*hertz), sight, incident, receiver);
                    add(&mut sums[index * frequencies.len() + frequency], &field, C::new(1.0, 0.0));
                }
            }
        }
    }
    sums
}

fn pieces(wedge: &Wedge, longest: f64) -> impl Iterator<Item = Wedge> {
    let [a, b] = wedge.ends;
    let count = ((b - a).length() / longest).ceil().clamp(1.0, 1e6);
    let at = move |i: usize| a + (b - a) * (i as f64 / count);
    (0..count as usize).map(move |i| Wedge { ends: [at(i), at(i + 1)], ..*wedge })
}

/// Whether nothing lies between the middle of an edge and a far point.
fn is_clear(wedge: &Wedge, facets: &Facets, tree: &Bvh, direction: Vec3, stack: &mut Stack) -> bool {
    if !wedge.sees(direction) {
        return false;
    }
    // A little outwards: the faces themselves are not in the way.
    let out = (wedge.faces[0].y + wedge.faces[1].y - wedge.faces[0].x - wedge.faces[1].x).unit();
    let start = (wedge.ends[0] + wedge.ends[1]) * 0.5 + out * (1e-7 * facets.radius);
    !tree.nearest(facets, &Ray::new(start, direction), stack).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use crate::solvers::sbr::Direction;

    /// An edge of 1 m along z; the first face along x.
    fn wedge(n: f64) -> Wedge {
        let ends = [Vec3::new(0.0, 0.0, -0.5), Vec3::new(0.0, 0.0, 0.5)];
        let (sin, cos) = (n * PI).sin_cos();
        let faces = [
            Face { x: Vec3::new(1.0, 0.0, 0.0), y: Vec3::new(0.0, 1.0, 0.0) },
            Face { x: Vec3::new(cos, sin, 0.0), y: Vec3::new(sin, -cos, 0.0) },
        ];
        Wedge { ends, faces, n }
    }

    /// Ufimtsev's f - f0 and g - g0 for an edge seen across it.
    fn ufimtsev(n: f64, from: f64, to: f64) -> [f64; 2] {
        let a = PI / n;
        let minus = 1.0 / (a.cos() - ((to - from) / n).cos());
        let plus = 1.0 / (a.cos() - ((to + from) / n).cos());
        let factor = a.sin() / n;
        let (mut f0, mut g0) = (0.0, 0.0);
        if from < PI {
            f0 += from.sin() / (from.cos() + to.cos());
            g0 -= to.sin() / (from.cos() + to.cos());
        }
        let (from, to) = (n * PI - from, n * PI - to);
        if from < PI {
            f0 += from.sin() / (from.cos() + to.cos());
            g0 -= to.sin() / (from.cos() + to.cos());
        }
        [factor * (minus - plus) - f0, factor * (minus + plus) - g0]
    }

    #[test]
    fn an_edge_seen_across_it_has_the_coefficients_of_ufimtsev() {
        let k = 20.0;
        for n in [1.3, 1.5, 1.9, 2.0] {
            for from in [0.4, 1.1, 2.0, 3.5] {
                for to in [0.7, 1.9, 2.9, 3.7] {
                    let [sight, receiver] = [from, to].map(|phi: f64| Direction { theta: PI / 2.0, phi });
                    let incident = sight.polarisations();
                    let receiver =
                        Receiver { sight: receiver.unit(), polarisations: receiver.polarisations() };
                    let [[vv, vh], [hv, hh]] = wedge(n).field(k, sight.unit(), &incident, &receiver);
                    let [f, g] = ufimtsev(n, from, to);
                    // v is E along the edge. For h, H along the edge is E of the wave that comes, and -E of the one that goes.
                    let scale = C::new(0.0, 2.0 / k);
                    assert!((vv / scale - f).norm() < 1e-9 * (1.0 + f.abs()), "{n} {from} {to}: {vv} {f}");
                    assert!((hh / scale + g).norm() < 1e-9 * (1.0 + g.abs()), "{n} {from} {to}: {hh} {g}");
                    assert!(vh.norm() + hv.norm() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn a_flat_edge_radiates_nothing_and_poles_are_passed() {
        let receiver = |direction: Direction| Receiver {
            sight: direction.unit(),
            polarisations: direction.polarisations(),
        };
        for theta in [0.8, PI / 2.0, 2.0] {
            for phi in [0.5, PI / 2.0, 2.6] {
                let at = Direction { theta, phi };
                let field = |n: f64| wedge(n).field(20.0, at.unit(), &at.polarisations(), &receiver(at));
                let size = |n: f64| field(n).iter().flatten().map(|x| x.norm()).fold(0.0, f64::max);
                assert!(size(1.0) < 1e-6, "{theta} {phi}: {}", size(1.0));
                // Specular from the first face at phi = 90 degrees: finite, and as large as beside it.
                assert!(size(1.5) > 1e-6 && size(1.5) < 1.0, "{theta} {phi}: {}", size(1.5));
            }
        }
    }

    #[test]
    fn wedges_are_found_with_their_angles() {
        let plate = wedges(&shapes::plate(1.0, 2.0), Vec3::ZERO, 0.5);
        assert!(plate.len() == 4 && plate.iter().all(|wedge| wedge.n == 2.0));
        let corner = wedges(&shapes::trihedral(1.0), Vec3::ZERO, 0.5);
        assert_eq!(corner.iter().filter(|wedge| wedge.n == 2.0).count(), 3);
        let creases: Vec<&Wedge> = corner.iter().filter(|wedge| wedge.n < 2.0).collect();
        // The outer side of the creases is the one that the reflector does not look to.
        assert_eq!(creases.len(), 3);
        for crease in creases {
            assert!((crease.n - 1.5).abs() < 1e-12);
            assert!(
                !crease.sees(Vec3::new(1.0, 1.0, 1.0).unit())
                    && crease.sees(Vec3::new(-1.0, -1.0, -1.0).unit())
            );
        }
        assert!(wedges(&shapes::sphere(1.0, 3), Vec3::ZERO, 0.5).is_empty());
    }
}
