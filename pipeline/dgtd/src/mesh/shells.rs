//! A box of cells with a hollow, and shells of prisms that go over from the hollow's surface to that of a body: what [`sphere`](super::sphere) and [`almond`](super::almond) share.
//!
//! The surface of the hollow is cut into triangles as the cells outside cut it. The same triangles, moved inwards, make shells of prisms; a prism between the triangles A and B, its corners in the order of their numbers, is
//! cut into A0 A1 A2 B2, A0 A1 B1 B2 and A0 B0 B1 B2, so that neighbours cut their common side alike.

use super::kuhn;
use mesh::Volume;
use numerics::vec3::Vec3;
use std::collections::HashMap;

/// Points on the surface of the hollow, or of a shell.
pub struct Shell {
    /// Place of each in the hollow's grid.
    pub places: Vec<[usize; 3]>,
    /// Number of the vertex there.
    pub numbers: Vec<u32>,
}

/// A mesh on its way.
pub struct Built {
    /// What there is.
    pub volume: Volume,
    /// Cells of the hollow.
    cells: [usize; 3],
    /// Cells outside it, on each side.
    outside: usize,
    /// Corners of the hollow, m.
    hollow: [Vec3; 2],
}

impl Built {
    /// Cells round a hollow between two corners, in group 0; the cells of the hollow are as large as those outside.
    pub fn new(hollow: [Vec3; 2], cells: [usize; 3], outside: usize) -> Self {
        let [low, high] = hollow;
        let reach = [0, 1, 2].map(|axis| (high[axis] - low[axis]) / cells[axis] as f64 * outside as f64);
        let (reach, all) = (Vec3::from(reach), cells.map(|count| count + 2 * outside));
        let mut volume = kuhn::cuboid(low - reach, high + reach, all);
        volume.face_names = Vec::new();
        (volume.faces, volume.face_groups) = (Vec::new(), Vec::new());
        let is_outside = |tetrahedron: &[u32; 4]| {
            let centre = middle(&volume, tetrahedron);
            (0..3).any(|axis| centre[axis] < low[axis] || centre[axis] > high[axis])
        };
        let kept: Vec<[u32; 4]> = volume.tetrahedra.iter().copied().filter(is_outside).collect();
        (volume.groups, volume.tetrahedra) = (vec![0; kept.len()], kept);
        Self { volume, cells, outside, hollow }
    }

    /// Points of the hollow's surface and its triangles, which are indices of them.
    pub fn surface(&self) -> (Shell, Vec<[usize; 3]>) {
        let [nx, ny, nz] = self.cells;
        let [row, plane] = [nx, ny].map(|count| count + 2 * self.outside + 1);
        let number = |place: [usize; 3]| {
            let [i, j, k] = place.map(|at| at + self.outside);
            (i + row * (j + plane * k)) as u32
        };
        let mut shell = Shell { places: Vec::new(), numbers: Vec::new() };
        let mut known = HashMap::new();
        let mut triangles = Vec::new();
        let cells = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
        for cell in cells {
            kuhn::sides(cell, self.cells, |_, corners| {
                triangles.push(corners.map(|place| {
                    *known.entry(place).or_insert_with(|| {
                        shell.places.push(place);
                        shell.numbers.push(number(place));
                        shell.places.len() - 1
                    })
                }));
            });
        }
        (shell, triangles)
    }

    /// Shells of prisms from a shell to these places, to which it is moved.
    pub fn shells(
        &mut self,
        shell: &mut Shell,
        to: &[Vec3],
        triangles: &[[usize; 3]],
        count: usize,
        group: u32,
    ) {
        let from: Vec<Vec3> = shell.numbers.iter().map(|at| self.volume.vertices[*at as usize]).collect();
        for step in 1..=count {
            let outer = shell.numbers.clone();
            let part = step as f64 / count as f64;
            for (at, number) in shell.numbers.iter_mut().enumerate() {
                *number = self.volume.vertices.len() as u32;
                self.volume.vertices.push(from[at] + (to[at] - from[at]) * part);
            }
            for triangle in triangles {
                self.prism(triangle, &outer, &shell.numbers, group);
            }
        }
    }

    fn prism(&mut self, triangle: &[usize; 3], outer: &[u32], inner: &[u32], group: u32) {
        let mut corners = *triangle;
        corners.sort_unstable();
        let ([a0, a1, a2], [b0, b1, b2]) = (corners.map(|at| outer[at]), corners.map(|at| inner[at]));
        for tetrahedron in [[a0, a1, a2, b2], [a0, a1, b1, b2], [a0, b0, b1, b2]] {
            self.add(tetrahedron, group);
        }
    }

    /// An element, turned outside in where it must be.
    pub fn add(&mut self, mut tetrahedron: [u32; 4], group: u32) {
        let [a, b, c, d] = tetrahedron.map(|vertex| self.volume.vertices[vertex as usize]);
        if (b - a).dot((c - a).cross(d - a)) < 0.0 {
            tetrahedron.swap(0, 1);
        }
        self.volume.tetrahedra.push(tetrahedron);
        self.volume.groups.push(group);
    }

    /// Leaves what is above zero along the axes of `symmetry`, names the faces and drops what nobody uses. The first name is that of the body's surface, the others those of the planes of symmetry.
    pub fn finished(mut self, surface: Vec<[u32; 3]>, symmetry: &[usize], names: &[&str]) -> Volume {
        let is_here = |centre: Vec3| symmetry.iter().all(|axis| centre[*axis] > 0.0);
        let volume = &mut self.volume;
        let kept: Vec<usize> = (0..volume.tetrahedra.len())
            .filter(|at| is_here(middle(volume, &volume.tetrahedra[*at])))
            .collect();
        volume.tetrahedra = kept.iter().map(|at| volume.tetrahedra[*at]).collect();
        volume.groups = kept.iter().map(|at| volume.groups[*at]).collect();
        volume.faces = surface.into_iter().filter(|face| is_here(middle(volume, face))).collect();
        volume.face_groups = vec![0; volume.faces.len()];
        planes(volume, symmetry, (self.hollow[1] - self.hollow[0]).length());
        if !volume.face_groups.is_empty() {
            volume.face_names = names.iter().map(|name| String::from(*name)).collect();
        }
        compacted(self.volume)
    }
}

/// Mean of some vertices.
fn middle(volume: &Volume, vertices: &[u32]) -> Vec3 {
    let sum = vertices.iter().fold(Vec3::ZERO, |sum, vertex| sum + volume.vertices[*vertex as usize]);
    sum * (vertices.len() as f64).recip()
}

/// Names the faces in planes through the origin across these axes.
fn planes(volume: &mut Volume, axes: &[usize], size: f64) {
    let is_at = |face: &[u32; 3], axis: usize| {
        face.iter().all(|vertex| volume.vertices[*vertex as usize][axis].abs() < 1e-9 * size)
    };
    let mut found = Vec::new();
    for corners in &volume.tetrahedra {
        for face in crate::tetrahedron::FACES.map(|face| face.map(|corner| corners[corner])) {
            let at = axes.iter().zip(1..).filter(|(axis, _)| is_at(&face, **axis));
            found.extend(at.map(|(_, group)| (face, group)));
        }
    }
    volume.faces.extend(found.iter().map(|(face, _)| *face));
    volume.face_groups.extend(found.iter().map(|(_, group)| *group));
}

/// Only vertices of elements, in their order.
fn compacted(mut volume: Volume) -> Volume {
    let mut is_used = vec![false; volume.vertices.len()];
    volume.tetrahedra.iter().flatten().for_each(|vertex| is_used[*vertex as usize] = true);
    let mut next = 0;
    let mut number = |used: &bool| {
        next += u32::from(*used);
        next.wrapping_sub(1)
    };
    let numbers: Vec<u32> = is_used.iter().map(&mut number).collect();
    let mut used = is_used.iter();
    volume.vertices.retain(|_| used.next().copied().unwrap_or_default());
    volume.tetrahedra.iter_mut().flatten().for_each(|vertex| *vertex = numbers[*vertex as usize]);
    volume.faces.iter_mut().flatten().for_each(|vertex| *vertex = numbers[*vertex as usize]);
    volume
}
