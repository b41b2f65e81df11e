//! STL, text and binary.
//!
//! An STL file repeats every corner in every triangle; corners with the same coordinates become one vertex. Stored normals are not read:
//! the order of the corners has the same information.

use super::indexed::Indexed;
use super::text::Lines;
use super::{Error, Mesh};
use numerics::vec3::Vec3;

const HEADER_BYTES: usize = 80;
const TRIANGLE_BYTES: usize = 50;

/// The mesh in the bytes of an STL file.
pub fn parse(bytes: &[u8]) -> Result<Mesh, Error> {
    // Binary files may begin with `solid`, too: their length decides.
    binary_triangles(bytes).map_or_else(|| text(bytes), |count| binary(bytes, count))
}

/// The number of triangles, if the length is that of a binary file.
fn binary_triangles(bytes: &[u8]) -> Option<usize> {
    let count = u32::from_le_bytes(bytes.get(HEADER_BYTES..HEADER_BYTES + 4)?.try_into().ok()?) as usize;
    let needed = count.checked_mul(TRIANGLE_BYTES)?.checked_add(HEADER_BYTES + 4)?;
    let is_text = bytes.starts_with(b"solid") && bytes.len() != needed;
    (!is_text && (bytes.len() >= needed || !bytes.is_ascii())).then_some(count)
}

fn binary(bytes: &[u8], count: usize) -> Result<Mesh, Error> {
    let body = &bytes[HEADER_BYTES + 4..];
    if body.len() / TRIANGLE_BYTES < count {
        let reason =
            format!("{count} triangles are announced, and there are {}", body.len() / TRIANGLE_BYTES);
        return Err(Error::byte(HEADER_BYTES, reason));
    }
    let mut corners = Corners::default();
    let mut triangles = Vec::with_capacity(count);
    for record in body.chunks_exact(TRIANGLE_BYTES).take(count) {
        // The normal comes first.
        let number = |i: usize| f64::from(f32::from_le_bytes(record.as_chunks().0[i]));
        triangles
            .push([3, 6, 9].map(|i| index(&mut corners, Vec3::new(number(i), number(i + 1), number(i + 2)))));
    }
    Ok(Mesh::new(corners.values, triangles, "solid"))
}

fn text(bytes: &[u8]) -> Result<Mesh, Error> {
    let mut mesh = Mesh::default();
    let mut corners = Corners::default();
    let mut open: Vec<u32> = Vec::new();
    let mut begun = false;
    for mut line in Lines::new(bytes)? {
        match line.word("a keyword")?.to_ascii_lowercase().as_str() {
            "solid" => {
                begun = true;
                mesh.names.push(line.rest());
            }
            "vertex" if open.len() < 3 => {
                let point = line.point("a coordinate")?;
                open.push(index(&mut corners, point));
            }
            "endfacet" if open.len() == 3 && begun => {
                mesh.triangles.push([open[0], open[1], open[2]]);
                mesh.groups.push((mesh.names.len() - 1) as u32);
                open.clear();
            }
            "vertex" | "endfacet" => {
                return Err(line.wrong("a facet has three vertices and lies in a solid"));
            }
            "facet" | "outer" | "endloop" | "endsolid" => {}
            word => return Err(line.wrong(format!("'{word}' is no keyword of STL"))),
        }
    }
    mesh.vertices = corners.values;
    Ok(mesh)
}

/// Vertices that are one where their coordinates are the same bits.
type Corners = Indexed<[u64; 3], Vec3>;

fn index(corners: &mut Corners, corner: Vec3) -> u32 {
    // Adding zero makes 0 of -0, which is the same place.
    corners.index(corner.to_array().map(|x| (x + 0.0).to_bits()), || corner)
}
