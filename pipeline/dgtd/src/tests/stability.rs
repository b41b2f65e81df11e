//! The time step: spectral radii by power iteration on elements of many shapes, and long runs.

use super::super::lsrk::tests::growth;
use super::super::reference::energy;
use super::super::{Boundary, cpu, lsrk, time_step};
use super::*;

/// Spectral radius of the semi-discrete operator: growth of what it is applied to again and again, over the last third of the rounds.
fn spectral_radius(design: &Design) -> f64 {
    const ROUNDS: usize = 150;
    let plan = cpu::Plan::<f64>::new(design.clone());
    let mut states = Random(1).states(design.states());
    let mut growth = 0.0;
    for round in 0..ROUNDS {
        let mut found = states.clone();
        plan.rates(&plan.load(&states, 0.0).unwrap(), &mut found).unwrap();
        let norm = |states: &[State]| states.iter().map(|s| s.e.dot(s.e) + s.h.dot(s.h)).sum::<f64>().sqrt();
        let size = norm(&found);
        if round >= ROUNDS - ROUNDS / 3 {
            growth += (size / norm(&states)).ln();
        }
        let scale = size.recip();
        states = found.iter().map(|state| State { e: state.e * scale, h: state.h * scale }).collect();
    }
    (growth / (ROUNDS / 3) as f64).exp()
}

/// A tetrahedron between conductors.
fn single(order: usize, corners: [Vec3; 4], walls: Boundary) -> Design {
    let mut volume = Volume {
        vertices: corners.to_vec(),
        tetrahedra: vec![[0, 1, 2, 3]],
        groups: vec![0],
        names: vec!["all".into()],
        ..Volume::default()
    };
    if Mesh::new(volume.clone()).is_err() {
        volume.tetrahedra[0].swap(0, 1);
    }
    let mut settings = Settings::new(order);
    settings.outer = Some(walls);
    Design::new(Mesh::new(volume).unwrap(), &settings).unwrap()
}

/// Over the radius of the disc of the scheme.
fn share(design: &Design) -> f64 {
    spectral_radius(design) * time_step::limit(design) / time_step::LIMIT
}

#[test]
fn the_step_is_stable_on_elements_of_any_shape() {
    let mut random = Random(21);
    let mut most: f64 = 0.0;
    for (order, shapes) in [(1, 12), (2, 8), (3, 6), (5, 3), (8, 2)] {
        for _ in 0..shapes {
            // Flat ones, needles and slivers: each axis is scaled by up to 1000.
            let scale = random.vector().to_array().map(|x| 10f64.powf(1.5 * x));
            let mut corner = || Vec3::from([0, 1, 2].map(|axis| random.next() * scale[axis]));
            let corners = [corner(), corner(), corner(), corner()];
            for walls in [Boundary::Pec, Boundary::Pmc, Boundary::Absorbing] {
                let share = share(&single(order, corners, walls));
                assert!(share < 1.0, "order {order} {walls:?} {corners:?}: {share}");
                most = most.max(share);
            }
        }
    }
    // And not much shorter than it must be.
    assert!(most > 0.6, "{most}");
}

#[test]
fn the_step_is_stable_in_meshes_of_different_media() {
    for order in [1, 3, 6] {
        for permittivity in [1.0, 4.0, 100.0] {
            for upwinding in [1.0, 0.5, 0.0] {
                let design = mixed(order, 2, |settings| {
                    settings.upwinding = upwinding;
                    settings.materials[0].1.permittivity = permittivity;
                });
                let share = share(&design);
                assert!(share < 1.0, "order {order} permittivity {permittivity} alpha {upwinding}: {share}");
            }
        }
    }
}

/// Largest growth in the half disc of a radius.
fn most_growth(limit: f64, growth: impl Fn(f64, f64) -> [f64; 2]) -> f64 {
    let mut most: f64 = 0.0;
    for angle in 0..=1000 {
        let angle = std::f64::consts::PI * (0.5 + 0.5 * f64::from(angle) / 1000.0);
        for part in 1..=100 {
            let radius = limit * f64::from(part) / 100.0;
            let [re, im] = growth(radius * angle.cos(), radius * angle.sin());
            most = most.max(re.hypot(im));
        }
    }
    most
}

#[test]
fn no_mode_in_the_half_disc_grows() {
    let most = most_growth(time_step::LIMIT, |re, im| growth(&lsrk::A, &lsrk::B, re, im));
    assert!(most < 1.0 + 1e-12, "{most}");
}

/// Fourteen stages (Niegemann, Diehl and Busch, 2012) are more work for the same time: with seven tenths of the radius that five stages have for each stage they grow.
#[test]
fn fourteen_stages_do_not_pay() {
    const A: [f64; 14] = [
        0.0,
        -0.718801210867241,
        -0.778533117342157,
        -0.0053282796654044,
        -0.8552979934029281,
        -3.9564138245774565,
        -1.5780575380587385,
        -2.0837094552574054,
        -0.748333418276161,
        -0.703286110656336,
        0.0013917096117681,
        -0.093207536963746,
        -0.9514200470875948,
        -7.115157169392255,
    ];
    const B: [f64; 14] = [
        0.0367762454319673,
        0.3136296607553959,
        0.1531848691869027,
        0.0030097086818182,
        0.332629379064611,
        0.2440251405350864,
        0.3718879239592277,
        0.6204126221582444,
        0.1524043173028741,
        0.0760894927419266,
        0.0077604214040978,
        0.0024647284755382,
        0.0780348340049386,
        5.505977727026963,
    ];
    let growth = |re: f64, im: f64| growth(&A, &B, re, im);
    // It is of fourth order, and so the right one.
    let error = |z: f64| (growth(z, 0.0)[0] - z.exp()).abs();
    let order = (error(0.2) / error(0.1)).log2();
    assert!((order - 5.0).abs() < 0.1, "{order}");
    let each = time_step::LIMIT / lsrk::STAGES as f64;
    assert!(most_growth(0.7 * each * A.len() as f64, growth) > 1.01);
}

#[test]
fn the_energy_never_grows_with_the_longest_step() {
    for (upwinding, steps) in [(1.0, 400), (0.0, 400)] {
        let design = mixed(3, 2, |settings| settings.upwinding = upwinding);
        let dt = time_step::limit(&design);
        let plan = cpu::Plan::<f64>::new(design);
        let mut states = Random(3).states(plan.design().states());
        let mut fields = plan.load(&states, 0.0).unwrap();
        let mut last = energy(plan.design(), &states);
        for step in 0..steps {
            plan.step(&mut fields, dt);
            plan.store(&fields, &mut states).unwrap();
            let now = energy(plan.design(), &states);
            // Rounding of sums of some thousand squares.
            assert!(now <= last * (1.0 + 1e-12), "alpha {upwinding}, step {step}: {last:e} to {now:e}");
            last = now;
        }
    }
}

#[test]
fn central_flux_keeps_the_energy_of_a_field_that_is_resolved_in_time() {
    let design = mixed(2, 2, |settings| settings.upwinding = 0.0);
    // What the scheme takes in a step falls with the sixth power of it.
    let dt = 0.1 * time_step::limit(&design);
    let plan = cpu::Plan::<f64>::new(design);
    let states = Random(3).states(plan.design().states());
    let before = energy(plan.design(), &states);
    let mut fields = plan.load(&states, 0.0).unwrap();
    (0..1000).for_each(|_| plan.step(&mut fields, dt));
    let mut found = states.clone();
    plan.store(&fields, &mut found).unwrap();
    let after = energy(plan.design(), &found);
    assert!((after / before - 1.0).abs() < 1e-3, "{before:e} to {after:e}");
}
