//! Boxes cut into cells, and every cell into six tetrahedra round its diagonal (Kuhn).
//!
//! Each tetrahedron walks from the lowest corner of its cell to the highest along the axes in one of their six orders, so that the diagonals of faces of neighbouring cells agree.

use crate::tetrahedron::PERMUTATIONS;
use mesh::Volume;
use numerics::vec3::Vec3;

/// Names of the six sides, which are the groups of faces.
pub const SIDES: [&str; 6] = ["x_min", "x_max", "y_min", "y_max", "z_min", "z_max"];

/// A box of equal cells with the group `volume` and the sides [`SIDES`].
pub fn cuboid(low: Vec3, high: Vec3, cells: [usize; 3]) -> Volume {
    let axes = [0, 1, 2].map(|axis| {
        let at = |i: usize| low[axis] + (high[axis] - low[axis]) * i as f64 / cells[axis] as f64;
        (0..=cells[axis]).map(at).collect::<Vec<f64>>()
    });
    graded(&axes)
}

/// A box whose cells end at the given coordinates of each axis, ascending, m. An axis with fewer than two makes a volume without elements.
pub fn graded(axes: &[Vec<f64>; 3]) -> Volume {
    let [nx, ny, nz] = [0, 1, 2].map(|axis| axes[axis].len().saturating_sub(1));
    let number = |[i, j, k]: [usize; 3]| (i + (nx + 1) * (j + (ny + 1) * k)) as u32;
    let mut volume = Volume {
        names: vec!["volume".into()],
        face_names: SIDES.map(String::from).to_vec(),
        ..Volume::default()
    };
    let plane = |z: f64| axes[1].iter().flat_map(move |y| axes[0].iter().map(move |x| Vec3::new(*x, *y, z)));
    volume.vertices = axes[2].iter().flat_map(|z| plane(*z)).collect();
    let cells = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
    for cell in cells {
        for order in PERMUTATIONS {
            volume.tetrahedra.push(path(cell, order).map(number));
        }
        sides(cell, [nx, ny, nz], |side, corners| {
            volume.faces.push(corners.map(number));
            volume.face_groups.push(side);
        });
    }
    volume.groups = vec![0; volume.tetrahedra.len()];
    volume
}

/// Corners of a tetrahedron, from the lowest along the axes in this order; two are exchanged where it would be inverted.
pub(crate) fn path(cell: [usize; 3], order: [usize; 3]) -> [[usize; 3]; 4] {
    let mut corners = [cell; 4];
    for (step, axis) in order.iter().enumerate() {
        corners[step + 1..].iter_mut().for_each(|corner| corner[*axis] += 1);
    }
    let is_even = (order[0] + 1) % 3 == order[1];
    if !is_even {
        corners.swap(1, 2);
    }
    corners
}

/// The two triangles of each side of a cell that is on the boundary.
pub(super) fn sides(cell: [usize; 3], cells: [usize; 3], mut add: impl FnMut(u32, [[usize; 3]; 3])) {
    for axis in 0..3 {
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        for (end, is_there) in [(0, cell[axis] == 0), (1, cell[axis] + 1 == cells[axis])] {
            for [first, second] in [others, [others[1], others[0]]].into_iter().filter(|_| is_there) {
                let mut corners = [cell; 3];
                corners.iter_mut().for_each(|corner| corner[axis] += end);
                corners[1][first] += 1;
                corners[2][first] += 1;
                corners[2][second] += 1;
                add((2 * axis + end) as u32, corners);
            }
        }
    }
}
