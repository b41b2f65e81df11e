//! gmsh files, text or binary, of format 2.2 or 4.1: surfaces (triangles and quadrangles of any order by their corners), volumes (tetrahedra likewise) and lines, groups by physical name.

mod contents;
mod reader;

use crate::{Error, Mesh, Volume};
use contents::Contents;
use numerics::vec3::Vec3;

/// The surface in the bytes of a gmsh file.
pub fn parse(bytes: &[u8]) -> Result<Mesh, Error> {
    Ok(reader::parse(bytes, Contents::new(false, false))?.into_surface())
}

/// The tetrahedra in the bytes of a gmsh file, and the triangles that are in a physical group. Elements of other shapes that fill a volume are refused.
pub fn parse_volume(bytes: &[u8]) -> Result<Volume, Error> {
    Ok(reader::parse(bytes, Contents::new(true, false))?.into_volume())
}

/// The lines in the bytes of a gmsh file, of any order by their ends.
pub fn parse_lines(bytes: &[u8]) -> Result<Lines, Error> {
    let contents = reader::parse(bytes, Contents::new(false, true))?;
    Ok(Lines { vertices: contents.vertices, lines: contents.lines })
}

/// Lines between vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// m.
    pub vertices: Vec<Vec3>,
    /// Both ends of each.
    pub lines: Vec<[u32; 2]>,
}
