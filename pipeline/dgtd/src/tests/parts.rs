//! Parts that send each other what is at their faces, against the plan of the whole.

use super::super::cpu::{self, Exchange, Mail, Part};
use super::super::dispersion::Polarisation;
use super::super::partition::Partition;
use super::super::pml::Memory;
use super::super::spectrum::Phasor;
use super::super::terminals::Terminals;
use super::super::{Boundary, Dipole, Error, Layers, PlaneWave, Port, Pulse, Spectrum, reference, time_step};
use super::*;
use crate::mesh::named::{self, Region};
use num_complex::Complex64;
use numerics::real::Real;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Parts on threads of one process: a channel from each to each.
struct Threads<T> {
    to: Vec<Sender<Vec<T>>>,
    from: Vec<Receiver<Vec<T>>>,
}

impl<T> Threads<T> {
    fn new(count: usize) -> Vec<Self> {
        let mut all: Vec<Self> = (0..count).map(|_| Self { to: Vec::new(), from: Vec::new() }).collect();
        for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
            let (sender, receiver) = channel();
            all[from].to.push(sender);
            all[to].from.push(receiver);
        }
        all
    }
}

impl<T: Real> Exchange<T> for Threads<T> {
    fn exchange(&self, mail: &mut [Mail<T>], work: Box<dyn FnOnce() + Send + '_>) {
        mail.iter().for_each(|mail| self.to[mail.part].send(mail.sent.clone()).unwrap());
        work();
        for Mail { part, received, .. } in mail {
            let found = self.from[*part].recv().unwrap();
            assert_eq!(found.len(), received.len());
            *received = found;
        }
    }
}

const STEPS: usize = 4;

/// What a part, or the whole, has at the end.
#[derive(Debug, PartialEq)]
struct End {
    states: Vec<State>,
    memory: Vec<Memory>,
    polarisations: Vec<Polarisation>,
    energies: Vec<f64>,
    phasors: Vec<Phasor>,
    sheet: Vec<Complex64>,
}

/// Walls, two media, losses, a wave onto a Huygens surface, matched layers and a dipole, on elements enough for blocks without ghosts.
fn everything() -> Design {
    let pulse = Pulse::Gauss { centre: 0.3, width: 0.4, wavenumber: 2.0 };
    let direction = Vec3::new(1.0, 0.2, -0.4);
    let wave = PlaneWave::new(direction, Vec3::new(0.0, 1.0, 0.3), pulse, &Material::VACUUM).unwrap();
    mixed(2, 5, |settings| {
        settings.upwinding = 0.7;
        settings.background.conductivity = 0.003;
        (settings.wave, settings.total_field) = (Some(wave), vec!["two".into()]);
        let walls = [Boundary::Pmc, Boundary::Absorbing, Boundary::Incident];
        settings.boundaries = ["x_min", "y_max", "z_min"].map(String::from).into_iter().zip(walls).collect();
        settings.layers = Some(Layers::new(Vec3::splat(0.2), Vec3::splat(0.7)));
        let (position, moment) = (Vec3::splat(0.41), Vec3::new(0.0, 1e-3, 1e-3));
        settings.dipoles = vec![Dipole { position, moment, pulse }];
    })
}

/// A line with a port across it, all of whose elements are at the port's sheet or next to those.
fn line() -> Design {
    let mut volume = kuhn::cuboid(Vec3::new(0.0, 0.0, -0.3), Vec3::new(0.4, 0.4, 0.3), [4, 4, 6]);
    let region = Region { low: Vec3::ZERO, high: Vec3::new(0.4, 0.4, 0.0) };
    named::sheet(&mut volume, "port", region).unwrap();
    let mut settings = Settings::new(2);
    settings.boundaries = vec![("z_min".into(), Boundary::Absorbing)];
    let (group, length, width, resistance) = ("port".into(), 0.4, 0.4, 300.0);
    let pulse = Pulse::Gauss { centre: 0.1, width: 0.6, wavenumber: 4.0 };
    let direction = Vec3::new(0.0, 1.0, 0.0);
    settings.port = Some(Port { group, direction, length, width, resistance, pulse });
    Design::new(Mesh::new(volume).unwrap(), &settings).unwrap()
}

fn start(design: &Design) -> Vec<State> {
    Random(4).states(design.states())
}

fn sums(design: &Design) -> (Spectrum, Option<Terminals>) {
    (Spectrum::new(design, &[1.0, 2.5]), Terminals::new(design, &[1.0, 2.5]))
}

fn whole<T: Real>(design: &Design) -> End {
    let (plan, dt) = (cpu::Plan::<T>::new(design.clone()), time_step::limit(design));
    let mut fields = plan.load(&start(design), 0.1).unwrap();
    let (mut spectrum, mut terminals) = sums(design);
    for _ in 0..STEPS {
        plan.step(&mut fields, dt);
        plan.add(&mut spectrum, &fields, dt);
        if let Some(terminals) = &mut terminals {
            terminals.add(fields.time, dt, |element, node| plan.node(&fields, element, node));
        }
    }
    let mut states = start(design);
    plan.store(&fields, &mut states).unwrap();
    let elements: Vec<u32> = (0..design.cells.len() as u32).collect();
    let (memory, polarisations) = (plan.memories(&fields), plan.polarisations(&fields));
    let energies = reference::total_energies(design, &elements, &states, &polarisations);
    assert_eq!(energies.iter().sum::<f64>(), reference::total_energy(design, &states, &polarisations));
    let sheet = terminals.map_or_else(Vec::new, |terminals| terminals.fields);
    End { memory, polarisations, phasors: spectrum.phasors, states, energies, sheet }
}

/// One part beside the others.
fn part<T: Real>(design: &Design, partition: &Partition, number: usize, exchange: &Threads<T>) -> End {
    let (mut part, dt) = (Part::<T>::new(design.clone(), partition, number), time_step::limit(design));
    let mut fields = part.plan().load(&start(design), 0.1).unwrap();
    let (spectrum, mut terminals) = sums(design);
    let mut spectrum = spectrum.of(|element| part.plan().has(element));
    terminals = terminals.filter(|_| partition.port_owner(design) == Some(number));
    for _ in 0..STEPS {
        part.step(&mut fields, dt, exchange);
        part.plan().add(&mut spectrum, &fields, dt);
        if let Some(terminals) = &mut terminals {
            terminals.add(fields.time, dt, |element, node| part.plan().node(&fields, element, node));
        }
    }
    End {
        states: part.states(&fields),
        memory: part.plan().memories(&fields),
        polarisations: part.plan().polarisations(&fields),
        energies: part.energies(&fields),
        phasors: spectrum.phasors,
        sheet: terminals.map_or_else(Vec::new, |terminals| terminals.fields),
    }
}

/// All parts at once, and the whole again from what they have.
fn merged<T: Real>(design: &Design, partition: &Partition) -> End {
    let ends: Vec<End> = std::thread::scope(|scope| {
        let threads = Threads::new(partition.parts).into_iter().enumerate();
        let all: Vec<_> = threads
            .map(|(number, exchange)| scope.spawn(move || part::<T>(design, partition, number, &exchange)))
            .collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    fn lists<V: Clone>(ends: &[End], list: impl Fn(&End) -> &Vec<V>) -> Vec<Vec<V>> {
        ends.iter().map(|end| list(end).clone()).collect()
    }
    let (nodes, elements) = (design.element.node_count(), 0..design.cells.len());
    let matched = design.absorber.iter().flat_map(|it| &it.elements).map(|it| *it as usize);
    let dispersion = design.dispersion.iter();
    let polarised = dispersion.clone().flat_map(|it| &it.elements).map(|it| *it as usize);
    let width = dispersion.map(|it| it.width(nodes)).sum::<usize>().max(1);
    let (spectrum, _) = sums(design);
    let points = spectrum.points.iter().chain(&spectrum.points).map(|point| point.element);
    End {
        states: partition.merged(elements.clone(), &lists(&ends, |end| &end.states), nodes),
        memory: partition.merged(matched, &lists(&ends, |end| &end.memory), nodes),
        polarisations: partition.merged(polarised, &lists(&ends, |end| &end.polarisations), width),
        energies: partition.merged(elements, &lists(&ends, |end| &end.energies), 1),
        phasors: partition.merged(points, &lists(&ends, |end| &end.phasors), 1),
        sheet: lists(&ends, |end| &end.sheet).concat(),
    }
}

fn same_bits<T: Real>(design: &Design) {
    let expected = whole::<T>(design);
    for parts in 1..=4 {
        let made = [Partition::along_the_curve(design, parts), Partition::new(design, parts).unwrap()];
        // The sums of a port are those of one part.
        let made = made.into_iter().skip(usize::from(design.port.is_some()));
        for partition in made {
            assert!(merged::<T>(design, &partition) == expected, "{parts} parts");
        }
    }
}

#[test]
fn any_number_of_parts_gives_the_same_bits_in_f64() {
    let design = everything();
    let expected = whole::<f64>(&design);
    assert!(expected.memory.iter().any(|it| it.e[1].length() > 0.0) && !expected.phasors.is_empty());
    same_bits::<f64>(&design);
    // The worst that can be: neighbours everywhere.
    let mixed = (0..design.cells.len() as u32).map(|element| element % 3).collect();
    assert!(merged::<f64>(&design, &Partition { parts: 3, owners: mixed }) == expected);
    // Parts without elements.
    let one = vec![1; design.cells.len()];
    assert!(merged::<f64>(&design, &Partition { parts: 3, owners: one }) == expected);
}

#[test]
fn any_number_of_parts_gives_the_same_bits_in_f32() {
    same_bits::<f32>(&everything());
}

#[test]
fn any_number_of_parts_polarises_dispersive_media_to_the_same_bits() {
    let design = dispersive(2, 4, |_| ());
    let expected = whole::<f64>(&design);
    assert!(expected.polarisations.iter().any(|it| it.p.length() > 0.0 && it.j.length() > 0.0));
    same_bits::<f64>(&design);
    same_bits::<f32>(&design);
    // A part takes what is its own from the polarisations of the whole.
    let part = Part::<f64>::new(design.clone(), &Partition::new(&design, 2).unwrap(), 1);
    let mut fields = part.plan().load(&expected.states, 0.0).unwrap();
    part.plan().polarise(&mut fields, &expected.polarisations).unwrap();
    let own = part.elements().iter().filter(|it| !design.dispersion.as_ref().unwrap().of(**it).is_empty());
    assert_eq!(part.plan().polarisations(&fields).len(), own.count() * 3 * design.element.node_count());
    assert_eq!(
        part.energies(&fields),
        part.elements().iter().map(|it| expected.energies[*it as usize]).collect::<Vec<_>>()
    );
    let wrong = part.plan().polarise(&mut fields, &expected.polarisations[1..]).unwrap_err();
    assert!(matches!(wrong, Error::Length { what: "polarisations", .. }), "{wrong}");
}

#[test]
fn parts_are_of_one_size_and_their_figures_are_right() {
    let design = everything();
    let all = design.cells.len();
    for parts in [1, 2, 4, 7] {
        for partition in [Partition::along_the_curve(&design, parts), Partition::new(&design, parts).unwrap()]
        {
            let found = partition.statistics(&design);
            assert_eq!(found.shares.iter().map(|share| share.elements).sum::<usize>(), all);
            assert!(found.imbalance() >= 1.0 && found.imbalance() < 1.1, "{found}");
            assert_eq!(found.cut() == 0, parts == 1);
            for (part, share) in found.shares.iter().enumerate() {
                let links = partition.links(&design, part);
                assert_eq!(share.neighbours, links.len());
                assert_eq!(share.faces, links.values().map(|link| link.received.len()).sum::<usize>());
                for (other, link) in links {
                    assert_eq!(link.sent, partition.links(&design, other)[&part].received);
                }
            }
        }
    }
    let too_many = Partition::new(&design, all + 1).unwrap_err();
    assert!(
        matches!(&too_many, Error::Value { what, given, .. } if what == "number of parts" && *given == (all + 1).to_string())
    );
}

/// Parts of cubes, cut across: METIS must find the few faces of that, the curve not much more.
#[test]
fn few_faces_are_between_parts() {
    let mesh = Mesh::new(kuhn::cuboid(Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0), [12, 6, 6])).unwrap();
    let design = Design::new(mesh, &Settings::new(1)).unwrap();
    // Two triangles for each of 36 squares.
    let least = 2 * 6 * 6;
    for partition in [Partition::along_the_curve(&design, 2), Partition::new(&design, 2).unwrap()] {
        let cut = partition.statistics(&design).cut();
        assert!(cut < 2 * least, "{cut}");
    }
}

#[test]
fn a_port_is_in_one_part_and_sees_the_same_field() {
    let design = line();
    assert!(whole::<f64>(&design).sheet.iter().all(|field| field.norm() > 0.0));
    same_bits::<f64>(&design);
    let partition = Partition::new(&design, 3).unwrap();
    let owner = partition.port_owner(&design).unwrap();
    let cells = design.cells.iter().enumerate();
    let at_port = cells.filter(|(_, cell)| cell.sides.iter().any(|side| side.sheet > 0.0));
    let owners: Vec<usize> = at_port.map(|(element, _)| partition.owner(element)).collect();
    assert!(owners.len() == 2 * 2 * 4 * 4 && owners.iter().all(|it| *it == owner), "{owners:?}");
}
