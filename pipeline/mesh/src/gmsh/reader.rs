//! The sections of gmsh files. Those of binary ones have the same numbers as text in the same order, in the
//! byte order of the machine that wrote them; names of sections, physical names and counts of format 2.2
//! are text in both.

use super::contents::{Contents, nodes_of};
use crate::Error;
use crate::source::Source;
use numerics::vec3::Vec3;

/// Adds what the bytes of a file have to `contents`.
pub fn parse(bytes: &[u8], contents: Contents) -> Result<Contents, Error> {
    let source =
        if is_binary(bytes) { Source::Binary { bytes, at: 0, big: false } } else { Source::text(bytes)? };
    let mut reader = Reader { contents, source, version: 0 };
    while let Some(line) = reader.source.next_line()? {
        let section = line.clone().rest();
        match section.as_str() {
            "$MeshFormat" => reader.format()?,
            "$PhysicalNames" => reader.physical_names()?,
            "$Entities" if reader.version == 4 => reader.entities()?,
            "$Nodes" if reader.version == 2 => reader.nodes_2()?,
            "$Nodes" => reader.nodes_4()?,
            "$Elements" if reader.version == 2 => reader.elements_2()?,
            "$Elements" => reader.elements_4()?,
            word if word.starts_with('$') => {
                // Nothing about elements.
                reader.skip(&section)?;
                continue;
            }
            word => return Err(line.wrong(format!("'{word}' where a section should begin"))),
        }
        let end = format!("$End{}", &section[1..]);
        let line = reader.source.line(&end)?;
        let found = line.clone().rest();
        if found != end {
            return Err(line.wrong(format!("'{found}' where {end} should be")));
        }
    }
    Ok(reader.contents)
}

fn is_binary(bytes: &[u8]) -> bool {
    let mut words = bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next() == Some(b"$MeshFormat".as_slice()) && words.nth(1) == Some(b"1".as_slice())
}

struct Reader<'a> {
    contents: Contents,
    source: Source<'a>,
    version: u32,
}

impl Reader<'_> {
    /// A number of four bytes.
    fn int(&mut self, what: &str) -> Result<i64, Error> {
        self.source.number(what, 4, |word| (word as i32).into())
    }

    /// One that cannot be negative.
    fn natural(&mut self, what: &str) -> Result<u64, Error> {
        let value = self.int(what)?;
        u64::try_from(value).map_err(|_| self.source.wrong(format!("{what} is {value}")))
    }

    /// A number of eight bytes that cannot be negative.
    fn size(&mut self, what: &str) -> Result<u64, Error> {
        self.source.number(what, 8, |word| word)
    }

    fn real(&mut self, what: &str) -> Result<f64, Error> {
        self.source.number(what, 8, f64::from_bits)
    }

    fn point(&mut self) -> Result<Vec3, Error> {
        let mut x = || self.real("a coordinate");
        Ok(Vec3::new(x()?, x()?, x()?))
    }

    /// How many things of `each` bytes follow.
    fn count(&mut self, each: usize, what: &str) -> Result<usize, Error> {
        let count = self.size(what)?;
        self.source.checked(count, each, what)
    }

    /// The same in a line of its own.
    fn count_line(&mut self, each: usize, what: &str) -> Result<usize, Error> {
        let count = self.source.line(what)?.number(what)?;
        self.source.checked(count, each, what)
    }

    /// The number of blocks of format 4, and what is said of all of them.
    fn blocks(&mut self) -> Result<usize, Error> {
        self.source.record("the number of blocks")?;
        let blocks = self.count(20, "blocks")?;
        (0..3).try_for_each(|_| self.size("their number or a tag").map(drop))?;
        Ok(blocks)
    }

    fn skip(&mut self, section: &str) -> Result<(), Error> {
        let end = format!("$End{}", &section[1..]);
        match &mut self.source {
            Source::Text { lines, .. } => while lines.need(&end)?.rest() != end {},
            Source::Binary { bytes, at, .. } => {
                let found = bytes[*at..].windows(end.len()).position(|window| window == end.as_bytes());
                *at += found.ok_or_else(|| Error::byte(*at, format!("{end} is missing")))? + end.len();
            }
        }
        Ok(())
    }

    fn format(&mut self) -> Result<(), Error> {
        let mut line = self.source.line("the format")?;
        self.version = match line.word("the version")? {
            "2.2" | "2" => 2,
            "4.1" => 4,
            version => return Err(line.wrong(format!("format {version}: 2.2 and 4.1 are read"))),
        };
        let kind: u32 = line.number("the file type")?;
        let Source::Binary { big, .. } = &mut self.source else {
            let reason = format!("file type {kind}: 0 is text, and 1 binary");
            return if kind == 0 { Ok(()) } else { Err(line.wrong(reason)) };
        };
        *big = false;
        let size = line.word("the size of numbers")?;
        if size != "8" {
            return Err(line.wrong(format!("numbers of {size} bytes: of 8 bytes they are read")));
        }
        let one = self.int("the number 1")?;
        if let Source::Binary { big, .. } = &mut self.source {
            *big = one == 1 << 24;
        }
        match one {
            1 | 0x0100_0000 => Ok(()),
            _ => Err(self.source.wrong(format!("{one} where the number 1 should tell the order of bytes"))),
        }
    }

    fn physical_names(&mut self) -> Result<(), Error> {
        for _ in 0..self.count_line(1, "names")? {
            let mut line = self.source.line("a name")?;
            let (dimension, tag) = (line.number("the dimension")?, line.number("the tag")?);
            self.contents.names.insert((dimension, tag), line.rest().trim_matches('"').into());
        }
        Ok(())
    }

    fn entities(&mut self) -> Result<(), Error> {
        self.source.record("the numbers of entities")?;
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = self.count(36, "entities")?;
        }
        // Tag, then a place or a box, physical groups and, except of points, what bounds them.
        for (dimension, count) in (0..).zip(counts) {
            for _ in 0..count {
                self.source.record("an entity")?;
                let tag = self.int("the tag")?;
                let reals = if dimension == 0 { 3 } else { 6 };
                (0..reals).try_for_each(|_| self.real("the box").map(drop))?;
                for place in 0..self.count(4, "groups")? {
                    let group = self.int("the group")?;
                    if place == 0 {
                        self.contents.entities.insert((dimension, tag), group);
                    }
                }
                let bounds = if dimension == 0 { 0 } else { self.count(4, "bounds")? };
                (0..bounds).try_for_each(|_| self.int("a bound").map(drop))?;
            }
        }
        Ok(())
    }

    fn nodes_2(&mut self) -> Result<(), Error> {
        for _ in 0..self.count_line(28, "nodes")? {
            self.source.record("a node")?;
            let tag = self.natural("the tag of a node")?;
            let point = self.point()?;
            self.contents.node(tag, point);
        }
        Ok(())
    }

    fn nodes_4(&mut self) -> Result<(), Error> {
        for _ in 0..self.blocks()? {
            self.source.record("a block of nodes")?;
            let dimension = self.natural("the dimension")?;
            self.int("the entity")?;
            // Places on a curve or a surface follow their coordinates.
            let parametric = self.int("whether parametric")? != 0;
            let more = if parametric { dimension.min(3) as usize } else { 0 };
            let count = self.count(8 + 24 + 8 * more, "nodes")?;
            let mut tags = Vec::new();
            for _ in 0..count {
                self.source.record("the tag of a node")?;
                tags.push(self.size("the tag of a node")?);
            }
            for tag in tags {
                self.source.record("a node")?;
                let point = self.point()?;
                (0..more).try_for_each(|_| self.real("a parameter").map(drop))?;
                self.contents.node(tag, point);
            }
        }
        Ok(())
    }

    /// Elements of format 2 have their number before their type where they are text; else blocks of one
    /// type have what is common first.
    fn elements_2(&mut self) -> Result<(), Error> {
        let mut left = self.count_line(4, "elements")?;
        while left > 0 {
            self.source.record("an element")?;
            let is_text = self.source.is_text();
            if is_text {
                self.natural("the tag")?;
            }
            let kind = self.natural("the type")?;
            let count = if is_text { 1 } else { self.natural("a number of elements")? };
            let tags = self.natural("the number of tags")?;
            let bytes = (tags as usize + self.nodes(kind)? + 1).saturating_mul(4);
            let count = self.source.checked(count, bytes, "elements")?;
            if count == 0 || count > left {
                return Err(self.source.wrong(format!("a block of {count} elements where {left} are left")));
            }
            left -= count;
            for _ in 0..count {
                if !is_text {
                    self.int("the tag")?;
                }
                let mut physical = 0;
                for place in 0..tags {
                    let tag = self.int("a tag")?;
                    physical = if place == 0 { tag } else { physical };
                }
                self.element(kind, physical, Self::natural)?;
            }
        }
        Ok(())
    }

    fn elements_4(&mut self) -> Result<(), Error> {
        for _ in 0..self.blocks()? {
            self.source.record("a block of elements")?;
            self.natural("the dimension")?;
            let entity = self.int("the entity")?;
            let kind = self.natural("the type")?;
            let physical = self.contents.physical_of(kind, entity);
            let bytes = 8 * (1 + self.nodes(kind)?);
            for _ in 0..self.count(bytes, "elements")? {
                self.source.record("an element")?;
                self.size("the tag")?;
                self.element(kind, physical, Self::size)?;
            }
        }
        Ok(())
    }

    /// Nodes of an element of this type, which must be known to go on behind one that is no text.
    fn nodes(&self, kind: u64) -> Result<usize, Error> {
        match nodes_of(kind) {
            None if !self.source.is_text() => {
                Err(self.source.wrong(format!("elements of type {kind} are not known")))
            }
            nodes => Ok(nodes.unwrap_or(0)),
        }
    }

    /// The nodes of an element, which `number` reads; its corners are kept where they are wanted.
    fn element(
        &mut self,
        kind: u64,
        physical: i64,
        number: fn(&mut Self, &str) -> Result<u64, Error>,
    ) -> Result<(), Error> {
        let place = self.source.place();
        let wanted = self.contents.wanted(kind, place)?;
        let mut corners = [0; 4];
        let nodes = if self.source.is_text() { wanted } else { self.nodes(kind)? };
        for node in 0..nodes {
            let tag = number(self, "a node")?;
            if let Some(corner) = corners.get_mut(node) {
                *corner = tag;
            }
        }
        self.contents.element(kind, &corners[..wanted], physical, place)
    }
}
