//! Dipoles and ports against formulas.

use super::super::cpu::{Fields, Plan};
use super::super::design::Design;
use super::super::dipole::Dipole;
use super::super::mesh::named::{self, Region};
use super::super::mesh::{Mesh, kuhn};
use super::super::{Boundary, Layers, Pulse, Settings, Spectrum, State, far_field, reference, time_step};
use super::super::{Port, Terminals};
use super::intensity;
use num_complex::Complex64;
use numerics::constants::ETA_0;
use numerics::vec3::Vec3;
use std::f64::consts::PI;

const PULSE: Pulse = Pulse::Gauss { centre: 0.0, width: 0.6, wavenumber: 4.0 };

/// A parallel-plate line along z, 0.2 m high (y) and 0.1 m wide (x), with a port across it at z = 0; at z = 0.3 m it is shorted, at the other end matched.
fn line(order: usize) -> Design {
    let mut volume = kuhn::cuboid(Vec3::new(0.0, 0.0, -0.3), Vec3::new(0.1, 0.2, 0.3), [1, 2, 6]);
    let region = Region { low: Vec3::ZERO, high: Vec3::new(0.1, 0.2, 0.0) };
    named::sheet(&mut volume, "port", region).unwrap();
    let mut settings = Settings::new(order);
    let walls = [("x_min", Boundary::Pmc), ("x_max", Boundary::Pmc), ("z_min", Boundary::Absorbing)];
    settings.boundaries = walls.map(|(name, wall)| (name.into(), wall)).to_vec();
    let direction = Vec3::new(0.0, 1.0, 0.0);
    let (group, length, width, resistance) = ("port".into(), 0.2, 0.1, 300.0);
    settings.port = Some(Port { group, direction, length, width, resistance, pulse: PULSE });
    Design::new(Mesh::new(volume).unwrap(), &settings).unwrap()
}

/// Steps of a plan from rest, 4 widths of the pulse before its middle, to a time, m.
fn run(plan: &Plan<f32>, end: f64, mut look: impl FnMut(&Plan<f32>, &Fields<f32>, f64)) {
    let dt = time_step::limit(plan.design());
    let mut fields = plan.load(&vec![State::default(); plan.design().states()], -2.4).unwrap();
    while fields.time < end {
        plan.step(&mut fields, dt);
        look(plan, &fields, dt);
    }
}

/// The port sees a matched line beside one that is shorted after d: 1/Z = (1 - j cot(k d)) width/(eta0 height).
#[test]
fn a_port_sees_the_impedance_of_its_lines() {
    let wavenumbers = [2.5, 4.0, 5.5];
    let design = line(4);
    let mut terminals = Terminals::new(&design, &wavenumbers).unwrap();
    // What comes back from the short loses a half at the port, every 0.6 m.
    run(&Plan::new(design), 14.0, |plan, fields, dt| {
        terminals.add(fields.time, dt, |element, node| plan.node(fields, element, node));
    });
    for (at, k) in wavenumbers.iter().enumerate() {
        let (line, cotangent) = (ETA_0 * 0.2 / 0.1, 1.0 / (k * 0.3).tan());
        let expected = line / Complex64::new(1.0, -cotangent);
        let wrong = (terminals.impedance(at) - expected).norm() / expected.norm();
        // Waves of k h = 0.55 and order 4: the error is that of the end of the pulse, exp(-16), and of cells without width.
        assert!(wrong < 1e-4, "k = {k}: {wrong:e}");
        let reflection = (expected - 300.0) / (expected + 300.0);
        assert!((terminals.reflection(at) - reflection).norm() < 1e-4, "k = {k}");
        // The field between the plates is even: the square of what is wrong with it.
        let (lost, accepted) = (terminals.lost(at), terminals.accepted(at));
        assert!(lost >= 0.0 && lost < 1e-6 * accepted, "k = {k}: {lost:e} of {accepted:e}");
    }
}

/// Random numbers between -1 and 1.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

#[test]
fn ports_and_dipoles_on_the_cpu_are_those_of_the_definition() {
    let mut settings = Settings::new(3);
    settings.port = line(3).port;
    settings.upwinding = 0.4;
    let moment = Vec3::new(0.3, -0.2, 0.5);
    settings.dipoles = vec![Dipole { position: Vec3::new(0.03, 0.06, 0.11), moment, pulse: PULSE }];
    let mesh = line(3).mesh;
    let design = Design::new(mesh, &settings).unwrap();
    let mut next = random(7);
    let states: Vec<State> = (0..design.states())
        .map(|_| {
            let mut vector = || Vec3::new(next(), next(), next());
            State { e: vector(), h: vector() }
        })
        .collect();
    let expected = reference::rates(&design, &states, 0.1);
    let plan = Plan::<f64>::new(design);
    let fields = plan.load(&states, 0.1).unwrap();
    let mut found = vec![State { e: Vec3::splat(f64::NAN), h: Vec3::splat(f64::NAN) }; states.len()];
    plan.rates(&fields, &mut found).unwrap();
    let largest = expected.iter().map(|it| it.e.length().max(it.h.length())).fold(0.0, f64::max);
    for (a, b) in found.iter().zip(&expected) {
        // Sums of some hundred terms.
        assert!((a.e - b.e).length().max((a.h - b.h).length()) < 1e-12 * largest);
    }
}

/// A short current radiates eta0 k^2 |m|^2/(12 pi), 1.5 times as much across itself as in the mean.
#[test]
fn a_dipole_radiates_what_its_formula_says() {
    // Long enough to have no mean, exp(-6): the charges of a current with a mean stay, and so does their field.
    let (k, pulse) = (4.0, Pulse::Gauss { centre: 1.4, width: 1.25, wavenumber: 4.0 });
    let mut volume = kuhn::cuboid(Vec3::splat(-1.2), Vec3::splat(1.2), [8; 3]);
    named::block(&mut volume, "near", Region { low: Vec3::splat(-0.6), high: Vec3::splat(0.6) }).unwrap();
    let mut settings = Settings::new(3);
    let (position, moment) = (Vec3::new(0.03, 0.01, -0.02), Vec3::new(0.0, 0.0, 1.0));
    settings.dipoles = vec![Dipole { position, moment, pulse }];
    settings.total_field = vec!["near".into()];
    settings.layers = Some(Layers::new(Vec3::splat(-0.9), Vec3::splat(0.9)));
    let design = Design::new(Mesh::new(volume).unwrap(), &settings).unwrap();
    let mut spectrum = Spectrum::new(&design, &[k]);
    let mut signal = Complex64::ZERO;
    run(&Plan::new(design), 6.0, |plan, fields, dt| {
        plan.add(&mut spectrum, fields, dt);
        signal += Complex64::from_polar(dt, -k * fields.time) * pulse.at(fields.time);
    });
    let expected = ETA_0 * ETA_0 * k * k * signal.norm_sqr() / (12.0 * PI);
    let power = far_field::radiated(&spectrum, 0) / expected;
    // What one layer of order 3 gives back at k h = 1.2.
    assert!((power - 1.0).abs() < 5e-3, "{power}");
    for theta in [0.5f64, 1.0, 1.57, 2.4] {
        let intensity = intensity(&spectrum, 0, Vec3::new(theta.sin(), 0.0, theta.cos()));
        let found = 2.0 * PI * intensity / far_field::radiated(&spectrum, 0);
        assert!((found - 1.5 * theta.sin().powi(2)).abs() < 5e-3, "{theta}: {found}");
    }
}
