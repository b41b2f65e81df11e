//! What is wrong with a surface, and what that does to a computation on it.

use super::Mesh;
use numerics::vec3::Vec3;
use rayon::prelude::*;
use std::fmt;

/// A triangle is degenerate if its height is below this part of its longest side: beyond it, rounding of the coordinates turns its normal.
const THINNEST: f64 = 1e-12;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// Triangles without area.
    pub degenerate: usize,
    /// Triangles with the corners of an earlier one.
    pub duplicate: usize,
    /// Edges of one triangle only.
    pub open_edges: usize,
    /// Edges of two triangles that run along it in the same direction: one of them is inverted.
    pub inconsistent_edges: usize,
    /// Edges of three triangles or more.
    pub crowded_edges: usize,
    /// Whether most of a closed surface is turned inside out.
    pub inverted: bool,
}

/// Looks at every triangle and edge of a valid mesh. Degenerate triangles count as that only. Takes 36 bytes a triangle.
pub fn check(mesh: &Mesh) -> Report {
    let mut report = Report { duplicate: duplicates(mesh), ..Report::default() };
    report.degenerate = mesh.triangles.len() - areas(mesh).count();
    for sides in sides(mesh).chunk_by(Side::is_same_edge) {
        let up = sides.iter().filter(|side| side.rises(mesh)).count();
        match (sides.len(), up) {
            (1, _) => report.open_edges += 1,
            (2, 0 | 2) => report.inconsistent_edges += 1,
            (2, _) => {}
            _ => report.crowded_edges += 1,
        }
    }
    report.inverted = report.open_edges == 0 && report.crowded_edges == 0 && volume(mesh) < 0.0;
    report
}

/// Triangles with the corners of an earlier one.
fn duplicates(mesh: &Mesh) -> usize {
    let mut sorted: Vec<[u32; 3]> = areas(mesh).map(|index| mesh.triangles[index]).collect();
    sorted.par_iter_mut().for_each(|corners| corners.sort_unstable());
    sorted.par_sort_unstable();
    sorted.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// A side of a triangle: the vertices of its edge, the lower first, and its number, three for each triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Side {
    /// Vertices of the edge, the lower number first.
    pub vertices: [u32; 2],
    number: u32,
}

impl Side {
    /// Whether two sides lie on one edge.
    pub fn is_same_edge(&self, other: &Self) -> bool {
        self.vertices == other.vertices
    }

    /// Begin, end and opposite corner, in the sense of its triangle.
    pub fn corners(&self, mesh: &Mesh) -> [u32; 3] {
        let triangle = mesh.triangles[self.number as usize / 3];
        [0, 1, 2].map(|i| triangle[(self.number as usize + i) % 3])
    }

    /// Number of its triangle.
    pub fn triangle(&self) -> u32 {
        self.number / 3
    }

    /// Which of the triangle's sides it is: 0 from the first corner to the second.
    pub fn place(&self) -> u32 {
        self.number % 3
    }

    /// Unit vector from the edge into the triangle.
    pub fn inside(&self, mesh: &Mesh) -> Vec3 {
        let [.., opposite] = self.corners(mesh);
        let [p, q] = self.vertices;
        inside([p, q, opposite].map(|vertex| mesh.vertices[vertex as usize]))
    }

    /// Whether its triangle runs along it from the lower to the higher vertex.
    fn rises(&self, mesh: &Mesh) -> bool {
        self.corners(mesh)[0] == self.vertices[0]
    }
}

/// Sides of all triangles that have an area; those of one edge are neighbours, in the order of triangles. There are at most [`super::MOST_TRIANGLES`] triangles.
pub fn sides(mesh: &Mesh) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * mesh.triangles.len());
    for index in areas(mesh) {
        let corners = mesh.triangles[index];
        for side in 0..3 {
            let (a, b) = (corners[side], corners[(side + 1) % 3]);
            sides.push(Side { vertices: [a.min(b), a.max(b)], number: (3 * index + side) as u32 });
        }
    }
    sides.par_sort_unstable();
    sides
}

/// Numbers of the triangles that have an area.
pub fn areas(mesh: &Mesh) -> impl Iterator<Item = usize> {
    (0..mesh.triangles.len()).filter(|index| !is_degenerate(mesh, *index))
}

/// Unit vector from the edge of the first two corners into a triangle.
pub fn inside([p, q, opposite]: [Vec3; 3]) -> Vec3 {
    let (along, across) = ((q - p).unit(), opposite - p);
    (across - along * along.dot(across)).unit()
}

/// Whether a triangle has no normal.
pub fn is_degenerate(mesh: &Mesh, index: usize) -> bool {
    // NaN, where squares overflow, is not above it.
    let has_area = slimness(mesh.corners(index)) > THINNEST;
    !has_area
}

/// Twice the area of a triangle over the square of its longest side.
pub fn slimness([a, b, c]: [Vec3; 3]) -> f64 {
    let longest = [b - a, c - b, a - c].map(|side| side.dot(side)).into_iter().fold(0.0, f64::max);
    (b - a).cross(c - a).length() / longest
}

/// Six times the enclosed volume; negative if the normals look inwards.
pub(super) fn volume(mesh: &Mesh) -> f64 {
    let (low, high) = mesh.bounds();
    let middle = (low + high) * 0.5;
    let part = |index| {
        let [a, b, c] = mesh.corners(index).map(|corner| corner - middle);
        a.dot(b.cross(c))
    };
    (0..mesh.triangles.len()).map(part).sum()
}

impl Report {
    /// Whether there is nothing to say.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.degenerate, "degenerate triangles: left out, they scatter nothing"),
            (
                self.duplicate,
                "duplicate triangles: rays take the first of them, edges between them count as crowded",
            ),
            (
                self.open_edges,
                "open edges: the surface is a sheet there, lit from both sides; edge diffraction takes them for half-planes",
            ),
            (
                self.inconsistent_edges,
                "edges between triangles of opposite sense: reflection turns normals to the ray and is not changed; edge diffraction takes the angle from the geometry",
            ),
            (self.crowded_edges, "edges of three triangles or more: no edge diffraction there"),
            (
                usize::from(self.inverted),
                "closed surface turned inside out: reflection turns normals to the ray and is not changed",
            ),
        ];
        let said =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        f.write_str(&said.collect::<Vec<_>>().join("\n"))
    }
}
