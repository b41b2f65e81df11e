//! Shapes of which the scattering is known: plate, corners, sphere and almond.

use super::weld::welded;
use crate::Mesh;
use numerics::vec3::Vec3;
use std::f64::consts::{PI, TAU};

/// A rectangle `width` (x) by `height` (y) around the origin in z = 0, looking along z.
pub fn plate(width: f64, height: f64) -> Mesh {
    let (x, y) = (0.5 * width, 0.5 * height);
    let vertices = [(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| Vec3::new(x, y, 0.0));
    Mesh::new(vertices.to_vec(), vec![[0, 1, 2], [0, 2, 3]], "plate")
}

/// Two square plates of side `a` that meet at right angles on the z axis from 0 to a: one in y = 0, one in x = 0.
pub fn dihedral(a: f64) -> Mesh {
    let line = |(x, y)| [0.0, a].map(|z| Vec3::new(x, y, z));
    Mesh::new(
        [(0.0, 0.0), (a, 0.0), (0.0, a)].map(line).concat(),
        vec![[0, 1, 3], [0, 3, 2], [0, 4, 5], [0, 5, 1]],
        "dihedral",
    )
}

/// Three right triangles with legs `a` along the axes: the corner reflector that looks towards (1, 1, 1).
pub fn trihedral(a: f64) -> Mesh {
    let vertices = vec![Vec3::ZERO, Vec3::new(a, 0.0, 0.0), Vec3::new(0.0, a, 0.0), Vec3::new(0.0, 0.0, a)];
    Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1]], "trihedral")
}

/// Faces of the icosahedron with the corners of [`sphere`].
#[rustfmt::skip]
const ICOSAHEDRON: [[u32; 3]; 20] = [
    [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
    [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
];

/// A sphere around the origin: an icosahedron, each face of which was made four `levels` times, at most 10.
pub fn sphere(radius: f64, levels: u32) -> Mesh {
    let g = 0.5 * (1.0 + 5f64.sqrt());
    let rectangle = [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)];
    // In each of the three planes.
    let vertices = [
        rectangle.map(|(a, b)| Vec3::new(a, b, 0.0)),
        rectangle.map(|(a, b)| Vec3::new(0.0, a, b)),
        rectangle.map(|(a, b)| Vec3::new(b, 0.0, a)),
    ];
    let mut mesh = Mesh::new(vertices.concat(), ICOSAHEDRON.to_vec(), "sphere");
    for _ in 0..levels.min(10) {
        mesh = mesh.refined().moved(Vec3::unit);
    }
    mesh.moved(|vertex| vertex.unit() * radius)
}

/// The EMCC almond of length `d` about the x axis, tip towards +x: `along` rings, `around` corners each.
pub fn almond(d: f64, along: usize, around: usize) -> Mesh {
    let mut points = Vec::with_capacity((along + 1) * around);
    for i in 0..=along {
        // Denser at both ends, where the surface is most curved.
        let t = ALMOND_BACK + (ALMOND_TIP - ALMOND_BACK) * 0.5 * (1.0 - (PI * i as f64 / along as f64).cos());
        // The coefficients leave 1e-7 of a radius at the tip.
        let (y, z) = if i == 0 || i == along { (0.0, 0.0) } else { almond_half_axes(t) };
        for j in 0..around {
            let (sin, cos) = (TAU * j as f64 / around as f64).sin_cos();
            points.push(Vec3::new(d * t, d * y * cos, d * z * sin));
        }
    }
    let ring = |i: usize, j: usize| (i * around + j % around) as u32;
    let faces = (0..along).flat_map(|i| {
        (0..around).flat_map(move |j| {
            let [a, b, c, e] = [ring(i, j), ring(i, j + 1), ring(i + 1, j), ring(i + 1, j + 1)];
            [[a, e, c], [a, b, e]]
        })
    });
    welded(&points, faces, "almond")
}

/// x of the almond's back, over d.
pub const ALMOND_BACK: f64 = -0.416667;
/// x of its tip, over d.
pub const ALMOND_TIP: f64 = 0.583333;

/// Half axes of the almond along y and z at x = t d, over d.
pub fn almond_half_axes(t: f64) -> (f64, f64) {
    if t < 0.0 {
        let s = (1.0 - (t / ALMOND_BACK).powi(2)).max(0.0).sqrt();
        (0.193333 * s, 0.064444 * s)
    } else {
        let s = ((1.0 - (t / 2.08335).powi(2)).sqrt() - 0.96).max(0.0);
        (4.83345 * s, 1.61115 * s)
    }
}
