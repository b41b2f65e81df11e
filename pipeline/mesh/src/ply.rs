//! PLY, text and binary of both byte orders: `x`, `y`, `z` of element `vertex`, and the list of element `face`.

use super::source::Source;
use super::text::{Line, Lines};
use super::{Error, Mesh};
use numerics::vec3::Vec3;

/// Most corners of a face; more is no polygon but a damaged file.
const MOST_CORNERS: u32 = 1 << 16;

/// The mesh in the bytes of a PLY file.
pub fn parse(bytes: &[u8]) -> Result<Mesh, Error> {
    let (header, body) = Header::parse(bytes)?;
    let mut source = match header.big {
        None => Source::text(bytes)?,
        Some(big) => Source::Binary { bytes, at: body, big },
    };
    if let Source::Text { lines, .. } = &mut source {
        lines.take_while(|line| line.peek() != Some("end_header")).for_each(drop);
    }
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
    for Property { name, kind, list } in &element.properties {
        let length = list.map_or(Ok(1), |list| whole(source, list, MOST_CORNERS, "length of a list"))?;
        let mut corners = Vec::new();
        for _ in 0..length {
            match (element.name.as_str(), name.as_str()) {
                ("vertex", "x") => position.x = number(source, *kind)?,
                ("vertex", "y") => position.y = number(source, *kind)?,
                ("vertex", "z") => position.z = number(source, *kind)?,
                ("face", "vertex_indices" | "vertex_index") => {
                    corners.push(whole(source, *kind, u32::MAX, "vertex")?);
                }
                _ => {
                    number(source, *kind)?;
                }
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

/// Names of a type, its bytes, and its value from a word of which they are the lowest.
type Kind = (&'static str, &'static str, usize, fn(u64) -> f64);

#[rustfmt::skip]
const KINDS: [Kind; 8] = [
    ("char", "int8", 1, |word| (word as i8).into()),
    ("uchar", "uint8", 1, |word| (word as u8).into()),
    ("short", "int16", 2, |word| (word as i16).into()),
    ("ushort", "uint16", 2, |word| (word as u16).into()),
    ("int", "int32", 4, |word| (word as i32).into()),
    ("uint", "uint32", 4, |word| (word as u32).into()),
    ("float", "float32", 4, |word| f32::from_bits(word as u32).into()),
    ("double", "float64", 8, f64::from_bits),
];

fn kind(line: &mut Line<'_>) -> Result<Kind, Error> {
    let word = line.word("a type")?;
    let known = KINDS.into_iter().find(|(short, sized, ..)| [short, sized].contains(&&word));
    known.ok_or_else(|| line.wrong(format!("'{word}' is no type of PLY")))
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
    /// Whether the highest byte of a number comes first; none where numbers are text.
    big: Option<bool>,
    elements: Vec<Element>,
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
        let mut header = Self { big: None, elements: Vec::new() };
        lines.try_for_each(|line| header.take(line, bytes.len()))?;
        Ok((header, body))
    }

    fn take(&mut self, mut line: Line<'_>, bytes: usize) -> Result<(), Error> {
        match line.word("a keyword")? {
            "format" => {
                self.big = match line.word("the format")? {
                    "ascii" => None,
                    "binary_little_endian" => Some(false),
                    "binary_big_endian" => Some(true),
                    word => return Err(line.wrong(format!("'{word}' is no format of PLY"))),
                }
            }
            "element" => {
                let (name, count) = (line.word("a name")?.into(), line.number("elements")?);
                if count > bytes {
                    return Err(line.wrong(format!("{count} elements, and the whole file has {bytes} bytes")));
                }
                self.elements.push(Element { name, count, properties: vec![] });
            }
            "property" => {
                let is_list = line.peek() == Some("list");
                let list = is_list.then(|| line.word("list").and_then(|_| kind(&mut line))).transpose()?;
                let (kind, name) = (kind(&mut line)?, line.word("a name")?.into());
                let element = self.elements.last_mut();
                let element = element.ok_or_else(|| line.wrong("a property before an element"))?;
                element.properties.push(Property { name, kind, list });
            }
            _ => {}
        }
        Ok(())
    }
}

/// The next number of the body, whatever line it is in.
fn number(source: &mut Source<'_>, (_, _, bytes, decode): Kind) -> Result<f64, Error> {
    if let Source::Text { line, .. } = source
        && !line.has_words()
    {
        source.record("a number")?;
    }
    source.number("a number", bytes, decode)
}

/// The next number, which must be a whole one.
fn whole(source: &mut Source<'_>, kind: Kind, most: u32, what: &str) -> Result<u32, Error> {
    let value = number(source, kind)?;
    let is_right = value >= 0.0 && value.fract() == 0.0 && value <= most.into();
    is_right
        .then_some(value as u32)
        .ok_or_else(|| source.wrong(format!("{value} is no {what}: at most {most}")))
}
