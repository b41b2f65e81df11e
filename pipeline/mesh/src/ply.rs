//! PLY, text and binary of both byte orders: `x`, `y`, `z` of element `vertex`, and the list of element `face`.

use super::text::{Line, Lines};
use super::{Error, Mesh};
use numerics::vec3::Vec3;

/// Most corners of a face; more is no polygon but a damaged file.
const MOST_CORNERS: usize = 1 << 16;

/// The mesh in the bytes of a PLY file.
pub fn parse(bytes: &[u8]) -> Result<Mesh, Error> {
    let (header, body) = Header::parse(bytes)?;
    let mut source = match header.format {
        Format::Text => Source::Text { words: words(bytes, body)?, line: header.lines },
        Format::Binary { big } => Source::Binary { bytes, at: body, big },
    };
    let mut mesh = Mesh { names: vec!["default".into()], ..Mesh::default() };
    for element in &header.elements {
        for _ in 0..element.count {
            read(element, &mut source, &mut mesh)?;
        }
    }
    mesh.groups = vec![0; mesh.triangles.len()];
    Ok(mesh)
}

fn read(element: &Element, source: &mut Source<'_>, mesh: &mut Mesh) -> Result<(), Error> {
    let mut position = Vec3::ZERO;
    for property in &element.properties {
        let length = match property.list {
            Some(kind) => source.length(kind)?,
            None => 1,
        };
        let mut corners = Vec::new();
        for _ in 0..length {
            let value = source.number(property.kind)?;
            match (element.name.as_str(), property.name.as_str()) {
                ("vertex", "x") => position.x = value,
                ("vertex", "y") => position.y = value,
                ("vertex", "z") => position.z = value,
                ("face", "vertex_indices" | "vertex_index") => corners.push(source.index(value)?),
                _ => {}
            }
        }
        for pair in corners.get(1..).unwrap_or_default().windows(2) {
            mesh.triangles.push([corners[0], pair[0], pair[1]]);
        }
    }
    if element.name == "vertex" {
        mesh.vertices.push(position);
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Format {
    Text,
    Binary { big: bool },
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn parse(line: &mut Line<'_>) -> Result<Self, Error> {
        Ok(match line.word("a type")? {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            word => return Err(Error::line(line.number, format!("'{word}' is no type of PLY"))),
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

struct Property {
    name: String,
    kind: Kind,
    /// Type of the length, for lists.
    list: Option<Kind>,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

struct Header {
    format: Format,
    elements: Vec<Element>,
    lines: usize,
}

impl Header {
    /// The header, and where the body begins.
    fn parse(bytes: &[u8]) -> Result<(Self, usize), Error> {
        let mark = b"end_header";
        let found = bytes.windows(mark.len()).position(|window| window == mark);
        let end = found.ok_or_else(|| Error::line(1, "no PLY: the line end_header is missing"))? + mark.len();
        let newline = bytes[end..].iter().position(|byte| *byte == b'\n');
        let body = end + newline.ok_or_else(|| Error::byte(end, "the file ends with its header"))? + 1;
        let mut lines = Lines::new(&bytes[..end])?;
        if lines.need("ply")?.rest() != "ply" {
            return Err(Error::line(1, "a PLY file begins with ply"));
        }
        let mut header = Self { format: Format::Text, elements: Vec::new(), lines: 0 };
        for line in lines {
            header.lines = line.number;
            header.take(line, bytes.len())?;
        }
        Ok((header, body))
    }

    fn take(&mut self, mut line: Line<'_>, bytes: usize) -> Result<(), Error> {
        match line.word("a keyword")? {
            "format" => {
                self.format = match line.word("the format")? {
                    "ascii" => Format::Text,
                    "binary_little_endian" => Format::Binary { big: false },
                    "binary_big_endian" => Format::Binary { big: true },
                    word => return Err(Error::line(line.number, format!("'{word}' is no format of PLY"))),
                }
            }
            "element" => {
                let name = line.word("a name")?.into();
                self.elements.push(Element {
                    name,
                    count: line.count("elements", bytes)?,
                    properties: vec![],
                });
            }
            "property" => {
                let list = line.clone().next_word() == Some("list");
                if list {
                    line.word("list")?;
                }
                let list = if list { Some(Kind::parse(&mut line)?) } else { None };
                let kind = Kind::parse(&mut line)?;
                let name = line.word("a name")?.into();
                let element = self.elements.last_mut();
                let element =
                    element.ok_or_else(|| Error::line(line.number, "a property before an element"))?;
                element.properties.push(Property { name, kind, list });
            }
            _ => {}
        }
        Ok(())
    }
}

/// The numbers of the body.
enum Source<'a> {
    Text { words: Words<'a>, line: usize },
    Binary { bytes: &'a [u8], at: usize, big: bool },
}

/// Words of the body with the line that they are in, after the header.
type Words<'a> = Box<dyn Iterator<Item = (usize, &'a str)> + 'a>;

fn words(bytes: &[u8], body: usize) -> Result<Words<'_>, Error> {
    let text = std::str::from_utf8(&bytes[body..]);
    let text = text.map_err(|error| Error::byte(body + error.valid_up_to(), "no text"))?;
    let lines = text.lines().enumerate();
    Ok(Box::new(lines.flat_map(|(line, text)| text.split_ascii_whitespace().map(move |word| (line, word)))))
}

impl Source<'_> {
    fn wrong(&self, reason: String) -> Error {
        match self {
            Self::Text { line, .. } => Error::line(*line, reason),
            Self::Binary { at, .. } => Error::byte(*at, reason),
        }
    }

    fn number(&mut self, kind: Kind) -> Result<f64, Error> {
        match self {
            Self::Text { words, line } => {
                let ended = || Error::line(*line, "the file ends before its elements do");
                let (at, word) = words.next().ok_or_else(ended)?;
                let wrong = || Error::line(*line + at + 1, format!("'{word}' is no number"));
                word.parse().map_err(|_| wrong())
            }
            Self::Binary { bytes, at, big } => {
                let end = at.saturating_add(kind.bytes());
                let ended = || Error::byte(*at, "the file ends before its elements do");
                let value = decode(bytes.get(*at..end).ok_or_else(ended)?, kind, *big);
                *at = end;
                Ok(value)
            }
        }
    }

    fn length(&mut self, kind: Kind) -> Result<usize, Error> {
        let value = self.number(kind)?;
        if value >= 0.0 && value.fract() == 0.0 && value <= MOST_CORNERS as f64 {
            return Ok(value as usize);
        }
        Err(self.wrong(format!("a list of {value} numbers: at most {MOST_CORNERS}")))
    }

    fn index(&self, value: f64) -> Result<u32, Error> {
        if value >= 0.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX) {
            return Ok(value as u32);
        }
        Err(self.wrong(format!("{value} is no vertex")))
    }
}

fn decode(bytes: &[u8], kind: Kind, big: bool) -> f64 {
    let mut raw = [0; 8];
    raw[..bytes.len()].copy_from_slice(bytes);
    if big {
        raw[..bytes.len()].reverse();
    }
    let word = u64::from_le_bytes(raw);
    match kind {
        Kind::I8 => f64::from(word as u8 as i8),
        Kind::U8 => f64::from(word as u8),
        Kind::I16 => f64::from(word as u16 as i16),
        Kind::U16 => f64::from(word as u16),
        Kind::I32 => f64::from(word as u32 as i32),
        Kind::U32 => f64::from(word as u32),
        Kind::F32 => f64::from(f32::from_bits(word as u32)),
        Kind::F64 => f64::from_bits(word),
    }
}
