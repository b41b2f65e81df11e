//! Surfaces of gmsh files, text or binary, of format 2.2 or 4.1: triangles and quadrangles of any order by their corners, groups by physical name.

mod binary;
mod text;

use super::groups::Groups;
use super::{Error, Mesh, Place};
use crate::vec3::Vec3;
use std::collections::HashMap;

/// The surface in the bytes of a gmsh file.
pub fn parse(bytes: &[u8]) -> Result<Mesh, Error> {
    if binary::is_binary(bytes) { binary::parse(bytes) } else { text::parse(bytes) }
}

/// Nodes of an element type of gmsh; none for types that are not known.
fn nodes_of(kind: u32) -> Option<usize> {
    const FIRST: [usize; 31] = [
        2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5, 6, 20,
        35, 56,
    ];
    const HIGH_ORDER: [usize; 16] = [16, 25, 36, 12, 16, 20, 28, 36, 45, 55, 66, 49, 64, 81, 100, 121];
    match kind {
        1..=31 => Some(FIRST[kind as usize - 1]),
        36..=51 => Some(HIGH_ORDER[kind as usize - 36]),
        92 => Some(64),
        93 => Some(125),
        _ => None,
    }
}

/// Corners of an element type that is a triangle or a quadrangle; they are its first nodes.
fn corners_of(kind: u32) -> Option<usize> {
    match kind {
        2 | 9 | 20..=25 | 42..=46 => Some(3),
        3 | 10 | 16 | 36..=41 | 47..=51 => Some(4),
        _ => None,
    }
}

/// What both kinds of file are read into.
#[derive(Default)]
struct Surface {
    mesh: Mesh,
    groups: Groups,
    /// Index of each node.
    nodes: HashMap<u64, u32>,
    /// Names of physical groups of surfaces.
    names: HashMap<i64, String>,
    /// Physical group of each surface, of format 4.
    surfaces: HashMap<i64, i64>,
    /// Group of each physical one that was met.
    physical: HashMap<i64, u32>,
}

impl Surface {
    fn node(&mut self, tag: u64, point: Vec3) {
        self.nodes.insert(tag, self.mesh.vertices.len() as u32);
        self.mesh.vertices.push(point);
    }

    /// Physical group of a surface; 0 where it has none.
    fn physical_of(&self, surface: i64) -> i64 {
        self.surfaces.get(&surface).copied().unwrap_or_default()
    }

    /// A triangle, or a quadrangle as two, by the tags of its three or four corners.
    fn element(&mut self, corners: &[u64], physical: i64, place: Place) -> Result<(), Error> {
        let mut nodes = [0; 4];
        for (node, tag) in nodes.iter_mut().zip(corners) {
            let reason = || format!("node {tag} is not among the nodes");
            *node = *self.nodes.get(tag).ok_or_else(|| Error::Syntax { place, reason: reason() })?;
        }
        let (names, groups) = (&self.names, &mut self.groups);
        let group = *self.physical.entry(physical).or_insert_with(|| {
            groups.index(names.get(&physical).cloned().unwrap_or_else(|| format!("surface {physical}")))
        });
        let [a, b, c, d] = nodes;
        let halves = [[a, b, c], [a, c, d]];
        for triangle in &halves[..corners.len() - 2] {
            self.mesh.triangles.push(*triangle);
            self.mesh.groups.push(group);
        }
        Ok(())
    }

    fn finish(self) -> Mesh {
        Mesh { names: self.groups.into_names(), ..self.mesh }
    }
}
