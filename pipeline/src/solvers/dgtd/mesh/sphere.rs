//! A sphere in a box, without a mesher: cells between planes outside a cube, and inside it shells that go over from the cube to the sphere.
//!
//! The surface of the cube is cut into triangles as the cells outside cut it. The same triangles, moved inwards, make shells of prisms; a prism between the triangles A and B, its corners in the order of their numbers, is
//! cut into A0 A1 A2 B2, A0 A1 B1 B2 and A0 B0 B1 B2, so that neighbours cut their common side alike. Directions of the sphere are at equal angles on each side of the cube. Below the sphere there is nothing, or
//! shells that end at a smaller cube of cells. Flat triangles lie inside a sphere through their corners: each corner is moved outwards until the triangles round it have the volume of the sphere below them, then all of them until the solid has its volume.

use super::kuhn;
use crate::mesh::Volume;
use crate::solvers::dgtd::Error;
use crate::vec3::Vec3;
use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_4, PI};

/// Half the side of the cube of cells in the middle of a sphere, over its radius.
const CORE: f64 = 0.45;

/// Most elements, before those outside a quarter are left out: some 10 GB.
const MOST: f64 = 5e7;

/// Groups of tetrahedra.
pub const GROUPS: [&str; 3] = ["scattered", "total", "sphere"];

/// Groups of faces: the surface of a sphere without elements inside, and the planes of a quarter.
pub const SURFACES: [&str; 3] = ["surface", "x_min", "y_min"];

/// What is built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// m
    pub radius: f64,
    /// Half the side of the cube round it, m.
    pub half_side: f64,
    /// Cells along an edge of the cube.
    pub cells: usize,
    /// Shells between the cube and the sphere.
    pub shells: usize,
    /// Shells inside the sphere, down to its core; none where the sphere has no elements.
    pub inside: Option<usize>,
    /// Cells outside the cube, on each side.
    pub outside: usize,
    /// Whether only x > 0, y > 0 is built.
    pub quarter: bool,
}

impl Sphere {
    /// Elements with the groups of [`GROUPS`] and [`SURFACES`].
    pub fn volume(&self) -> Result<Volume, Error> {
        self.validate()?;
        let mut built = Built::new(self);
        built.outside();
        let (mut shell, mut triangles) = built.surface();
        let sphere = built.round(&shell, &triangles);
        built.shells(&mut shell, &sphere, &triangles, self.shells, 1);
        if let Some(inside) = self.inside {
            let core = built.core(&shell);
            built.shells(&mut shell, &core, &triangles, inside, 2);
            built.fill(&shell);
            triangles.clear();
        }
        let faces = triangles.iter().map(|triangle| triangle.map(|at| shell.numbers[at]));
        Ok(built.finished(faces.collect()))
    }

    fn validate(&self) -> Result<(), Error> {
        let is_even = !self.quarter || self.cells.is_multiple_of(2);
        let counts = [self.cells, self.shells, self.inside.unwrap_or(1), self.outside];
        let [cells, shells, inside, outside] = counts.map(|count| count as f64);
        // Six in a cell, and three below each of two triangles of six sides.
        let elements = 6.0 * (cells + 2.0 * outside).powi(3) + 36.0 * cells * cells * (shells + inside);
        let is_small = counts.iter().all(|count| *count > 0) && elements < MOST;
        let is_inside =
            self.radius > 0.0 && self.half_side.is_finite() && 1.05 * self.radius < self.half_side;
        if is_even && is_small && self.cells > 1 && is_inside {
            return Ok(());
        }
        Err(Error::Sphere { sphere: *self, most: MOST })
    }
}

/// Points on the surface of the cube, or of a shell.
struct Shell {
    /// Place of each in the cube's grid.
    places: Vec<[usize; 3]>,
    /// Number of the vertex there.
    numbers: Vec<u32>,
}

struct Built<'a> {
    sphere: &'a Sphere,
    volume: Volume,
}

impl<'a> Built<'a> {
    fn new(sphere: &'a Sphere) -> Self {
        let cells = sphere.cells + 2 * sphere.outside;
        let reach = sphere.half_side * cells as f64 / sphere.cells as f64;
        let mut volume = kuhn::cuboid(Vec3::splat(-reach), Vec3::splat(reach), [cells; 3]);
        (volume.names, volume.face_names) = (GROUPS.map(String::from).to_vec(), Vec::new());
        (volume.faces, volume.face_groups) = (Vec::new(), Vec::new());
        Self { sphere, volume }
    }

    /// Takes away the cells of the cube.
    fn outside(&mut self) {
        let half = self.sphere.half_side;
        let all = std::mem::take(&mut self.volume.tetrahedra);
        let is_outside = |tetrahedron: &[u32; 4]| {
            let centre = middle(&self.volume, tetrahedron);
            centre.to_array().iter().any(|x| x.abs() > half)
        };
        self.volume.tetrahedra = all.into_iter().filter(is_outside).collect();
        self.volume.groups = vec![0; self.volume.tetrahedra.len()];
    }

    /// Points of the cube's surface and its triangles, which are indices of them.
    fn surface(&self) -> (Shell, Vec<[usize; 3]>) {
        let (n, first) = (self.sphere.cells, self.sphere.outside);
        let row = n + 2 * first + 1;
        let number = |place: [usize; 3]| {
            let [i, j, k] = place.map(|at| at + first);
            (i + row * (j + row * k)) as u32
        };
        let mut shell = Shell { places: Vec::new(), numbers: Vec::new() };
        let mut known = HashMap::new();
        let mut triangles = Vec::new();
        let cells = (0..n).flat_map(|k| (0..n).flat_map(move |j| (0..n).map(move |i| [i, j, k])));
        for cell in cells {
            kuhn::sides(cell, [n; 3], |_, corners| {
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

    /// Where the points of the cube are on the sphere.
    fn round(&self, shell: &Shell, triangles: &[[usize; 3]]) -> Vec<Vec3> {
        let direction = |place: &[usize; 3]| {
            let tangent = |at: usize| (FRAC_PI_4 * (2.0 * at as f64 / self.sphere.cells as f64 - 1.0)).tan();
            Vec3::from(place.map(tangent)).unit()
        };
        let unit: Vec<Vec3> = shell.places.iter().map(direction).collect();
        // Below the triangles round each corner: the volume of the sphere, and that of tetrahedra.
        let mut volumes = vec![[0.0; 2]; unit.len()];
        for triangle in triangles {
            let [a, b, c] = triangle.map(|at| unit[at]);
            let six = a.dot(b.cross(c)).abs();
            // The solid angle of a triangle (van Oosterom and Strackee, 1983).
            let angle = 2.0 * six.atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a));
            for at in triangle {
                volumes[*at][0] += angle / 3.0;
                volumes[*at][1] += six / 6.0;
            }
        }
        let moved: Vec<Vec3> =
            unit.iter().zip(&volumes).map(|(unit, [round, flat])| *unit * (round / flat).cbrt()).collect();
        let volume = |[a, b, c]: &[usize; 3]| moved[*a].dot(moved[*b].cross(moved[*c])).abs() / 6.0;
        let solid: f64 = triangles.iter().map(volume).sum();
        let radius = self.sphere.radius * (4.0 * PI / 3.0 / solid).cbrt();
        moved.into_iter().map(|place| place * radius).collect()
    }

    /// Where they are on the cube in the middle of the sphere.
    fn core(&self, shell: &Shell) -> Vec<Vec3> {
        shell.places.iter().map(|place| self.in_core(*place)).collect()
    }

    fn in_core(&self, place: [usize; 3]) -> Vec3 {
        let half = CORE * self.sphere.radius;
        Vec3::from(place.map(|at| half * (2.0 * at as f64 / self.sphere.cells as f64 - 1.0)))
    }

    /// Shells of prisms from a shell to these places, to which it is moved.
    fn shells(&mut self, shell: &mut Shell, to: &[Vec3], triangles: &[[usize; 3]], count: usize, group: u32) {
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

    /// The cells of the core, whose surface is the shell.
    fn fill(&mut self, shell: &Shell) {
        let n = self.sphere.cells;
        let on_surface: HashMap<[usize; 3], u32> =
            shell.places.iter().copied().zip(shell.numbers.iter().copied()).collect();
        let places = (0..=n).flat_map(|k| (0..=n).flat_map(move |j| (0..=n).map(move |i| [i, j, k])));
        let mut numbers = Vec::new();
        for place in places {
            numbers.push(on_surface.get(&place).copied().unwrap_or(self.volume.vertices.len() as u32));
            if !on_surface.contains_key(&place) {
                self.volume.vertices.push(self.in_core(place));
            }
        }
        let cells = kuhn::cuboid(Vec3::ZERO, Vec3::splat(1.0), [n; 3]);
        for tetrahedron in cells.tetrahedra {
            self.add(tetrahedron.map(|at| numbers[at as usize]), 2);
        }
    }

    /// An element, turned outside in where it must be.
    fn add(&mut self, mut tetrahedron: [u32; 4], group: u32) {
        let [a, b, c, d] = tetrahedron.map(|vertex| self.volume.vertices[vertex as usize]);
        if (b - a).dot((c - a).cross(d - a)) < 0.0 {
            tetrahedron.swap(0, 1);
        }
        self.volume.tetrahedra.push(tetrahedron);
        self.volume.groups.push(group);
    }

    /// Leaves a quarter where one is wanted, names the faces and drops what nobody uses.
    fn finished(mut self, surface: Vec<[u32; 3]>) -> Volume {
        let is_here = |centre: Vec3| !self.sphere.quarter || (centre.x > 0.0 && centre.y > 0.0);
        let volume = &mut self.volume;
        let kept: Vec<usize> = (0..volume.tetrahedra.len())
            .filter(|at| is_here(middle(volume, &volume.tetrahedra[*at])))
            .collect();
        volume.tetrahedra = kept.iter().map(|at| volume.tetrahedra[*at]).collect();
        volume.groups = kept.iter().map(|at| volume.groups[*at]).collect();
        volume.faces = surface.into_iter().filter(|face| is_here(middle(volume, face))).collect();
        volume.face_groups = vec![0; volume.faces.len()];
        if self.sphere.quarter {
            planes(volume, self.sphere.half_side);
        }
        if !volume.face_groups.is_empty() {
            volume.face_names = SURFACES.map(String::from).to_vec();
        }
        compacted(self.volume)
    }
}

/// Mean of some vertices.
fn middle(volume: &Volume, vertices: &[u32]) -> Vec3 {
    let sum = vertices.iter().fold(Vec3::ZERO, |sum, vertex| sum + volume.vertices[*vertex as usize]);
    sum * (vertices.len() as f64).recip()
}

/// Names the faces in x = 0 and y = 0.
fn planes(volume: &mut Volume, size: f64) {
    let is_at = |face: &[u32; 3], axis: usize| {
        face.iter().all(|vertex| volume.vertices[*vertex as usize][axis].abs() < 1e-9 * size)
    };
    let mut found = Vec::new();
    for corners in &volume.tetrahedra {
        for face in crate::solvers::dgtd::element::FACES.map(|face| face.map(|corner| corners[corner])) {
            found.extend((0..2).filter(|axis| is_at(&face, *axis)).map(|axis| (face, 1 + axis as u32)));
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
