//! Cross-sections, and rings of points made of them for lofts.

use numerics::vec3::Vec3;
use std::f64::consts::{PI, TAU};

/// |u/a|^p + |v/b|^p = 1 with the half axes a and b: p = 2 is an ellipse, and the larger it is, the more the section is a box. `around` points; multiples of four have the extremes.
pub fn rounded([a, b]: [f64; 2], p: f64, around: usize) -> Vec<[f64; 2]> {
    let bent = |x: f64| x.abs().powf(2.0 / p).copysign(x);
    let point = |i: usize| {
        let (sin, cos) = (TAU * i as f64 / around as f64).sin_cos();
        [a * bent(cos), b * bent(sin)]
    };
    (0..around).map(point).collect()
}

pub fn circle(radius: f64, around: usize) -> Vec<[f64; 2]> {
    rounded([radius; 2], 2.0, around)
}

/// A rectangle of half sides a and b, each side of it in `parts`.
pub fn rectangle([a, b]: [f64; 2], parts: usize) -> Vec<[f64; 2]> {
    let corners = [[-a, -b], [a, -b], [a, b], [-a, b]];
    let side = |i: usize| {
        let ([x, y], [u, v]) = (corners[i], corners[(i + 1) % 4]);
        even(parts).take(parts).map(move |t| [x + (u - x) * t, y + (v - y) * t])
    };
    (0..4).flat_map(side).collect()
}

/// A symmetric aerofoil of four digits with a closed trailing edge, over its chord: distance from the leading edge and height. `around` points, even, from the trailing edge along the upper side.
pub fn aerofoil(thickness: f64, around: usize) -> Vec<[f64; 2]> {
    let point = |i: usize| {
        let x = 0.5 * (1.0 + (TAU * i as f64 / around as f64).cos());
        // The last coefficient closes the trailing edge.
        let shape = 0.2969 * x.sqrt() + x * (-0.1260 + x * (-0.3516 + x * (0.2843 - 0.1036 * x)));
        [x, if 2 * i <= around { 5.0 * thickness * shape } else { -5.0 * thickness * shape }]
    };
    (0..around).map(point).collect()
}

/// A hexagon: sharp edges in front and behind, flat sides between `shoulder` and 1 - `shoulder` of the chord. Eight points as those of [`aerofoil`].
pub fn hexagon(thickness: f64, shoulder: f64) -> Vec<[f64; 2]> {
    let half = 0.5 * thickness;
    let upper = [[1.0 - shoulder, half], [0.5, half], [shoulder, half]];
    let lower = upper.map(|[x, z]| [x, -z]);
    [[1.0, 0.0]].into_iter().chain(upper).chain([[0.0, 0.0]]).chain(lower.into_iter().rev()).collect()
}

/// The ring of a section in a plane of constant x.
pub fn upright(section: &[[f64; 2]], middle: Vec3) -> Vec<Vec3> {
    section.iter().map(|[u, v]| middle + Vec3::new(0.0, *u, *v)).collect()
}

/// The ring of a section in a plane of constant z.
pub fn level(section: &[[f64; 2]], middle: Vec3) -> Vec<Vec3> {
    section.iter().map(|[u, v]| middle + Vec3::new(*u, *v, 0.0)).collect()
}

/// Steps from 0 to 1, at least one.
pub fn even(steps: usize) -> impl Iterator<Item = f64> {
    let steps = steps.max(1);
    (0..=steps).map(move |i| i as f64 / steps as f64)
}

/// Steps from 0 to 1, denser at both ends.
pub fn dense_ends(steps: usize) -> impl Iterator<Item = f64> {
    even(steps).map(|t| 0.5 * (1.0 - (PI * t).cos()))
}
