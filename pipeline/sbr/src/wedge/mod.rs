//! Edge diffraction by incremental length coefficients of truncated wedges: what currents near an edge
//! radiate beyond those of physical optics.
//!
//! On a face of a wedge of exterior angle n pi, lit from azimuth phi' (from that face), the currents of the
//! exact solution of the infinite wedge less those of physical optics are integrated across the edge with the
//! phase that the receiver sees, from the edge to where the face ends (Michaeli, IEEE Trans. Antennas Propag.
//! 32, 252 (1984); Mitzner 1974; faces that end: Johansen, IEEE Trans. Antennas Propag. 44, 989 (1996)):
//! ```text
//! eta J_x = H0/kappa b,   eta J_z = -jk/kappa^2 E0 a + mu k_z/kappa^2 H0 b - j k_z/kappa^2 H0 tip                fringe::Coefficients
//! kappa = k sin beta',   k_z = k cos beta' = -k s_i.z,   mu = s.x/sin beta'
//! ```
//! z runs along the edge, x from the edge into the face, y out of it; s_i and s point to transmitter and
//! receiver. The second face is the first of the mirrored wedge. The field is the mean of that and of the
//! same with transmitter and receiver exchanged, as that of physical optics is in `super::po`.
//! [`fringe`](mod@fringe) has the coefficients, `tests/reference.rs` their definition, [`surface`] where a
//! face ends.

pub mod fresnel;
pub mod fringe;
pub mod surface;
#[cfg(test)]
mod tests;

use self::fringe::End;
use self::surface::{Reach, Surface};
use super::cast::{Bvh, Ray, Scratch};
use super::edges;
use super::facets::Facets;
use super::field::{C, Matrix, Receiver, add, add_all, wavenumber};
use super::{Edges, Settings};
use mesh::Mesh;
use mesh::check::Side;
use numerics::parallel;
use numerics::special::sinc;
use numerics::vec3::Vec3;
use std::f64::consts::PI;

/// Least sin beta': a wave along an edge.
const LEAST_SINE: f64 = 1e-3;

/// Directions this little behind a face, rad, are along it.
const ALONG: f64 = 1e-12;

/// Parts of all pieces that threads take, and matrices that these keep unless one has more: 64 MiB.
const MOST_PARTS: usize = 64;
const KEPT: usize = 1 << 20;

/// An edge with the faces on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wedge {
    /// Its ends, m from the centre of the facets.
    pub ends: [Vec3; 2],
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
    pub triangle: u32,
}

#[derive(Debug, Clone)]
pub struct Diffracting {
    pub wedges: Vec<Wedge>,
    pub pieces: Vec<Piece>,
}

impl Diffracting {
    /// Those of a mesh with its sides, if they are asked for.
    pub fn new(mesh: &Mesh, sides: &[Side], facets: &Facets, settings: &Settings) -> Option<Self> {
        let Edges::Ildc { least_turn } = settings.edges else { return None };
        let wedges = wedges(mesh, sides, facets.centre, least_turn);
        let surface = Surface::new(mesh, sides, facets, least_turn);
        let pieces = pieces(&wedges, facets, &surface, settings.shortest_wavelength());
        Some(Self { wedges, pieces })
    }
}

/// The wedges of a mesh whose faces turn by more than `least_turn` rad, and its open edges. Edges of three
/// triangles or more are none.
pub fn wedges(mesh: &Mesh, sides: &[Side], centre: Vec3, least_turn: f64) -> Vec<Wedge> {
    let wedge = |edge: &[Side]| {
        let ends = edge[0].vertices.map(|vertex| mesh.vertices[vertex as usize] - centre);
        match edge {
            [one] => Some(half_plane(ends, one.inside(mesh), one.triangle())),
            [one, other] => {
                let triangles = [one.triangle(), other.triangle()];
                Wedge::new(ends, [one.inside(mesh), other.inside(mesh)], triangles, least_turn)
            }
            _ => None,
        }
    };
    edges::edges(sides).filter_map(wedge).collect()
}

fn half_plane(ends: [Vec3; 2], x: Vec3, triangle: u32) -> Wedge {
    let y = (ends[1] - ends[0]).unit().cross(x);
    Wedge { ends, faces: [Face { x, y, triangle }, Face { x, y: -y, triangle }], n: 2.0 }
}

impl Wedge {
    /// The outer side of two faces that turn by enough.
    fn new(ends: [Vec3; 2], [a, b]: [Vec3; 2], triangles: [u32; 2], least_turn: f64) -> Option<Self> {
        let inner = a.dot(b).clamp(-1.0, 1.0).acos();
        if PI - inner < least_turn {
            return None;
        }
        // Faces on top of each other are a half-plane.
        let out = |x: Vec3, other: Vec3| (x * x.dot(other) - other).unit();
        if a.cross(b).length() < 1e-9 {
            return Some(half_plane(ends, a, triangles[0]));
        }
        let faces = [(a, b, triangles[0]), (b, a, triangles[1])];
        let faces = faces.map(|(x, other, triangle)| Face { x, y: out(x, other), triangle });
        Some(Self { ends, faces, n: 2.0 - inner / PI })
    }

    /// Azimuth of a direction from the first face, over the outer side.
    fn azimuth(face: &Face, direction: Vec3) -> f64 {
        let angle = direction.dot(face.y).atan2(direction.dot(face.x));
        if angle < -ALONG { angle + 2.0 * PI } else { angle.max(0.0) }
    }

    /// Whether a direction is on the outer side, along a face included.
    pub fn sees(&self, direction: Vec3) -> bool {
        Self::azimuth(&self.faces[0], direction) < self.n * PI + ALONG
    }

    pub fn middle(&self) -> Vec3 {
        (self.ends[0] + self.ends[1]) * 0.5
    }

    /// What the edge radiates towards a receiver, without the factor that all fields share: the mean of what
    /// the currents of either way radiate the other way, which makes it reciprocal. Strips of its faces end
    /// at `reaches`.
    pub fn field(&self, k: f64, from: &Receiver, to: &Receiver, reaches: &[Reach; 2]) -> Matrix {
        let (there, back) = (self.one_way(k, from, to, reaches), self.one_way(k, to, from, reaches));
        let mean = |p: usize, q: usize| (there[p][q] + back[q][p]) * 0.5;
        [[mean(0, 0), mean(0, 1)], [mean(1, 0), mean(1, 1)]]
    }

    /// What the fringe currents of a wave radiate.
    fn one_way(&self, k: f64, from: &Receiver, to: &Receiver, reaches: &[Reach; 2]) -> Matrix {
        let mut sum = Matrix::default();
        let edge = self.ends[1] - self.ends[0];
        let both = from.sight + to.sight;
        let phase = k * both.dot(self.middle());
        let wave = C::from_polar(edge.length() * sinc(0.5 * k * both.dot(edge)), phase);
        for (face, reach) in self.faces.iter().zip(reaches) {
            let Some(currents) = face.currents(self.n, k, from, to.sight, reach) else { continue };
            let z = face.x.cross(face.y);
            let received =
                |p: Vec3| currents.map(|[across, along]| across * p.dot(face.x) + along * p.dot(z));
            add(&mut sum, &to.polarisations.map(received), wave);
        }
        sum
    }
}

impl Face {
    /// Where the strip from the middle of an edge ends.
    fn reach(&self, wedge: &Wedge, facets: &Facets, surface: &Surface) -> Reach {
        let facet = facets.triangles.binary_search(&self.triangle);
        let Ok(facet) = facet else { return Reach { length: 0.0, ends: true } };
        surface.reach(facets, facet as u32, wedge.middle(), self.x)
    }

    /// eta J across and along the edge, over a strip, for both incident polarisations.
    fn currents(&self, n: f64, k: f64, from: &Receiver, to: Vec3, reach: &Reach) -> Option<[[C; 2]; 2]> {
        let Receiver { sight, polarisations: incident } = *from;
        let z = self.x.cross(self.y);
        let cosine = -sight.dot(z);
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        if sine < LEAST_SINE {
            return None;
        }
        let mu = to.dot(self.x) / sine;
        let end = if reach.ends { End::Edge(k * reach.length * sine) } else { End::Bend };
        let found = fringe::strip(n, Wedge::azimuth(self, sight), mu, end);
        let (kappa, kz) = (k * sine, k * cosine);
        Some(incident.map(|field| {
            // eta H = k_i x E, and k_i = -s_i.
            let (e0, h0) = (field.dot(z), -sight.cross(field).dot(z));
            let across = found.b * (h0 / kappa);
            let along = found.a * C::new(0.0, -k / (kappa * kappa) * e0) + across * (mu * kz / kappa)
                - found.tip * C::new(0.0, kz / (kappa * kappa) * h0);
            [across, along]
        }))
    }
}

/// A piece of an edge that is lit or not as a whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    pub wedge: Wedge,
    pub reaches: [Reach; 2],
    /// A little outside of its middle: the faces themselves are not in the way from there.
    pub start: Vec3,
}

/// Pieces of all edges, no longer than `longest`, m.
fn pieces(wedges: &[Wedge], facets: &Facets, surface: &Surface, longest: f64) -> Vec<Piece> {
    let of = |number: usize| {
        let wedge = wedges[number];
        let [a, b] = wedge.ends;
        let count = ((b - a).length() / longest).ceil().clamp(1.0, 1e6);
        let at = |i: usize| a + (b - a) * (i as f64 / count);
        let [one, other] = wedge.faces;
        let out = (one.y + other.y - one.x - other.x).unit() * (1e-7 * facets.radius);
        let piece = |i: usize| {
            let wedge = Wedge { ends: [at(i), at(i + 1)], ..wedge };
            let reaches = wedge.faces.map(|face| face.reach(&wedge, facets, surface));
            Piece { wedge, reaches, start: wedge.middle() + out }
        };
        (0..count as usize).map(piece).collect::<Vec<_>>()
    };
    parallel::map(wedges.len(), &of).concat()
}

impl Piece {
    /// Whether nothing lies between it and a far point.
    fn is_clear(&self, facets: &Facets, tree: &Bvh, direction: Vec3, scratch: &mut Scratch) -> bool {
        self.wedge.sees(direction)
            && !tree.nearest(facets, &Ray::new(self.start, direction), scratch).is_some()
    }
}

/// All pieces that the transmitter and the receiver see, for all receivers and frequencies: sums in the order
/// of pieces, the same bits for any number of threads.
pub fn fields(
    pieces: &[Piece],
    (facets, tree): (&Facets, &Bvh),
    frequencies: &[f64],
    transmitter: &Receiver,
    receivers: &[Receiver],
) -> Vec<Matrix> {
    let nothing = || vec![Matrix::default(); receivers.len() * frequencies.len()];
    let some = |pieces: &[Piece]| {
        let (mut sums, mut scratch) = (nothing(), Scratch::default());
        for piece in pieces {
            if !piece.is_clear(facets, tree, transmitter.sight, &mut scratch) {
                continue;
            }
            for (receiver, sums) in receivers.iter().zip(sums.chunks_mut(frequencies.len())) {
                if !piece.is_clear(facets, tree, receiver.sight, &mut scratch) {
                    continue;
                }
                for (sum, frequency) in sums.iter_mut().zip(frequencies) {
                    let field =
                        piece.wedge.field(wavenumber(*frequency), transmitter, receiver, &piece.reaches);
                    add(sum, &field, C::new(1.0, 0.0));
                }
            }
        }
        sums
    };
    let parts = (KEPT / nothing().len()).clamp(1, MOST_PARTS);
    let parts: Vec<&[Piece]> = pieces.chunks(pieces.len().div_ceil(parts).max(1)).collect();
    parallel::map(parts.len(), &|part| some(parts[part])).iter().fold(nothing(), |mut sums, part| {
        add_all(&mut sums, part);
        sums
    })
}
