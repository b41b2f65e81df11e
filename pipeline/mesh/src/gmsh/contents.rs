//! What a gmsh file is read into, whichever kind it is.

use crate::indexed::Indexed;
use crate::{Error, Mesh, Place, Volume};
use numerics::vec3::Vec3;
use std::collections::HashMap;

/// Nodes of an element type of gmsh; none for types that are not known.
pub fn nodes_of(kind: u64) -> Option<usize> {
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

/// What the first nodes of an element are the corners of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Triangle,
    Quadrangle,
    Tetrahedron,
    /// Hexahedra, prisms and pyramids.
    OtherVolume,
    Line,
    Point,
}

impl Shape {
    fn of(kind: u64) -> Self {
        match kind {
            2 | 9 | 20..=25 | 42..=46 => Self::Triangle,
            3 | 10 | 16 | 36..=41 | 47..=51 => Self::Quadrangle,
            4 | 11 | 29..=31 => Self::Tetrahedron,
            5..=7 | 12..=14 | 17..=19 | 92 | 93 => Self::OtherVolume,
            1 | 8 | 26..=28 => Self::Line,
            _ => Self::Point,
        }
    }
}

/// Elements of one dimension.
#[derive(Default)]
struct Elements<const CORNERS: usize> {
    corners: Vec<[u32; CORNERS]>,
    /// Physical group of each; 0 where it has none.
    physical: Vec<i64>,
}

impl<const CORNERS: usize> Elements<CORNERS> {
    fn push(&mut self, corners: [u32; CORNERS], physical: i64) {
        self.corners.push(corners);
        self.physical.push(physical);
    }

    /// Group of each element and their names; groups without a name are called `kind` and their number.
    fn groups(&self, names: &Names, dimension: u32, kind: &str) -> (Vec<u32>, Vec<String>) {
        let (mut groups, mut known) = (Indexed::default(), HashMap::new());
        let mut group = |physical: &i64| {
            *known.entry(*physical).or_insert_with(|| {
                let name = names.get(&(dimension, *physical)).cloned();
                let name = name.unwrap_or_else(|| format!("{kind} {physical}"));
                groups.index(name.clone(), || name)
            })
        };
        let indices = self.physical.iter().map(&mut group).collect();
        (indices, groups.values)
    }
}

/// Names of physical groups, by dimension and number.
type Names = HashMap<(u32, i64), String>;

/// What both kinds of file are read into.
#[derive(Default)]
pub struct Contents {
    /// Whether tetrahedra are wanted.
    volumes: bool,
    /// Whether lines are.
    thin: bool,
    pub vertices: Vec<Vec3>,
    /// Index of each node.
    nodes: HashMap<u64, u32>,
    pub lines: Vec<[u32; 2]>,
    triangles: Elements<3>,
    tetrahedra: Elements<4>,
    pub names: Names,
    /// Physical group of each surface and volume of format 4, by dimension and number.
    pub entities: HashMap<(u32, i64), i64>,
}

impl Contents {
    pub fn new(volumes: bool, thin: bool) -> Self {
        Self { volumes, thin, ..Self::default() }
    }

    pub fn node(&mut self, tag: u64, point: Vec3) {
        self.nodes.insert(tag, self.vertices.len() as u32);
        self.vertices.push(point);
    }

    /// Physical group of the surface or volume that elements of this type lie in; 0 where it has none.
    pub fn physical_of(&self, kind: u64, entity: i64) -> i64 {
        let dimension = if Shape::of(kind) == Shape::Tetrahedron { 3 } else { 2 };
        self.entities.get(&(dimension, entity)).copied().unwrap_or_default()
    }

    /// Corners that are wanted of an element of this type.
    pub fn wanted(&self, kind: u64, place: Place) -> Result<usize, Error> {
        match Shape::of(kind) {
            Shape::OtherVolume if self.volumes => {
                let reason = format!("an element of type {kind} in a volume: only tetrahedra are read");
                Err(Error::Syntax { place, reason })
            }
            Shape::Tetrahedron if self.volumes => Ok(4),
            Shape::Triangle => Ok(3),
            Shape::Quadrangle => Ok(4),
            Shape::Line if self.thin => Ok(2),
            _ => Ok(0),
        }
    }

    /// An element by the tags of its corners; a quadrangle is two triangles. Types of which no corners are wanted are left out.
    pub fn element(&mut self, kind: u64, corners: &[u64], physical: i64, place: Place) -> Result<(), Error> {
        let mut nodes = [0; 4];
        for (node, tag) in nodes.iter_mut().zip(corners) {
            let reason = || format!("node {tag} is not among the nodes");
            *node = *self.nodes.get(tag).ok_or_else(|| Error::Syntax { place, reason: reason() })?;
        }
        let [a, b, c, d] = nodes;
        match (Shape::of(kind), corners.len()) {
            (Shape::Tetrahedron, 4) => self.tetrahedra.push(nodes, physical),
            (Shape::Line, 2) => self.lines.push([a, b]),
            (Shape::Triangle, 3) => self.triangles.push([a, b, c], physical),
            (Shape::Quadrangle, 4) => {
                self.triangles.push([a, b, c], physical);
                self.triangles.push([a, c, d], physical);
            }
            _ => {}
        }
        Ok(())
    }

    pub fn into_surface(self) -> Mesh {
        let (groups, names) = self.triangles.groups(&self.names, 2, "surface");
        Mesh { vertices: self.vertices, triangles: self.triangles.corners, groups, names }
    }

    pub fn into_volume(self) -> Volume {
        // A triangle without a group says nothing about a boundary.
        let mut grouped = Elements::default();
        for (corners, group) in self.triangles.corners.iter().zip(&self.triangles.physical) {
            if *group != 0 {
                grouped.push(*corners, *group);
            }
        }
        let (groups, names) = self.tetrahedra.groups(&self.names, 3, "volume");
        let (face_groups, face_names) = grouped.groups(&self.names, 2, "surface");
        Volume {
            vertices: self.vertices,
            tetrahedra: self.tetrahedra.corners,
            groups,
            names,
            faces: grouped.corners,
            face_groups,
            face_names,
        }
    }
}
