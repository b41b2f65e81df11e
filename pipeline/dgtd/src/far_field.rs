//! From fields on a closed surface to the field far away.
//!
//! ```text
//! J = n x H,  M = E x n                                             on the surface
//! N = integral of J exp(j k u.x),  L = integral of M exp(j k u.x)   u: unit vector of the direction
//! E -> F exp(-j k r)/r,  F = -j k/(4 pi) (N_t - u x L)              N_t: what is across u
//! sigma = 4 pi |F|^2/|E_incident|^2
//! P = Re(integral of n.(E x H*))/2,  D = 2 pi |F|^2/P               radiated power and directivity
//! P = integral of |F|^2/2 over all directions                       the same power, far away
//! F_r = (F_theta + j F_phi)/sqrt 2,  F_l = (F_theta - j F_phi)/sqrt 2   right-handed and left-handed, |F_r|^2 + |F_l|^2 = |F|^2
//! ```
//! H is multiplied by the impedance of vacuum, and the surface is in vacuum.

use super::spectrum::{Phasor, Point, Spectrum};
use num_complex::Complex64;
use numerics::jacobi;
use numerics::parallel;
use numerics::vec3::Vec3;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Rings of directions beyond k R: fields of higher harmonics fall faster than any power there.
const SPARE_HARMONICS: usize = 10;

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
    let power = 2.0 * intensity(&amplitude(spectrum, number, direction));
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

/// The same power from the fields far away, by Gauss and Legendre along cos theta and equal steps of phi. |F|^2 has harmonics up to 2 k R, R being the farthest point of the surface; some more are left for what decays beyond.
pub fn sent(spectrum: &Spectrum, number: usize) -> f64 {
    let reach = spectrum.points.iter().map(|point| point.place.length()).fold(0.0, f64::max);
    let count = (spectrum.wavenumbers[number] * reach).ceil() as usize + SPARE_HARMONICS;
    let ring = |z: f64| {
        // Gauss's weight: the polynomials have norm 1.
        let weight = (0..count).map(|n| jacobi::polynomial(n, 0, 0, z).powi(2)).sum::<f64>().recip();
        let direction = |at: usize| {
            let (sine, cosine) = (PI * at as f64 / count as f64).sin_cos();
            let across = (1.0 - z * z).sqrt();
            Vec3::new(across * cosine, across * sine, z)
        };
        let powers = (0..2 * count).map(|at| intensity(&amplitude(spectrum, number, direction(at))));
        weight * PI / count as f64 * powers.sum::<f64>()
    };
    let zeros = jacobi::zeros(count, 0, 0);
    parallel::map(zeros.len(), &|at| ring(zeros[at])).iter().sum()
}

/// |F|^2/2: power into a solid angle.
fn intensity(amplitude: &[Complex64; 3]) -> f64 {
    0.5 * amplitude.iter().map(Complex64::norm_sqr).sum::<f64>()
}

/// Right-handed and left-handed part of F in a direction, degrees from the z axis and the x axis: fields that turn like a right-handed or a left-handed screw as they go.
pub fn circular(spectrum: &Spectrum, number: usize, [theta, phi]: [f64; 2]) -> [Complex64; 2] {
    let ((st, ct), (sp, cp)) = (theta.to_radians().sin_cos(), phi.to_radians().sin_cos());
    let amplitude = amplitude(spectrum, number, Vec3::new(st * cp, st * sp, ct));
    let along = |unit: [f64; 3]| (0..3).map(|axis| amplitude[axis] * unit[axis]).sum::<Complex64>();
    let (theta, phi) = (along([ct * cp, ct * sp, -st]), along([-sp, cp, 0.0]));
    [theta + Complex64::I * phi, theta - Complex64::I * phi].map(|sum| sum * FRAC_1_SQRT_2)
}
