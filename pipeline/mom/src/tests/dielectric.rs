//! Bodies of a medium against the series of the cylinder, and against what holds for any of them.

use crate::curve::Outline;
use crate::dielectric::{Medium, Plan};
use crate::reference::orders;
use crate::{Density, Error, Method, Polarisation, Settings};
use num_complex::Complex;
use std::f64::consts::{PI, TAU};

/// Rounding of some hundred terms, times a condition of some tens.
const EXACT: f64 = 1e-12;

fn settings(polarisation: Polarisation, points: usize) -> Settings {
    Settings { polarisation, method: Method::Kress, density: Density::Cells(points), ..Settings::new(1.0) }
}

const MEDIA: [Medium; 4] = [
    Medium { permittivity: 4.0, permeability: 1.0 },
    Medium { permittivity: 2.25, permeability: 1.5 },
    Medium { permittivity: 0.5, permeability: 1.0 },
    Medium { permittivity: 1.0, permeability: 1.0 },
];

/// f of a cylinder of a medium, relative permittivity and permeability, at an angle from the direction of the wave, radians: with its wavenumber
/// k_1, sum_n (q J_n J_n'(k_1 a) - J_n' J_n(k_1 a))/(H_n' J_n(k_1 a) - q H_n J_n'(k_1 a)), q = k_1/(k mu) (TM) or k_1/(k eps) (TE).
fn penetrable_amplitude(
    polarisation: Polarisation,
    ka: f64,
    [permittivity, permeability]: [f64; 2],
    angle: f64,
) -> Complex<f64> {
    let index = (permittivity * permeability).sqrt();
    let q = match polarisation {
        Polarisation::Tm => index / permeability,
        Polarisation::Te => index / permittivity,
    };
    let last = ka.ceil() as usize + 40;
    let (outside, inside) = (orders(ka, last), orders(index * ka, last));
    let term = |n: usize| {
        let ([h, slope], [value, inner]) = (outside[n], inside[n].map(|both| both.re));
        let both = if n == 0 { 1.0 } else { 2.0 * (n as f64 * angle).cos() };
        (q * h.re * inner - slope.re * value) / (slope * value - h * (q * inner)) * both
    };
    (0..=last).map(term).sum()
}

#[test]
fn a_cylinder_scatters_as_its_series_says() {
    let degrees: Vec<f64> = (0..36).map(|at| 10.0 * f64::from(at) + 3.0).collect();
    for polarisation in [Polarisation::Tm, Polarisation::Te] {
        for medium in MEDIA {
            let ka = 5.0;
            let outline = Outline::circle([0.0; 2], ka / TAU).unwrap();
            let plan = Plan::new(&[outline], &settings(polarisation, 96), medium).unwrap();
            let surface = plan.solve(&[20.0]).unwrap();
            let numbers = [medium.permittivity, medium.permeability];
            for (found, degrees) in plan.amplitudes(&surface, 0, &degrees).into_iter().zip(&degrees) {
                let angle = (degrees - 20.0) * PI / 180.0;
                let expected = penetrable_amplitude(polarisation, ka, numbers, angle);
                assert!(
                    (found - expected).norm() < EXACT * ka,
                    "{polarisation:?} {medium:?}: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn errors_fall_below_any_power() {
    let medium = MEDIA[0];
    let error = |points: usize| {
        let outline = Outline::circle([0.0; 2], 5.0 / TAU).unwrap();
        let plan = Plan::new(&[outline], &settings(Polarisation::Te, points), medium).unwrap();
        let found = plan.amplitudes(&plan.solve(&[0.0]).unwrap(), 0, &[70.0])[0];
        (found - penetrable_amplitude(Polarisation::Te, 5.0, [4.0, 1.0], 70.0 * PI / 180.0)).norm()
    };
    // Half as many points again: six digits are a power of 34.
    let [coarse, fine] = [32, 48].map(error);
    assert!(fine < 1e-6 * coarse, "{coarse:e} {fine:e}");
}

#[test]
fn two_bodies_keep_energy_and_reciprocity() {
    let outlines =
        [Outline::ellipse([0.0; 2], [0.5, 0.3]).unwrap(), Outline::circle([1.1, 0.4], 0.35).unwrap()];
    for polarisation in [Polarisation::Tm, Polarisation::Te] {
        let settings = settings(polarisation, 160);
        let plan = Plan::new(&outlines, &settings, MEDIA[1]).unwrap();
        let surface = plan.solve(&[30.0, 145.0]).unwrap();
        let all: Vec<f64> = (0..360).map(f64::from).collect();
        let around = plan.echo_widths(&surface, 0, &all).iter().sum::<f64>() / 360.0;
        let ahead = -4.0 / settings.wavenumber() * plan.amplitudes(&surface, 0, &[30.0])[0].re;
        assert!((around - ahead).abs() < 1e-10 * ahead, "{polarisation:?}: {around} {ahead}");
        // From 30 towards 145 degrees as from 325 towards 210.
        let there = plan.amplitudes(&surface, 0, &[325.0])[0];
        let back = plan.amplitudes(&surface, 1, &[210.0])[0];
        assert!((there - back).norm() < 1e-10 * there.norm(), "{polarisation:?}: {there} {back}");
    }
}

#[test]
fn what_no_medium_is_and_other_rules_are_refused() {
    let outlines = [Outline::circle([0.0; 2], 1.0).unwrap()];
    for permittivity in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let medium = Medium { permittivity, permeability: 1.0 };
        let refused = Plan::new(&outlines, &settings(Polarisation::Tm, 64), medium).map(drop);
        assert!(
            matches!(refused, Err(Error::Value { ref what, .. }) if what == "permittivity of the medium"),
            "{permittivity}"
        );
    }
    let lcn = Settings::new(1.0);
    let refused = Plan::new(&outlines, &lcn, MEDIA[0]).map(drop);
    assert!(matches!(refused, Err(Error::Unsupported { what, .. }) if what.contains("kress alone")));
    let strip = [Outline::strip(1.0).unwrap()];
    let refused = Plan::new(&strip, &settings(Polarisation::Tm, 64), MEDIA[0]).map(drop);
    assert!(matches!(refused, Err(Error::Open { .. })));
}
