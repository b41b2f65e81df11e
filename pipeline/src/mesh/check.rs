//! What is wrong with a surface, and what that does to a computation on it.

use super::Mesh;
use std::collections::HashMap;
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

/// Looks at every triangle and edge of a valid mesh. Degenerate triangles count as that only.
pub fn check(mesh: &Mesh) -> Report {
    let mut report = Report::default();
    // Of each edge: triangles that run from the lower to the higher vertex, and the other way.
    let mut edges: HashMap<(u32, u32), [u32; 2]> = HashMap::new();
    let mut known = std::collections::HashSet::new();
    for (index, corners) in mesh.triangles.iter().enumerate() {
        if is_degenerate(mesh, index) {
            report.degenerate += 1;
            continue;
        }
        let mut sorted = *corners;
        sorted.sort_unstable();
        report.duplicate += usize::from(!known.insert(sorted));
        for (a, b) in edges_of(corners) {
            edges.entry((a.min(b), a.max(b))).or_default()[usize::from(a > b)] += 1;
        }
    }
    for [up, down] in edges.values() {
        match (up + down, up.abs_diff(*down)) {
            (1, _) => report.open_edges += 1,
            (2, 2) => report.inconsistent_edges += 1,
            (2, _) => {}
            _ => report.crowded_edges += 1,
        }
    }
    report.inverted = report.open_edges == 0 && report.crowded_edges == 0 && volume(mesh) < 0.0;
    report
}

/// The three edges of a triangle, in its direction.
pub(crate) fn edges_of([a, b, c]: &[u32; 3]) -> [(u32, u32); 3] {
    [(*a, *b), (*b, *c), (*c, *a)]
}

/// Whether a triangle has no normal.
pub fn is_degenerate(mesh: &Mesh, index: usize) -> bool {
    let [a, b, c] = mesh.corners(index);
    let longest = [b - a, c - b, a - c].map(|side| side.dot(side)).into_iter().fold(0.0, f64::max);
    // NaN, where squares overflow, is not above it.
    let has_area = mesh.area_vector(index).length() > THINNEST * longest;
    !has_area
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
