//! Surfaces of gmsh files, text of format 2.2 or 4.1: triangles and quadrangles of any order by their corners, groups by physical name.

use super::obj::named;
use super::text::{Line, Lines};
use super::{Error, Mesh};
use crate::vec3::Vec3;
use std::collections::HashMap;

/// The surface in the bytes of a gmsh file.
pub fn parse(bytes: &[u8]) -> Result<Mesh, Error> {
    let mut reader = Reader { bytes: bytes.len(), ..Reader::default() };
    let mut lines = Lines::new(bytes)?;
    while let Some(line) = lines.next() {
        match line.clone().rest().as_str() {
            "$MeshFormat" => reader.format(&mut lines)?,
            "$PhysicalNames" => reader.physical_names(&mut lines)?,
            "$Entities" => reader.entities(&mut lines)?,
            "$Nodes" if reader.version == 2 => reader.nodes_2(&mut lines)?,
            "$Nodes" => reader.nodes_4(&mut lines)?,
            "$Elements" if reader.version == 2 => reader.elements_2(&mut lines)?,
            "$Elements" => reader.elements_4(&mut lines)?,
            word if word.starts_with('$') => skip(&mut lines, word)?,
            word => return Err(Error::line(line.number, format!("'{word}' where a section should begin"))),
        }
    }
    Ok(reader.mesh)
}

/// Corners of an element type that is a triangle or a quadrangle.
fn corners(kind: u32) -> Option<usize> {
    match kind {
        2 | 9 | 20..=25 => Some(3),
        3 | 10 | 16 => Some(4),
        _ => None,
    }
}

/// Leaves out a section that says nothing about surfaces.
fn skip(lines: &mut Lines<'_>, section: &str) -> Result<(), Error> {
    if section.starts_with("$End") {
        return Ok(());
    }
    let end = format!("$End{}", &section[1..]);
    while lines.need(&end)?.rest() != end {}
    Ok(())
}

#[derive(Default)]
struct Reader {
    mesh: Mesh,
    bytes: usize,
    version: u32,
    /// Index of each node.
    nodes: HashMap<u64, u32>,
    /// Names of physical groups of surfaces.
    names: HashMap<i64, String>,
    /// Physical group of each surface, of format 4.
    surfaces: HashMap<i64, i64>,
}

impl Reader {
    fn format(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        let mut line = lines.need("the format")?;
        let version = line.word("the version")?;
        self.version = match version {
            "2.2" | "2" => 2,
            "4.1" => 4,
            _ => return Err(Error::line(line.number, format!("format {version}: 2.2 and 4.1 are read"))),
        };
        match line.number::<u32>("the file type")? {
            0 => Ok(()),
            _ => Err(Error::line(line.number, "a binary file: save it as text (Mesh.Binary = 0)")),
        }
    }

    fn physical_names(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        for _ in 0..lines.need("a number of names")?.count("names", self.bytes)? {
            let mut line = lines.need("a name")?;
            let (dimension, tag) = (line.number::<u32>("the dimension")?, line.number::<i64>("the tag")?);
            if dimension == 2 {
                self.names.insert(tag, line.rest().trim_matches('"').into());
            }
        }
        Ok(())
    }

    fn entities(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        let mut line = lines.need("the numbers of entities")?;
        let mut count = || line.count("entities", self.bytes);
        let (points, curves, surfaces, volumes) = (count()?, count()?, count()?, count()?);
        for _ in 0..points + curves {
            lines.need("an entity")?;
        }
        for _ in 0..surfaces {
            let mut line = lines.need("a surface")?;
            let tag: i64 = line.number("the tag")?;
            for _ in 0..6 {
                line.number::<f64>("the box")?;
            }
            if line.number::<usize>("the number of groups")? > 0 {
                self.surfaces.insert(tag, line.number("the group")?);
            }
        }
        for _ in 0..volumes {
            lines.need("a volume")?;
        }
        Ok(())
    }

    fn nodes_2(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        for _ in 0..lines.need("the number of nodes")?.count("nodes", self.bytes)? {
            let mut line = lines.need("a node")?;
            let tag = line.number("the tag")?;
            let point = line.point("a coordinate")?;
            self.node(tag, point);
        }
        Ok(())
    }

    fn node(&mut self, tag: u64, point: Vec3) {
        self.nodes.insert(tag, self.mesh.vertices.len() as u32);
        self.mesh.vertices.push(point);
    }

    fn nodes_4(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        for _ in 0..lines.need("the number of blocks")?.count("blocks", self.bytes)? {
            let mut line = lines.need("a block of nodes")?;
            line.number::<u32>("the dimension")?;
            line.number::<i64>("the entity")?;
            line.number::<u32>("whether parametric")?;
            let count = line.count("nodes", self.bytes)?;
            let tags: Result<Vec<u64>, Error> =
                (0..count).map(|_| lines.need("the tag of a node")?.number("the tag")).collect();
            for tag in tags? {
                let point = lines.need("a node")?.point("a coordinate")?;
                self.node(tag, point);
            }
        }
        Ok(())
    }

    fn elements_2(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        for _ in 0..lines.need("the number of elements")?.count("elements", self.bytes)? {
            let mut line = lines.need("an element")?;
            line.number::<u64>("the tag")?;
            let kind = line.number("the type")?;
            let Some(corners) = corners(kind) else { continue };
            let tags = line.number::<usize>("the number of tags")?;
            let physical = if tags > 0 { line.number("the group")? } else { 0 };
            for _ in 1..tags {
                line.number::<i64>("a tag")?;
            }
            self.element(line, corners, physical)?;
        }
        Ok(())
    }

    fn elements_4(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        for _ in 0..lines.need("the number of blocks")?.count("blocks", self.bytes)? {
            let mut line = lines.need("a block of elements")?;
            line.number::<u32>("the dimension")?;
            let entity = line.number("the entity")?;
            let kind = line.number("the type")?;
            let physical = self.surfaces.get(&entity).copied().unwrap_or_default();
            for _ in 0..line.count("elements", self.bytes)? {
                let mut line = lines.need("an element")?;
                let Some(corners) = corners(kind) else { continue };
                line.number::<u64>("the tag")?;
                self.element(line, corners, physical)?;
            }
        }
        Ok(())
    }

    /// A triangle, or a quadrangle as two.
    fn element(&mut self, mut line: Line<'_>, corners: usize, physical: i64) -> Result<(), Error> {
        let mut nodes = [0; 4];
        for node in &mut nodes[..corners] {
            let tag: u64 = line.number("a node")?;
            let unknown = || Error::line(line.number, format!("node {tag} is not among the nodes"));
            *node = *self.nodes.get(&tag).ok_or_else(unknown)?;
        }
        let name = self.names.get(&physical).cloned().unwrap_or_else(|| format!("surface {physical}"));
        let group = named(&mut self.mesh.names, name);
        let [a, b, c, d] = nodes;
        let halves = [[a, b, c], [a, c, d]];
        for triangle in &halves[..corners - 2] {
            self.mesh.triangles.push(*triangle);
            self.mesh.groups.push(group);
        }
        Ok(())
    }
}
