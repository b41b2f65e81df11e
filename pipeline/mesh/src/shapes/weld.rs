//! Making one vertex of points at one place.

use crate::Mesh;
use crate::indexed::Indexed;
use numerics::vec3::Vec3;

/// A mesh in which points at the same place, to 1e-9 of the largest coordinate, are one, without the triangles that lose their area by it.
pub fn welded(points: &[Vec3], faces: impl Iterator<Item = [u32; 3]>, name: &str) -> Mesh {
    let largest = points.iter().flat_map(|point| point.to_array()).fold(0.0, |a: f64, b| a.max(b.abs()));
    let mut vertices = Indexed::default();
    let mut place = |point: &Vec3| {
        vertices.index(point.to_array().map(|x| (1e9 * x / largest).round() as i64), || *point)
    };
    let index: Vec<u32> = points.iter().map(&mut place).collect();
    let faces = faces.map(|face| face.map(|corner| index[corner as usize]));
    let triangles = faces.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    Mesh::new(vertices.values, triangles, name)
}
