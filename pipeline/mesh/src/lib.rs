//! Surfaces of triangles and volumes of tetrahedra: readers, checks and a few shapes by formula.
//!
//! | module | |
//! |---|---|
//! | [`stl`], [`obj`], [`ply`], [`gmsh`] | readers; [`read`] chooses by the file's ending |
//! | [`check`](mod@check) | degenerate and duplicate triangles, open and inconsistent edges |
//! | [`volume`] | tetrahedra with groups of elements and faces, from gmsh |
//! | [`shapes`] | plate, dihedral, trihedral, sphere, almond; missile, ship and two aircraft |
//!
//! A file from elsewhere may lie about every size: what it claims is compared with its bytes before anything is allocated, and errors
//! name the line or the byte. Files have no units; [`Mesh::scaled`] makes metres of them.
#![forbid(unsafe_code)]

pub mod check;
mod error;
pub mod gmsh;
mod groups;
pub mod obj;
pub mod ply;
pub mod shapes;
pub mod stl;
mod text;
pub mod volume;

pub use check::{Report, check};
pub use error::{Error, Place};
pub use volume::Volume;

use numerics::vec3::Vec3;
use std::path::Path;

/// Most triangles of a mesh: indices are 32 bits wide, and nodes of trees need some of them.
pub const MOST_TRIANGLES: usize = 1 << 28;

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
        let corners = self.triangles.iter().flatten().map(|vertex| self.vertices[*vertex as usize]);
        let start = (Vec3::splat(f64::INFINITY), Vec3::splat(f64::NEG_INFINITY));
        corners.fold(start, |(low, high), corner| (low.min(corner), high.max(corner)))
    }

    /// All lengths times `factor`: 1e-3 makes metres of millimetres.
    pub fn scaled(mut self, factor: f64) -> Self {
        self.vertices.iter_mut().for_each(|vertex| *vertex = *vertex * factor);
        self
    }

    /// Every vertex through `place`.
    pub fn moved(mut self, place: impl Fn(Vec3) -> Vec3) -> Self {
        self.vertices.iter_mut().for_each(|vertex| *vertex = place(*vertex));
        self
    }

    /// Every triangle as four: same surface, finer mesh.
    pub fn refined(&self) -> Self {
        let mut fine = Self { names: self.names.clone(), vertices: self.vertices.clone(), ..Self::default() };
        let mut middles = std::collections::HashMap::new();
        for ([a, b, c], group) in self.triangles.iter().zip(&self.groups) {
            let mut middle = |a: u32, b: u32| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    let [p, q] = [a.min(b), a.max(b)].map(|vertex| self.vertices[vertex as usize]);
                    fine.vertices.push((p + q) * 0.5);
                    (fine.vertices.len() - 1) as u32
                })
            };
            let [ab, bc, ca] = [middle(*a, *b), middle(*b, *c), middle(*c, *a)];
            fine.triangles.extend([[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]);
            fine.groups.extend([*group; 4]);
        }
        fine
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
                return Err(Error::Index {
                    triangle,
                    vertex: i64::from(vertex),
                    vertices: self.vertices.len(),
                });
            }
        }
        match self.vertices.iter().position(|vertex| !vertex.is_finite()) {
            Some(vertex) => Err(Error::NotFinite { vertex, position: self.vertices[vertex].to_array() }),
            None => Ok(()),
        }
    }
}

/// Reads a mesh; the ending of its name says what it is: `.stl`, `.obj`, `.ply` or `.msh`.
pub fn read(path: impl AsRef<Path>) -> Result<Mesh, Error> {
    let path = path.as_ref();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    let parse = match ending.as_str() {
        "stl" => stl::parse,
        "obj" => obj::parse,
        "ply" => ply::parse,
        "msh" => gmsh::parse,
        _ => return Err(Error::Ending { path: path.into() }),
    };
    let bytes = load(path)?;
    let mesh = parse(&bytes).map_err(|source| source.of(path))?;
    mesh.validate().map_err(|source| source.of(path))?;
    Ok(mesh)
}

/// The bytes of an ordinary file.
fn load(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |source: std::io::Error| Error::Read { path: path.into(), reason: source.to_string() };
    // A pipe would block in open().
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(Error::Read { path: path.into(), reason: "not an ordinary file".into() });
    }
    std::fs::read(path).map_err(failed)
}

#[cfg(test)]
mod tests;
