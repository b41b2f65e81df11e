//! Triangles with values on them as a VTU file, VTK's XML format of unstructured grids, which ParaView and others open.
//!
//! Arrays are raw bytes behind the XML (`appended`, little-endian), each after its length as 64 bits.

use std::io::Write;
use std::path::Path;

use super::Error;
use super::atomic::AtomicFile;
use crate::vec3::Vec3;

/// VTK's number of a triangle.
const TRIANGLE: u8 = 5;

/// Values, one for each triangle.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Real ones.
    Real(&'a [f64]),
    /// Whole ones.
    Whole(&'a [u32]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Whole(values) => values.len(),
        }
    }
}

/// An array of the file: type, name, numbers of a tuple, and bytes.
struct Array<'a> {
    kind: &'static str,
    name: &'a str,
    components: usize,
    bytes: u64,
}

/// Writes triangles with named values. Names have no characters that XML would take for its own.
pub fn write(
    path: impl AsRef<Path>,
    points: &[Vec3],
    triangles: &[[u32; 3]],
    values: &[(&str, Values<'_>)],
) -> Result<(), Error> {
    let path = path.as_ref();
    for (name, values) in values {
        if values.len() != triangles.len() {
            let (name, shape) = ((*name).into(), vec![triangles.len()]);
            return Err(Error::Shape { path: path.into(), name, shape, values: values.len() });
        }
    }
    let failed = |source| Error::write(path, source);
    let mut file = AtomicFile::create(path)?;
    header(&mut file, points.len(), triangles.len(), values).map_err(failed)?;
    body(&mut file, points, triangles, values).map_err(failed)?;
    file.commit()
}

/// The arrays of points and cells, and of values.
fn arrays<'a>(points: usize, triangles: usize, values: &[(&'a str, Values<'_>)]) -> Vec<Array<'a>> {
    let array = |kind, name, components, bytes: usize| Array { kind, name, components, bytes: bytes as u64 };
    let mut all = vec![
        array("Float64", "points", 3, 24 * points),
        array("UInt32", "connectivity", 1, 12 * triangles),
        array("UInt64", "offsets", 1, 8 * triangles),
        array("UInt8", "types", 1, triangles),
    ];
    all.extend(values.iter().map(|(name, values)| match values {
        Values::Real(_) => array("Float64", name, 1, 8 * triangles),
        Values::Whole(_) => array("UInt32", name, 1, 4 * triangles),
    }));
    all
}

fn header(
    file: &mut impl Write,
    points: usize,
    triangles: usize,
    values: &[(&str, Values<'_>)],
) -> std::io::Result<()> {
    writeln!(file, "<?xml version=\"1.0\"?>")?;
    let order = "byte_order=\"LittleEndian\" header_type=\"UInt64\"";
    writeln!(file, "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" {order}>\n<UnstructuredGrid>")?;
    writeln!(file, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{triangles}\">")?;
    let mut offset = 0;
    for (at, array) in arrays(points, triangles, values).iter().enumerate() {
        match at {
            0 => writeln!(file, "<Points>")?,
            1 => writeln!(file, "</Points>\n<Cells>")?,
            4 => writeln!(file, "</Cells>\n<CellData>")?,
            _ => {}
        }
        let Array { kind, name, components, bytes } = array;
        writeln!(
            file,
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>"
        )?;
        offset += 8 + bytes;
    }
    let end = if values.is_empty() { "</Cells>" } else { "</CellData>" };
    writeln!(file, "{end}\n</Piece>\n</UnstructuredGrid>")?;
    write!(file, "<AppendedData encoding=\"raw\">\n_")
}

fn body(
    file: &mut impl Write,
    points: &[Vec3],
    triangles: &[[u32; 3]],
    values: &[(&str, Values<'_>)],
) -> std::io::Result<()> {
    let all = arrays(points.len(), triangles.len(), values);
    let begin = |file: &mut dyn Write, at: usize| file.write_all(&all[at].bytes.to_le_bytes());
    begin(file, 0)?;
    points.iter().flat_map(|point| point.to_array()).try_for_each(|x| file.write_all(&x.to_le_bytes()))?;
    begin(file, 1)?;
    triangles.iter().flatten().try_for_each(|vertex| file.write_all(&vertex.to_le_bytes()))?;
    begin(file, 2)?;
    (1..=triangles.len() as u64).try_for_each(|cell| file.write_all(&(3 * cell).to_le_bytes()))?;
    begin(file, 3)?;
    triangles.iter().try_for_each(|_| file.write_all(&[TRIANGLE]))?;
    for (at, (_, values)) in values.iter().enumerate() {
        begin(file, 4 + at)?;
        match values {
            Values::Real(values) => values.iter().try_for_each(|x| file.write_all(&x.to_le_bytes()))?,
            Values::Whole(values) => values.iter().try_for_each(|x| file.write_all(&x.to_le_bytes()))?,
        }
    }
    file.write_all(b"\n</AppendedData>\n</VTKFile>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_lie_where_the_header_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.vtu");
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 2.0, 0.5]].map(Vec3::from);
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let values = [("level", Values::Real(&[-3.5, 2.0])), ("group", Values::Whole(&[7, 8]))];
        write(&path, &points, &triangles, &values).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let mark = b"encoding=\"raw\">\n_";
        let start = bytes.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len();
        let text = String::from_utf8(bytes[..start].to_vec()).unwrap() + "</AppendedData></VTKFile>";
        let document = roxmltree::Document::parse(&text).unwrap();
        let piece = document.descendants().find(|node| node.has_tag_name("Piece")).unwrap();
        assert_eq!(
            (piece.attribute("NumberOfPoints"), piece.attribute("NumberOfCells")),
            (Some("4"), Some("2"))
        );
        let array = |name: &str| {
            let found = |node: &roxmltree::Node<'_, '_>| node.attribute("Name") == Some(name);
            let offset: usize =
                document.descendants().find(found).unwrap().attribute("offset").unwrap().parse().unwrap();
            let at = start + offset;
            let length = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
            bytes[at + 8..at + 8 + length].to_vec()
        };
        let reals = |name: &str| -> Vec<f64> {
            array(name).chunks(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
        };
        assert_eq!(reals("points"), points.iter().flat_map(|point| point.to_array()).collect::<Vec<_>>());
        assert_eq!(reals("level"), [-3.5, 2.0]);
        let whole: Vec<u8> = [0u32, 1, 2, 0, 2, 3].iter().flat_map(|vertex| vertex.to_le_bytes()).collect();
        assert_eq!(array("connectivity"), whole);
        assert_eq!(array("offsets"), [3u64, 6].map(u64::to_le_bytes).concat());
        assert_eq!((array("types"), array("group")), (vec![5; 2], [7u32, 8].map(u32::to_le_bytes).concat()));
    }

    #[test]
    fn arrays_of_another_length_are_refused_and_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let triangles = [[0, 0, 0]];
        let two = [("level", Values::Real(&[1.0, 2.0]))];
        let error = write(folder.path().join("a.vtu"), &[Vec3::ZERO], &triangles, &two);
        assert!(matches!(error, Err(Error::Shape { values: 2, .. })));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
