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
                    let elements = meeting.iter().map(|(_, number)| split(*number).0).collect();
                    return Err(Error::Crowded { vertices: meeting[0].0, elements });
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
            let name = |group: u32| volume.face_names[group as usize].clone();
            let mut is_face = false;
            for (element, side) in same.map(|(_, number)| split(*number)) {
                is_face = true;
                if let Some(before) = found[element][side].replace(group).filter(|before| *before != group) {
                    return Err(Error::TwoGroups { vertices: *face, groups: [name(before), name(group)] });
                }
            }
            if !is_face {
                return Err(Error::LooseFace { face: index, vertices: *face, group: name(group) });
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
        return Err(Error::Duplicate {
            elements: [own.min(element), own.max(element)],
            vertices: tetrahedra[own],
        });
    }
    let overlap = Error::Overlap { elements: [own, element], vertices: ours };
    let Some(permutation) = permutation(ours, theirs) else { return Err(overlap) };
    // Faces 0 and 2 run counterclockwise seen from outside, 1 and 3 clockwise; two elements on either side see their face in opposite senses.
    let is_even = matches!(permutation, 0 | 3 | 4);
    if is_even == ((own_face + face) % 2 == 0) {
        return Err(overlap);
    }
    Ok(Neighbour { element: element as u32, face: face as u8, permutation })
}

/// Index of [`PERMUTATIONS`] that takes the corners of one face to those of another.
fn permutation(ours: [u32; 3], theirs: [u32; 3]) -> Option<u8> {
    let found = PERMUTATIONS.iter().position(|order| (0..3).all(|i| ours[i] == theirs[order[i]]));
    found.map(|index| index as u8)
}
