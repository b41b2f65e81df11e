//! Which faces meet.

use crate::error::Error;
use crate::tetrahedron::{FACES, PERMUTATIONS};
use mesh::Volume;
use rayon::prelude::*;

/// What is on the other side of a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// Number of the element.
    pub element: u32,
    /// Its face, 0 to 3.
    pub face: u8,
    /// Index of `PERMUTATIONS`: corner i of our face is its corner `PERMUTATIONS[..][i]`.
    pub permutation: u8,
}

/// Faces of all elements, sorted by their vertices: those that meet stand beside each other.
pub struct Shared {
    /// Vertices, ascending, and four times the element plus the face.
    faces: Vec<([u32; 3], u32)>,
}

fn sorted(mut vertices: [u32; 3]) -> [u32; 3] {
    vertices.sort_unstable();
    vertices
}

fn split(number: u32) -> (usize, usize) {
    (number as usize / 4, number as usize % 4)
}

impl Shared {
    /// Of valid elements, at most [`super::MOST_ELEMENTS`].
    pub fn new(tetrahedra: &[[u32; 4]]) -> Self {
        let of = |(element, corners): (usize, &[u32; 4])| {
            [0, 1, 2, 3]
                .map(|face| (sorted(FACES[face].map(|corner| corners[corner])), (4 * element + face) as u32))
        };
        let mut faces: Vec<_> = tetrahedra.par_iter().enumerate().flat_map_iter(of).collect();
        faces.par_sort_unstable();
        Self { faces }
    }

    /// What is behind each face.
    pub fn neighbours(&self, tetrahedra: &[[u32; 4]]) -> Result<Vec<[Option<Neighbour>; 4]>, Error> {
        let mut found = vec![[None; 4]; tetrahedra.len()];
        for meeting in self.faces.chunk_by(|a, b| a.0 == b.0) {
            match *meeting {
                [_] => {}
                [(_, one), (_, other)] => {
                    for (from, to) in [(one, other), (other, one)] {
                        let (element, face) = split(from);
                        found[element][face] = Some(neighbour(tetrahedra, from, to)?);
                    }
                }
                _ => {
                    let elements: Vec<usize> = meeting.iter().map(|(_, number)| split(*number).0).collect();
                    let vertices = meeting[0].0;
                    return Err(Error::Mesh(format!(
                        "face {vertices:?} belongs to tetrahedra {elements:?}: two can share one"
                    )));
                }
            }
        }
        Ok(found)
    }

    /// The group of each face.
    pub fn groups(&self, volume: &Volume) -> Result<Vec<[Option<u32>; 4]>, Error> {
        let mut found: Vec<[Option<u32>; 4]> = vec![[None; 4]; volume.tetrahedra.len()];
        for (index, (face, &group)) in volume.faces.iter().zip(&volume.face_groups).enumerate() {
            let wanted = sorted(*face);
            let first = self.faces.partition_point(|(vertices, _)| *vertices < wanted);
            let same = self.faces[first..].iter().take_while(|(vertices, _)| *vertices == wanted);
            let name = |group: u32| &volume.face_names[group as usize];
            let mut is_face = false;
            for (element, side) in same.map(|(_, number)| split(*number)) {
                is_face = true;
                if let Some(before) = found[element][side].replace(group).filter(|before| *before != group) {
                    let [one, two] = [before, group].map(name);
                    return Err(Error::Mesh(format!("face {face:?} is in the groups '{one}' and '{two}'")));
                }
            }
            if !is_face {
                return Err(Error::Mesh(format!(
                    "triangle {index} of vertices {face:?} in group '{}' is no face of a tetrahedron: the mesh \
                     is not conforming there",
                    name(group)
                )));
            }
        }
        Ok(found)
    }
}

/// Face `to` as face `from` sees it.
fn neighbour(tetrahedra: &[[u32; 4]], from: u32, to: u32) -> Result<Neighbour, Error> {
    let ((own, own_face), (element, face)) = (split(from), split(to));
    let vertices = |element: usize, face: usize| FACES[face].map(|corner| tetrahedra[element][corner]);
    let (ours, theirs) = (vertices(own, own_face), vertices(element, face));
    if tetrahedra[own][own_face] == tetrahedra[element][face] {
        let (both, vertices) = ([own.min(element), own.max(element)], tetrahedra[own]);
        return Err(Error::Mesh(format!("tetrahedra {both:?} are the same, of vertices {vertices:?}")));
    }
    let overlap = || {
        let both = [own, element];
        let sides = format!("tetrahedra {both:?} lie on the same side of their common face {ours:?}");
        Error::Mesh(format!("{sides}: they overlap"))
    };
    let is_theirs = |order: &[usize; 3]| (0..3).all(|i| ours[i] == theirs[order[i]]);
    let permutation = PERMUTATIONS.iter().position(is_theirs).ok_or_else(overlap)?;
    // Faces 0 and 2 run counterclockwise seen from outside, 1 and 3 clockwise; two elements on either side see their face in opposite senses.
    let is_even = matches!(permutation, 0 | 3 | 4);
    if is_even == ((own_face + face) % 2 == 0) {
        return Err(overlap());
    }
    Ok(Neighbour { element: element as u32, face: face as u8, permutation: permutation as u8 })
}
