//! Closed surfaces through rings of points, and targets put together from them.

use super::super::{Mesh, check};
use super::weld::welded;
use crate::indexed::Indexed;
use numerics::vec3::Vec3;

/// A closed surface through `rings`, each with as many points, the first and last of which it closes. Which way the rings run does not matter: triangles look outwards.
///
/// A ring may be one point, or a line that its first half runs there and its second half back. Rings at the ends are closed by a strip from side to side, so that halves must
/// lie beside each other: convex rings do, and those that are the same on both sides of a line.
pub fn loft(rings: Vec<Vec<Vec3>>, name: &str) -> Mesh {
    let around = rings[0].len();
    let points = rings.concat();
    let at = |ring: usize, corner: usize| (ring * around + corner % around) as u32;
    let walls = (1..rings.len()).flat_map(|ring| {
        (0..around).flat_map(move |corner| {
            let [a, b] = [at(ring - 1, corner), at(ring - 1, corner + 1)];
            let [c, d] = [at(ring, corner), at(ring, corner + 1)];
            [[a, b, d], [a, d, c]]
        })
    });
    let last = rings.len() - 1;
    let back = strip(around).into_iter().map(move |[a, b, c]| [at(0, b), at(0, a), at(0, c)]);
    let front = strip(around).into_iter().map(move |corners| corners.map(|corner| at(last, corner)));
    let mut mesh = welded(&points, walls.chain(back).chain(front), name);
    if check::volume(&mesh) < 0.0 {
        mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    }
    mesh
}

/// Triangles of a ring from side to side: 0, 1, n - 1, 2, n - 2 and so on.
fn strip(around: usize) -> Vec<[usize; 3]> {
    let zigzag = |i: usize| if i.is_multiple_of(2) { (around - i / 2) % around } else { i.div_ceil(2) };
    let triangle = |i: usize| {
        let [a, b, c] = [zigzag(i), zigzag(i + 1), zigzag(i + 2)];
        if i.is_multiple_of(2) { [a, b, c] } else { [b, a, c] }
    };
    (0..around.saturating_sub(2)).map(triangle).collect()
}

/// The parts of a target as one mesh. Parts keep vertices of their own, and may reach into each other.
pub fn joined(parts: Vec<Mesh>) -> Mesh {
    let (mut all, mut names) = (Mesh::default(), Indexed::default());
    for part in parts {
        let first = all.vertices.len() as u32;
        all.vertices.extend(part.vertices);
        all.triangles.extend(part.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + first)));
        let group = names.index(part.names[0].clone(), || part.names[0].clone());
        all.groups.resize(all.triangles.len(), group);
    }
    Mesh { names: names.values, ..all }
}

/// The part and its mirror image on the other side of y = 0.
pub fn both_sides(part: Mesh) -> [Mesh; 2] {
    let mut other = part.clone().moved(|vertex| Vec3::new(vertex.x, -vertex.y, vertex.z));
    other.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    [part, other]
}
