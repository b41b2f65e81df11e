//! Triangles or tetrahedra with values as a VTU file, VTK's XML format of unstructured grids, which ParaView and others open.
//!
//! Arrays are raw bytes behind the XML (`appended`, little-endian), each after its length as 64 bits.

use std::io::Write;
use std::path::Path;

use super::{Error, atomic};
use numerics::vec3::Vec3;

/// Values, one for each cell or each point.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Real ones.
    Real(&'a [f64]),
    /// Whole ones.
    Whole(&'a [u32]),
    /// Vectors.
    Vectors(&'a [Vec3]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Vectors(values) => values.len(),
        }
    }

    fn array<'a>(&self, name: &'a str) -> Array<'a> {
        let (kind, components, size) = match self {
            Self::Real(_) => ("Float64", 1, 8),
            Self::Whole(_) => ("UInt32", 1, 4),
            Self::Vectors(_) => ("Float64", 3, 24),
        };
        Array { kind, name, components, bytes: (size * self.len()) as u64 }
    }

    fn write(&self, file: &mut impl Write) -> std::io::Result<()> {
        match self {
            Self::Real(values) => values.iter().try_for_each(|x| file.write_all(&x.to_le_bytes())),
            Self::Whole(values) => values.iter().try_for_each(|x| file.write_all(&x.to_le_bytes())),
            Self::Vectors(values) => {
                values.iter().flat_map(|v| v.to_array()).try_for_each(|x| file.write_all(&x.to_le_bytes()))
            }
        }
    }
}

/// Named values. Names have no characters that XML would take for its own.
pub type Named<'a> = [(&'a str, Values<'a>)];

/// An array of the file: type, name, numbers of a tuple, and bytes.
struct Array<'a> {
    kind: &'static str,
    name: &'a str,
    components: usize,
    bytes: u64,
}

fn arrays<'a>(values: &Named<'a>) -> Vec<Array<'a>> {
    values.iter().map(|(name, values)| values.array(name)).collect()
}

/// What is written: cells of `N` corners, which are triangles or tetrahedra.
#[derive(Debug, Clone, Copy)]
pub struct Grid<'a, const N: usize> {
    /// m
    pub points: &'a [Vec3],
    /// Corners.
    pub cells: &'a [[u32; N]],
    /// Values at the points.
    pub at_points: &'a Named<'a>,
    /// Values of the cells.
    pub at_cells: &'a Named<'a>,
}

impl<const N: usize> Grid<'_, N> {
    /// VTK's number of a triangle or a tetrahedron.
    const KIND: u8 = {
        assert!(N == 3 || N == 4);
        if N == 3 { 5 } else { 10 }
    };

    /// Writes the file under its name only when it is complete.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let of_points = self.at_points.iter().map(|values| (self.points.len(), values));
        let of_cells = self.at_cells.iter().map(|values| (self.cells.len(), values));
        for (needed, (name, values)) in of_points.chain(of_cells) {
            if values.len() != needed {
                let (name, shape) = ((*name).into(), vec![needed]);
                return Err(Error::Shape { path: path.into(), name, shape, values: values.len() });
            }
        }
        atomic::write(path, |file| {
            self.header(file)?;
            self.body(file)
        })
    }

    /// The sections of the file and their arrays, in the order of the bytes.
    fn sections(&self) -> [(&'static str, Vec<Array<'_>>); 4] {
        let array =
            |kind, name, components, bytes: usize| Array { kind, name, components, bytes: bytes as u64 };
        let cells = self.cells.len();
        [
            ("Points", vec![array("Float64", "points", 3, 24 * self.points.len())]),
            (
                "Cells",
                vec![
                    array("UInt32", "connectivity", 1, 4 * N * cells),
                    array("UInt64", "offsets", 1, 8 * cells),
                    array("UInt8", "types", 1, cells),
                ],
            ),
            ("PointData", arrays(self.at_points)),
            ("CellData", arrays(self.at_cells)),
        ]
    }

    fn header(&self, file: &mut impl Write) -> std::io::Result<()> {
        writeln!(file, "<?xml version=\"1.0\"?>")?;
        let order = "byte_order=\"LittleEndian\" header_type=\"UInt64\"";
        writeln!(file, "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" {order}>\n<UnstructuredGrid>")?;
        let (points, cells) = (self.points.len(), self.cells.len());
        writeln!(file, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">")?;
        let mut offset = 0;
        for (section, arrays) in self.sections() {
            writeln!(file, "<{section}>")?;
            for Array { kind, name, components, bytes } in arrays {
                writeln!(
                    file,
                    "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>"
                )?;
                offset += 8 + bytes;
            }
            writeln!(file, "</{section}>")?;
        }
        writeln!(file, "</Piece>\n</UnstructuredGrid>")?;
        write!(file, "<AppendedData encoding=\"raw\">\n_")
    }

    fn body(&self, file: &mut impl Write) -> std::io::Result<()> {
        let sections = self.sections();
        let mut lengths = sections.iter().flat_map(|(_, arrays)| arrays).map(|array| array.bytes);
        let mut begin =
            |file: &mut dyn Write| file.write_all(&lengths.next().unwrap_or_default().to_le_bytes());
        begin(file)?;
        Values::Vectors(self.points).write(file)?;
        begin(file)?;
        Values::Whole(self.cells.as_flattened()).write(file)?;
        begin(file)?;
        (1..=self.cells.len()).try_for_each(|cell| file.write_all(&((N * cell) as u64).to_le_bytes()))?;
        begin(file)?;
        self.cells.iter().try_for_each(|_| file.write_all(&[Self::KIND]))?;
        for (_, values) in self.at_points.iter().chain(self.at_cells) {
            begin(file)?;
            values.write(file)?;
        }
        file.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }
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
        let moved = points.map(|point| point * 2.0);
        let at_points = [("moved", Values::Vectors(&moved))];
        let grid = Grid { points: &points, cells: &triangles, at_points: &at_points, at_cells: &values };
        grid.write(&path).unwrap();
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
        assert_eq!(reals("moved"), moved.iter().flat_map(|point| point.to_array()).collect::<Vec<_>>());
        assert_eq!(reals("level"), [-3.5, 2.0]);
        let whole: Vec<u8> = [0u32, 1, 2, 0, 2, 3].iter().flat_map(|vertex| vertex.to_le_bytes()).collect();
        assert_eq!(array("connectivity"), whole);
        assert_eq!(array("offsets"), [3u64, 6].map(u64::to_le_bytes).concat());
        assert_eq!((array("types"), array("group")), (vec![5; 2], [7u32, 8].map(u32::to_le_bytes).concat()));
    }

    #[test]
    fn arrays_of_another_length_are_refused_and_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let two = [("level", Values::Real(&[1.0, 2.0]))];
        let grid = Grid { points: &[Vec3::ZERO], cells: &[[0; 3]], at_points: &[], at_cells: &two };
        let error = grid.write(folder.path().join("a.vtu"));
        assert!(matches!(error, Err(Error::Shape { values: 2, .. })));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
