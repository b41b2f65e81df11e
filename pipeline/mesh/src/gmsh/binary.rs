//! gmsh files with binary sections: names of sections and counts of format 2.2 are text, all else numbers in the byte order of the machine that wrote them.

use super::contents::{Contents, nodes_of};
use crate::{Error, Place};
use numerics::vec3::Vec3;

/// Longest line of text.
const LONGEST: usize = 1 << 12;

/// Whether the header says so.
pub fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(LONGEST)];
    let mut words = head.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next() == Some(b"$MeshFormat".as_slice()) && words.nth(1) == Some(b"1".as_slice())
}

/// Adds what the bytes of a binary file have to `contents`.
pub fn parse(bytes: &[u8], contents: Contents) -> Result<Contents, Error> {
    let mut reader = Reader { contents, bytes, at: 0, big: false, version: 0 };
    while let Some(section) = reader.section()? {
        match section.as_str() {
            "$MeshFormat" => reader.format()?,
            "$PhysicalNames" => reader.physical_names()?,
            "$Entities" if reader.version == 4 => reader.entities()?,
            "$Nodes" if reader.version == 2 => reader.nodes_2()?,
            "$Nodes" => reader.nodes_4()?,
            "$Elements" if reader.version == 2 => reader.elements_2()?,
            "$Elements" => reader.elements_4()?,
            // Nothing about elements.
            _ => {}
        }
        reader.end(&section)?;
    }
    Ok(reader.contents)
}

struct Reader<'a> {
    contents: Contents,
    bytes: &'a [u8],
    at: usize,
    /// Whether the highest byte of a number comes first.
    big: bool,
    version: u32,
}

impl Reader<'_> {
    fn wrong(&self, reason: impl Into<String>) -> Error {
        Error::byte(self.at, reason)
    }

    /// The next bytes.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let found = self.bytes[self.at..].first_chunk::<N>();
        let mut found = *found.ok_or_else(|| self.wrong("the file ends inside a section"))?;
        self.at += N;
        if self.big {
            found.reverse();
        }
        Ok(found)
    }

    fn int(&mut self) -> Result<i32, Error> {
        self.take().map(i32::from_le_bytes)
    }

    fn size(&mut self) -> Result<u64, Error> {
        self.take().map(u64::from_le_bytes)
    }

    fn real(&mut self) -> Result<f64, Error> {
        self.take().map(f64::from_le_bytes)
    }

    fn point(&mut self) -> Result<Vec3, Error> {
        Ok(Vec3::new(self.real()?, self.real()?, self.real()?))
    }

    /// A number that cannot be negative.
    fn natural(&mut self, what: &str) -> Result<u32, Error> {
        let value = self.int()?;
        u32::try_from(value).map_err(|_| self.wrong(format!("{what} is {value}")))
    }

    /// So many things of so many bytes each: never more than are left.
    fn checked(&self, count: u64, each: usize, what: &str) -> Result<usize, Error> {
        let left = self.bytes.len() - self.at;
        let fits = usize::try_from(count)
            .ok()
            .filter(|count| count.checked_mul(each).is_some_and(|all| all <= left));
        fits.ok_or_else(|| {
            self.wrong(format!("{count} {what} of {each} bytes or more, and {left} bytes are left"))
        })
    }

    fn count(&mut self, each: usize, what: &str) -> Result<usize, Error> {
        let count = self.size()?;
        self.checked(count, each, what)
    }

    fn skip(&mut self, count: usize, each: usize, what: &str) -> Result<(), Error> {
        self.at += self.checked(count as u64, each, what)? * each;
        Ok(())
    }

    /// A line of text without its end.
    fn line(&mut self) -> Result<String, Error> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().take(LONGEST).position(|byte| *byte == b'\n');
        let line = &rest[..end.ok_or_else(|| self.wrong("a line of text should end here"))?];
        let text = std::str::from_utf8(line).map_err(|_| self.wrong("a line of text should be here"))?;
        self.at += line.len() + 1;
        Ok(text.trim().into())
    }

    /// A count in a line of its own.
    fn count_line(&mut self, each: usize, what: &str) -> Result<usize, Error> {
        let line = self.line()?;
        let count = line.parse().map_err(|_| self.wrong(format!("'{line}' is no number of {what}")))?;
        self.checked(count, each, what)
    }

    /// The line that begins a section; none at the end of the file.
    fn section(&mut self) -> Result<Option<String>, Error> {
        self.blank();
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let line = self.line()?;
        if line.starts_with('$') {
            Ok(Some(line))
        } else {
            Err(self.wrong("a section should begin before here"))
        }
    }

    fn blank(&mut self) {
        let blank = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += blank;
    }

    /// Goes to behind the line that ends a section; what is left of one that was read is its end.
    fn end(&mut self, section: &str) -> Result<(), Error> {
        let end = format!("$End{}", &section[1..]);
        let found = self.bytes[self.at..].windows(end.len()).position(|window| window == end.as_bytes());
        self.at += found.ok_or_else(|| self.wrong(format!("{end} is missing")))? + end.len();
        Ok(())
    }

    fn format(&mut self) -> Result<(), Error> {
        let line = self.line()?;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        self.version = match words.as_slice() {
            ["2.2" | "2", _, "8"] => 2,
            ["4.1", _, "8"] => 4,
            _ => {
                let reason = format!("format '{line}': 2.2 and 4.1 with numbers of 8 bytes are read");
                return Err(self.wrong(reason));
            }
        };
        self.big = match self.take()? {
            [1, 0, 0, 0] => false,
            [0, 0, 0, 1] => true,
            one => {
                return Err(self.wrong(format!("{one:?} where the number 1 should tell the order of bytes")));
            }
        };
        Ok(())
    }

    fn physical_names(&mut self) -> Result<(), Error> {
        for _ in 0..self.count_line(1, "names")? {
            let line = self.line()?;
            let mut words = line.splitn(3, ' ');
            let mut number = || words.next().and_then(|word| word.parse::<i64>().ok());
            let (Some(dimension), Some(tag)) = (number(), number()) else {
                return Err(self.wrong(format!("'{line}' is no physical name")));
            };
            let name = words.next().unwrap_or_default().trim().trim_matches('"');
            self.contents.name(dimension, tag, name);
        }
        Ok(())
    }

    fn entities(&mut self) -> Result<(), Error> {
        let counts = [self.size()?, self.size()?, self.size()?, self.size()?];
        // Tag, then a place or a box, physical groups and, except of points, what bounds them.
        for (dimension, count) in (0..).zip(counts) {
            let reals = if dimension == 0 { 3 } else { 6 };
            for _ in 0..self.checked(count, 4 + 8 * reals + 8, "entities")? {
                let tag = i64::from(self.int()?);
                self.skip(reals, 8, "numbers")?;
                let groups = self.count(4, "groups")?;
                let mut first = None;
                for _ in 0..groups {
                    let group = i64::from(self.int()?);
                    first.get_or_insert(group);
                }
                if let Some(group) = first {
                    self.contents.entity(dimension, tag, group);
                }
                if dimension > 0 {
                    let bounds = self.count(4, "bounds")?;
                    self.skip(bounds, 4, "bounds")?;
                }
            }
        }
        Ok(())
    }

    fn nodes_2(&mut self) -> Result<(), Error> {
        for _ in 0..self.count_line(28, "nodes")? {
            let tag = self.natural("the tag of a node")?;
            let point = self.point()?;
            self.contents.node(tag.into(), point);
        }
        Ok(())
    }

    fn nodes_4(&mut self) -> Result<(), Error> {
        let blocks = self.count(20, "blocks")?;
        self.skip(3, 8, "numbers of nodes")?;
        for _ in 0..blocks {
            let (dimension, _, parametric) = (self.natural("the dimension")?, self.int()?, self.int()?);
            // Places on a curve or a surface follow their coordinates.
            let more = if parametric == 0 { 0 } else { dimension.min(3) as usize };
            let count = self.count(8 + 24 + 8 * more, "nodes")?;
            let mut places = Reader { contents: Contents::default(), at: self.at + 8 * count, ..*self };
            for _ in 0..count {
                let tag = self.size()?;
                let point = places.point()?;
                places.skip(more, 8, "numbers")?;
                self.contents.node(tag, point);
            }
            self.at = places.at;
        }
        Ok(())
    }

    /// Nodes of an element of this type.
    fn kind(&mut self) -> Result<(u32, usize), Error> {
        let kind = self.natural("the type of an element")?;
        let nodes =
            nodes_of(kind).ok_or_else(|| self.wrong(format!("elements of type {kind} are not known")))?;
        Ok((kind, nodes))
    }

    fn elements_2(&mut self) -> Result<(), Error> {
        let mut left = self.count_line(4, "elements")?;
        while left > 0 {
            let (kind, nodes) = self.kind()?;
            let count = self.natural("a number of elements")?;
            let tags = self.natural("a number of tags")? as usize;
            let count = self.checked(count.into(), 4 * (1 + tags + nodes), "elements")?;
            if count == 0 || count > left {
                return Err(self.wrong(format!("a block of {count} elements where {left} are left")));
            }
            left -= count;
            for _ in 0..count {
                self.int()?;
                let mut physical = 0;
                for tag in 0..tags {
                    let value = self.int()?;
                    physical = if tag == 0 { value.into() } else { physical };
                }
                self.element(kind, nodes, physical, |reader| Ok(reader.natural("a node")?.into()))?;
            }
        }
        Ok(())
    }

    fn elements_4(&mut self) -> Result<(), Error> {
        let blocks = self.count(20, "blocks")?;
        self.skip(3, 8, "numbers of elements")?;
        for _ in 0..blocks {
            let (_, entity) = (self.int()?, i64::from(self.int()?));
            let (kind, nodes) = self.kind()?;
            let physical = self.contents.physical_of(kind, entity);
            for _ in 0..self.count(8 * (1 + nodes), "elements")? {
                self.size()?;
                self.element(kind, nodes, physical, Self::size)?;
            }
        }
        Ok(())
    }

    /// The nodes of an element, which `tag` reads; its corners are kept where they are wanted.
    fn element(
        &mut self,
        kind: u32,
        nodes: usize,
        physical: i64,
        tag: impl Fn(&mut Self) -> Result<u64, Error>,
    ) -> Result<(), Error> {
        let place = Place::Byte(self.at);
        let mut corners = [0; 4];
        for node in 0..nodes {
            let tag = tag(self)?;
            if let Some(corner) = corners.get_mut(node) {
                *corner = tag;
            }
        }
        let count = self.contents.wanted(kind, place)?;
        self.contents.element(kind, &corners[..count], physical, place)
    }
}
