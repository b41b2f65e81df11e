//! Groups by place: the elements in a box, and the faces in a rectangle between planes of the axes.

use crate::Error;
use crate::tetrahedron::FACES;
use mesh::Volume;
use numerics::vec3::Vec3;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeSet;

/// Reads three coordinates of a case.
pub(super) fn point<'de, D: Deserializer<'de>>(coordinates: D) -> Result<Vec3, D::Error> {
    <[f64; 3]>::deserialize(coordinates).map(Vec3::from)
}

/// A box between two corners, m; without thickness it is a rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Region {
    /// Lower corner.
    pub low: Vec3,
    /// Upper corner.
    pub high: Vec3,
}

impl Region {
    /// A little larger: rounding of coordinates must not lose what lies on the boundary.
    fn grown(&self, volume: &Volume) -> Self {
        let size = volume.vertices.iter().fold(0.0, |most, vertex| vertex.length().max(most));
        Self { low: self.low - Vec3::splat(1e-9 * size), high: self.high + Vec3::splat(1e-9 * size) }
    }

    fn has(&self, place: Vec3) -> bool {
        (0..3).all(|axis| (self.low[axis]..=self.high[axis]).contains(&place[axis]))
    }
}

fn empty(name: &str, region: Region) -> Error {
    let allowed = "nothing of the mesh is there; planes of a sheet must be planes between cells";
    Error::value(format!("the region of group '{name}'"), region, allowed)
}

/// Puts the elements whose middle is in a box into a new group.
pub fn block(volume: &mut Volume, name: &str, region: Region) -> Result<(), Error> {
    let grown = region.grown(volume);
    let inside = |corners: &[u32; 4]| {
        let sum = corners.iter().fold(Vec3::ZERO, |sum, vertex| sum + volume.vertices[*vertex as usize]);
        grown.has(sum * 0.25)
    };
    let found: Vec<usize> =
        (0..volume.tetrahedra.len()).filter(|at| inside(&volume.tetrahedra[*at])).collect();
    let group = volume.names.len() as u32;
    found.iter().for_each(|at| volume.groups[*at] = group);
    volume.names.push(name.into());
    if found.is_empty() { Err(empty(name, region)) } else { Ok(()) }
}

/// Makes a group of the faces whose corners are all in a rectangle; a face of an earlier group changes over.
pub fn sheet(volume: &mut Volume, name: &str, region: Region) -> Result<(), Error> {
    let grown = region.grown(volume);
    let is_in: Vec<bool> = volume.vertices.iter().map(|vertex| grown.has(*vertex)).collect();
    let sorted = |mut face: [u32; 3]| {
        face.sort_unstable();
        face
    };
    let faces = volume.tetrahedra.iter().flat_map(|corners| FACES.map(|face| face.map(|at| corners[at])));
    let found: BTreeSet<[u32; 3]> =
        faces.filter(|face| face.iter().all(|vertex| is_in[*vertex as usize])).map(sorted).collect();
    let others = volume.faces.iter().copied().zip(volume.face_groups.iter().copied());
    let kept: Vec<([u32; 3], u32)> = others.filter(|(face, _)| !found.contains(&sorted(*face))).collect();
    let group = volume.face_names.len() as u32;
    let all = kept.into_iter().chain(found.iter().map(|face| (*face, group)));
    (volume.faces, volume.face_groups) = all.unzip();
    volume.face_names.push(name.into());
    if found.is_empty() { Err(empty(name, region)) } else { Ok(()) }
}
