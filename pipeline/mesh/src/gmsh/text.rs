//! gmsh files as text.

use super::contents::Contents;
use crate::text::{Line, Lines};
use crate::{Error, Place};

/// Adds what the bytes of a text have to `contents`.
pub fn parse(bytes: &[u8], contents: Contents) -> Result<Contents, Error> {
    let mut reader = Reader { contents, bytes: bytes.len(), version: 0 };
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
    Ok(reader.contents)
}

/// Leaves out a section that says nothing about elements.
fn skip(lines: &mut Lines<'_>, section: &str) -> Result<(), Error> {
    if section.starts_with("$End") {
        return Ok(());
    }
    let end = format!("$End{}", &section[1..]);
    while lines.need(&end)?.rest() != end {}
    Ok(())
}

struct Reader {
    contents: Contents,
    bytes: usize,
    version: u32,
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
            kind => Err(Error::line(line.number, format!("file type {kind}: 0 is text, and 1 binary"))),
        }
    }

    fn physical_names(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        for _ in 0..lines.need("a number of names")?.count("names", self.bytes)? {
            let mut line = lines.need("a name")?;
            let (dimension, tag) = (line.number::<u32>("the dimension")?, line.number::<i64>("the tag")?);
            self.contents.name(dimension.into(), tag, line.rest().trim_matches('"'));
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
        for dimension in std::iter::repeat_n(2, surfaces).chain(std::iter::repeat_n(3, volumes)) {
            let mut line = lines.need("a surface or a volume")?;
            let tag: i64 = line.number("the tag")?;
            for _ in 0..6 {
                line.number::<f64>("the box")?;
            }
            if line.number::<usize>("the number of groups")? > 0 {
                self.contents.entity(dimension, tag, line.number("the group")?);
            }
        }
        Ok(())
    }

    fn nodes_2(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        for _ in 0..lines.need("the number of nodes")?.count("nodes", self.bytes)? {
            let mut line = lines.need("a node")?;
            let tag = line.number("the tag")?;
            let point = line.point("a coordinate")?;
            self.contents.node(tag, point);
        }
        Ok(())
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
                self.contents.node(tag, point);
            }
        }
        Ok(())
    }

    fn elements_2(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        for _ in 0..lines.need("the number of elements")?.count("elements", self.bytes)? {
            let mut line = lines.need("an element")?;
            line.number::<u64>("the tag")?;
            let kind = line.number("the type")?;
            let corners = self.contents.wanted(kind, Place::Line(line.number))?;
            if corners == 0 {
                continue;
            }
            let tags = line.number::<usize>("the number of tags")?;
            let physical = if tags > 0 { line.number("the group")? } else { 0 };
            for _ in 1..tags {
                line.number::<i64>("a tag")?;
            }
            self.element(line, kind, corners, physical)?;
        }
        Ok(())
    }

    fn elements_4(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        for _ in 0..lines.need("the number of blocks")?.count("blocks", self.bytes)? {
            let mut line = lines.need("a block of elements")?;
            line.number::<u32>("the dimension")?;
            let entity = line.number("the entity")?;
            let kind = line.number("the type")?;
            let physical = self.contents.physical_of(kind, entity);
            for _ in 0..line.count("elements", self.bytes)? {
                let mut line = lines.need("an element")?;
                let corners = self.contents.wanted(kind, Place::Line(line.number))?;
                if corners == 0 {
                    continue;
                }
                line.number::<u64>("the tag")?;
                self.element(line, kind, corners, physical)?;
            }
        }
        Ok(())
    }

    /// The corners of an element are what comes next in its line.
    fn element(&mut self, mut line: Line<'_>, kind: u32, corners: usize, physical: i64) -> Result<(), Error> {
        let mut tags = [0; 4];
        for tag in &mut tags[..corners] {
            *tag = line.number("a node")?;
        }
        self.contents.element(kind, &tags[..corners], physical, Place::Line(line.number))
    }
}
