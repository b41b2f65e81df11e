//! A surface of triangles in groups.

use crate::error::{Error, MOST_TRIANGLES};
use crate::indexed::Indexed;
use numerics::vec3::Vec3;

/// A surface of triangles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// Corners, m.
    pub vertices: Vec<Vec3>,
    /// Three corners each; seen from outside they run counterclockwise.
    pub triangles: Vec<[u32; 3]>,
    /// Group of each triangle, an index of `names`.
    pub groups: Vec<u32>,
    /// Names of the groups: solids of STL, objects or groups of OBJ, physical groups of gmsh.
    pub names: Vec<String>,
}

impl Mesh {
    /// A mesh of one group.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>, name: &str) -> Self {
        let groups = vec![0; triangles.len()];
        Self { vertices, triangles, groups, names: vec![name.into()] }
    }

    /// The corners of triangle `index`, m.
    pub fn corners(&self, index: usize) -> [Vec3; 3] {
        self.triangles[index].map(|vertex| self.vertices[vertex as usize])
    }

    /// Twice the area times the normal of triangle `index`, m^2.
    pub fn area_vector(&self, index: usize) -> Vec3 {
        let [a, b, c] = self.corners(index);
        (b - a).cross(c - a)
    }

    /// Sum of the areas, m^2.
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|index| 0.5 * self.area_vector(index).length()).sum()
    }

    /// Lower and upper corner of the smallest box around the triangles, m.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        Vec3::bounds(self.triangles.iter().flatten().map(|vertex| self.vertices[*vertex as usize]))
    }

    /// All lengths times `factor`: 1e-3 makes metres of millimetres.
    pub fn scaled(self, factor: f64) -> Self {
        self.moved(|vertex| vertex * factor)
    }

    /// Every vertex through `place`.
    pub fn moved(mut self, place: impl Fn(Vec3) -> Vec3) -> Self {
        self.vertices.iter_mut().for_each(|vertex| *vertex = place(*vertex));
        self
    }

    /// Every triangle as four: same surface, finer mesh.
    pub fn refined(&self) -> Self {
        let mut fine = Self { names: self.names.clone(), ..Self::default() };
        let mut middles = Indexed { values: self.vertices.clone(), ..Indexed::default() };
        for ([a, b, c], group) in self.triangles.iter().zip(&self.groups) {
            let mut middle = |a: u32, b: u32| {
                let ends = [a.min(b), a.max(b)];
                let [p, q] = ends.map(|vertex| self.vertices[vertex as usize]);
                middles.index(ends, || (p + q) * 0.5)
            };
            let [ab, bc, ca] = [middle(*a, *b), middle(*b, *c), middle(*c, *a)];
            fine.triangles.extend([[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]);
            fine.groups.extend([*group; 4]);
        }
        Self { vertices: middles.values, ..fine }
    }

    /// Refuses what no solver can take: no triangle, an index beyond the vertices, a coordinate that is no number.
    pub fn validate(&self) -> Result<(), Error> {
        if self.triangles.is_empty() {
            return Err(Error::Empty);
        }
        if self.triangles.len() > MOST_TRIANGLES {
            return Err(Error::TooLarge { what: "triangles", given: self.triangles.len() as u64 });
        }
        if self.groups.len() != self.triangles.len() {
            return Err(Error::Groups { groups: self.groups.len(), triangles: self.triangles.len() });
        }
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|vertex| **vertex as usize >= self.vertices.len()) {
                let (vertex, vertices) = (vertex.into(), self.vertices.len());
                return Err(Error::Index { triangle, vertex, vertices });
            }
        }
        match self.vertices.iter().position(|vertex| !vertex.is_finite()) {
            Some(vertex) => Err(Error::NotFinite { vertex, position: self.vertices[vertex].to_array() }),
            None => Ok(()),
        }
    }
}
