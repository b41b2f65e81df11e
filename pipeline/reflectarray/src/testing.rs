//! What the tests of this room share.

use super::{Elements, Feed, Mask, Model, Region};

/// Numbers from a xorshift generator, even over [-1, 1).
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A small array: a wavelength of 20 mm, feed 0.2 m away and aside.
pub fn model() -> Model {
    Model::new(numerics::constants::SPEED_OF_LIGHT / 0.02, Feed::offset(0.05, 0.2, 3.0))
}

/// 9 x 7 elements, half a wavelength apart, with phases that make a broad beam.
pub fn lattice() -> Elements {
    let mut elements = Elements::grid(9, 7, 0.01);
    let (mut random, beta) = (random(7), model().wavenumber());
    for i in 0..elements.len() {
        let (x, y) = (elements.x[i], elements.y[i]);
        let path = model().feed.light(beta, x, y).f.arg();
        elements.phase[i] = -path + 400.0 * x * x - 500.0 * y * y + 0.3 * random();
    }
    elements
}

/// The same, each moved by up to a millimetre.
pub fn scattered() -> Elements {
    let (mut elements, mut random) = (lattice(), random(3));
    for i in 0..elements.len() {
        elements.x[i] += 1e-3 * random();
        elements.y[i] += 1e-3 * random();
    }
    elements
}

/// Directions on a grid of `side` x `side` about (u0, v0), `half` to each side.
pub fn sky(side: usize, u0: f64, v0: f64, half: f64) -> (Vec<f64>, Vec<f64>) {
    let along = |i: usize| half * (2.0 * i as f64 / (side - 1) as f64 - 1.0);
    (0..side * side).map(|i| (u0 + along(i % side), v0 + along(i / side))).unzip()
}

/// One coverage of the directions, the last quarter of them its boundary, and a region to be kept quiet.
pub fn mask(u: &[f64], v: &[f64]) -> Mask {
    let split = u.len() * 3 / 4;
    let covered = Region {
        name: "covered".into(),
        u: u[..split].to_vec(),
        v: v[..split].to_vec(),
        interior: split * 3 / 4,
        lower_dbi: Some(10.0),
        upper_dbi: None,
        weight: 1.0,
    };
    let (u, v) = (u[split..].to_vec(), v[split..].to_vec());
    let interior = u.len();
    let quiet =
        Region { name: "quiet".into(), u, v, interior, lower_dbi: None, upper_dbi: Some(-5.0), weight: 0.5 };
    Mask { regions: vec![covered, quiet], solid_angle: 0.1 }
}
