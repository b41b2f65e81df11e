//! From fields on a closed surface to the field far away.
//!
//! ```text
//! J = n x H,  M = E x n                                             on the surface
//! N = integral of J exp(j k u.x),  L = integral of M exp(j k u.x)   u: unit vector of the direction
//! E -> F exp(-j k r)/r,  F = -j k/(4 pi) (N_t - u x L)              N_t: what is across u
//! sigma = 4 pi |F|^2/|E_incident|^2
//! P = Re(integral of n.(E x H*))/2,  D = 2 pi |F|^2/P               radiated power and directivity
//! ```
//! H is multiplied by the impedance of vacuum, and the surface is in vacuum.

use super::spectrum::{Phasor, Point, Spectrum};
use crate::vec3::Vec3;
use num_complex::Complex64;
use std::f64::consts::PI;

/// F of a frequency in a direction (a unit vector), V m of the spectrum.
pub fn amplitude(spectrum: &Spectrum, number: usize, direction: Vec3) -> [Complex64; 3] {
    let k = spectrum.wavenumbers[number];
    let count = spectrum.points.len();
    let (mut n, mut l) = ([Complex64::ZERO; 3], [Complex64::ZERO; 3]);
    for (point, phasor) in spectrum.points.iter().zip(&spectrum.phasors[number * count..]) {
        let factor = Complex64::from_polar(point.weight, k * direction.dot(point.place));
        let Phasor { e, h } = phasor;
        for (axis, (n, l)) in n.iter_mut().zip(&mut l).enumerate() {
            let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
            *n += factor * (h[z] * point.normal[y] - h[y] * point.normal[z]);
            *l += factor * (e[y] * point.normal[z] - e[z] * point.normal[y]);
        }
    }
    let along: Complex64 = (0..3).map(|axis| n[axis] * direction[axis]).sum();
    let scale = Complex64::new(0.0, -k / (4.0 * PI));
    [0, 1, 2].map(|axis| {
        let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
        let turned = l[z] * direction[y] - l[y] * direction[z];
        scale * (n[axis] - along * direction[axis] - turned)
    })
}

/// Bistatic radar cross-section in a direction, m^2.
pub fn cross_section(spectrum: &Spectrum, number: usize, direction: Vec3) -> f64 {
    let power: f64 = amplitude(spectrum, number, direction).iter().map(Complex64::norm_sqr).sum();
    4.0 * PI * power / spectrum.incident[number].norm_sqr()
}

/// Power P through the surface, outwards, V^2 of the spectrum: times 1/eta0 it is that of phasors in V m and A m.
pub fn radiated(spectrum: &Spectrum, number: usize) -> f64 {
    let count = spectrum.points.len();
    let of = |(point, Phasor { e, h }): (&Point, &Phasor)| {
        let along = |axis: usize| {
            let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
            point.normal[axis] * (e[y] * h[z].conj() - e[z] * h[y].conj()).re
        };
        0.5 * point.weight * (along(0) + along(1) + along(2))
    };
    spectrum.points.iter().zip(&spectrum.phasors[number * count..]).map(of).sum()
}

/// Directivity in a direction, over a source that radiates P alike everywhere.
pub fn directivity(spectrum: &Spectrum, number: usize, direction: Vec3) -> f64 {
    let power: f64 = amplitude(spectrum, number, direction).iter().map(Complex64::norm_sqr).sum();
    2.0 * PI * power / radiated(spectrum, number)
}
