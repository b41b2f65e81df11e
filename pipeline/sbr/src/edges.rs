//! Edges of a mesh and the faces that meet there.

use mesh::Mesh;
use mesh::check::Side;
use numerics::vec3::Vec3;
use std::f64::consts::PI;

/// Faces whose directions from the edge differ by less than this are one on top of the other.
const SAME_FACE: f64 = 1e-9;

pub fn edges(sides: &[Side]) -> impl Iterator<Item = &[Side]> {
    sides.chunk_by(Side::is_same_edge)
}

/// By how much the faces of an edge turn, rad: 0 on a plane, pi at an open border. Of three faces or more,
/// the two that turn most; faces on top of each other are one.
pub fn turn(mesh: &Mesh, edge: &[Side]) -> f64 {
    let mut faces: Vec<Vec3> = Vec::with_capacity(edge.len());
    for inside in edge.iter().map(|side| side.inside(mesh)) {
        if faces.iter().all(|face| (*face - inside).length() > SAME_FACE) {
            faces.push(inside);
        }
    }
    if faces.len() < 2 {
        return PI;
    }
    let pairs = faces.iter().enumerate().flat_map(|(i, a)| faces[..i].iter().map(move |b| (*a, *b)));
    pairs.map(|(a, b)| a.cross(b).length().atan2(-a.dot(b))).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesh::check::sides;
    use mesh::shapes;

    fn turns(mesh: &Mesh) -> Vec<f64> {
        edges(&sides(mesh)).map(|edge| turn(mesh, edge)).collect()
    }

    #[test]
    fn planes_borders_and_creases_turn_by_their_angles() {
        let mut plate = turns(&shapes::plate(1.0, 2.0));
        plate.sort_by(f64::total_cmp);
        assert_eq!(plate.len(), 5);
        assert!(plate[0] < 1e-15 && plate[1..] == [PI; 4], "{plate:?}");
        let corner = turns(&shapes::trihedral(1.0));
        assert_eq!(corner.iter().filter(|turn| (**turn - 0.5 * PI).abs() < 1e-12).count(), 3);
        assert_eq!(corner.iter().filter(|turn| **turn == PI).count(), 3);
    }

    #[test]
    fn triangles_given_twice_turn_as_if_given_once_and_those_without_area_are_not_there() {
        let once = shapes::trihedral(1.0);
        let mut twice = once.clone();
        twice.triangles.extend(once.triangles.clone());
        twice.triangles.push([0, 1, 1]);
        twice.groups = vec![0; twice.triangles.len()];
        assert_eq!(turns(&twice), turns(&once));
    }
}
