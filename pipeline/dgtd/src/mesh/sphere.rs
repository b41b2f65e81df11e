//! A sphere in a box, without a mesher: cells between planes outside a cube, and inside it shells that go over from the cube to the sphere.
//!
//! Directions of the sphere are at equal angles on each side of the cube. Below the sphere there is nothing, or
//! shells that end at a smaller cube of cells. Flat triangles lie inside a sphere through their corners: each corner is moved outwards until the triangles round it have the volume of the sphere below them, then all of them until the solid has its volume.

use super::kuhn;
use super::shells::{Built, Shell};
use crate::Error;
use mesh::Volume;
use numerics::vec3::Vec3;
use serde::Deserialize;
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
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// m
    #[serde(rename = "radius_m")]
    pub radius: f64,
    /// Half the side of the cube round it, m.
    #[serde(rename = "half_side_m")]
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
    #[serde(default)]
    pub quarter: bool,
}

impl Sphere {
    /// Elements with the groups of [`GROUPS`] and [`SURFACES`].
    pub fn volume(&self) -> Result<Volume, Error> {
        self.validate()?;
        let half = Vec3::splat(self.half_side);
        let mut built = Built::new([-half, half], [self.cells; 3], self.outside);
        built.volume.names = GROUPS.map(String::from).to_vec();
        let (mut shell, mut triangles) = built.surface();
        let sphere = self.round(&shell, &triangles);
        built.shells(&mut shell, &sphere, &triangles, self.shells, 1);
        if let Some(inside) = self.inside {
            let core: Vec<Vec3> = shell.places.iter().map(|place| self.in_core(*place)).collect();
            built.shells(&mut shell, &core, &triangles, inside, 2);
            self.fill(&mut built, &shell);
            triangles.clear();
        }
        let faces = triangles.iter().map(|triangle| triangle.map(|at| shell.numbers[at]));
        let symmetry: &[usize] = if self.quarter { &[0, 1] } else { &[] };
        Ok(built.finished(faces.collect(), symmetry, &SURFACES))
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
        let allowed = format!(
            "the radius must be positive and at most 0.95 of half the side, cells at least 2 and even in a quarter, all counts at least 1, elements fewer than {MOST}"
        );
        Err(Error::value("the sphere", self, allowed))
    }

    /// Where the points of the cube are on the sphere.
    fn round(&self, shell: &Shell, triangles: &[[usize; 3]]) -> Vec<Vec3> {
        let direction = |place: &[usize; 3]| {
            let tangent = |at: usize| (FRAC_PI_4 * (2.0 * at as f64 / self.cells as f64 - 1.0)).tan();
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
        let radius = self.radius * (4.0 * PI / 3.0 / solid).cbrt();
        moved.into_iter().map(|place| place * radius).collect()
    }

    /// Where a point is on the cube in the middle of the sphere.
    fn in_core(&self, place: [usize; 3]) -> Vec3 {
        let half = CORE * self.radius;
        Vec3::from(place.map(|at| half * (2.0 * at as f64 / self.cells as f64 - 1.0)))
    }

    /// The cells of the core, whose surface is the shell.
    fn fill(&self, built: &mut Built, shell: &Shell) {
        let n = self.cells;
        let on_surface: HashMap<[usize; 3], u32> =
            shell.places.iter().copied().zip(shell.numbers.iter().copied()).collect();
        let places = (0..=n).flat_map(|k| (0..=n).flat_map(move |j| (0..=n).map(move |i| [i, j, k])));
        let mut numbers = Vec::new();
        for place in places {
            numbers.push(on_surface.get(&place).copied().unwrap_or(built.volume.vertices.len() as u32));
            if !on_surface.contains_key(&place) {
                built.volume.vertices.push(self.in_core(place));
            }
        }
        let cells = kuhn::cuboid(Vec3::ZERO, Vec3::splat(1.0), [n; 3]);
        for tetrahedron in cells.tetrahedra {
            built.add(tetrahedron.map(|at| numbers[at as usize]), 2);
        }
    }
}
