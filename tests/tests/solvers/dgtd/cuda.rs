//! The discontinuous Galerkin method on a card against its definition and the CPU.

use crate::devices;
use kernels::Device;
use pipeline::dgtd::cuda::{Fields, Number, Plan};
use pipeline::dgtd::design::Design;
use pipeline::dgtd::dispersion::Polarisation;
use pipeline::dgtd::mesh::named::{self, Region};
use pipeline::dgtd::mesh::{Mesh, kuhn};
use pipeline::dgtd::port::Port;
use pipeline::dgtd::reference::rates;
use pipeline::dgtd::spectrum::Phasor;
use pipeline::dgtd::{
    Boundary, Dipole, Error, Layers, Material, PlaneWave, Pole, Probe, Pulse, Settings, Spectrum, State,
    Terminals, case, cpu, reference, time_step,
};
use pipeline::numerics::constants::SPEED_OF_LIGHT;
use pipeline::numerics::real::Real;
use pipeline::numerics::vec3::Vec3;
use std::path::Path;

const NOTHING: State = State {
    e: Vec3 { x: f64::NAN, y: f64::NAN, z: f64::NAN },
    h: Vec3 { x: f64::NAN, y: f64::NAN, z: f64::NAN },
};

/// A cheap generator of numbers from -1 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn states(&mut self, count: usize) -> Vec<State> {
        (0..count).map(|_| State { e: self.vector(), h: self.vector() }).collect()
    }
}

fn wave() -> PlaneWave {
    let pulse = Pulse::Gauss { centre: 0.3, width: 0.4, wavenumber: 2.0 };
    PlaneWave::new(Vec3::new(1.0, 0.2, -0.4), Vec3::new(0.0, 1.0, 0.3), pulse, &Material::VACUUM).unwrap()
}

/// Its rates are about as large as those of random fields.
fn dipole(position: Vec3) -> Dipole {
    let pulse = Pulse::Gauss { centre: 0.1, width: 0.3, wavenumber: 3.0 };
    Dipole { position, moment: Vec3::new(1e-4, -2e-4, 3e-4), pulse }
}

/// A crooked box of two mixed media with all that a side can look at: walls of every kind, losses, a wave, total and scattered fields; and two dipoles, one in the layers.
fn everything(order: usize, cells: usize, layers: Option<Layers>) -> Design {
    let mut random = Random(3);
    let high = Vec3::new(1.0, 1.1, 0.9);
    let mut volume = kuhn::cuboid(Vec3::ZERO, high, [cells; 3]);
    for vertex in &mut volume.vertices {
        if (0..3).all(|axis| vertex[axis] > 0.0 && vertex[axis] < high[axis]) {
            *vertex += random.vector() * (0.15 / cells as f64);
        }
    }
    volume.names = vec!["one".into(), "two".into()];
    volume.groups.iter_mut().for_each(|group| *group = u32::from(random.next() > 0.0));
    let mut settings = Settings::new(order);
    settings.materials =
        vec![("two".into(), Material { permittivity: 4.0, permeability: 1.5, conductivity: 0.0 })];
    settings.upwinding = 0.7;
    settings.background.conductivity = 0.003;
    settings.wave = Some(wave());
    settings.total_field = vec!["two".into()];
    let walls = [Boundary::Pmc, Boundary::Absorbing, Boundary::Incident];
    settings.boundaries = ["x_min", "y_max", "z_min"].map(String::from).into_iter().zip(walls).collect();
    settings.layers = layers;
    settings.dipoles = [Vec3::new(0.4, 0.5, 0.6), Vec3::new(0.1, 0.2, 0.3)].map(dipole).to_vec();
    Design::new(Mesh::new(volume).unwrap(), &settings).unwrap()
}

fn layers() -> Option<Layers> {
    Some(Layers { shift: 0.3, ..Layers::new(Vec3::splat(0.35), Vec3::splat(0.9)) })
}

fn largest(states: &[State]) -> f64 {
    states.iter().map(|state| state.e.length().max(state.h.length())).fold(0.0, f64::max)
}

/// Largest difference of two lists of states over the largest state; NaN is infinite.
fn apart(one: &[State], other: &[State]) -> f64 {
    assert_eq!(one.len(), other.len());
    let differences = one.iter().zip(other).map(|(a, b)| (a.e - b.e).length().max((a.h - b.h).length()));
    differences.fold(0.0, |most: f64, it| if it.is_nan() { f64::INFINITY } else { most.max(it) })
        / largest(other)
}

/// Rounding of rates, over the largest: sums of up to 10 (p + 1)^3/6 products whose terms cancel to a tenth.
fn rounding<T: Real>(order: usize) -> f64 {
    T::epsilon().to_f64() * 10.0 * ((order + 1) as f64).powi(3)
}

fn rates_agree<T: Number>(device: &Device) {
    for order in 1..=8 {
        let design = everything(order, 3, None);
        let fields = Random(order as u64).states(design.states());
        let expected = rates(&design, &fields, 0.2);
        let mut plan = Plan::<T>::new(device, design).unwrap();
        let mut loaded = plan.load(&fields, 0.2).unwrap();
        for _ in 0..2 {
            let mut found = vec![NOTHING; fields.len()];
            plan.rates(&mut loaded, &mut found).unwrap();
            let wrong = apart(&found, &expected);
            assert!(wrong < rounding::<T>(order), "order {order} {}: {wrong:e}", std::any::type_name::<T>());
        }
    }
}

#[test]
fn dgtd_rates_are_those_of_the_definition() {
    for device in devices("dgtd_rates_are_those_of_the_definition") {
        rates_agree::<f64>(&device);
        rates_agree::<f32>(&device);
    }
}

/// Fields, memories, sums and a probe after some steps on the card, and those of the CPU.
fn steps_agree<T: Number>(device: &Device, order: usize, layers: Option<Layers>) {
    let (dt, steps, design) = (0.002, 4, everything(order, 3, layers));
    let start = Random(4).states(design.states());
    let probe = Probe::new(&design, Vec3::new(0.4, 0.6, 0.3)).unwrap();
    let wavenumbers = [1.5, 3.0];
    let twin = cpu::Plan::<T>::new(design.clone());
    let mut expected = twin.load(&start, 0.1).unwrap();
    let mut sums = Spectrum::new(&design, &wavenumbers);
    for _ in 0..steps {
        twin.step(&mut expected, dt);
        twin.add(&mut sums, &expected, dt);
    }
    let mut plan = Plan::<T>::new(device, design.clone()).unwrap();
    let mut found = plan.load(&start, 0.1).unwrap();
    let mut on_card = Spectrum::new(&design, &wavenumbers);
    let mut running = plan.spectrum(&on_card).unwrap();
    for _ in 0..steps {
        plan.step(&mut found, dt).unwrap();
        plan.add(&mut running, &found, dt).unwrap();
    }
    plan.finish(&running, &mut on_card).unwrap();
    // Twenty stages, each with the rounding of its rates.
    let most = 20.0 * rounding::<T>(order);
    let [mut a, mut b] = [vec![NOTHING; start.len()], vec![NOTHING; start.len()]];
    twin.store(&expected, &mut a).unwrap();
    plan.store(&found, &mut b).unwrap();
    assert!(apart(&b, &a) < most, "order {order}: fields {:e}", apart(&b, &a));
    assert_eq!(found.time, expected.time);
    // Sums of many products, all in double precision.
    let (energy, expected_energy) = (plan.energy(&found).unwrap(), reference::energy(&design, &b));
    assert!((energy / expected_energy - 1.0).abs() < 1e-12, "order {order}: {energy}, {expected_energy}");
    let there = [plan.probe(&found, &probe).unwrap()];
    assert!(apart(&there, &[twin.probe(&expected, &probe)]) < most);
    memories_agree(&mut plan, &found, &twin.memories(&expected), most);
    let size = sums.phasors.iter().flat_map(|phasor| phasor.e).map(|e| e.norm()).fold(0.0, f64::max);
    let six = |Phasor { e, h }: &Phasor| e.iter().chain(h).copied().collect::<Vec<_>>();
    for (a, b) in sums.phasors.iter().zip(&on_card.phasors) {
        assert!(
            six(a).iter().zip(six(b)).all(|(a, b)| (a - b).norm() < most * size),
            "order {order}: {a:?}, {b:?}"
        );
    }
    assert_eq!(sums.incident, on_card.incident);
}

fn memories_agree<T: Number>(
    plan: &mut Plan<T>,
    fields: &pipeline::dgtd::cuda::Fields<T>,
    expected: &[pipeline::dgtd::pml::Memory],
    most: f64,
) {
    let found = plan.memories(fields).unwrap();
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().flat_map(|memory| memory.e).map(Vec3::length).fold(0.0, f64::max);
    for (a, b) in found.iter().zip(expected) {
        for kind in 0..2 {
            let wrong = (a.e[kind] - b.e[kind]).length().max((a.h[kind] - b.h[kind]).length());
            assert!(wrong < most * size, "{wrong:e} of {size:e}");
        }
    }
    let mut again = plan.load(&vec![State::default(); plan.design().states()], 0.0).unwrap();
    plan.remember(&mut again, &found).unwrap();
    assert_eq!(plan.memories(&again).unwrap(), found);
}

#[test]
fn dgtd_steps_are_those_of_the_cpu() {
    for device in devices("dgtd_steps_are_those_of_the_cpu") {
        for order in [1, 2, 3, 5, 8] {
            steps_agree::<f64>(&device, order, None);
            steps_agree::<f32>(&device, order, None);
            steps_agree::<f64>(&device, order, layers());
            steps_agree::<f32>(&device, order, layers());
        }
    }
}

/// A box between conductors of a medium without poles, one with a pole of each kind and one with two, in no order; and a dipole.
fn dispersive(order: usize) -> Design {
    let mut random = Random(5);
    let mut volume = kuhn::cuboid(Vec3::ZERO, Vec3::new(1.0, 1.1, 0.9), [3; 3]);
    volume.names = ["one", "two", "three"].map(String::from).to_vec();
    volume.groups.iter_mut().for_each(|group| *group = ((random.next() + 1.0) * 1.4999) as u32);
    let mut settings = Settings::new(order);
    settings.materials =
        vec![("two".into(), Material { permittivity: 4.0, permeability: 1.5, conductivity: 0.01 })];
    let poles = [
        Pole::Debye { delta: 2.0, relaxation: 0.4 / SPEED_OF_LIGHT },
        Pole::Drude { plasma: 2.0 * SPEED_OF_LIGHT, collision: 0.3 * SPEED_OF_LIGHT },
        Pole::Lorentz { delta: 1.5, resonance: 3.0 * SPEED_OF_LIGHT, damping: 0.4 * SPEED_OF_LIGHT },
    ];
    settings.poles = vec![("two".into(), poles.to_vec()), ("three".into(), poles[1..].to_vec())];
    settings.dipoles = vec![dipole(Vec3::new(0.4, 0.5, 0.6))];
    Design::new(Mesh::new(volume).unwrap(), &settings).unwrap()
}

/// Rates, fields, polarisations and energy on the card, and those of the definition and of the CPU.
fn poles_agree<T: Number>(device: &Device, order: usize) {
    let (dt, steps, design) = (0.002, 4, dispersive(order));
    let dispersion = design.dispersion.clone().unwrap();
    let mut random = Random(4);
    let start = random.states(design.states());
    let nodes = design.element.node_count();
    let before: Vec<Polarisation> = (0..dispersion.elements.len() * dispersion.width(nodes))
        .map(|at| {
            let (element, pole) = (at / dispersion.width(nodes), at % dispersion.most);
            let found = Polarisation { p: random.vector(), j: random.vector() };
            if pole < dispersion.poles[element].len() { found } else { Polarisation::default() }
        })
        .collect();
    let mut expected_rates = rates(&design, &start, 0.1);
    reference::polarise(&design, &start, &before, &mut expected_rates);
    let mut plan = Plan::<T>::new(device, design.clone()).unwrap();
    let mut found = plan.load(&start, 0.1).unwrap();
    plan.polarise(&mut found, &before).unwrap();
    let mut found_rates = vec![NOTHING; start.len()];
    plan.rates(&mut found, &mut found_rates).unwrap();
    let wrong = apart(&found_rates, &expected_rates);
    assert!(wrong < rounding::<T>(order), "order {order}: rates {wrong:e}");
    let twin = cpu::Plan::<T>::new(design.clone());
    let mut expected = twin.load(&start, 0.1).unwrap();
    twin.polarise(&mut expected, &before).unwrap();
    for _ in 0..steps {
        twin.step(&mut expected, dt);
        plan.step(&mut found, dt).unwrap();
    }
    // Twenty stages, each with the rounding of its rates.
    let most = 20.0 * rounding::<T>(order);
    let [mut a, mut b] = [vec![NOTHING; start.len()], vec![NOTHING; start.len()]];
    twin.store(&expected, &mut a).unwrap();
    plan.store(&found, &mut b).unwrap();
    assert!(apart(&b, &a) < most, "order {order}: fields {:e}", apart(&b, &a));
    let state = |it: &Polarisation| State { e: it.p, h: it.j };
    let polarisations = plan.polarisations(&found).unwrap();
    let [a, of_card] = [&twin.polarisations(&expected), &polarisations]
        .map(|list| list.iter().map(state).collect::<Vec<State>>());
    assert!(apart(&of_card, &a) < most, "order {order}: polarisations {:e}", apart(&of_card, &a));
    // Sums of many products, all in double precision.
    let expected_energy = reference::total_energy(&design, &b, &polarisations);
    let energy = plan.energy(&found).unwrap();
    assert!((energy / expected_energy - 1.0).abs() < 1e-12, "order {order}: {energy}, {expected_energy}");
    let mut again = plan.load(&b, found.time).unwrap();
    plan.polarise(&mut again, &polarisations).unwrap();
    assert_eq!(plan.polarisations(&again).unwrap(), polarisations);
    // A run that goes on from them has the same bits.
    let [mut one, mut other] = [vec![NOTHING; start.len()], vec![NOTHING; start.len()]];
    for (fields, states) in [(&mut found, &mut one), (&mut again, &mut other)] {
        plan.step(fields, dt).unwrap();
        plan.store(fields, states).unwrap();
    }
    assert_eq!(one, other);
    let error = plan.polarise(&mut again, &polarisations[1..]).err();
    let (given, needed) = (polarisations.len() - 1, polarisations.len());
    assert_eq!(error, Some(Error::Length { what: "polarisations", given, needed }));
}

#[test]
fn dgtd_polarises_dispersive_media_as_the_cpu() {
    for device in devices("dgtd_polarises_dispersive_media_as_the_cpu") {
        for order in [1, 2, 3, 5, 8] {
            poles_agree::<f64>(&device, order);
            poles_agree::<f32>(&device, order);
        }
    }
}

#[test]
fn dgtd_repeats_its_bits_and_refuses_wrong_lengths() {
    for device in devices("dgtd_repeats_its_bits_and_refuses_wrong_lengths") {
        let design = everything(3, 3, layers());
        let start = Random(4).states(design.states());
        let mut plan = Plan::<f32>::new(&device, design).unwrap();
        let mut run = || {
            let mut fields = plan.load(&start, 0.0).unwrap();
            (0..5).for_each(|_| plan.step(&mut fields, 0.001).unwrap());
            let mut found = vec![NOTHING; start.len()];
            plan.store(&fields, &mut found).unwrap();
            found
        };
        assert_eq!(run(), run());
        let needed = start.len();
        let error = plan.load(&start[1..], 0.0).err();
        assert_eq!(error, Some(Error::Length { what: "states", given: needed - 1, needed }));
    }
}

/// A box of two media with a port between them, whose conductance is about that of vacuum.
fn with_port(order: usize) -> Design {
    let mut volume = kuhn::cuboid(Vec3::ZERO, Vec3::new(1.0, 0.8, 1.2), [4, 4, 3]);
    let region = |low: [f64; 3], high: [f64; 3]| Region { low: low.into(), high: high.into() };
    named::block(&mut volume, "two", region([0.5, 0.0, 0.0], [1.0, 0.8, 1.2])).unwrap();
    named::sheet(&mut volume, "port", region([0.5, 0.2, 0.0], [0.5, 0.6, 0.8])).unwrap();
    let mut settings = Settings::new(order);
    settings.materials =
        vec![("two".into(), Material { permittivity: 4.0, permeability: 1.5, conductivity: 0.001 })];
    settings.upwinding = 0.7;
    let pulse = Pulse::Gauss { centre: 0.1, width: 0.3, wavenumber: 3.0 };
    let direction = Vec3::new(0.0, 1.0, 0.0);
    let (group, length, width, resistance) = ("port".into(), 0.4, 0.8, 300.0);
    settings.port = Some(Port { group, direction, length, width, resistance, pulse });
    Design::new(Mesh::new(volume).unwrap(), &settings).unwrap()
}

/// Steps on the processor and on the card, and what a port has seen of both.
fn port_sums<T: Number>(
    (twin, expected): (&cpu::Plan<T>, &mut cpu::Fields<T>),
    (plan, fields): (&mut Plan<T>, &mut Fields<T>),
    wavenumbers: &[f64],
    dt: f64,
    steps: u32,
) -> [Terminals; 2] {
    let mut sums = Terminals::new(twin.design(), wavenumbers).unwrap();
    let mut on_card = sums.clone();
    let mut running = plan.terminals(&on_card).unwrap();
    for _ in 0..steps {
        twin.step(expected, dt);
        sums.add(expected.time, dt, |element, node| twin.node(expected, element, node));
        plan.step(fields, dt).unwrap();
        plan.add_port(&mut running, &mut on_card, fields, dt).unwrap();
    }
    plan.finish_port(&running, &mut on_card).unwrap();
    [sums, on_card]
}

fn port_agrees<T: Number>(device: &Device, order: usize) {
    let (dt, steps, design) = (0.002, 4, with_port(order));
    let start = Random(5).states(design.states());
    let mut plan = Plan::<T>::new(device, design.clone()).unwrap();
    let mut found = vec![NOTHING; start.len()];
    let mut fields = plan.load(&start, 0.2).unwrap();
    plan.rates(&mut fields, &mut found).unwrap();
    let wrong = apart(&found, &rates(&design, &start, 0.2));
    assert!(wrong < rounding::<T>(order), "order {order} {}: {wrong:e}", std::any::type_name::<T>());
    let twin = cpu::Plan::<T>::new(design.clone());
    let mut expected = twin.load(&start, 0.2).unwrap();
    let [sums, on_card] = port_sums((&twin, &mut expected), (&mut plan, &mut fields), &[1.5, 3.0], dt, steps);
    // Twenty stages, each with the rounding of its rates.
    let most = 20.0 * rounding::<T>(order);
    let mut states = [vec![NOTHING; start.len()], vec![NOTHING; start.len()]];
    twin.store(&expected, &mut states[0]).unwrap();
    plan.store(&fields, &mut states[1]).unwrap();
    let wrong = apart(&states[1], &states[0]);
    assert!(wrong < most, "order {order} {}: {wrong:e}", std::any::type_name::<T>());
    assert_eq!(sums.source, on_card.source);
    assert_eq!(sums.fields.len(), on_card.fields.len());
    // Random fields of about 1 V/m, for four steps.
    for (a, b) in sums.fields.iter().zip(&on_card.fields) {
        assert!((a - b).norm() < most * f64::from(steps) * dt, "order {order}: {a}, {b}");
    }
}

#[test]
fn dgtd_ports_are_those_of_the_cpu() {
    for device in devices("dgtd_ports_are_those_of_the_cpu") {
        for order in 1..=8 {
            port_agrees::<f64>(&device, order);
            port_agrees::<f32>(&device, order);
        }
    }
}

/// S11 of the built-in monopole from rest to the end of its pulse.
#[test]
fn dgtd_monopole_has_the_reflection_of_the_cpu() {
    for device in devices("dgtd_monopole_has_the_reflection_of_the_cpu") {
        let (tables, folder) = case::load(Path::new("monopole")).unwrap();
        let case = tables.resolve(&folder).unwrap();
        let design = Design::new(case.mesh.clone(), &case.settings).unwrap();
        let (dt, steps) = (time_step::limit(&design), 300);
        let nothing = vec![State::default(); design.states()];
        let Pulse::Gauss { centre, width, .. } = case.settings.port.as_ref().unwrap().pulse else { panic!() };
        let begin = centre - 3.0 * width;
        let twin = cpu::Plan::<f64>::new(design.clone());
        let mut expected = twin.load(&nothing, begin).unwrap();
        let mut plan = Plan::<f64>::new(&device, design.clone()).unwrap();
        let mut fields = plan.load(&nothing, begin).unwrap();
        let [sums, on_card] =
            port_sums((&twin, &mut expected), (&mut plan, &mut fields), &case.sweep, dt, steps);
        // Five stages a step, each with the rounding of its rates.
        let most = 5.0 * f64::from(steps) * rounding::<f64>(case.settings.order);
        for at in 0..case.sweep.len() {
            let (a, b) = (on_card.reflection(at), sums.reflection(at));
            assert!((a - b).norm() < most, "{at}: {a}, {b}");
        }
    }
}
