//! Matched layers: the CPU against the definition, what comes back from them, and what becomes of fields in them after long times.

use super::super::pml::Memory;
use super::super::reference::{energy, rates};
use super::super::{Boundary, Layers, PlaneWave, Pulse, cpu, lsrk, time_step};
use super::*;

/// One step of the definition with its layers.
fn step(design: &Design, fields: &mut [State], memory: &mut [Memory], dt: f64) {
    let absorber = design.absorber.as_ref().unwrap();
    let mut residual = (vec![State::default(); fields.len()], vec![Memory::default(); memory.len()]);
    for stage in 0..lsrk::STAGES {
        let mut rate = rates(design, fields, 0.0);
        let memory_rate = absorber.absorb(design.element.node_count(), fields, memory, &mut rate);
        let on = |q: &mut Vec3, r: &mut Vec3, f: Vec3| {
            *r = *r * lsrk::A[stage] + f * dt;
            *q += *r * lsrk::B[stage];
        };
        for ((q, r), f) in fields.iter_mut().zip(&mut residual.0).zip(rate) {
            on(&mut q.e, &mut r.e, f.e);
            on(&mut q.h, &mut r.h, f.h);
        }
        for ((q, r), f) in memory.iter_mut().zip(&mut residual.1).zip(memory_rate) {
            for kind in 0..2 {
                on(&mut q.e[kind], &mut r.e[kind], f.e[kind]);
                on(&mut q.h[kind], &mut r.h[kind], f.h[kind]);
            }
        }
    }
}

#[test]
fn layers_are_those_of_the_definition() {
    let design = mixed(2, 3, |settings| {
        // Sides, edges and corners of different strength.
        settings.layers = Some(Layers { shift: 0.3, ..Layers::new(Vec3::splat(0.3), Vec3::splat(0.6)) });
    });
    let absorber = design.absorber.as_ref().unwrap();
    assert!(absorber.sigma.iter().any(|sigma| (0..3).all(|axis| sigma[axis] > 0.0)));
    let mut expected = Random(4).states(design.states());
    let mut memory = vec![Memory::default(); absorber.sigma.len() * design.element.node_count()];
    let (dt, plan) = (0.002, cpu::Plan::<f64>::new(design.clone()));
    let mut fields = plan.load(&expected, 0.0).unwrap();
    for _ in 0..5 {
        step(&design, &mut expected, &mut memory, dt);
        plan.step(&mut fields, dt);
    }
    let mut found = vec![State { e: Vec3::splat(f64::NAN), h: Vec3::splat(f64::NAN) }; expected.len()];
    plan.store(&fields, &mut found).unwrap();
    // Five steps of five stages, each with some hundred roundings of what decays and does not cancel.
    assert!(distance(&found, &expected) < 1e-12 * largest(&expected));
}

/// A box of one cell across and so many along z, with walls along which a wave with E along x and H along y goes as in free space.
fn guide(order: usize, cells: usize, layers: Option<Layers>) -> cpu::Plan<f64> {
    let high = Vec3::new(CELL, CELL, CELL * cells as f64);
    let mesh = Mesh::new(kuhn::cuboid(Vec3::ZERO, high, [1, 1, cells])).unwrap();
    let mut settings = Settings::new(order);
    settings.boundaries = vec![("y_min".into(), Boundary::Pmc), ("y_max".into(), Boundary::Pmc)];
    settings.layers = layers;
    cpu::Plan::new(Design::new(mesh, &settings).unwrap())
}

const CELL: f64 = 0.25;

/// What comes back from four layers of cells before a conductor into eight cells before them, over what goes in: the largest difference from a run in a guide so long that nothing can come back.
fn back(order: usize) -> f64 {
    const INSIDE: usize = 8;
    let layers = Layers::new(Vec3::ZERO, Vec3::new(CELL, CELL, CELL * INSIDE as f64));
    let plans = [guide(order, INSIDE + 4, Some(layers)), guide(order, INSIDE + 8, None)];
    // Three cells a wavelength of the middle of the spectrum, and two at 1/e above it.
    let pulse = Pulse::Gauss { centre: -1.0, width: 0.3, wavenumber: 5.0 };
    let (direction, polarisation) = (Vec3::new(0.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 0.0));
    let wave = PlaneWave::new(direction, polarisation, pulse, &Material::VACUUM).unwrap();
    let mut states = [0, 1].map(|i| plans[i].design().sampled(|x| wave.at(x, 0.0)));
    let mut fields = [0, 1].map(|i| plans[i].load(&states[i], 0.0).unwrap());
    let dt = time_step::limit(plans[0].design());
    let inner = 6 * INSIDE * plans[0].design().element.node_count();
    let mut most: f64 = 0.0;
    // The layers begin 1 m from the middle of the pulse; the end of the long guide is seen 4 m later.
    while fields[0].time < 3.5 {
        for i in [0, 1] {
            plans[i].step(&mut fields[i], dt);
            plans[i].store(&fields[i], &mut states[i]).unwrap();
        }
        most = most.max(distance(&states[0][..inner], &states[1][..inner]));
    }
    most
}

#[test]
fn four_layers_of_order_three_send_back_less_than_a_thousandth() {
    let back = back(3);
    assert!(back < 1e-3, "{back:e}");
}

#[test]
fn fields_in_layers_do_not_grow_in_a_hundred_thousand_steps() {
    // Sides, edges and a corner of the layers.
    let mesh = Mesh::new(kuhn::cuboid(Vec3::ZERO, Vec3::splat(0.5), [2; 3])).unwrap();
    let mut settings = Settings::new(1);
    settings.layers = Some(Layers::new(Vec3::ZERO, Vec3::splat(0.25)));
    let design = Design::new(mesh, &settings).unwrap();
    let dt = time_step::limit(&design);
    let plan = cpu::Plan::<f32>::new(design);
    // Anything, with static fields and charges.
    let start = Random(12).states(plan.design().states());
    let mut fields = plan.load(&start, 0.0).unwrap();
    let mut found = start.clone();
    let mut energies = vec![energy(plan.design(), &start)];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
    for _ in 0..10 {
        pool.install(|| (0..10_000).for_each(|_| plan.step(&mut fields, dt)));
        plan.store(&fields, &mut found).unwrap();
        energies.push(energy(plan.design(), &found));
    }
    assert!(energies[10] < energies[0] && energies[10] <= 1.001 * energies[5], "{energies:?}");
}
