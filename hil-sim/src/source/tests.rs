//! The fields against analytic values, finite differences and the wave equation.

use super::*;
use crate::testing::{cis, magnitude};
use std::f64::consts::{PI, TAU};

const F: f64 = 1000.0;
const SOURCE: [f64; 3] = [-0.11, 0.05, -0.03];
const POINT: [f64; 3] = [0.03, -0.07, 0.04];

fn monopole(position: [f64; 3]) -> Source {
    Source::Monopole { position, amplitude: Complex::new(0.3, -0.4) }
}

fn plate() -> Plate {
    Plate {
        centre: [0.023, -0.014, -0.01],
        sides: [0.42, 0.34],
        mode: [3, 2],
        rotation: 0.3,
        velocity: Complex::new(1.0, 0.0),
    }
}

fn moved(point: [f64; 3], axis: usize, by: f64) -> [f64; 3] {
    let mut point = point;
    point[axis] += by;
    point
}

#[test]
fn monopole_falls_with_distance_and_lags() {
    let at = |r: f64| monopole(SOURCE).pressure(F, moved(SOURCE, 2, r));
    for r in [0.01, 0.0857, 0.343, 2.0] {
        // exp(-j 2 pi 1000 r / 343): one turn back every 0.343 m. A few roundings of |p| = 0.5 / r.
        let expected = Complex::new(0.3, -0.4) / r * cis(-TAU * r / 0.343);
        assert!(magnitude(at(r) - expected) < 1e-14 * magnitude(expected) * (1.0 + r / 0.343), "r = {r}");
    }
}

#[test]
fn dipole_is_the_gradient_of_a_monopole() {
    let direction = [0.6, 0.0, 0.8];
    let dipole = Source::Dipole { position: SOURCE, direction, amplitude: Complex::new(0.3, -0.4) };
    // Central difference along the direction: error h^2/6 times the third derivative, at most about
    // 2 (k + 3/r)^3 / r of the amplitude; k = 18.3, r = 0.2: 9e4 h^2 = 9e-6 Pa with |A| = 0.5 and h = 1e-5.
    let h = 1e-5;
    let shifted = |s: f64| monopole([0, 1, 2].map(|i| SOURCE[i] + s * h * direction[i])).pressure(F, POINT);
    let difference = (shifted(1.0) - shifted(-1.0)) / (2.0 * h);
    let error = magnitude(dipole.pressure(F, POINT) - difference);
    assert!(error < 9e-6, "{error:e}");
    // The amplitude does not depend on the length of the direction.
    let longer = Source::Dipole {
        position: SOURCE,
        direction: direction.map(|d| 7.0 * d),
        amplitude: Complex::new(0.3, -0.4),
    };
    assert!(magnitude(longer.pressure(F, POINT) - dipole.pressure(F, POINT)) < 1e-14);
}

#[test]
fn plate_sum_converges_with_the_square_of_the_step() {
    // 0.42 and 0.34 are whole multiples of all steps. Second order: halving the step divides the change by 4;
    // the next term is of fourth order and contributes (pi step / distance)^2 / 4 or so of it.
    let at = |step: f64| plate().pressure(220.0, [0.1, 0.05, 0.09], step);
    let coarse = magnitude(at(0.02) - at(0.01));
    let fine = magnitude(at(0.01) - at(0.005));
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.03, "order {order}");
    // What is left at the step in use (h = 5 mm / 2): a third of the last change, over four. The midpoint sum
    // of m half waves on a side a is off by (pi m h/a)^2 / 24, of three on 0.42 m and two on 0.34 m together
    // by 2.2e-4.
    let left = fine / 4.0 / 3.0 / magnitude(at(PLATE_STEP));
    assert!(left < 2.2e-4, "{left:e}");
}

#[test]
fn small_slow_plate_is_a_baffled_monopole() {
    // Far from a plate much smaller than the wavelength: p = j f rho Q exp(-jkr)/r, Q = V a b (2/pi)^2 for
    // mode (1,1).
    let small =
        Plate { sides: [0.02, 0.02], mode: [1, 1], rotation: 0.0, centre: [0.0, 0.0, -0.01], ..plate() };
    let r = 1.0;
    let p = small.pressure(100.0, [0.0, 0.0, r - 0.01], 0.02 / 64.0);
    let volume_velocity = 0.02 * 0.02 * (2.0 / PI).powi(2);
    let expected = Complex::new(0.0, 100.0 * AIR_DENSITY * volume_velocity) * cis(-TAU * 100.0 * r / 343.0);
    // Paths differ by at most (0.01^2 + 0.01^2)/2 = 1e-4 of r; midpoint sum (pi/64)^2 / 24 twice: 2e-4.
    let error = magnitude(p - expected) / magnitude(expected);
    assert!(error < 3e-4, "{error:e}");
}

#[test]
fn every_field_obeys_the_wave_equation() {
    let f = 2000.0;
    let k = wave_number(f);
    let sources = [
        monopole(SOURCE),
        Source::Dipole { position: SOURCE, direction: [0.3, 0.5, -0.2], amplitude: Complex::ONE },
        Source::Plate(plate()),
        Source::Piston(Piston { centre: [0.0, 0.0, -0.03], radius: 0.05, velocity: Complex::ONE }),
    ];
    for source in sources {
        // Central second differences: error h^2/12 times the fourth derivatives, for waves and near fields of
        // decay q <= 1/0.05 m no more than 3 (k^4 + (5 q)^4) |p| / 12 = 3e7 h^2; h = 1 mm against k^2 = 1342:
        // 2 %.
        let h = 1e-3;
        let p = |axis: usize, by: f64| source.pressure(f, moved(POINT, axis, by));
        let centre = p(0, 0.0);
        let laplacian: Complex<f64> =
            (0..3).map(|axis| (p(axis, h) + p(axis, -h) - centre * 2.0) / (h * h)).sum();
        let residual = magnitude(laplacian + centre * k * k) / (magnitude(centre) * k * k);
        assert!(residual < 0.02, "{source:?}: {residual}");
    }
}
