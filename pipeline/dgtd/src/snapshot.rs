//! Fields in all elements, and currents on conductors, as files that ParaView opens.
//!
//! Between its nodes an element is cut into p^3 tetrahedra, a face into p^2 triangles: linear interpolation in them shows what polynomials have at the nodes, with the jumps between elements. With x = j + k + l, y = k + l, z = l
//! the lattice of nodes (i, j, k, l) is the part p >= x >= y >= z >= 0 of cells that [`kuhn`] cuts.

use super::design::{Design, Outside};
use super::mesh::kuhn;
use super::nodes::lattice;
use super::{Boundary, State};
use crate::tetrahedron::PERMUTATIONS;
use files::Error;
use files::vtu::{Grid, Values};
use numerics::constants::ETA_0;
use numerics::vec3::Vec3;
use std::collections::HashMap;
use std::path::Path;

/// Nodes of the tetrahedra that an element of this order is cut into.
pub fn tetrahedra(order: usize) -> Vec<[usize; 4]> {
    let number: HashMap<[usize; 4], usize> = lattice(order).into_iter().zip(0..).collect();
    let node = |[x, y, z]: [usize; 3]| {
        let is_inside = x <= order && y <= x && z <= y;
        is_inside.then(|| number[&[order - x, x - y, y - z, z]])
    };
    let cells = (0..order).flat_map(|z| (z..order).flat_map(move |y| (y..order).map(move |x| [x, y, z])));
    let paths = cells.flat_map(|cell| PERMUTATIONS.map(|axes| kuhn::path(cell, axes).map(node)));
    paths.filter_map(|[a, b, c, d]| Some([a?, b?, c?, d?])).collect()
}

/// Nodes of the triangles that face 3 is cut into, as indices of the nodes of a face; other faces are cut alike.
fn triangles(order: usize) -> Vec<[usize; 3]> {
    let on_face = lattice(order).into_iter().filter(|node| node[3] == 0);
    let number: HashMap<[usize; 2], usize> = on_face.map(|node| [node[1], node[2]]).zip(0..).collect();
    let cells = (0..order).flat_map(|j| (0..order - j).map(move |i| [i, j]));
    cells
        .flat_map(|[i, j]| [[[i, j], [i + 1, j], [i, j + 1]], [[i + 1, j], [i + 1, j + 1], [i, j + 1]]])
        .filter_map(|corners| {
            let [a, b, c] = corners.map(|corner| number.get(&corner).copied());
            Some([a?, b?, c?])
        })
        .collect()
}

/// Writes E, V/m, H, A/m, and the group of every element.
pub fn write_fields(path: &Path, design: &Design, states: &[State]) -> Result<(), Error> {
    let (nodes, parts) = (design.element.node_count(), tetrahedra(design.element.order));
    let points: Vec<Vec3> = (0..states.len()).map(|at| design.place(at / nodes, at % nodes)).collect();
    let elements = 0..design.cells.len();
    let cells: Vec<[u32; 4]> = elements
        .flat_map(|element| parts.iter().map(move |part| part.map(|node| (element * nodes + node) as u32)))
        .collect();
    let e: Vec<Vec3> = states.iter().map(|state| state.e).collect();
    let h: Vec<Vec3> = states.iter().map(|state| state.h * ETA_0.recip()).collect();
    let of_elements = design.mesh.volume().groups.iter();
    let groups: Vec<u32> = of_elements.flat_map(|group| std::iter::repeat_n(*group, parts.len())).collect();
    let at_points = [("e_v_per_m", Values::Vectors(&e)), ("h_a_per_m", Values::Vectors(&h))];
    let at_cells = [("group", Values::Whole(&groups))];
    Grid { points: &points, cells: &cells, at_points: &at_points, at_cells: &at_cells }.write(path)
}

/// Whether there are faces of perfect electric conductors.
pub fn has_conductors(design: &Design) -> bool {
    conductors(design).next().is_some()
}

/// Element and face of conductors.
fn conductors(design: &Design) -> impl Iterator<Item = (usize, usize)> {
    let faces = (0..design.cells.len()).flat_map(|element| (0..4).map(move |face| (element, face)));
    let wall = Outside::Boundary(Boundary::Pec);
    faces.filter(move |(element, face)| design.cells[*element].sides[*face].outside == wall)
}

/// Writes the currents n x H on conductors, A/m; n looks out of the conductor.
pub fn write_currents(path: &Path, design: &Design, states: &[State]) -> Result<(), Error> {
    let (nodes, parts) = (design.element.node_count(), triangles(design.element.order));
    let (mut points, mut cells, mut currents) = (Vec::new(), Vec::new(), Vec::new());
    for (element, face) in conductors(design) {
        let first = points.len();
        for node in &design.element.face_nodes[face] {
            let h = states[element * nodes + node].h;
            points.push(design.place(element, *node));
            currents.push(h.cross(design.cells[element].sides[face].normal) * ETA_0.recip());
        }
        cells.extend(parts.iter().map(|part| part.map(|node| (first + node) as u32)));
    }
    let at_points = [("current_a_per_m", Values::Vectors(&currents))];
    Grid { points: &points, cells: &cells, at_points: &at_points, at_cells: &[] }.write(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::{MOST, warp_and_blend};
    use crate::tetrahedron::FACES;

    /// The parts of an element are positive and fill it; so do those of a face.
    #[test]
    fn parts_fill_elements_and_faces() {
        for order in 1..=MOST {
            let nodes = warp_and_blend(order);
            let place = |node: usize| Vec3::new(nodes[node][1], nodes[node][2], nodes[node][3]);
            let volume = |part: [usize; 4]| {
                let [a, b, c, d] = part.map(place);
                (b - a).dot((c - a).cross(d - a))
            };
            let volumes: Vec<f64> = tetrahedra(order).into_iter().map(volume).collect();
            assert_eq!(volumes.len(), order.pow(3));
            assert!(volumes.iter().all(|volume| *volume > 0.0), "order {order}");
            assert!((volumes.iter().sum::<f64>() - 1.0).abs() < 1e-13, "order {order}");
            let [_, b, c] = FACES[3];
            let on_face: Vec<[f64; 2]> =
                nodes.iter().filter(|l| l[3].abs() < 1e-13).map(|l| [l[b], l[c]]).collect();
            let area = |part: &[usize; 3]| {
                let [p, q, r] = part.map(|node| on_face[node]);
                (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
            };
            let areas: Vec<f64> = triangles(order).iter().map(area).collect();
            assert!(areas.len() == order.pow(2) && areas.iter().all(|area| *area > 0.0), "order {order}");
            assert!((areas.iter().sum::<f64>() - 1.0).abs() < 1e-13, "order {order}");
        }
    }
}
