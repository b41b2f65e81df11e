//! Faces of the boundary that touch each other: two parts of a mesh that meet and are not connected.
//!
//! A boundary that was meant has a group. Faces without one are compared with each other: where the centre of one lies in another, the mesh does not conform.

use super::Mesh;
use crate::Error;
use numerics::vec3::Vec3;
use std::collections::HashMap;

/// A point touches a face if it is nearer than this part of the face's longest edge.
const TOUCH: f64 = 1e-6;

/// Refuses meshes with two faces at the boundary that touch and are in no group.
pub fn check(mesh: &Mesh) -> Result<(), Error> {
    let is_ours = |(element, face): &(usize, usize)| mesh.face_groups(*element)[*face].is_none();
    let faces: Vec<[u32; 3]> =
        mesh.boundary().filter(is_ours).map(|(element, face)| mesh.face(element, face)).collect();
    let grid = Grid::new(
        faces.iter().map(|face| face.map(|vertex| mesh.volume().vertices[vertex as usize])).collect(),
    );
    for face in 0..faces.len() {
        if let Some(other) = grid.near(face).find(|other| grid.touches(face, *other)) {
            let (one, two, position) = (faces[face], faces[other], centre(&grid.faces[other]).to_array());
            return Err(Error::Mesh(format!(
                "faces {one:?} and {two:?} at the boundary touch at {position:?}: the mesh is not conforming \
                 there, or a group of faces is missing"
            )));
        }
    }
    Ok(())
}

fn longest(corners: &[Vec3; 3]) -> f64 {
    (0..3).map(|i| (corners[i] - corners[(i + 1) % 3]).length()).fold(0.0, f64::max)
}

fn centre([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (*a + *b + *c) * (1.0 / 3.0)
}

/// Faces by the cells of space, as large as the largest of them, in which their centres are.
struct Grid {
    faces: Vec<[Vec3; 3]>,
    low: Vec3,
    cell: f64,
    centres: HashMap<[i64; 3], Vec<usize>>,
}

impl Grid {
    fn new(faces: Vec<[Vec3; 3]>) -> Self {
        let cell = faces.iter().map(longest).fold(0.0, f64::max);
        let low = faces.iter().map(centre).fold(Vec3::splat(f64::INFINITY), Vec3::min);
        let mut grid = Self { faces, low, cell, centres: HashMap::new() };
        for face in 0..grid.faces.len() {
            let place = grid.place(centre(&grid.faces[face]));
            grid.centres.entry(place).or_default().push(face);
        }
        grid
    }

    fn place(&self, point: Vec3) -> [i64; 3] {
        ((point - self.low) * self.cell.recip()).to_array().map(|x| x.floor() as i64)
    }

    /// Faces whose centres are in the cells round the centre of one: all that can lie in it.
    fn near(&self, face: usize) -> impl Iterator<Item = usize> {
        let [x, y, z] = self.place(centre(&self.faces[face]));
        let cells = (x - 1..=x + 1)
            .flat_map(move |x| (y - 1..=y + 1).flat_map(move |y| (z - 1..=z + 1).map(move |z| [x, y, z])));
        let all = cells.filter_map(|cell| self.centres.get(&cell)).flatten().copied();
        all.filter(move |other| *other != face)
    }

    /// Whether the centre of another face lies in a face.
    fn touches(&self, face: usize, other: usize) -> bool {
        let corners = &self.faces[face];
        let ([a, b, c], point) = (*corners, centre(&self.faces[other]));
        let tolerance = TOUCH * longest(corners);
        let normal = (b - a).cross(c - a).unit();
        let is_inside = |from: Vec3, to: Vec3| normal.cross(to - from).unit().dot(point - from) >= -tolerance;
        (point - a).dot(normal).abs() <= tolerance && is_inside(a, b) && is_inside(b, c) && is_inside(c, a)
    }
}
