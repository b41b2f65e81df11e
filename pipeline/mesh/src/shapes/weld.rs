//! Making one vertex of points at one place.

use crate::Mesh;
use numerics::vec3::Vec3;
use std::collections::HashMap;

/// A mesh in which points at the same place, to 1e-9 of the largest coordinate, are one, without the triangles that lose their area by it.
pub fn welded(points: &[Vec3], faces: impl Iterator<Item = [u32; 3]>, name: &str) -> Mesh {
    let largest = points.iter().flat_map(|point| point.to_array()).fold(0.0, |a: f64, b| a.max(b.abs()));
    let mut known = HashMap::new();
    let mut vertices = Vec::new();
    let mut place = |point: &Vec3| {
        let key = point.to_array().map(|x| (1e9 * x / largest).round() as i64);
        *known.entry(key).or_insert_with(|| {
            vertices.push(*point);
            (vertices.len() - 1) as u32
        })
    };
    let index: Vec<u32> = points.iter().map(&mut place).collect();
    let faces = faces.map(|face| face.map(|corner| index[corner as usize]));
    let triangles = faces.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    Mesh::new(vertices, triangles, name)
}
