//! Tetrahedra in groups.

use numerics::vec3::Vec3;

/// Tetrahedra, and triangles that say where boundaries and interfaces are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Volume {
    /// Corners, m.
    pub vertices: Vec<Vec3>,
    /// Four corners each; the last three run counterclockwise seen from the first against their normal: the volume is positive.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Group of each tetrahedron, an index of `names`.
    pub groups: Vec<u32>,
    /// Names of the groups of tetrahedra.
    pub names: Vec<String>,
    /// Faces that belong to a group.
    pub faces: Vec<[u32; 3]>,
    /// Group of each of these faces, an index of `face_names`.
    pub face_groups: Vec<u32>,
    /// Names of the groups of faces.
    pub face_names: Vec<String>,
}

impl Volume {
    /// All lengths times `factor`: 1e-3 makes metres of millimetres.
    pub fn scaled(self, factor: f64) -> Self {
        self.moved(|vertex| vertex * factor)
    }

    /// Every vertex through `place`.
    pub fn moved(mut self, place: impl Fn(Vec3) -> Vec3) -> Self {
        self.vertices.iter_mut().for_each(|vertex| *vertex = place(*vertex));
        self
    }

    /// The corners of tetrahedron `index`, m.
    pub fn corners(&self, index: usize) -> [Vec3; 4] {
        self.tetrahedra[index].map(|vertex| self.vertices[vertex as usize])
    }
}
