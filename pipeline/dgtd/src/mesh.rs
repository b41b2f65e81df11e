//! Tetrahedra that know their neighbours: what a computation runs on.
//!
//! [`Mesh::new`] refuses what would give wrong fields without a word: elements that are inverted, flat or there twice, faces of three elements, elements that overlap across a face,
//! groups of faces that are no faces. [`conformity`] looks for faces of the boundary that touch each other, [`quality`] for the elements that set the time step, [`kuhn`] makes boxes, [`named`] groups in them.

pub mod almond;
pub mod conformity;
pub mod faces;
pub mod helix;
pub mod kuhn;
pub mod named;
pub mod quality;
mod shells;
pub mod sphere;

use super::Error;
use super::tetrahedron::FACES;
pub use faces::Neighbour;
use faces::Shared;
use mesh::Volume;
use numerics::vec3::Vec3;

/// Most elements: four faces of each are numbered in 32 bits.
pub const MOST_ELEMENTS: usize = 1 << 29;

/// An element is flat if its volume is below this part of its longest edge cubed: rounding of coordinates may then turn it inside out.
const FLATTEST: f64 = 1e-12;

/// Valid tetrahedra with their neighbours.
#[derive(Debug, Clone)]
pub struct Mesh {
    volume: Volume,
    neighbours: Vec<[Option<Neighbour>; 4]>,
    face_groups: Vec<[Option<u32>; 4]>,
}

/// Gradients of the barycentric coordinates, 1/m, and the volume, m^3, of a tetrahedron.
pub fn gradients(corners: [Vec3; 4]) -> ([Vec3; 4], f64) {
    let [a, b, c] = [1, 2, 3].map(|corner| corners[corner] - corners[0]);
    let six = a.dot(b.cross(c));
    let [by_1, by_2, by_3] = [b.cross(c), c.cross(a), a.cross(b)].map(|area| area * six.recip());
    ([-(by_1 + by_2 + by_3), by_1, by_2, by_3], six / 6.0)
}

impl Mesh {
    /// Connects the elements of a volume.
    pub fn new(volume: Volume) -> Result<Self, Error> {
        check_sizes(&volume)?;
        (0..volume.tetrahedra.len()).try_for_each(|element| check_shape(&volume, element))?;
        let shared = Shared::new(&volume.tetrahedra);
        let face_groups = shared.groups(&volume)?;
        let neighbours = shared.neighbours(&volume.tetrahedra)?;
        Ok(Self { volume, neighbours, face_groups })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// Whether there are none; there always are.
    pub fn is_empty(&self) -> bool {
        self.neighbours.is_empty()
    }

    /// Vertices, elements and groups as they were given.
    pub fn volume(&self) -> &Volume {
        &self.volume
    }

    /// Corners of an element, m.
    pub fn corners(&self, element: usize) -> [Vec3; 4] {
        self.volume.corners(element)
    }

    /// What is behind each face of an element; none at the boundary.
    pub fn neighbours(&self, element: usize) -> &[Option<Neighbour>; 4] {
        &self.neighbours[element]
    }

    /// Group of each face of an element, an index of the names of groups of faces.
    pub fn face_groups(&self, element: usize) -> &[Option<u32>; 4] {
        &self.face_groups[element]
    }

    /// The group of tetrahedra of this name.
    pub fn group(&self, name: &str) -> Result<u32, Error> {
        find("volume", &self.volume.names, name)
    }

    /// The group of faces of this name.
    pub fn face_group(&self, name: &str) -> Result<u32, Error> {
        find("surface", &self.volume.face_names, name)
    }

    /// Faces at the boundary: element and face.
    pub fn boundary(&self) -> impl Iterator<Item = (usize, usize)> {
        let of = |(element, sides): (usize, &[Option<Neighbour>; 4])| {
            let sides = *sides;
            (0..4).filter(move |face| sides[*face].is_none()).map(move |face| (element, face))
        };
        self.neighbours.iter().enumerate().flat_map(of)
    }

    /// Vertices of a face, in the order of `FACES`.
    pub fn face(&self, element: usize, face: usize) -> [u32; 3] {
        FACES[face].map(|corner| self.volume.tetrahedra[element][corner])
    }

    /// As [`Mesh::locate`], and an error where there is no such element.
    pub fn find(&self, point: Vec3) -> Result<(usize, [f64; 4]), Error> {
        let outside = || Error::value("point", point.to_array(), "it is outside the mesh");
        self.locate(point).ok_or_else(outside)
    }

    /// The element that holds a point, and its barycentric coordinates there; on a face either may be found. Looks at all of them.
    pub fn locate(&self, point: Vec3) -> Option<(usize, [f64; 4])> {
        // Rounding of coordinates must not lose points on the boundary.
        const OUTSIDE: f64 = -1e-10;
        (0..self.len()).find_map(|element| {
            let corners = self.corners(element);
            let (gradients, _) = gradients(corners);
            let [b, c, d] = [1, 2, 3].map(|corner| gradients[corner].dot(point - corners[0]));
            let coordinates = [1.0 - b - c - d, b, c, d];
            coordinates.iter().all(|l| *l >= OUTSIDE).then_some((element, coordinates))
        })
    }
}

fn find(kind: &str, names: &[String], name: &str) -> Result<u32, Error> {
    let found = names.iter().position(|known| known == name);
    let missing = || Error::Mesh(format!("the mesh has no {kind} group '{name}'; it has {names:?}"));
    found.map(|index| index as u32).ok_or_else(missing)
}

fn check_sizes(volume: &Volume) -> Result<(), Error> {
    let elements = volume.tetrahedra.len();
    if elements == 0 {
        return Err(Error::Empty);
    }
    if elements > MOST_ELEMENTS {
        return Err(Error::value("number of tetrahedra", elements, format!("at most {MOST_ELEMENTS}")));
    }
    let lengths = [
        (["groups of tetrahedra", "group of tetrahedra"], elements, &volume.groups, &volume.names),
        (["groups of faces", "group of faces"], volume.faces.len(), &volume.face_groups, &volume.face_names),
    ];
    for ([what, index], count, groups, names) in lengths {
        if groups.len() != count {
            return Err(Error::Length { what, given: groups.len(), needed: count });
        }
        if let Some(&group) = groups.iter().find(|group| **group as usize >= names.len()) {
            return Err(Error::value(index, group, format!("there are {}", names.len())));
        }
    }
    Ok(())
}

/// Refuses elements without four corners or a positive volume.
fn check_shape(volume: &Volume, element: usize) -> Result<(), Error> {
    let tetrahedron = volume.tetrahedra[element];
    for vertex in tetrahedron {
        let Some(position) = volume.vertices.get(vertex as usize) else {
            let allowed = format!("there are {}", volume.vertices.len());
            return Err(Error::value(format!("vertex of tetrahedron {element}"), vertex, allowed));
        };
        if !position.is_finite() {
            let allowed = "every coordinate must be a finite number";
            return Err(Error::value(format!("place of vertex {vertex}"), position.to_array(), allowed));
        }
    }
    let corners = volume.corners(element);
    let longest = (0..4).flat_map(|i| (0..i).map(move |j| (corners[i] - corners[j]).length()));
    let longest = longest.fold(0.0, f64::max);
    let (_, measure) = gradients(corners);
    let least = FLATTEST * longest.powi(3);
    if measure < -least {
        return Err(Error::Mesh(format!(
            "tetrahedron {element} of vertices {tetrahedron:?} is inverted: its volume is {measure:e} m^3"
        )));
    }
    // NaN, where cubes overflow, is not above it either.
    if measure > least && measure.is_finite() {
        return Ok(());
    }
    let size = format!("{measure:e} m^3 with an edge of {longest:e} m");
    Err(Error::Mesh(format!("tetrahedron {element} of vertices {tetrahedron:?} is flat: {size}")))
}

#[cfg(test)]
mod tests;
